"""How often the answers that the system dares to give are right."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case
from harness.scoring.metrics._answers import REFUSED, answer_of
from harness.scoring.metrics._verdicts import VerdictMetric, verdict_on
from harness.scoring.scores import Score


class AccuracyWhenAnswered(VerdictMetric):
    """Right answers / decided answers, over goldens that expect an answer and got one. A system that failed has 0."""

    place = 2
    binary = True
    conditional = True

    def score(self, case: Case, bench: Bench) -> Score:
        if answer_of(case).abstained:
            return self.not_applicable(case, REFUSED)
        verdict = verdict_on(case)
        if verdict.value is None:
            return self.not_applicable(case, f"undecided: {verdict.reason}")
        return self.scored(case, verdict.value, verdict.reason)
