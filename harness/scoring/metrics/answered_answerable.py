"""Whether the system answers a question that its documents answer."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case, Golden
from harness.scoring.metric import Metric
from harness.scoring.metrics._answers import answer_of
from harness.scoring.scores import Score


class AnsweredAnswerable(Metric):
    """1 if it did not abstain on a golden that expects an answer, right or wrong; else 0."""

    place = 15
    stage = "generate"
    binary = True
    short = "answered"
    headline = (None,)

    def applies(self, golden: Golden) -> str | None:
        return None if golden.expect == "answer" else f"the golden expects the system to {golden.expect}"

    def score(self, case: Case, bench: Bench) -> Score:
        refused = answer_of(case).abstained
        return self.scored(case, not refused, "refused what it should have answered" if refused else "answered")
