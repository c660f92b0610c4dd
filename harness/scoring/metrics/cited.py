"""Whether an answer cites a page at all."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case
from harness.scoring.metrics._answers import REFUSED, UNCITED, AnswerMetric, answer_of
from harness.scoring.scores import Score


class Cited(AnswerMetric):
    """1 if a given answer has at least one citation, resolved or not; else 0. Refusals do not count."""

    place = 8
    binary = True
    conditional = True

    def score(self, case: Case, bench: Bench) -> Score:
        answer = answer_of(case)
        if answer.abstained:
            return self.not_applicable(case, REFUSED)
        n = len(answer.citations)
        return self.scored(case, n > 0, f"the answer has {n} citations" if n else UNCITED, citations=n)
