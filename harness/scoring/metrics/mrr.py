"""How early the first gold page comes."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Golden, PageRef
from harness.scoring import page_ranks
from harness.scoring.metrics._pages import PageMetric


class Mrr(PageMetric):
    """1 / rank of the first page in U, 0 beyond k; the mean is MRR@k (Voorhees, TREC-8, 1999)."""

    place = 4
    at = (10,)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return page_ranks.reciprocal_rank(pages, golden.evidence)
