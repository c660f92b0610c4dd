"""What the page metrics share: where they apply, which pages they rank, and a reason that names the gold pages' ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from harness.bench import Bench
from harness.files.wording import counted
from harness.records import Case, Golden, PageRef
from harness.scoring.floors import Blind, mean_of
from harness.scoring.metric import Metric
from harness.scoring.page_ranks import distinct_pages
from harness.scoring.scores import Score

_LISTED = 6


class EvidenceMetric(Metric):
    """A value for what was found, against what a golden names: its own, or for a floor another golden."""

    stage: ClassVar[Literal["retrieve", "generate", "score"]] = "retrieve"

    def applies(self, golden: Golden) -> str | None:
        if not golden.evidence:
            return "the golden names no page as evidence"
        if golden.turns and not golden.standalone:
            return "the question depends on earlier turns and has no standalone form"
        return None

    def value_against(self, case: Case, golden: Golden) -> float:
        """The value of what the case found, were `golden` the one that was asked."""
        raise NotImplementedError

    def floors(self, blind: Blind) -> dict[str, float]:
        if self.stage != "retrieve":
            return {}
        fits = {golden.id for golden in self.asked(blind)}
        pairs = [(case, other) for case, other in blind.pairs if {case.golden.id, other.id} <= fits]
        return mean_of({"shuffled gold": [self.value_against(case, other) for case, other in pairs]})

    def asked(self, blind: Blind) -> list[Golden]:
        """The goldens that it applies to."""
        return [case.golden for case in blind.cases if self.applies(case.golden) is None]


class PageMetric(EvidenceMetric):
    """A value over the first k distinct pages of the reranked list and the golden's evidence."""

    def pages(self, case: Case) -> list[PageRef]:
        """The pages that are ranked, cut at k."""
        return distinct_pages(case.candidates, self.k)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        """The metric's formula, on pages already cut at k."""
        raise NotImplementedError

    def value_against(self, case: Case, golden: Golden) -> float:
        return self.value(self.pages(case), golden)

    def floors(self, blind: Blind) -> dict[str, float]:
        if self.stage != "retrieve":
            return {}
        known = [golden for golden in self.asked(blind) if blind.pages[golden.id]]
        values = [self.value(blind.pages[golden.id][: self.k], golden) for golden in known]
        return super().floors(blind) | mean_of({"frequent pages": values})

    def score(self, case: Case, bench: Bench) -> Score:
        pages = self.pages(case)
        reason = why(pages, case.golden) if pages else nothing(case)
        return self.scored(case, self.value(pages, case.golden), reason, pages=len(pages))


def why(pages: Sequence[PageRef], golden: Golden) -> str:
    """Where each gold page stands among the pages."""
    rank = {page: f"rank {number}" for number, page in enumerate(pages, start=1)}
    gold = sorted(golden.gold_pages, key=lambda page: (page not in rank, page))
    places = [f"{page} {rank.get(page, 'missing')}" for page in gold[:_LISTED]]
    more = [f"{len(gold) - _LISTED} more"] if len(gold) > _LISTED else []
    return f"gold among the first {counted(len(pages), 'page')}: {', '.join(places + more)}"


def nothing(case: Case) -> str:
    """Why there is no page at all."""
    cause = f" (the system failed: {case.error})" if case.error else ""
    return f"nothing was found{cause}; gold: {listed(sorted(case.golden.gold_pages))}"


def listed(refs: Sequence[PageRef]) -> str:
    """The pages in words, the first few of them."""
    more = f" and {len(refs) - _LISTED} more" if len(refs) > _LISTED else ""
    return ", ".join(map(str, refs[:_LISTED])) + more
