"""The verdict by program on a case's answer, worked out once for all metrics that need it."""

from __future__ import annotations

from functools import lru_cache

from harness.records import Case, Golden
from harness.scoring.judges.rules.judging import judge
from harness.scoring.judges.rules.verdict import Verdict
from harness.scoring.metric import Metric
from harness.scoring.metrics._answers import answer_of, words_of

_judged = lru_cache(maxsize=4096)(judge)


class VerdictMetric(Metric):
    """A value from the verdict on an answer to a golden that expects one."""

    stage = "score"

    def applies(self, golden: Golden) -> str | None:
        return None if golden.expect == "answer" else f"the golden expects the system to {golden.expect}"


def verdict_on(case: Case) -> Verdict:
    """Judge the case's answer, its citations left out, against the golden's answer and the others that it accepts."""
    golden = case.golden
    question = golden.standalone or golden.question
    return _judged(question, golden.answer or "", golden.accept, words_of(answer_of(case)), golden.answer_type)
