"""Time that stands still while somebody holds it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class StopWatch:
    """How long it was held, by one or by many at a time. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._since = 0.0
        self._stood = 0.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """No time passes."""
        with self._lock:
            if not self._holders:
                self._since = time.monotonic()
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._stood += time.monotonic() - self._since

    def stood(self) -> float:
        """Seconds for which it was held so far."""
        with self._lock:
            return self._stood + (time.monotonic() - self._since if self._holders else 0.0)
