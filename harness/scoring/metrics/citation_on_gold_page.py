"""How many of an answer's citations name a gold page, and how the others miss it."""

from __future__ import annotations

import re
from collections import Counter

from harness.bench import Bench
from harness.records import Case, Citation, PageRef
from harness.scoring.metrics._answers import REFUSED, UNCITED, GoldPageMetric, answer_of
from harness.scoring.metrics._citations import page_of
from harness.scoring.scores import Score

Labels = dict[PageRef, str | None]
"""Gold pages and what is printed on each."""

_LAST_WORD = re.compile(r"(?:p\.?)?([\w.-]*\w)\W*\Z", re.IGNORECASE)


class CitationOnGoldPage(GoldPageMetric):
    """Citations in U, the union of the evidence groups / citations; none: 0. Refusals do not count.

    Detail counts each citation once, as the first that fits: gold; neighbour (a page next to U); printed (the number cited
    is the printed label of a page in U); unresolved; other. `neighbour_as_printed` says how many neighbours cite a printed
    label too, as they do in a document whose labels are one off.
    """

    place = 11
    conditional = True

    def score(self, case: Case, bench: Bench) -> Score:
        answer = answer_of(case)
        if answer.abstained:
            return self.not_applicable(case, REFUSED)
        total, gold = len(answer.citations), case.golden.gold_pages
        if not total:
            return self.scored(case, 0.0, UNCITED, citations=0)
        labels = {ref: bench.corpus.label(ref) for ref in gold}
        kinds = [_kinds(citation, page_of(citation, bench), labels) for citation in answer.citations]
        places = ", ".join(
            f"{citation.raw!r} {kind}" for citation, (kind, *_) in zip(answer.citations, kinds, strict=True)
        )
        counts = Counter(name for names in kinds for name in names)
        return self.scored(case, counts["gold"] / total, f"citations: {places}", citations=total, **counts)


def _kinds(citation: Citation, ref: PageRef | None, labels: Labels) -> list[str]:
    """The kind of a citation of page `ref`; for a neighbour, also whether its number is a gold page's printed one."""
    if ref in labels:
        return ["gold"]
    printed = _is_printed(citation, ref, labels)
    if ref and {ref._replace(page=ref.page - 1), ref._replace(page=ref.page + 1)} & labels.keys():
        return ["neighbour", "neighbour_as_printed"] if printed else ["neighbour"]
    if printed:
        return ["printed"]
    return ["other"] if ref else ["unresolved"]


def _is_printed(citation: Citation, ref: PageRef | None, labels: Labels) -> bool:
    """Whether the number cited is the label of a gold page: of the same document, where the citation resolves."""
    if ref:
        return any(label == str(ref.page) and gold.doc == ref.doc for gold, label in labels.items())
    last = _LAST_WORD.search(citation.raw)
    return last is not None and last[1].casefold() in {label.casefold() for label in labels.values() if label}
