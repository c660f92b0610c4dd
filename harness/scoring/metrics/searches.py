"""How often the answerer searched."""

from __future__ import annotations

from harness.bench import Bench
from harness.files.wording import counted
from harness.records import Case
from harness.scoring.metrics._usage import UsageMetric
from harness.scoring.scores import Score


class Searches(UsageMetric):
    """Searches per question, in calls; those beyond the cap are not carried out and not counted."""

    place = 17
    unit = "searches"
    higher_is_better = None

    def score(self, case: Case, bench: Bench) -> Score:
        return self.scored(case, len(case.searches), counted(len(case.searches), "search"))
