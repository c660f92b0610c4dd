"""Whether the system refuses a question that its documents do not answer."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case, Golden
from harness.scoring.metric import Metric
from harness.scoring.metrics._answers import answer_of
from harness.scoring.scores import Score


class RefusedUnanswerable(Metric):
    """1 if it abstained on a golden that expects a refusal, else 0. `abstained` is the system's own field."""

    place = 14
    stage = "generate"
    binary = True
    short = "refused"

    def applies(self, golden: Golden) -> str | None:
        return None if golden.expect == "abstain" else f"the golden expects the system to {golden.expect}"

    def score(self, case: Case, bench: Bench) -> Score:
        refused = answer_of(case).abstained
        return self.scored(case, refused, "refused, rightly" if refused else "answered what it should have refused")
