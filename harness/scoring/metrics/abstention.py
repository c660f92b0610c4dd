"""Whether the system knows when to refuse: the mean of the two rates, so that neither habit pays."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case
from harness.scoring.floors import Blind
from harness.scoring.metrics._answers import AnswerMetric, answer_of
from harness.scoring.scores import Score


class Abstention(AnswerMetric):
    """(mean of refused_unanswerable + mean of answered_answerable) / 2. Floors: always answer .5, always abstain .5.

    A row holds 1 where the system did as expected.
    """

    place = 16
    binary = True
    strata = ("answer", "abstain")

    def floors(self, blind: Blind) -> dict[str, float]:
        return {"always answer": 0.5, "always abstain": 0.5}

    def score(self, case: Case, bench: Bench) -> Score:
        refused, expected = answer_of(case).abstained, case.golden.expect == "abstain"
        reason = f"{'refused' if refused else 'answered'}, {'as expected' if refused == expected else 'wrongly'}"
        return self.scored(case, refused == expected, reason)
