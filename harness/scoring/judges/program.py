"""Correctness by program: numbers, yes/no, names, dates, lists and short texts by rule; undecided where no rule settles it."""

from __future__ import annotations

from harness.scoring.judges._judge import Judge
from harness.scoring.judges.rules.judging import judge
from harness.scoring.judges.rules.verdict import Verdict


class Program(Judge):
    """The rules of `harness.scoring.judges.rules`: no model, no cost, the same verdict every time."""

    def verdict(
        self, question: str, reference: str, accept: tuple[str, ...], answer: str, answer_type: str | None = None
    ) -> Verdict:
        return judge(question, reference, accept, answer, answer_type)
