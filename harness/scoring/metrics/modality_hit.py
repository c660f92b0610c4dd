"""Whether a chunk of the golden's modality (text, table, figure) was found."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case, Found, Golden
from harness.scoring.metrics._pages import EvidenceMetric
from harness.scoring.page_ranks import up_to_page
from harness.scoring.scores import Score

_KIND = {"chart": "figure", "layout": "figure"}


def kinds(golden: Golden) -> frozenset[str]:
    """The kinds of chunk that the golden's labels ask for; chart and layout count as figure, unlabelled as none."""
    return frozenset(_KIND.get(label, label) for label in golden.modality if label != "unlabelled")


class ModalityHit(EvidenceMetric):
    """1 if a chunk up to the k-th distinct page is of one of the golden's kinds, else 0. Its page need not be gold.

    A chunk has one kind, that under which it comes first: a system that lists every chunk as everything has one guess each.
    """

    place = 6
    at = (5, 10)
    binary = True

    def applies(self, golden: Golden) -> str | None:
        return super().applies(golden) or (None if kinds(golden) else "the golden's modality is not labelled")

    def value_against(self, case: Case, golden: Golden) -> float:
        return float(self._first(case, golden) is not None)

    def score(self, case: Case, bench: Bench) -> Score:
        first = self._first(case, case.golden)
        wanted, chunks = " or ".join(sorted(kinds(case.golden))), len(self._chunks(case))
        reason = f"{first.chunk} on {first.ref} is a {first.kind}" if first else f"no {wanted} among {chunks} chunks"
        return self.scored(case, first is not None, reason, chunks=chunks)

    def _first(self, case: Case, golden: Golden) -> Found | None:
        wanted = kinds(golden)
        return next((hit for hit in self._chunks(case) if hit.kind in wanted), None)

    def _chunks(self, case: Case) -> list[Found]:
        """Each chunk once, as it comes first."""
        first: dict[str, Found] = {}
        for hit in up_to_page(case.candidates, self.k):
            first.setdefault(hit.chunk, hit)
        return list(first.values())
