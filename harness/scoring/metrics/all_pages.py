"""Whether a whole group of evidence is among the first k pages."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Golden, PageRef
from harness.scoring import page_ranks
from harness.scoring.metrics._pages import PageMetric


class AllPages(PageMetric):
    """1 if some group is a subset of the first k distinct pages, else 0: all that an answer needs was found."""

    place = 3
    at = (5, 10)
    binary = True
    headline = (5,)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return page_ranks.all_pages(pages, golden.evidence)
