"""Sections between headings, page by page; short ones join the next, a table is never cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from harness.bench import Bench
from harness.protocols import Chunker
from harness.records import Block, Chunk, Kind, Page

Section = list[Block]


class Headings(Chunker):
    """Splits each page at its headings of all six levels, with no upper limit to a section. Ids: `doc:p139-02`."""

    min_characters: int = Field(
        500, description="a shorter section joins the next; the last joins the one before", ge=0
    )

    def chunk(self, pages: Sequence[Page], bench: Bench) -> list[Chunk]:
        """One chunk a section; its kind is that of most of its characters, its image the first figure's."""
        return [chunk for page in pages if page.status == "ok" for chunk in self._page(page)]

    def _page(self, page: Page) -> Iterator[Chunk]:
        for number, section in enumerate(self._joined(_sections(page.blocks)), start=1):
            image = next((block.image for block in section if block.image), None)
            if text := _text(section):
                yield Chunk(id=f"{page.ref}-{number:02d}", ref=page.ref, text=text, kind=_kind(section), image=image)

    def _joined(self, sections: list[Section]) -> list[Section]:
        joined: list[Section] = []
        for section in sections:
            if joined and len(_text(joined[-1])) < self.min_characters:
                joined[-1] = joined[-1] + section
            else:
                joined.append(section)
        if len(joined) > 1 and len(_text(joined[-1])) < self.min_characters:
            joined[-2:] = [joined[-2] + joined[-1]]
        return joined


def _sections(blocks: Sequence[Block]) -> list[Section]:
    sections: list[Section] = []
    for block in blocks:
        if block.kind == "heading" or not sections:
            sections.append([])
        sections[-1].append(block)
    return sections


def _text(section: Section) -> str:
    return "\n".join(block.text for block in section if block.text)


def _kind(section: Section) -> Kind:
    """Of a section without text, but with a figure: figure."""
    sizes: dict[Kind, int] = {"text": 0, "table": 0, "figure": 0}
    for block in section:
        sizes[block.kind if block.kind in ("table", "figure") else "text"] += len(block.text)
    return max(sizes, key=lambda kind: sizes[kind])
