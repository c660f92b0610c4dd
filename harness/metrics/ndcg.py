"""How early all gold pages come, against the smallest group ranked first."""

from __future__ import annotations

from collections.abc import Sequence

from harness import ranking
from harness.metrics._pages import PageMetric
from harness.records import Golden, PageRef


class Ndcg(PageMetric):
    """sum of 1/log2(rank+1) over ranks in U / the same for the smallest group placed first within k; at most 1."""

    place = 5
    at = (10,)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return ranking.ndcg(pages, golden.evidence, self.k)
