"""Money: what was billed in this command, and a cap that is not passed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from harness.errors import WorldError
from harness.records import Usage


class Budget:
    """What calls cost. Each one reserves the most that it may cost before it is made. Safe for threads."""

    def __init__(self, most: float | None = None) -> None:
        self.most = most
        self.billed = Usage()
        self._reserved = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def reserved(self, usd: float | None) -> Iterator[None]:
        """Around a call that may cost so much, None where no price is known. Raises WorldError where the cap is in the way."""
        if self.most is None:
            yield
            return
        if usd is None:
            raise WorldError(f"--max-usd {self.most:g}: the price of this model is not known; name it under `prices:`.")
        self._reserve(self.most, usd)
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= usd

    def _reserve(self, most: float, usd: float) -> None:
        with self._lock:
            spent = self.billed.cost or 0.0
            if spent + self._reserved + usd > most:
                raise WorldError(
                    f"--max-usd {most:g}: USD {spent:.4f} are spent, and the next call may cost up to {usd:.4f}. "
                    "What was answered is kept; run again with a higher cap to go on."
                )
            self._reserved += usd

    def add(self, usage: Usage) -> None:
        """A call that was paid."""
        with self._lock:
            self.billed = self.billed + usage
