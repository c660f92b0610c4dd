"""The door: every call to a model goes through it, is answered from what was kept where it was, and kept where it was not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from harness import bench, registry
from harness.bench import BlobStore
from harness.errors import ReplyError, WorldError
from harness.files.reading import shorten
from harness.models import embeddings, images, ledger, prices, refusals, schemas
from harness.models.budget import Budget
from harness.models.calls import Calls, Kept, Request
from harness.models.client import Ask, Body, Client, Reading, Told, Wire
from harness.models.credentials import Credentials
from harness.models.embeddings import KeptVectors
from harness.models.exchange import Answered, Exchange, Outgoing
from harness.models.ledger import Ledger
from harness.models.limits import Limits
from harness.models.prices import Price
from harness.records import Message, Model, Reply, Tool, Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

LONGEST_TEXT = 1_000_000
"""Characters of a reply at most; a model that is cut after 1,024 tokens writes 5,000."""
_MOST_CHARACTERS_A_TOKEN = 8
_TOO_LONG = "the request is longer than the {:,} tokens of the model's context"
_NO_FIELDS: Mapping[str, Any] = MappingProxyType({})
_OUTCOMES = {
    "length": "the reply was cut at the most tokens that it may have",
    "filter": "the reply was filtered by its provider",
    "other": "the reply holds no answer",
}


@dataclass(frozen=True)
class Settings:
    """What the user said of models, outside of any one component."""

    folder: Path
    """Where answered calls are kept: results/calls/."""
    offline: bool = False
    retry_bad: bool = False
    allowed: tuple[str, ...] = ()
    limits: Mapping[str, Limits] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    max_usd: float | None = None


class Prepared(NamedTuple):
    """A request, ready to be looked up and sent."""

    request: Request
    model: Model
    client: Client
    path: str
    wire: Callable[[], Body]
    read: Callable[[Any], Reading]
    images: int = 0
    form: str | None = None
    schema: type[BaseModel] | None = None
    subject: str = ""


class Door:
    """The door of one command. Safe for threads."""

    def __init__(
        self,
        settings: Settings,
        blobs: BlobStore,
        budget: Budget | None = None,
        credentials: Credentials | None = None,
    ) -> None:
        self.settings, self.blobs = settings, blobs
        self.budget = budget or Budget(settings.max_usd)
        known = credentials or Credentials(settings.allowed)
        self.exchange = Exchange(known, settings.limits, settings.prices, self.budget)
        self.calls = Calls(settings.folder / "replies")
        self._lock = threading.Lock()
        self._forms: dict[tuple[str, str], str] = {}
        self._asked_again: set[str] = set()
        self._vectors: dict[str, KeptVectors] = {}

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
        on_text: Told | None = None,
    ) -> Reply:
        """As `harness.bench.Door` says."""
        client = provider(model.provider)
        forms = client.forms if schema else (None,)
        asks = [_ask(model, messages, tools, tool_choice, schema, form, logprobs) for form in forms]
        prepared = [self._chat(client, ask, sample, schema) for ask in asks]
        _refuse_too_long(prepared[0])
        found = self._kept(prepared)
        kept, chosen = found or self._answered(prepared, on_text)
        reply = _reply(kept, chosen, self.settings.prices)
        if found and on_text:
            on_text(reply.text)
        return reply

    def rerank(self, model: Model, query: str, passages: Sequence[str]) -> list[float]:
        """As `harness.bench.Door` says."""
        return self.scores(model, query, passages)[0]

    def scores(self, model: Model, query: str, passages: Sequence[str]) -> tuple[list[float], Reply]:
        """The scores with the reply that gave them, whose text is empty."""
        client, count = provider(model.provider), len(passages)

        def read(body: Any) -> Reading:
            return client.read_scores(body, count).reading

        body = {"model": model.name, "query": query, "documents": list(passages), **model.extra}
        request = self._request("rerank", model, client, body, 0)
        one = Prepared(request, model, client, client.rerank_path, lambda: body, read, subject=query)
        kept, _ = self._kept([one]) or self._answered([one], None)
        bare = _bare(kept, self.settings.prices)
        if kept.status != 200:
            raise _refused(kept, bare)
        return client.read_scores(kept.reply, count).scores, bare

    def embed(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any] = _NO_FIELDS) -> Vectors:
        """As `harness.bench.Door` says."""
        return self.vectors(model, texts, extra)[0]

    def vectors(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any]) -> tuple[Vectors, Usage]:
        """The vectors, and what they took. Only texts that have none yet are sent, all of them in one request."""
        import numpy as np

        from harness.cache.vectors import text_key

        client = provider(model.provider)
        fields = {"model": model.name, **model.extra, **extra}
        kept = self._kept_vectors(self._request("embed", model, client, fields, 0))
        keys = [text_key(text) for text in texts]
        with kept.asking:
            found = kept.get(keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
            if missing:
                self._embed(model, client, fields, missing, kept)
                found = kept.get(keys)
        rows = [found[key] for key in keys]
        return np.stack(rows) if rows else np.zeros((0, 1), dtype=np.float32), kept.usage(keys)

    def close(self) -> None:
        """The command ends: whoever still waits for an endpoint stops waiting."""
        self.exchange.closed.set()

    # -- looking up -----------------------------------------------------------------------------------------------

    def _chat(self, client: Client, ask: Ask, sample: int, schema: type[BaseModel] | None) -> Prepared:
        body = client.chat(ask, images.by_name)
        return Prepared(
            request=self._request("chat", ask.model, client, body, sample),
            model=ask.model,
            client=client,
            path=client.chat_path,
            wire=lambda: client.chat(ask, lambda name: images.on_wire(self.blobs, name)),
            read=client.read,
            images=sum(len(message.images) for message in ask.messages),
            form=ask.schema.form if ask.schema else None,
            schema=schema,
            subject=ask.messages[-1].text,
        )

    def _request(self, kind: str, model: Model, client: Client, body: Body, sample: int) -> Request:
        endpoint = self.exchange.name(model, client)
        return Request(kind=kind, provider=model.provider, endpoint=endpoint, body=body, sample=sample)

    def _kept(self, prepared: Sequence[Prepared]) -> tuple[Kept, Prepared] | None:
        for one in prepared:
            kept = self.calls.get(one.request.key)
            if kept is not None and not self._ask_again(kept, one):
                return kept, one
        return None

    def _ask_again(self, kept: Kept, one: Prepared) -> bool:
        """With --retry-bad a reply that was of no use is asked for once more, and once only."""
        return self.settings.retry_bad and kept.key not in self._asked_again and _is_bad(kept, one)

    def _kept_vectors(self, fields: Request) -> KeptVectors:
        with self._lock:
            folder = self.settings.folder / "vectors" / fields.key
            return self._vectors.setdefault(fields.key, KeptVectors(folder))

    # -- asking ---------------------------------------------------------------------------------------------------

    def _answered(self, prepared: Sequence[Prepared], on_text: Told | None) -> tuple[Kept, Prepared]:
        """The reply of the endpoint, in the first form that it takes."""
        with self.calls.asking(prepared[0].request.key):
            found = self._kept(prepared)  # another case, or another command, may have asked meanwhile
            return found or self._ask(prepared, on_text)

    def _ask(self, prepared: Sequence[Prepared], on_text: Told | None) -> tuple[Kept, Prepared]:
        self._refuse_offline(prepared[0].model, prepared[0].request, prepared[0].subject)
        place = prepared[0].request.endpoint, prepared[0].model.name
        known = self._forms.get(place)
        for one in [one for one in prepared if known is None or _not_before(one, known)]:
            last = one is prepared[-1]
            out = self._outgoing(one, on_text, None if last or one.form == known else refusals.about_form)
            answered = self.exchange.ask(out)
            if last or not refusals.about_form(answered.wire):
                kept = self._keep(one, out, answered)
                if one.form:
                    self._forms[place] = one.form
                return kept, one
        raise AssertionError("the last form is never passed over")

    def _outgoing(self, one: Prepared, on_text: Told | None, settled: Callable[[Wire], bool] | None) -> Outgoing:
        return Outgoing(one.model, one.client, one.path, one.wire(), one.read, one.images, on_text, settled)

    def _embed(self, model: Model, client: Client, fields: Body, missing: Mapping[str, str], kept: KeptVectors) -> None:
        import numpy as np

        texts, request = list(missing.values()), self._request("embed", model, client, fields, 0)
        self._refuse_offline(model, request, texts[0])
        body = {**fields, "input": texts}
        out = Outgoing(model, client, client.embed_path, body, lambda body: client.read_vectors(body, len(texts)))
        answered = self.exchange.ask(out)
        if answered.wire.status != 200:
            raise self.exchange.refusal(out, answered.wire)
        read = client.read_vectors(json.loads(answered.wire.body), len(texts))
        used = self._priced(request, read.usage)
        vectors = [np.asarray(vector, dtype=np.float32) for vector in read.vectors]
        kept.put(missing, vectors, embeddings.described(model.name, texts, fields), used)
        self.budget.add(used)

    def _refuse_offline(self, model: Model, request: Request, subject: str) -> None:
        if self.settings.offline:
            place = f"model {model.name!r} at {request.endpoint}: {shorten(subject)} (call {request.key[:8]})"
            raise WorldError(f"offline: no reply is kept for {place}. Run without --offline to ask.")

    # -- keeping --------------------------------------------------------------------------------------------------

    def _keep(self, one: Prepared, out: Outgoing, answered: Answered) -> Kept:
        """Keep what was answered. Raises WorldError for a refusal that is not the request's own fault."""
        wire, loaded = answered.wire, _loaded(answered.wire)
        if wire.status != 200 and not (refusals.too_long(wire) or refusals.filtered(wire)):
            raise self.exchange.refusal(out, wire)
        refused = Reading(finish="filter" if refusals.filtered(wire) else "other")
        read = one.read(loaded) if wire.status == 200 else refused
        used = self._priced(one.request, read.usage)
        known = {"key": one.request.key, "request": one.request, "status": wire.status, "reply": loaded}
        kept = Kept(finish=read.finish, usage=used, seconds=answered.seconds, **known)
        self.calls.put(kept)
        self._asked_again.add(kept.key)
        self.budget.add(used)
        return kept

    def _priced(self, request: Request, used: Usage) -> Usage:
        cost = prices.cost(request.endpoint, str(request.body["model"]), used, self.settings.prices)
        return used.model_copy(update={"cost": cost})


class CaseDoor:
    """The door as one case has it: what it uses is booked in the case's ledger."""

    def __init__(self, door: Door, book: Ledger) -> None:
        self._door, self._book = door, book

    def chat(self, model: Model, messages: Sequence[Message], **settings: Any) -> Reply:
        """As `harness.bench.Door` says."""
        with self._booked(model) as entry:
            entry.reply = self._door.chat(model, messages, **settings)
            return entry.reply

    def rerank(self, model: Model, query: str, passages: Sequence[str]) -> list[float]:
        """As `harness.bench.Door` says."""
        with self._booked(model) as entry:
            scores, entry.reply = self._door.scores(model, query, passages)
            return scores

    def embed(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any] = _NO_FIELDS) -> Vectors:
        """As `harness.bench.Door` says."""
        with self._booked(model) as entry:
            vectors, used = self._door.vectors(model, texts, extra)
            entry.reply = Reply(key="", usage=used)
            return vectors

    @contextmanager
    def _booked(self, model: Model) -> Iterator[_Entry]:
        """Book a call in the order in which it began, also one whose reply cannot be used."""
        place, entry = self._book.begin(), _Entry()
        try:
            with self._book.watch.held():
                yield entry
        except ReplyError as error:
            entry.reply, entry.fault = error.reply, str(error)
            raise
        except WorldError as error:
            self._book.stop(error)
            raise
        finally:
            if entry.reply is not None:
                self._book.end(place, ledger.called(entry.reply, model.name, entry.fault))


@dataclass
class _Entry:
    reply: Reply | None = None
    fault: str | None = None


def for_case(door: bench.Door, book: Ledger) -> bench.Door:
    """The door as one case has it; one that calls no model stays as it is."""
    return CaseDoor(door, book) if isinstance(door, Door) else door


@cache
def provider(name: str) -> Client:
    """The client of that name. Raises UserError where there is none."""
    found = registry.load("client", name, Client)
    assert issubclass(found, Client)
    return found()


def _ask(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    tool_choice: str | None,
    schema: type[BaseModel] | None,
    form: str | None,
    logprobs: int,
) -> Ask:
    """The request in one form of a structured reply."""
    if not messages:
        raise ValueError("a model is asked without a message")
    wanted = schemas.asked(schema, form) if schema and form else None
    said = schemas.told(messages, wanted) if wanted else messages
    return Ask(model, said, tools, tool_choice, wanted, logprobs)


def _not_before(one: Prepared, known: str) -> bool:
    forms = one.client.forms
    return one.form is None or forms.index(one.form) >= forms.index(known)


def _loaded(wire: Wire) -> Any:
    try:
        return json.loads(wire.body)
    except (ValueError, RecursionError):
        return wire.body[:2000].decode("utf-8", "replace")


# -- reading what is kept -----------------------------------------------------------------------------------------------


def _bare(kept: Kept, own: Mapping[str, Price]) -> Reply:
    """The reply without what it says. What had no price when it was paid has that of the config."""
    model, used = str(kept.request.body["model"]), kept.usage
    if used.cost is None and used.input_tokens and model in own:
        used = used.model_copy(update={"cost": own[model].of(used)})
    return Reply(finish=kept.finish, key=kept.key, usage=used, seconds=kept.seconds)


def _refused(kept: Kept, bare: Reply) -> ReplyError:
    said = refusals.said(Wire(kept.status, {}, json.dumps(kept.reply).encode()))
    return ReplyError(f"the endpoint refuses the request, {said}", bare)


def _reply(kept: Kept, one: Prepared, own: Mapping[str, Price]) -> Reply:
    """The reply of a kept call. Raises ReplyError where it cannot be used."""
    bare = _bare(kept, own)
    if kept.status != 200:
        raise _refused(kept, bare)
    read = one.read(kept.reply)
    said = {"text": read.text[:LONGEST_TEXT], "calls": read.calls, "finish": read.finish, "logprobs": read.logprobs}
    reply = bare.model_copy(update=said)
    if len(read.text) > LONGEST_TEXT:
        raise ReplyError(
            f"the reply has {len(read.text):,} characters, more than {LONGEST_TEXT:,} that are read", reply
        )
    if one.model.context and reply.usage.input_tokens >= one.model.context:
        raise ReplyError(f"{_TOO_LONG.format(one.model.context)}, and the endpoint cut it", reply)
    if reply.finish in _OUTCOMES:
        raise ReplyError(f"{_OUTCOMES[reply.finish]} (finish: {reply.finish})", reply)
    return reply if one.schema is None else _structured(reply, one.schema, one.form or "text")


def _structured(reply: Reply, schema: type[BaseModel], form: str) -> Reply:
    try:
        return reply.model_copy(update={"parsed": schemas.read(reply, schema, form)})
    except schemas.Misfit as error:
        raise ReplyError(f"the reply is not of the form that was asked for: {error}", reply) from None


def _refuse_too_long(one: Prepared) -> None:
    """Some servers cut a request that is too long without a word; what is too long by any count is not sent."""
    size = sum(len(str(part)) for part in one.request.body["messages"])
    if one.model.context and size > one.model.context * _MOST_CHARACTERS_A_TOKEN:
        bare = Reply(finish="other", key=one.request.key)
        raise ReplyError(f"{_TOO_LONG.format(one.model.context)}: it has {size:,} characters", bare)


def _is_bad(kept: Kept, one: Prepared) -> bool:
    try:
        _reply(kept, one, {})
    except ReplyError:
        return True
    return False
