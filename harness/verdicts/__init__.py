"""Correctness by program: one entry, `judge`."""

from __future__ import annotations

from harness.quantities.asking import ask_of
from harness.verdicts.figures import figures_of, judge_figure
from harness.verdicts.refusals import is_refusal
from harness.verdicts.verdict import Verdict, undecided
from harness.verdicts.yesno import polarity

__all__ = ["Verdict", "judge"]


def judge(question: str, reference: str, accept: tuple[str, ...], answer: str, answer_type: str | None = None) -> Verdict:
    """Judge an answer against a reference and other accepted answers; any one that it meets makes it right.

    Undecided (value None) is a result: what no rule here can settle is left to a judge or a person.
    """
    verdicts = [_judge(question, key, answer) for key in (reference, *accept)]
    return next((v for v in verdicts if v.value), next((v for v in verdicts if v.value is None), verdicts[0]))


def _judge(question: str, reference: str, answer: str) -> Verdict:
    if _plain(answer) and _plain(answer) == _plain(reference):
        return Verdict(True, "exact", "the answer is the reference, word for word")
    ask = ask_of(question)
    figures = figures_of(reference, ask)
    if len(figures) == 1 and len(_plain(reference)) < 40:
        verdict = judge_figure(answer, figures[0], ask)
        if verdict.value is not True and is_refusal(answer):
            return Verdict(False, "refusal", "the answer declines to answer")
        return verdict
    if is_refusal(answer):
        return Verdict(False, "refusal", "the answer declines to answer")
    wanted, given = polarity(reference), polarity(answer)
    if wanted is not None and given is not None and wanted != given:
        return Verdict(False, "yes/no", f"the reference says {'yes' if wanted else 'no'}, the answer the opposite")
    if wanted is not None and given == wanted and _plain(reference) in ("yes", "no", "true", "false"):
        return Verdict(True, "yes/no", f"both say {'yes' if wanted else 'no'}")
    return undecided("no rule settles this kind of answer")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!\"'")
