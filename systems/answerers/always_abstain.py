"""Refuses every question: the floor of abstention."""

from __future__ import annotations

from collections.abc import Sequence

from harness.bench import Bench
from harness.protocols import Answerer, SearchCall
from harness.records import Answer, Turn


class AlwaysAbstain(Answerer):
    """It does not even search."""

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """A refusal."""
        return Answer(text="The documents do not answer this.", abstained=True, confidence=0.0)
