"""Refuses every question: the floor of abstention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.components import Answerer, SearchCall
from harness.records import Answer, Turn

if TYPE_CHECKING:
    from harness.bench import Bench


class AlwaysAbstain(Answerer):
    """It does not even search."""

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """A refusal."""
        return Answer(text="The documents do not answer this.", abstained=True, confidence=0.0)
