"""What the metrics of expense share: they apply to every golden, also where the system failed, and are no shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from harness.scoring.intervals import summarise
from harness.scoring.metric import Metric
from harness.scoring.scores import Score, Summary


class UsageMetric(Metric):
    """An amount per question."""

    stage = "generate"
    higher_is_better: ClassVar[bool | None] = False
    needs_answer = False

    def summary(self, scores: Sequence[Score]) -> Summary:
        return summarise(self.label, scores, binary=False, share=False)
