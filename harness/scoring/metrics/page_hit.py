"""Whether one of the first k pages is a gold page."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Golden, PageRef
from harness.scoring import page_ranks
from harness.scoring.metrics._pages import PageMetric


class PageHit(PageMetric):
    """1 if one of the first k distinct pages is in U, the union of the evidence groups; else 0. Floor: shuffled gold."""

    place = 1
    at = (1, 3, 5, 10)
    binary = True
    headline = (1, 5)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return page_ranks.page_hit(pages, golden.evidence)
