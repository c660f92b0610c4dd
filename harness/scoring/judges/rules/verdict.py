"""A verdict on one answer: right, wrong, or not to be decided by a program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Verdict:
    """`value`: True right, False wrong or refused, None undecided. `kind` names why in a word or two (exact, rounded, scale
    slip, refusal, yes/no, undecided …), `reason` in a sentence that a person can check, `detail` in JSON."""

    value: bool | None
    kind: str
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)


def undecided(reason: str, **detail: Any) -> Verdict:
    """A verdict that leaves the matter open, with what stood in the way."""
    return Verdict(None, "undecided", reason, detail)
