"""Keeps requests to one endpoint under a limit of tokens a minute, over all threads of the process."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable


class Pace:
    """A sliding minute. Time and sleep can be replaced in a test."""

    def __init__(
        self, limit: int, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.limit, self._clock, self._sleep = limit, clock, sleep
        self._spent: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def wait(self, tokens: int) -> None:
        """Return when `tokens` more fit into the last minute; more than the whole limit waits for an empty one."""
        with self._lock:
            while self._spent and self._used() + tokens > self.limit:
                self._sleep(max(0.0, self._spent[0][0] + 60.0 - self._clock()))
                self._forget()
            self._spent.append((self._clock(), tokens))

    def _used(self) -> int:
        self._forget()
        return sum(tokens for _, tokens in self._spent)

    def _forget(self) -> None:
        while self._spent and self._clock() - self._spent[0][0] >= 60.0:
            self._spent.popleft()
