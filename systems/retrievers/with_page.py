"""Adds to each chunk's score a share of its whole page's: evidence that is spread over a page counts together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import model_validator

from harness.bench import Bench, Chunks, Index
from harness.components import query_time
from harness.protocols import Retriever
from harness.records import Chunk, Hit, PageRef, ranked


class WithPage(Retriever):
    """score(c) = inner(c) + share · inner(page of c), the pages being indexed as texts of their own.

    Made for scores that are sums over words, as BM25's are: a table cut into three windows keeps its title in one of
    them and its rows in the others.
    """

    inner: Retriever
    share: float = query_time(0.5, "what a page's score counts against a chunk's", ge=0, le=10)
    depth: int = query_time(1000, "chunks and pages that are taken from the inner indexes", ge=1)

    @model_validator(mode="after")
    def _leaf(self) -> WithPage:
        if sum(isinstance(part, Retriever) for part in self.inner.parts()) > 1:
            raise ValueError(
                f"retriever {self.inner.name()!r} wraps others; with_page takes one that indexes by itself"
            )
        return self

    def build(self, chunks: Sequence[Chunk], folder: Path, bench: Bench) -> None:
        """The inner retriever's index of the pages; that of the chunks is its own."""
        pages = _pages(chunks)
        self.inner.build(pages, folder, replace(bench, chunks=type(bench.chunks)(lambda: pages)))

    def open(self, folder: Path, bench: Bench) -> Index:
        """Both indexes."""
        pages = type(bench.chunks)(lambda: _pages(bench.chunks))
        return _WithPageIndex(self, bench.index(self.inner), self.inner.open(folder, bench), pages)


class _WithPageIndex(Index):
    def __init__(self, settings: WithPage, chunks: Index, pages: Index, texts: Chunks) -> None:
        self._settings, self._chunks, self._pages, self._texts = settings, chunks, pages, texts

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        depth = max(k, self._settings.depth)
        on_pages = self._pages.search(query, depth, docs, replace(bench, chunks=self._texts))
        worth = {hit.chunk.ref: self._settings.share * hit.score for hit in on_pages}
        hits = self._chunks.search(query, depth, docs, bench)
        return ranked([Hit(hit.chunk, hit.score + worth.get(hit.chunk.ref, 0.0)) for hit in hits])[:k]


def _pages(chunks: Sequence[Chunk]) -> list[Chunk]:
    """A chunk for each page, in the order of the chunks, with the text of all of the page's."""
    texts: dict[PageRef, list[str]] = {}
    for chunk in chunks:
        texts.setdefault(chunk.ref, []).append(chunk.text)
    return [Chunk(id=str(ref), ref=ref, text="\n".join(parts)) for ref, parts in texts.items()]
