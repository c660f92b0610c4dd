"""Requests to endpoints: the right key to the right host, within limits of pace and money, and no key in what comes back."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from harness.errors import WorldError
from harness.files.reading import shorten
from harness.models import prices, refusals
from harness.models.budget import Budget
from harness.models.client import Body, Client, Told, Unreached, Unread, Wire
from harness.models.credentials import Credentials, loopback
from harness.models.limits import Endpoint, Limits
from harness.models.prices import Price
from harness.records import Model

_CHARACTERS_A_TOKEN = 4


class Outgoing(NamedTuple):
    """A request on its way. `read` raises Unread for what is no reply of this provider."""

    model: Model
    client: Client
    path: str
    body: Body
    read: Callable[[Any], object]
    images: int = 0
    on_text: Told | None = None
    settled: Callable[[Wire], bool] | None = None
    """Which failures are not tried again."""


class Answered(NamedTuple):
    """What came in the end, and the seconds of the attempt that brought it."""

    wire: Wire
    seconds: float


@dataclass
class Exchange:
    """All endpoints of one command. Safe for threads."""

    credentials: Credentials
    limits: Mapping[str, Limits] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    closed: threading.Event = field(default_factory=threading.Event)
    """Set when the command ends: nobody waits for anything any more."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._endpoints: dict[str, Endpoint] = {}

    def name(self, model: Model, client: Client) -> str:
        """The endpoint's name in keys and limits."""
        return model.endpoint or urlsplit(self.credentials.address(model, client)).hostname or ""

    def endpoint(self, model: Model, client: Client) -> Endpoint:
        """The endpoint with its limits."""
        name, here = self.name(model, client), loopback(self.credentials.address(model, client))
        with self._lock:
            if name not in self._endpoints:
                self._endpoints[name] = Endpoint(name, self.limits.get(name, Limits()), here, self._wait)
            return self._endpoints[name]

    def ask(self, out: Outgoing) -> Answered:
        """Post until the endpoint answers, whatever it answers. Raises WorldError where it goes on failing."""
        session, text = self.credentials.session(out.model, out.client), json.dumps(out.body)
        endpoint, seconds = self.endpoint(out.model, out.client), 0.0

        def post() -> Wire:
            nonlocal seconds
            begun = time.monotonic()
            wire = out.client.send(session, out.path, out.body, out.on_text)
            seconds = round(time.monotonic() - begun, 3)
            wire = wire._replace(body=self.credentials.mask_bytes(wire.body))
            _refuse_unread(out, wire)
            return wire

        most = prices.at_most(endpoint.name, out.model, text, out.images, self.prices)
        tokens = len(text) // _CHARACTERS_A_TOKEN + (out.model.max_tokens or 0)
        with self.budget.reserved(most):
            try:
                return Answered(endpoint.call(post, tokens, out.settled), seconds)
            except WorldError as error:
                raise WorldError(self.credentials.mask(str(error))) from None

    def refusal(self, out: Outgoing, wire: Wire) -> WorldError:
        """What to say where the endpoint refuses for another reason than the request."""
        said = self.credentials.mask(refusals.said(wire))
        return WorldError(f"{self.name(out.model, out.client)} refuses model {out.model.name!r}: {said}")

    def _wait(self, seconds: float) -> None:
        if self.closed.wait(seconds):
            raise WorldError("stopped while it waited for an endpoint; run again to go on")


def _refuse_unread(out: Outgoing, wire: Wire) -> None:
    """What came with status 200 and is no reply came from something in between, and is asked for again."""
    if wire.status != 200:
        return
    try:
        out.read(json.loads(wire.body))
    except (ValueError, Unread, RecursionError) as error:
        raise Unreached(f"the answer is no reply of a model: {shorten(str(error), 120)}") from None
