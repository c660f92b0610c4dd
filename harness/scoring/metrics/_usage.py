"""What the metrics of expense share: they apply to every golden, also where the system failed, and are no shares."""

from __future__ import annotations

from typing import ClassVar

from harness.scoring.metric import Metric


class UsageMetric(Metric):
    """An amount per question."""

    stage = "generate"
    share = False
    higher_is_better: ClassVar[bool | None] = False
    needs_answer = False
    expense = True
