"""Every record that crosses a border: between a parser and a chunker, a system and a metric, a run and its files.

Records are frozen, refuse unknown keys and refuse NaN, so that what one side wrote is what the other side reads.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    model_validator,
)

Json = Any
_LONGEST_INTEGER = 4096

_PAGE_REF = re.compile(r"(?P<doc>[^\s:][^:]*):p(?P<page>[1-9]\d*)\Z")


class PageRef(NamedTuple):
    """A page of a document, the identity that everything joins on: written ``"dnb_2018:p45"``, page 1-based in the PDF."""

    doc: str
    page: int

    @classmethod
    def parse(cls, text: str) -> PageRef:
        """Read ``"doc:p45"``. Raises ValueError where the text is not of that form."""
        match = _PAGE_REF.match(text)
        if not match:
            raise ValueError(f"{text!r} is not a page: write it as 'document:p12', counting PDF pages from 1")
        return cls(match["doc"], int(match["page"]))

    def __str__(self) -> str:
        return f"{self.doc}:p{self.page}"


def _as_ref(value: object) -> object:
    return PageRef.parse(value) if isinstance(value, str) else value


Ref = Annotated[PageRef, BeforeValidator(_as_ref), PlainSerializer(str, return_type=str)]
"""A PageRef as a field: a string in JSON, a PageRef in memory."""


def whole_text(text: str) -> str:
    """`text` as it is. Raises ValueError for half of a surrogate pair, which no file of UTF-8 can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"half of a surrogate pair stands alone at character {error.start + 1}") from None
    return text


def json_value(value: Any) -> Json:
    """`value` as JSON reads it back: numpy's numbers and arrays as Python's, tuples as lists.

    Raises ValueError for what JSON cannot hold: NaN, half of a surrogate pair, an object of any other kind.
    """
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, Mapping):
        return {_key(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    raise ValueError(f"a value of type {type(value).__name__!r} is not JSON: write text, numbers, lists, dicts or None")


def _number(value: float) -> float:
    if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
        raise ValueError("a whole number has more than a thousand digits")
    if not isinstance(value, int) and not math.isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    return value


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError(f"{key!r} cannot be a key: the keys of JSON are text")
    return whole_text(key)


Text = Annotated[str, AfterValidator(whole_text)]
"""Text that can be written to a file."""


class Record(BaseModel):
    """Base of all records."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


Kind = Literal["text", "table", "figure"]
Modality = Literal["text", "table", "figure", "chart", "layout", "unlabelled"]
Expect = Literal["answer", "abstain", "deflect", "greet"]
Scope = Literal["golden", "corpus"]


class Block(Record):
    """A typed piece of a page, in reading order. `bbox` is (x0, y0, x1, y1) in points from the page's top left."""

    kind: Literal["heading", "text", "list", "table", "figure"]
    text: str = ""
    level: int | None = None
    html: str | None = None
    bbox: tuple[float, float, float, float] | None = None
    image: str | None = None


class Page(Record):
    """One parsed page. `blank` (nothing on it), `unreadable` (something, but no text) and `failed` (no parse) differ."""

    ref: Ref
    status: Literal["ok", "blank", "unreadable", "failed"] = "ok"
    blocks: tuple[Block, ...] = ()
    label: str | None = None
    image: str | None = None
    error: str | None = None
    instead: str | None = None
    """Where another parser was given the page than the one that was asked: which, and why."""

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.blocks if block.text)


class Chunk(Record):
    """What is indexed. `text` is searched; `context`, where it differs, is read (small-to-big)."""

    id: str
    ref: Ref
    text: str
    context: str | None = None
    kind: Kind = "text"
    parent: str | None = None
    also: tuple[Ref, ...] = ()
    image: str | None = None

    @property
    def passage(self) -> str:
        """What an answerer reads."""
        return self.context if self.context is not None else self.text


class Hit(NamedTuple):
    """A chunk and its score, in memory. Rankings order by (-score, chunk id), so that ties never depend on luck."""

    chunk: Chunk
    score: float


def ranked(hits: list[Hit]) -> list[Hit]:
    """The hits in their canonical order: best score first, ties by chunk id."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))


class Found(Record):
    """A hit as it is kept: which chunk, on which page, of which kind, with which score."""

    chunk: str
    ref: Ref
    kind: Kind = "text"
    score: float

    @classmethod
    def of(cls, hit: Hit) -> Found:
        return cls(chunk=hit.chunk.id, ref=hit.chunk.ref, kind=hit.chunk.kind, score=float(hit.score))


class Search(Record):
    """One search of an answerer and the hits that it was shown, best first."""

    query: Text
    hits: tuple[Found, ...] = ()


class Citation(Record):
    """A page that an answer names. `ref` is None where what was written names no page of the corpus.

    `span` is where `raw` stands in the answer's text, [start, end).
    """

    raw: Text
    ref: Ref | None = None
    span: tuple[int, int] | None = None
    quote: Text | None = None


class Answer(Record):
    """What an answerer said. `abstained` is a field that the system sets, never a phrase to be guessed at."""

    text: Text
    citations: tuple[Citation, ...] = ()
    """Those with a span in the order of the text; two may share one span ("[p. 3, p. 5]"), none overlap."""
    abstained: bool = False
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    trace: Annotated[dict[str, Json], AfterValidator(json_value)] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _spans_in_order(self) -> Self:
        before = (0, 0)
        for raw, span in ((citation.raw, citation.span) for citation in self.citations):
            if span is None or span == before:
                continue
            if not before[1] <= span[0] <= span[1] <= len(self.text):
                raise ValueError(
                    f"the citation {raw!r} has the span {list(span)}: spans lie inside the text (0 to {len(self.text)}), "
                    "in its order, and do not overlap"
                )
            before = span
        return self


class Turn(Record):
    """A scripted earlier turn of a conversation."""

    question: str
    answer: str


_NO_VALUE = ("nan", "NaN", "#N/A", "#VALUE!", "#REF!", "#NAME?", "#DIV/0!")


def _no_value(text: str) -> str:
    """Refuses what a spreadsheet writes where there is nothing."""
    if text.strip() in _NO_VALUE:
        raise ValueError("a spreadsheet writes this for an empty or broken cell: write the text, or leave the key out")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is blank: write what is meant")
    return text


Written = Annotated[str, AfterValidator(_no_value)]
Needed = Annotated[str, AfterValidator(_not_blank), AfterValidator(_no_value)]


class Golden(Record):
    """A question with what is known of its answer. `evidence`: groups of pages, any one group enough on its own."""

    id: Needed
    question: Needed
    expect: Expect = "answer"
    answer: Written | None = None
    accept: tuple[Needed, ...] = ()
    answer_type: str | None = None
    evidence: tuple[tuple[Ref, ...], ...] = ()
    quotes: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    scope: tuple[str, ...] = ()
    valid_scope: Literal["any", "golden"] = "any"
    modality: tuple[Modality, ...] = ("unlabelled",)
    turns: tuple[Turn, ...] = ()
    standalone: Needed | None = None
    source: str | None = None
    verified: str | None = None
    tags: tuple[str, ...] = ()
    notes: str | None = None

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.expect == "answer" and not (self.answer or "").strip():
            raise ValueError("expect is 'answer' but there is no answer")
        if any(not group for group in self.evidence):
            raise ValueError("a group of evidence is empty: leave it out, or name its pages")
        for page in self.quotes:
            PageRef.parse(page)
        return self

    @property
    def gold_pages(self) -> frozenset[PageRef]:
        """The union of the evidence groups."""
        return frozenset(ref for group in self.evidence for ref in group)


class Usage(Record):
    """What a case or a reply cost, if nothing is kept from before. `cost` in USD, None where a price is not known.

    `input_tokens` are all that the model read; of them, `cached_tokens` came from its provider's prompt cache and
    `stored_tokens` went into it.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    stored_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        counts = ("calls", "input_tokens", "cached_tokens", "stored_tokens", "output_tokens")
        return Usage(cost=cost, **{name: getattr(self, name) + getattr(other, name) for name in counts})

    def since(self, before: Usage) -> Usage:
        """What was added to `before`."""
        cost = None if self.cost is None or before.cost is None else self.cost - before.cost
        counts = ("calls", "input_tokens", "cached_tokens", "stored_tokens", "output_tokens")
        return Usage(cost=cost, **{name: getattr(self, name) - getattr(before, name) for name in counts})


class Attempt(Record):
    """All that one system did with a golden. `error` names a fault of the system under test."""

    candidates: tuple[Found, ...] = ()
    searches: tuple[Search, ...] = ()
    answer: Answer | None = None
    usage: Usage = Usage()
    capped: bool = False
    error: str | None = None
    unread: tuple[str, ...] = ()
    """What the parser could not read of what the golden asks for, a page or a document each: nobody can find that."""


class Case(Attempt):
    """An attempt with its golden."""

    golden: Golden

    @classmethod
    def of(cls, golden: Golden, attempt: Attempt) -> Case:
        return cls(golden=golden, **{name: getattr(attempt, name) for name in Attempt.model_fields})

    @property
    def shown(self) -> frozenset[PageRef]:
        """The pages that the answerer was shown, over all its searches."""
        return frozenset(hit.ref for search in self.searches for hit in search.hits)


# -- models ---------------------------------------------------------------------------------------------------------


class Model(Record):
    """A model at an endpoint, as a config names it. In YAML it is a block, or a name under `models:`."""

    provider: str = "openai"
    """Whose protocol the endpoint speaks."""
    name: Annotated[str, Field(min_length=1)]
    """As the endpoint calls it."""
    url: str | None = None
    """Of another endpoint than the provider's own, without the last part (`/chat/completions`)."""
    key_env: str | None = None
    """The environment variable that holds the key; default: the provider's own; empty: no key is sent."""
    endpoint: str | None = None
    """A name for the endpoint, which is in the keys of replies where its address is not; default: the url's host."""
    temperature: float | None = 0.0
    """Nothing: it is not sent."""
    max_tokens: Annotated[int, Field(ge=1)] | None = 1024
    """Tokens of a reply at most; nothing: it is not sent."""
    context: Annotated[int, Field(ge=16)] | None = None
    """Tokens that the model reads and writes together at most, where that is known."""
    vision: bool = False
    """Whether it is shown images."""
    seconds: Annotated[float, Field(gt=0, le=86_400)] = 120
    """The longest that one call may take."""
    extra: Mapping[str, Json] = Field(default_factory=dict)
    """Further fields of the request's body."""

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return value
        named = (info.context or {}).get("models") or {}
        if value not in named:
            known = ", ".join(named) or "none"
            raise ValueError(
                f"no model is named {value!r}; under `models:` there are: {known}. A model itself is {{name: {value}}}"
            )
        return named[value]


class Tool(Record):
    """A function that a model may call; `parameters` is a JSON schema of its arguments."""

    name: str
    description: str = ""
    parameters: Mapping[str, Json] = Field(default_factory=dict)


class ToolCall(Record):
    """A call that a model asks for. `arguments` is JSON as the model wrote it, which may be none."""

    id: str
    name: str
    arguments: str = "{}"

    def read(self) -> dict[str, Json] | None:
        """The arguments; None where they are no JSON object."""
        try:
            value = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None


class Message(Record):
    """A message to a model or of one. `images` are sha256 of blobs; a `tool` message answers the call `call_id`."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    images: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None


class Token(Record):
    """A token that a model wrote, with its log-probability and those of the tokens that were likeliest in its place."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


Finish = Literal["stop", "length", "tool", "filter", "other"]


class Reply(Record):
    """What a model answered. `parsed` is what was asked for by a schema; `seconds` are those of the call that was paid."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    parsed: Json = None
    finish: Finish = "stop"
    logprobs: tuple[Token, ...] = ()
    key: str
    usage: Usage = Usage()
    seconds: float = 0.0


class Step(Record):
    """A step of a case as its trace holds it: a search, a model's call, or what a component says of itself."""

    kind: Literal["search", "call", "draft", "check", "note"]
    query: str | None = None
    hits: tuple[tuple[str, Ref, float], ...] = ()
    key: str | None = None
    model: str | None = None
    input: int = 0
    output: int = 0
    usd: float | None = 0.0
    text: str | None = None
