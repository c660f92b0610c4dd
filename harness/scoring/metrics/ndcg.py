"""How early all gold pages come, against the smallest group ranked first."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Golden, PageRef
from harness.scoring import page_ranks
from harness.scoring.metrics._pages import PageMetric


class Ndcg(PageMetric):
    """sum of 1/log2(rank+1) over ranks in U / the same for the smallest group placed first within k; at most 1."""

    place = 5
    at = (10,)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return page_ranks.ndcg(pages, golden.evidence, self.k)
