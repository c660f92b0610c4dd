"""What an endpoint allows: calls in flight, requests and tokens a minute; and how a call is tried again."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Annotated

from pydantic import Field

from harness.errors import WorldError
from harness.files.wording import counted
from harness.models import refusals
from harness.models.client import Unreached, Wire
from harness.records import Record

LOOPBACK_IN_FLIGHT = 2
"""At a server on this machine, unless the config says more: one that answers, one that waits."""
IN_FLIGHT = 16
TRIES = 6
"""Attempts at a call before the world is to blame; where the time ran out half of them."""
PATIENCE = 600.0
"""Seconds that a call waits for a rate limit at most, all in all."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0


class Limits(Record):
    """What is asked of one endpoint at most."""

    in_flight: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Calls at a time; default: 16, at a server on this machine 2."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Calls that may begin in a minute."""
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Tokens a minute, those that a reply may have included; counted as four characters a token."""


class Pace:
    """At most so much a minute: what is taken is given back at the same rate, so that nobody waits for a new minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.most, self.clock = per_minute / 60, float(per_minute), clock
        self._lock = threading.Lock()
        self._left, self._at = self.most, clock()

    def take(self, amount: float) -> float:
        """Take `amount`, more than a minute's worth as a minute's; the seconds to wait before it may be used."""
        with self._lock:
            now = self.clock()
            self._left = min(self.most, self._left + (now - self._at) * self.rate) - min(amount, self.most)
            self._at = now
            return max(0.0, -self._left / self.rate)


class Endpoint:
    """One endpoint with its limits, shared by all threads. A slot is held only while a request is on the wire."""

    def __init__(self, name: str, limits: Limits, loopback: bool, sleep: Callable[[float], None] = time.sleep) -> None:
        self.name, self.sleep = name, sleep
        self.in_flight = limits.in_flight or (LOOPBACK_IN_FLIGHT if loopback else IN_FLIGHT)
        self._slots = threading.BoundedSemaphore(self.in_flight)
        self._requests = Pace(limits.requests_per_minute) if limits.requests_per_minute else None
        self._tokens = Pace(limits.tokens_per_minute) if limits.tokens_per_minute else None

    def call(self, post: Callable[[], Wire], tokens: int, settled: Callable[[Wire], bool] | None = None) -> Wire:
        """What the endpoint answers in the end; `settled` says which failures are answers too.

        Raises WorldError where it goes on failing.
        """
        waited, tries = 0.0, 0
        for attempt in count(1):
            self._wait_for_pace(tokens)
            pause, fault, late = 0.0, "", False
            try:
                with self._slots:
                    wire = post()
                if not refusals.passing(wire) or (settled and settled(wire)):
                    return wire
                pause, fault = refusals.retry_after(wire), refusals.said(wire)
            except Unreached as error:
                fault, late = str(error), error.late
            tries += 0 if pause else 2 if late else 1
            pause = pause or _backoff(tries)
            waited += pause
            if tries >= TRIES or waited > PATIENCE:
                raise WorldError(f"{self.name}: {fault}. It was tried {counted(attempt, 'time')}; {_RESUME}")
            self.sleep(pause)
        raise AssertionError("unreachable")

    def _wait_for_pace(self, tokens: int) -> None:
        waits = [pace.take(amount) for pace, amount in ((self._requests, 1), (self._tokens, tokens)) if pace]
        if (longest := max(waits, default=0.0)) > 0:
            self.sleep(longest)


_RESUME = "what was answered is kept, run again to go on."


def _backoff(tries: int) -> float:
    """Doubling pauses, each cut by chance to between a half and the whole, so that waiting calls do not come back as one."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)
