"""Whether a whole group of evidence is among the first k pages."""

from __future__ import annotations

from collections.abc import Sequence

from harness import ranking
from harness.metrics._pages import PageMetric
from harness.records import Golden, PageRef


class AllPages(PageMetric):
    """1 if some group is a subset of the first k distinct pages, else 0: all that an answer needs was found."""

    place = 3
    at = (5, 10)
    binary = True

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return ranking.all_pages(pages, golden.evidence)
