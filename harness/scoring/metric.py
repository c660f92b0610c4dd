"""Metric: one file in harness/scoring/metrics/ measures one thing, says where it applies, and gives a reason for each value."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import ValidationError

from harness.bench import Bench
from harness.components import Component
from harness.files import working_folder
from harness.records import Case, Expect, Golden, json_value
from harness.scoring.floors import Blind
from harness.scoring.intervals import STRATUM, summarise
from harness.scoring.scores import Score, Summary


class Metric(Component):
    """Base of all metrics. Subclasses set the class variables, `applies` and `score`."""

    kind: ClassVar[str] = "metric"
    stage: ClassVar[Literal["retrieve", "generate", "score"]]
    unit: ClassVar[str] = "share"
    higher_is_better: ClassVar[bool | None] = True
    binary: ClassVar[bool] = False
    """True where every value is 0 or 1: then the interval is Wilson's."""
    at: ClassVar[tuple[int, ...]] = ()
    """The cut-offs k at which it is reported by default; empty where it has none."""
    place: ClassVar[int] = 50
    """Where it stands among the metrics of its stage in a table; lower is higher up."""
    share: ClassVar[bool] = True
    """False for an amount: what failed has then no worst and best value."""
    headline: ClassVar[tuple[int | None, ...]] = ()
    """The cut-offs at which it stands in short tables, as that by document; (None,) for one without a cut-off."""
    expense: ClassVar[bool] = False
    """True where it says nothing if it is zero for every question."""
    strata: ClassVar[tuple[Expect, ...]] = ()
    """Expectations of which it is the mean of the means, so that the more frequent one does not count more."""
    reads_passages: ClassVar[bool] = False
    """True where it asks `bench.passage` for what the answerer read, which then counts into the key of its scores."""
    needs_answer: ClassVar[bool] = True
    """In the generate and score stages: without an answer (the system failed) the value is 0."""

    conditional: ClassVar[bool] = False
    """True where what the system does decides on which goldens it counts: two systems then have it on different questions."""
    short: ClassVar[str] = ""
    """Its name at the head of a narrow column; empty: its label."""

    k: int | None = None

    @property
    def label(self) -> str:
        """Its name in tables: the file's name, with `@k` where it has a cut-off."""
        return self.name() if self.k is None else f"{self.name()}@{self.k}"

    @property
    def can_be_tested(self) -> bool:
        """Whether two systems can be tested on it question by question: both have a value, and one side is the better."""
        return not self.conditional and not self.strata and self.higher_is_better is not None

    def applies(self, golden: Golden) -> str | None:
        """None where it applies to this golden, else why not."""
        return None

    def score(self, case: Case, bench: Bench) -> Score:
        """The value for one case; called only where `applies` gave None."""
        raise NotImplementedError

    def floors(self, blind: Blind) -> dict[str, float]:
        """What can be had without reading the question, by name; empty where it has no floor."""
        return {}

    def rate(self, case: Case, bench: Bench) -> Score:
        """`outcome`, under the stratum that it counts in."""
        score = self.outcome(case, bench)
        return score.model_copy(update={"detail": {STRATUM: case.golden.expect}}) if self.strata else score

    def outcome(self, case: Case, bench: Bench) -> Score:
        """`score` with the three failures kept apart: not applicable, the system's fault (0), the instrument's (failed)."""
        try:
            with working_folder.fixed():
                return self._marked(case, self._sound(case, self._outcome(case, bench)))
        except BaseException as error:  # one that ends the program ends this score
            if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
                raise
            return self.failed(case, _reason(error))

    def _outcome(self, case: Case, bench: Bench) -> Score:
        why_not = self.applies(case.golden)
        if why_not is not None:
            return self.not_applicable(case, why_not)
        if self.stage != "retrieve" and self.needs_answer and case.answer is None:
            return self.scored(case, 0.0, f"the system gave no answer: {case.error or 'unknown'}")
        return self.score(case, bench)

    def _sound(self, case: Case, given: Any) -> Score:
        """The score that `score` promises. Raises ValueError that says what it gave instead."""
        if not isinstance(given, Score):
            raise ValueError(f"the metric gave {_kind(given)} where a Score is needed")
        score = Score.model_validate(
            {**vars(given), "detail": json_value(given.detail), "reason": _whole(given.reason)}
        )
        if (score.metric, score.golden) != (self.label, case.golden.id):
            raise ValueError(f"the metric gave a score of {score.metric!r} on golden {score.golden!r}")
        if self.binary and score.value not in (None, 0.0, 1.0):
            raise ValueError(f"the metric says yes or no, and gave {score.value:g}, which is neither 0 nor 1")
        return score

    def _marked(self, case: Case, score: Score) -> Score:
        """A score says where the parser could not read what was asked for: to refuse that is no merit, to miss it no fault."""
        if not case.unread or self.expense or score.status != "scored":
            return score
        return score.model_copy(update={"reason": f"{score.reason}; but {', '.join(case.unread)}"})

    def summary(self, scores: Sequence[Score]) -> Summary:
        """The metric over a set: by default the mean of the scored values, with its interval."""
        return summarise(self.label, scores, binary=self.binary, share=self.share)

    def scored(self, case: Case, value: float, reason: str, **detail: Any) -> Score:
        return Score(metric=self.label, golden=case.golden.id, value=float(value), reason=reason, detail=detail)

    def not_applicable(self, case: Case, reason: str) -> Score:
        return Score(metric=self.label, golden=case.golden.id, status="not_applicable", reason=reason)

    def undecided(self, case: Case, reason: str, **detail: Any) -> Score:
        return Score(metric=self.label, golden=case.golden.id, status="undecided", reason=reason, detail=detail)

    def failed(self, case: Case, reason: str) -> Score:
        return Score(metric=self.label, golden=case.golden.id, status="failed", reason=reason)


def _kind(given: Any) -> str:
    return "None" if given is None else f"a value of type {type(given).__name__!r}"


def _whole(text: Any) -> Any:
    """Text that quotes a damaged document, with a mark in the place of what no file can hold."""
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else text


def _reason(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"the metric gave a damaged {error.title}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
    try:
        return str(_whole(f"{type(error).__name__}: {error}"))
    except Exception as other:
        return f"{type(error).__name__} (its text cannot be had: {type(other).__name__})"
