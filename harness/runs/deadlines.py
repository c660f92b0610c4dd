"""A time limit a case: a system that hangs costs the case and not the run.

No thread can be ended from outside, so each case has one of its own that can be left behind. It is a daemon: the process ends
without it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

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
        self._lock = threading.Lock()
        self._makers = 0
        self._since = 0.0
        self._stood = 0.0

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """No time passes for any case."""
        with self._lock:
            if not self._makers:
                self._since = time.monotonic()
            self._makers += 1
        try:
            yield
        finally:
            with self._lock:
                self._makers -= 1
                if not self._makers:
                    self._stood += time.monotonic() - self._since

    def _now(self) -> float:
        with self._lock:
            return (self._since if self._makers else time.monotonic()) - self._stood

    def call(self, work: Callable[[], T]) -> T:
        """`work()`, in a thread of its own. Raises what it raises, and Late where it is not done in time."""
        outcome = _Outcome(work)
        thread = threading.Thread(target=outcome.make, name="case", daemon=True)
        begun = self._now()
        thread.start()
        while not outcome.done.wait(max(_SHORTEST, min(begun + self.seconds - self._now(), threading.TIMEOUT_MAX))):
            if self._now() - begun >= self.seconds:
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
