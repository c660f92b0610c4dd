"""Searches small chunks and gives the text around them to read: neighbours on the page, up to a size."""

from __future__ import annotations

from pathlib import Path

from harness.bench import Bench, Index
from harness.components import query_time
from harness.protocols import Retriever
from harness.records import Hit


class SmallToBig(Retriever):
    """Wraps `inner`; each hit's `context` becomes its page's chunks around it, never over the page. Ranks do not change."""

    inner: Retriever
    characters: int = query_time(4000, "the most that is read for a hit", ge=100, le=100_000)

    def open(self, folder: Path, bench: Bench) -> Index:
        """The inner index; this one writes nothing of its own."""
        return _SmallToBigIndex(self, bench.index(self.inner))


class _SmallToBigIndex(Index):
    def __init__(self, settings: SmallToBig, inner: Index) -> None:
        self._settings, self._inner = settings, inner

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        return [self._widened(hit, bench) for hit in self._inner.search(query, k, docs, bench)]

    def _widened(self, hit: Hit, bench: Bench) -> Hit:
        rows = [row for row in bench.chunks.rows([hit.chunk.ref.doc]) if bench.chunks[row].ref == hit.chunk.ref]
        texts = [bench.chunks[row].passage for row in rows]
        own = next((n for n, row in enumerate(rows) if bench.chunks[row].id == hit.chunk.id), None)
        if own is None:
            return hit
        first, last = own, own
        while True:
            wider = [(first - 1, last)] if first > 0 else []
            wider += [(first, last + 1)] if last + 1 < len(rows) else []
            fitting = [(a, b) for a, b in wider if sum(map(len, texts[a : b + 1])) <= self._settings.characters]
            if not fitting:
                return Hit(hit.chunk.model_copy(update={"context": "\n".join(texts[first : last + 1])}), hit.score)
            first, last = min(fitting, key=lambda span: (span[1] - span[0], own - span[0] + span[1] - own, -span[1]))
