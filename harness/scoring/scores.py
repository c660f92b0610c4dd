"""What a metric says of one golden, and what it says of a whole set. No contestant sees these."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from harness.records import Json, Record, Usage

Status = Literal["scored", "not_applicable", "failed"]
STATUSES: tuple[Status, ...] = ("scored", "not_applicable", "failed")


class Score(Record):
    """One metric on one golden. `reason` can be checked by a person; a failed score has no value and is counted."""

    metric: str
    golden: str
    value: float | None = None
    status: Status = "scored"
    reason: str = ""
    detail: dict[str, Json] = Field(default_factory=dict)
    calls: tuple[str, ...] = ()
    usage: Usage | None = None
    sample: int = 0

    @model_validator(mode="after")
    def _value_if_scored(self) -> Self:
        if (self.value is not None) != (self.status == "scored"):
            raise ValueError(
                f"a score with status {self.status!r} and value {self.value!r}: only a scored one has a value"
            )
        return self


class Summary(Record):
    """A metric over a golden set: mean with 95% interval, and what it stands on."""

    metric: str
    stage: str = ""
    unit: str = "share"
    headline: bool = False
    """Whether it stands in short tables."""
    expense: bool = False
    """Whether it says nothing where it is zero for every question."""
    strata: tuple[str, ...] = ()
    """Expectations of which it is the mean of the means."""
    mean: float | None
    low: float | None = None
    high: float | None = None
    scored: int = 0
    not_applicable: int = 0
    failed: int = 0
    worst: float | None = None
    best: float | None = None
    by_document: dict[str, float] = Field(default_factory=dict)
    document_mean: float | None = None
    floors: dict[str, float] = Field(default_factory=dict)
    note: str = ""
