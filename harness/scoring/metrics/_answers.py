"""What the metrics of given answers share: where they apply, and what counts as an answer given."""

from __future__ import annotations

from harness.records import Answer, Case, Golden
from harness.scoring import citation_marks
from harness.scoring.metric import Metric


class AnswerMetric(Metric):
    """A value for an answer to a golden that expects an answer or a refusal; a greeting or a deflection is neither."""

    stage = "generate"

    def applies(self, golden: Golden) -> str | None:
        if golden.expect in ("answer", "abstain"):
            return None
        return f"the golden expects the system to {golden.expect}"


class GoldPageMetric(AnswerMetric):
    """A value for an answer to a golden that expects one and names its evidence."""

    def applies(self, golden: Golden) -> str | None:
        if golden.expect != "answer":
            return f"the golden expects the system to {golden.expect}"
        return None if golden.evidence else "the golden names no page as evidence"


def answer_of(case: Case) -> Answer:
    """The case's answer. Raises ValueError where there is none: `Metric.rate` scores such a case before."""
    if case.answer is None:
        raise ValueError(f"the case of golden {case.golden.id!r} has no answer")
    return case.answer


def words_of(answer: Answer) -> str:
    """The answer's text with its citations blanked out, so that a page number is not read as a figure."""
    return citation_marks.words(answer)


REFUSED = "the system refused: no answer was given"
UNCITED = "the answer cites nothing"
