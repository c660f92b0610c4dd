"""Whether the answerer's own searches brought a gold page among their first k pages."""

from __future__ import annotations

from collections.abc import Sequence

from harness.bench import Bench
from harness.records import Case, Golden, PageRef
from harness.scoring import page_ranks
from harness.scoring.metrics._pages import PageMetric
from harness.scoring.scores import Score


class AgentPageHit(PageMetric):
    """page_hit@k over the pages of all searches of the generate stage, in call order. Goldens with evidence.

    Where the case holds the retrieve stage's candidates, detail carries `raw`: the raw question's page_hit@k.
    """

    place = 7
    stage = "generate"
    at = (5, 10)
    binary = True

    def applies(self, golden: Golden) -> str | None:
        return None if golden.evidence else "the golden names no page as evidence"

    def pages(self, case: Case) -> list[PageRef]:
        return page_ranks.distinct_pages(page_ranks.searched(case.searches), self.k)

    def value(self, pages: Sequence[PageRef], golden: Golden) -> float:
        return page_ranks.page_hit(pages, golden.evidence)

    def score(self, case: Case, bench: Bench) -> Score:
        score = super().score(case, bench)
        extra: dict[str, float] = {"searches": len(case.searches)}
        if case.candidates:
            extra["raw"] = self.value(page_ranks.distinct_pages(case.candidates, self.k), case.golden)
        return score.model_copy(update={"detail": {**score.detail, **extra}})
