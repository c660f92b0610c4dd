"""Puts the document's title and the page's own heading in front of what another chunker's chunks are searched by."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from harness.bench import Bench
from harness.protocols import Chunker
from harness.records import Chunk, Page


class ContextHeader(Chunker):
    """Wraps `inner`. `text` gets the header, `context` stays as it was: it is searched with it and read without it."""

    inner: Chunker
    title: bool = Field(True, description="the document's title")
    heading: bool = Field(True, description="the page's first heading, or its first line where it has none")
    longest: int = Field(120, description="characters of a heading that are kept", ge=10, le=1000)

    def chunk(self, pages: Sequence[Page], bench: Bench) -> list[Chunk]:
        """The inner chunks, with their ids."""
        headings = {page.ref: _heading(page)[: self.longest] for page in pages}
        return [self._with_header(chunk, headings[chunk.ref], bench) for chunk in self.inner.chunk(pages, bench)]

    def _with_header(self, chunk: Chunk, heading: str, bench: Bench) -> Chunk:
        documents = getattr(bench.corpus, "documents", {})
        parts = [documents[chunk.ref.doc].title] if self.title and chunk.ref.doc in documents else []
        parts += [heading] if self.heading and heading and not chunk.text.startswith(heading) else []
        text = "\n".join([*parts, chunk.text])
        return chunk.model_copy(update={"text": text, "context": chunk.passage}) if parts else chunk


def _heading(page: Page) -> str:
    first = next((block.text for block in page.blocks if block.kind == "heading" and block.text), None)
    return (first or page.text).strip().partition("\n")[0].strip()
