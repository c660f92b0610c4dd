"""Whether the answer is right, decided by program where a program can."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case
from harness.scoring.metrics._answers import REFUSED, answer_of
from harness.scoring.metrics._verdicts import VerdictMetric, verdict_on
from harness.scoring.scores import Score


class Correctness(VerdictMetric):
    """1 right, 0 wrong or refused, over goldens that expect an answer.

    What no program can decide is undecided: a count of its own, and the mean's worst and best case take it as 0 and as 1.
    """

    place = 1
    binary = True
    short = "correct"
    headline = (None,)

    def score(self, case: Case, bench: Bench) -> Score:
        if answer_of(case).abstained:
            return self.scored(case, 0.0, REFUSED, kind="refusal")
        verdict = verdict_on(case)
        detail = {**verdict.detail, "kind": verdict.kind}
        if verdict.value is None:
            return self.undecided(case, verdict.reason, **detail)
        return self.scored(case, verdict.value, verdict.reason, **detail)
