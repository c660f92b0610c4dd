"""Windows of a fixed number of characters over each page's text, never over a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Self

from pydantic import Field, model_validator

from harness.bench import Bench
from harness.protocols import Chunker
from harness.records import Chunk, Kind, Page


class PageWindows(Chunker):
    """Cuts every `size - overlap` characters, moved to white space where some is near. Ids: `doc:p12-w03`."""

    size: int = Field(1200, description="characters in a window, at most", ge=50, le=100_000)
    overlap: int = Field(150, description="characters that a window shares with the one before", ge=0)

    @model_validator(mode="after")
    def _moves_on(self) -> Self:
        if self.overlap > self.size // 2:
            raise ValueError(f"overlap {self.overlap} is more than half of size {self.size}: windows must move on")
        return self

    def chunk(self, pages: Sequence[Page], bench: Bench) -> list[Chunk]:
        """One chunk a window; a window's kind is the kind of block that most of its characters come from."""
        return [chunk for page in pages for chunk in self._page(page)]

    def _page(self, page: Page) -> Iterator[Chunk]:
        if page.status != "ok":
            return
        text, kinds = _text(page)
        for number, (start, end) in enumerate(self._windows(text)):
            if text[start:end].strip():
                kind = Counter(kinds[start:end]).most_common(1)[0][0]
                yield Chunk(id=f"{page.ref}-w{number:02d}", ref=page.ref, text=text[start:end].strip(), kind=kind)

    def _windows(self, text: str) -> Iterator[tuple[int, int]]:
        start, slack = 0, self.size // 10
        while start < len(text):
            end = _at_space(text, start + self.size, slack)
            yield start, end
            if end >= len(text):
                return
            start = max(_at_space(text, start + self.size - self.overlap, slack), start + 1)


def _text(page: Page) -> tuple[str, list[Kind]]:
    """The page's text and, for each character, the kind of its block."""
    kinds: list[Kind] = []
    parts = [(block.text, block.kind) for block in page.blocks if block.text]
    for text, kind in parts:
        kinds += [kind if kind in ("table", "figure") else "text"] * (len(text) + 1)
    return "\n".join(text for text, _ in parts), kinds


def _at_space(text: str, position: int, slack: int) -> int:
    """The end of the last white space within `slack` characters before `position`, else `position`."""
    if position >= len(text):
        return len(text)
    spaces = [i for i in range(max(position - slack, 1), position + 1) if text[i - 1].isspace()]
    return spaces[-1] if spaces else position
