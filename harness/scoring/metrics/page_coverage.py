"""How much of the best group of evidence is among the first k pages."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Golden, PageRef
from harness.scoring import page_ranks
from harness.scoring.metrics._pages import PageMetric


class PageCoverage(PageMetric):
    """max over groups of |first k pages ∩ group| / |group|, a share. With a group larger than k it cannot reach 1."""

    place = 2
    at = (5, 10)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return page_ranks.page_coverage(pages, golden.evidence)
