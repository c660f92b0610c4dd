"""The door: every call to a model goes through it, is answered from what was kept where it was, and kept where it was not."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel

from harness import bench, registry
from harness.bench import BlobStore
from harness.errors import ReplyError, WorldError
from harness.files.reading import shorten
from harness.models import images, ledger, prices, refusals, schemas
from harness.models.calls import Calls, Kept, Request
from harness.models.client import Ask, Body, Client, Reading, Unreached, Unread, Wire
from harness.models.credentials import Credentials, loopback
from harness.models.ledger import Ledger
from harness.models.limits import Endpoint, Limits
from harness.records import Message, Model, Reply, Tool, Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_CHARACTERS_A_TOKEN = 4
_OUTCOMES = {
    "length": "the reply was cut at the most tokens that it may have",
    "filter": "the reply was filtered by its provider",
    "other": "the reply holds no answer",
}


@dataclass(frozen=True)
class Settings:
    """What the user said of models, outside of any config."""

    calls: Path
    offline: bool = False
    retry_bad: bool = False
    allowed: tuple[str, ...] = ()
    limits: Mapping[str, Limits] = field(default_factory=dict)


class Prepared(NamedTuple):
    """A request, ready to be looked up and sent."""

    request: Request
    ask: Ask
    client: Client
    schema: type[BaseModel] | None = None

    @property
    def form(self) -> str | None:
        return self.ask.schema.form if self.ask.schema else None


class Billed:
    """What was paid in this process, beside what the same would have cost with nothing kept. Safe for threads."""

    def __init__(self) -> None:
        self.usage = Usage()
        self._lock = threading.Lock()

    def add(self, usage: Usage) -> None:
        with self._lock:
            self.usage = self.usage + usage


class Door:
    """The door of one command. Safe for threads."""

    def __init__(self, settings: Settings, blobs: BlobStore, credentials: Credentials | None = None) -> None:
        self.settings, self.blobs = settings, blobs
        self.credentials = credentials or Credentials(settings.allowed)
        self.calls = Calls(settings.calls)
        self.billed = Billed()
        self._lock = threading.Lock()
        self._endpoints: dict[str, Endpoint] = {}
        self._forms: dict[tuple[str, str], str] = {}
        self._asked_again: set[str] = set()

    def chat(
        self,
        model: Model,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        tool_choice: str | None = None,
        schema: type[BaseModel] | None = None,
        logprobs: int = 0,
        sample: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """As `harness.bench.Door` says."""
        client = provider(model.provider)
        name = self.endpoint_name(model, client)

        def prepared(form: str | None) -> Prepared:
            wanted = schemas.asked(schema, form) if schema and form else None
            said = schemas.told(messages, wanted) if wanted else messages
            ask = Ask(model, said, tools, tool_choice, wanted, logprobs)
            body = client.chat(ask, images.by_name)
            request = Request(kind="chat", provider=model.provider, endpoint=name, body=body, sample=sample)
            return Prepared(request, ask, client, schema)

        forms = self._ladder(model, client, name) if schema else [None]
        asked = [prepared(form) for form in forms]
        kept, chosen = self._kept(asked) or self._answered(asked, on_text)
        return _reply(kept, chosen)

    # -- looking up -----------------------------------------------------------------------------------------------

    def endpoint_name(self, model: Model, client: Client) -> str:
        """The endpoint's name in keys and limits."""
        return model.endpoint or urlsplit(self.credentials.address(model, client)).hostname or ""

    def _ladder(self, model: Model, client: Client, endpoint: str) -> list[str | None]:
        """The forms of a structured reply, from the best one that the endpoint has not refused yet."""
        first = self._forms.get((endpoint, model.name), client.forms[0])
        return [*client.forms[client.forms.index(first) :]]

    def _kept(self, asked: Sequence[Prepared]) -> tuple[Kept, Prepared] | None:
        for one in asked:
            kept = self.calls.get(one.request.key)
            if kept is not None and not self._ask_again(kept, one):
                return kept, one
        return None

    def _ask_again(self, kept: Kept, one: Prepared) -> bool:
        """With --retry-bad a reply that was of no use is asked for once more, and once only."""
        return self.settings.retry_bad and kept.key not in self._asked_again and _is_bad(kept, one)

    # -- asking ---------------------------------------------------------------------------------------------------

    def _answered(self, asked: Sequence[Prepared], on_text: Callable[[str], None] | None) -> tuple[Kept, Prepared]:
        """The reply of the endpoint, in the first form that it takes."""
        with self.calls.lock(asked[0].request.key):
            found = self._kept(asked)  # another case may have asked meanwhile
            return found or self._ask(asked, on_text)

    def _ask(self, asked: Sequence[Prepared], on_text: Callable[[str], None] | None) -> tuple[Kept, Prepared]:
        if self.settings.offline:
            raise WorldError(f"offline: no reply is kept for {_described(asked[0])}. Run without --offline to ask.")
        for one in asked:
            begun = time.monotonic()
            wire = self._send(one, on_text, last=one is asked[-1])
            if one is not asked[-1] and refusals.about_form(wire):
                continue
            kept = self._keep(one, wire, time.monotonic() - begun)
            if one.form:
                self._forms[(one.request.endpoint, one.ask.model.name)] = one.form
            return kept, one
        raise AssertionError("the last form is never passed over")

    def _send(self, one: Prepared, on_text: Callable[[str], None] | None, last: bool) -> Wire:
        """What the endpoint answers. A form that may be refused with a 500 is not tried again before the next form is."""
        session = self.credentials.session(one.ask.model, one.client)
        body = one.client.chat(one.ask, lambda name: images.on_wire(self.blobs, name))

        def post() -> Wire:
            wire = one.client.send(session, one.client.chat_path, body, on_text)
            wire = wire._replace(body=self.credentials.mask_bytes(wire.body))
            if wire.status == 200:
                _refuse_unread(one.client, wire)
            return wire

        endpoint = self._endpoint(one.request.endpoint, loopback(session.url))
        try:
            return endpoint.call(post, _tokens(body, one.ask.model), settled=None if last else refusals.about_form)
        except WorldError as error:
            raise WorldError(self.credentials.mask(str(error))) from None

    def _endpoint(self, name: str, here: bool) -> Endpoint:
        with self._lock:
            if name not in self._endpoints:
                self._endpoints[name] = Endpoint(name, self.settings.limits.get(name, Limits()), here)
            return self._endpoints[name]

    # -- keeping --------------------------------------------------------------------------------------------------

    def _keep(self, one: Prepared, wire: Wire, seconds: float) -> Kept:
        """Keep what was answered. Raises WorldError for a refusal that is not the request's own fault."""
        name, model = one.request.endpoint, one.ask.model.name
        reading = self._read(one, wire)
        used = reading.usage
        cost = prices.cost(name, model, used) if used.cost is not None else None
        kept = Kept(
            key=one.request.key,
            request=one.request,
            status=wire.status,
            reply=_loaded(wire),
            finish=reading.finish,
            input_tokens=used.input_tokens,
            cached_tokens=used.cached_tokens,
            output_tokens=used.output_tokens,
            cost=cost,
            seconds=round(seconds, 3),
        )
        self.calls.put(kept)
        self._asked_again.add(kept.key)
        self.billed.add(used.model_copy(update={"cost": cost}))
        return kept

    def _read(self, one: Prepared, wire: Wire) -> Reading:
        if wire.status == 200:
            return one.client.read(_loaded(wire))
        if refusals.too_long(wire) or refusals.filtered(wire):
            return Reading(finish="filter" if refusals.filtered(wire) else "other")
        said = self.credentials.mask(refusals.said(wire))
        raise WorldError(f"{one.request.endpoint} refuses model {one.ask.model.name!r}: {said}")

    def embed(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any] = MappingProxyType({})) -> Vectors:
        raise NotImplementedError

    def rerank(self, model: Model, query: str, passages: Sequence[str]) -> list[float]:
        raise NotImplementedError


class CaseDoor:
    """The door as one case has it: what it uses is booked in the case's ledger."""

    def __init__(self, door: bench.Door, book: Ledger) -> None:
        self._door, self._book = door, book

    def chat(self, model: Model, messages: Sequence[Message], **settings: Any) -> Reply:
        """As `harness.bench.Door` says."""
        place = self._book.begin()
        try:
            reply = self._door.chat(model, messages, **settings)
        except ReplyError as error:
            self._book.end(place, ledger.called(error.reply, model.name))
            raise
        except WorldError as error:
            self._book.stop(error)
            raise
        self._book.end(place, ledger.called(reply, model.name))
        return reply

    def embed(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any] = MappingProxyType({})) -> Vectors:
        """As `harness.bench.Door` says."""
        return self._door.embed(model, texts, extra)

    def rerank(self, model: Model, query: str, passages: Sequence[str]) -> list[float]:
        """As `harness.bench.Door` says."""
        return self._door.rerank(model, query, passages)


@cache
def provider(name: str) -> Client:
    """The client of that name. Raises UserError where there is none."""
    found = registry.load("client", name, Client)
    assert issubclass(found, Client)
    return found()


def _reply(kept: Kept, one: Prepared) -> Reply:
    """The reply of a kept call. Raises ReplyError where it cannot be used."""
    tokens = {"input_tokens": kept.input_tokens, "output_tokens": kept.output_tokens}
    used = Usage(calls=1, cached_tokens=kept.cached_tokens, cost=kept.cost, **tokens)
    if kept.status != 200:
        said = refusals.said(Wire(kept.status, {}, json.dumps(kept.reply).encode()))
        bare = Reply(finish=kept.finish, key=kept.key, usage=used, seconds=kept.seconds)
        raise ReplyError(f"the endpoint refuses the request, {said}", bare)
    read = one.client.read(kept.reply)
    read_so_far = {"text": read.text, "calls": read.calls, "finish": read.finish, "logprobs": read.logprobs}
    reply = Reply(key=kept.key, usage=used, seconds=kept.seconds, **read_so_far)
    if reply.finish in _OUTCOMES:
        raise ReplyError(f"{_OUTCOMES[reply.finish]} (finish: {reply.finish})", reply)
    return reply if one.schema is None else _structured(reply, one.schema, one.form or "text")


def _structured(reply: Reply, schema: type[BaseModel], form: str) -> Reply:
    try:
        return reply.model_copy(update={"parsed": schemas.read(reply, schema, form)})
    except schemas.Misfit as error:
        raise ReplyError(f"the reply is not of the form that was asked for: {error}", reply) from None


def _is_bad(kept: Kept, one: Prepared) -> bool:
    try:
        _reply(kept, one)
    except ReplyError:
        return True
    return False


def _refuse_unread(client: Client, wire: Wire) -> None:
    """What came with status 200 and is no reply came from something in between, and is asked again."""
    try:
        client.read(json.loads(wire.body))
    except (ValueError, Unread, RecursionError) as error:
        raise Unreached(f"the answer is no reply of a model: {shorten(str(error), 120)}") from None


def _loaded(wire: Wire) -> Any:
    try:
        return json.loads(wire.body)
    except (ValueError, RecursionError):
        return wire.body[:2000].decode("utf-8", "replace")


def _tokens(body: Body, model: Model) -> int:
    """About how many tokens a call takes, for the limit of tokens a minute."""
    return len(json.dumps(body)) // _CHARACTERS_A_TOKEN + (model.max_tokens or 0)


def _described(one: Prepared) -> str:
    last = one.ask.messages[-1].text if one.ask.messages else ""
    return f"model {one.ask.model.name!r} at {one.request.endpoint}: {shorten(last)} (call {one.request.key[:8]})"
