"""A time limit a case: a system that hangs costs the case and not the run.

No thread can be ended from outside, so each case has one of its own that can be left behind. It is a daemon: the process ends
without it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

from harness.models.stop_watch import StopWatch

T = TypeVar("T")

ABANDONED = "abandoned case"
"""The name of a thread whose case took too long."""
_SHORTEST = 0.05


class Late(Exception):
    """A case took longer than it may."""


class Deadline:
    """Seconds that a case may take. While an index is made, which serves all cases, nobody's time runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._all = StopWatch()

    def stopped(self) -> AbstractContextManager[None]:
        """No time passes for any case."""
        return self._all.held()

    def call(self, work: Callable[[], T], own: StopWatch | None = None) -> T:
        """`work()`, in a thread of its own. Raises what it raises, and Late where it is not done in time.

        While `own` is held, the time of this case alone stands still.
        """
        outcome = _Outcome(work)
        thread = threading.Thread(target=outcome.make, name="case", daemon=True)
        begun, stood = time.monotonic(), self._all.stood()
        thread.start()

        def left() -> float:
            still = self._all.stood() - stood + (own.stood() if own else 0.0)
            return self.seconds - (time.monotonic() - begun - still)

        while not outcome.done.wait(max(_SHORTEST, min(left(), threading.TIMEOUT_MAX))):
            if left() <= 0:
                thread.name = ABANDONED
                raise Late(f"it took longer than {self.seconds:g} seconds, the most that a case may take")
        return outcome.get()


class _Outcome(Generic[T]):
    """What a thread made or raised."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.done = threading.Event()
        self._work = work
        self._made: list[T] = []
        self._error: BaseException | None = None

    def make(self) -> None:
        try:
            self._made.append(self._work())
        except BaseException as error:
            self._error = error
        self.done.set()

    def get(self) -> T:
        if self._error is not None:
            raise self._error
        return self._made[0]


def abandoned() -> bool:
    """Whether a thread was left behind that still runs."""
    return any(thread.name == ABANDONED for thread in threading.enumerate())
