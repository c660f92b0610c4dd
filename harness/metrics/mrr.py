"""How early the first gold page comes."""

from __future__ import annotations

from collections.abc import Sequence

from harness import ranking
from harness.metrics._pages import PageMetric
from harness.records import Golden, PageRef


class Mrr(PageMetric):
    """1 / rank of the first page in U, 0 beyond k; the mean is MRR@k (Voorhees, TREC-8, 1999)."""

    place = 4
    at = (10,)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return ranking.reciprocal_rank(pages, golden.evidence)
