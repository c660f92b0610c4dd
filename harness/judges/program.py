"""Correctness by program: numbers, yes/no, names, dates, lists and short texts by rule; undecided where no rule settles it."""

from __future__ import annotations

from harness.judges._judge import Judge
from harness.verdicts import Verdict, judge


class Program(Judge):
    """The rules of `harness.verdicts`: no model, no cost, the same verdict every time."""

    def verdict(
        self, question: str, reference: str, accept: tuple[str, ...], answer: str, answer_type: str | None = None
    ) -> Verdict:
        return judge(question, reference, accept, answer, answer_type)
