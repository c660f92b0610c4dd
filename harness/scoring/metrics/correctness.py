"""Whether the answer is right, decided by program where a program can."""

from __future__ import annotations

from collections.abc import Sequence

from harness.bench import Bench
from harness.records import Case
from harness.scoring.metrics._answers import REFUSED, answer_of
from harness.scoring.metrics._verdicts import VerdictMetric, verdict_on
from harness.scoring.scores import Score, Summary


class Correctness(VerdictMetric):
    """1 right, 0 wrong or refused, over goldens that expect an answer.

    What no program can decide is not applicable, and its number stands in the summary's note.
    """

    place = 1
    binary = True
    headline = (None,)

    def score(self, case: Case, bench: Bench) -> Score:
        if answer_of(case).abstained:
            return self.scored(case, 0.0, REFUSED, kind="refusal")
        verdict = verdict_on(case)
        score = (
            self.not_applicable(case, f"undecided: {verdict.reason}")
            if verdict.value is None
            else self.scored(case, verdict.value, verdict.reason)
        )
        return score.model_copy(update={"detail": {**verdict.detail, "kind": verdict.kind}})

    def summary(self, scores: Sequence[Score]) -> Summary:
        """The default one, with the number of undecided answers in its note."""
        undecided = sum(score.detail.get("kind") == "undecided" for score in scores)
        note = f"{undecided} undecided" if undecided else ""
        return super().summary(scores).model_copy(update={"note": note})
