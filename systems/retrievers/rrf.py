"""Reciprocal rank fusion of two retrievers."""

from __future__ import annotations

from pathlib import Path

from harness.bench import Bench, Index
from harness.components import query_time
from harness.protocols import Retriever
from harness.records import Chunk, Hit, ranked


class Rrf(Retriever):
    """score(c) = Σ over both lists of weight / (constant + rank of c in it), rank from 1 (Cormack et al., SIGIR 2009)."""

    first: Retriever
    second: Retriever
    constant: float = query_time(60.0, "how slowly a rank's worth falls", ge=0)
    candidates: int = query_time(30, "hits that are taken from each of the two", ge=1, le=10_000)
    first_weight: float = query_time(1.0, "the worth of the first list against the second", ge=0)

    def open(self, folder: Path, bench: Bench) -> Index:
        """Both indexes, opened; this one writes nothing of its own."""
        return _RrfIndex(self, bench.index(self.first), bench.index(self.second))


class _RrfIndex(Index):
    def __init__(self, rrf: Rrf, first: Index, second: Index) -> None:
        self._rrf = rrf
        self._lists = ((first, rrf.first_weight), (second, 1.0))

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        chunks: dict[str, Chunk] = {}
        scores: dict[str, float] = {}
        for index, weight in self._lists:
            for rank, hit in enumerate(index.search(query, self._rrf.candidates, docs, bench), start=1):
                chunks[hit.chunk.id] = hit.chunk
                gain = weight / (self._rrf.constant + rank)
                scores[hit.chunk.id] = scores.get(hit.chunk.id, 0.0) + gain
        return ranked([Hit(chunks[key], score) for key, score in scores.items()])[:k]
