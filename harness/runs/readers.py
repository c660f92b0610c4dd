"""Who reads a document: its parser, or where that was lost on it the parser's second, or nobody."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.cache import keys
from harness.documents.losses import Losses
from harness.documents.processes import Done
from harness.protocols import Parser


class Work(NamedTuple):
    """A document's work by its keys."""

    parse: str
    chunk: str
    pages: int


class Reader(NamedTuple):
    """A parser, and where it is the second one, why. `key` is that of its losses."""

    parser: Parser
    instead: str | None
    key: str


class Readers:
    """The readers of a system's documents."""

    def __init__(self, parser: Parser, losses: Losses) -> None:
        self.parser, self.losses = parser, losses

    def of(self, work: Work) -> Reader | None:
        """None where everybody who could be given the document was lost on it, or the chunker was."""
        if self._lost(work.chunk, work):
            return None
        return next((reader for reader in self._all(work) if not self._lost(reader.key, work)), None)

    def _all(self, work: Work) -> list[Reader]:
        first, second = Reader(self.parser, None, work.parse), self.parser.second()
        if second is None:
            return [first]
        why = f"read by {second.name()!r}: with {self.parser.name()!r} {self._lost(work.parse, work)}"
        return [first, Reader(second, why, keys.digest(["second", work.parse]))]

    def _lost(self, key: str, work: Work) -> str | None:
        return self.losses.reason(key, work.pages)

    def known_lost(self, work: Work) -> bool:
        """Whether the parser itself was lost on the document, within the limits of today."""
        return self._lost(work.parse, work) is not None

    def why_nobody(self, work: Work) -> str:
        """Why the document can be read by nobody."""
        if of_chunker := self._lost(work.chunk, work):
            return of_chunker
        first, *others = [(reader.parser.name(), self._lost(reader.key, work)) for reader in self._all(work)]
        return "; ".join([str(first[1]), *(f"with {name!r} {reason}" for name, reason in others)])

    def note(self, work: Work, done: Done[Any, Any], *, parsed: bool) -> None:
        """Keep who was lost: the chunker where the document was parsed before that, else the parser that was at it."""
        reader = self.of(work)
        if reader is not None:
            self.losses.note(work.chunk if parsed else reader.key, work.pages, done)
