"""What an answer says: its text with citations, each with the line that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.records import Answer, Citation
from systems.answerers._statements.pages import Page
from systems.answerers._statements.tables import Row


class Ground(NamedTuple):
    """A page and the lines of it that are quoted."""

    page: Page
    lines: tuple[str, ...]

    @classmethod
    def of(cls, page: Page, text: str, row: Row | None = None) -> Ground:
        """A sentence, or a row below the lines that name its columns."""
        return cls(page, (*(row.heads if row else ()), text))


def reply(said: str, grounds: Sequence[Ground], confidence: float, why: str) -> Answer:
    """The answer, with a citation `[doc, p.41]` for each ground behind it."""
    citations: list[Citation] = []
    for ref in dict.fromkeys(ground.page.ref for ground in grounds):
        raw = f"[{ref.doc}, p.{ref.page}]"
        lines = dict.fromkeys(line for ground in grounds if ground.page.ref == ref for line in ground.lines)
        span = (len(said) + 1, len(said) + 1 + len(raw))
        citations.append(Citation(raw=raw, ref=ref, span=span, quote="\n".join(lines)))
        said = f"{said} {raw}"
    chunk = grounds[0].page.chunk.id
    return Answer(text=said, citations=tuple(citations), confidence=confidence, trace={"chunk": chunk, "why": why})
