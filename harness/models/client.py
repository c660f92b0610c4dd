"""A provider, as the door sees it: how a request is written, sent and read. One file each in `clients/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from harness.records import Finish, Message, Model, Record, Token, Tool, ToolCall, Usage

Body = dict[str, Any]
Picture = Callable[[str], tuple[str, str]]
"""sha256 of a blob to its media type and what stands for its contents: base64 on the wire, the sha256 in a key."""
Told = Callable[[str], None]
"""Is told each piece of a reply's text as it comes."""


class Unreached(Exception):
    """No answer came, or half of one. `late` where the time ran out."""

    def __init__(self, message: str, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


class Unread(Exception):
    """What came with status 200 is no reply of this provider."""


class Wire(NamedTuple):
    """What came over the wire. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Schema(NamedTuple):
    """The form that a reply must have: its name, its JSON schema, and how the endpoint is asked for it."""

    name: str
    shape: dict[str, Any]
    form: str


class Ask(NamedTuple):
    """A chat request before a provider writes it."""

    model: Model
    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    tool_choice: str | None = None
    schema: Schema | None = None
    logprobs: int = 0


class Reading(Record):
    """What a reply's body says."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    logprobs: tuple[Token, ...] = ()
    usage: Usage = Field(default_factory=lambda: Usage(calls=1))


class Embedded(NamedTuple):
    """Vectors in the order of the texts, and the tokens of them all."""

    vectors: list[list[float]]
    usage: Usage


class Scored(NamedTuple):
    """The score of each passage, in their order, and the rest of what a rerank reply says."""

    scores: list[float]
    reading: Reading


class Session(NamedTuple):
    """Where requests go, with which key, and how long one may take."""

    url: str
    key: str | None
    seconds: float


class Client:
    """Base of the providers. What one does not offer raises NotImplementedError."""

    url: ClassVar[str] = ""
    """Of the provider's own endpoint."""
    url_env: ClassVar[str] = ""
    """The variable by which the provider's own tools are told of another one."""
    key_env: ClassVar[str] = ""
    forms: ClassVar[tuple[str, ...]] = ("text",)
    """How a structured reply can be asked for, the best first."""
    chat_path: ClassVar[str] = ""
    embed_path: ClassVar[str] = ""
    rerank_path: ClassVar[str] = ""

    def chat(self, ask: Ask, picture: Picture) -> Body:
        """A chat request's body, as it goes over the wire."""
        raise NotImplementedError

    def read(self, body: Any) -> Reading:
        """A chat reply's body. Raises Unread where it is none."""
        raise NotImplementedError

    def read_vectors(self, body: Any, count: int) -> Embedded:
        """An embedding reply's body. Raises Unread where it does not hold `count` vectors."""
        raise NotImplementedError

    def read_scores(self, body: Any, count: int) -> Scored:
        """A rerank reply's body with the scores of `count` passages. Raises Unread where it holds others."""
        raise NotImplementedError

    def send(self, session: Session, path: str, body: Body, on_text: Told | None = None) -> Wire:
        """Post once, without a retry. Raises Unreached. With `on_text` the reply is streamed and put together again."""
        raise NotImplementedError


def whole(text: str) -> str:
    """The text, with a mark for each half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")
