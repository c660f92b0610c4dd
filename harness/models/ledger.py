"""What one case asked of models and searches, step by step, and what it used."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import reduce

from harness.errors import WorldError
from harness.models.stop_watch import StopWatch
from harness.records import Hit, Reply, Step, Usage


class Ledger:
    """The steps of a case in the order in which they began. Safe for threads."""

    def __init__(self, watch: StopWatch | None = None) -> None:
        self.watch = watch or StopWatch()
        """Held while a model is asked, whose calls have limits of their own: nothing of that is the case's time."""
        self._over = False
        self._steps: list[tuple[Step, ...]] = []
        self._stops: list[WorldError] = []
        self._lock = threading.Lock()

    def begin(self) -> int:
        """Take the next place. Raises RuntimeError where the case is over: who was left behind asks nothing more."""
        with self._lock:
            if self._over:
                raise RuntimeError("the case is over")
            self._steps.append(())
            return len(self._steps) - 1

    def end(self, place: int, *steps: Step) -> None:
        """What came of the step at that place, with the steps inside it."""
        with self._lock:
            self._steps[place] = steps

    def note(self, step: Step) -> None:
        """A step that is over as it begins."""
        self.end(self.begin(), step)

    def close(self) -> tuple[Step, ...]:
        """The steps so far; there will be no more."""
        with self._lock:
            self._over = True
        return self.steps

    def stop(self, error: WorldError) -> None:
        """The world failed: whoever goes on after that must not make it its own failure."""
        with self._lock:
            self._stops.append(error)

    def refuse_hidden(self) -> None:
        """Raise the first failure of the world that a component caught and went on after."""
        if self._stops:
            raise self._stops[0]

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps that came to an end."""
        return tuple(step for inside in self._steps for step in inside)


def usage(steps: Iterable[Step]) -> Usage:
    """What the calls among these steps used."""
    used = (Usage(calls=1, input_tokens=s.input, output_tokens=s.output, cost=s.usd) for s in steps if s.kind == "call")
    return reduce(lambda one, other: one + other, used, Usage())


def called(reply: Reply, model: str, fault: str | None = None) -> Step:
    """A call as a trace holds it: what was said is with the kept call, why it cannot be used is here."""
    used = reply.usage
    tokens = {"input": used.input_tokens, "output": used.output_tokens, "usd": used.cost}
    return Step(kind="call", key=reply.key or None, model=model, text=fault, **tokens)


def faulty(steps: Iterable[Step]) -> bool:
    """Whether a model gave a reply among these that could not be used."""
    return any(step.kind == "call" and step.text is not None for step in steps)


def searched(query: str, hits: Sequence[Hit]) -> Step:
    """A search as a trace holds it."""
    return Step(kind="search", query=query, hits=tuple((hit.chunk.id, hit.chunk.ref, hit.score) for hit in hits))
