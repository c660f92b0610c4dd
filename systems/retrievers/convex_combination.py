"""Fusion of two retrievers by their scores, each list brought to a best of 1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.bench import Bench, Index
from harness.components import query_time
from harness.protocols import Retriever
from harness.records import Hit, ranked


class ConvexCombination(Retriever):
    """score(c) = weight · first(c) / best of first + (1 − weight) · second(c) / best of second.

    A clear winner of one list stays one, which fusion by rank forgets (Bruch, Gai and Ingber, ACM TOIS 2023). What a list
    does not hold gets that list's lowest score where it was cut, and 0 where it gave all that it has. Made for scores
    whose zero means nothing in common: BM25's, and cosines of unit vectors.
    """

    first: Retriever
    second: Retriever
    weight: float = query_time(0.5, "of the first list; the second has the rest", ge=0, le=1)
    depth: int = query_time(1000, "hits that are taken from each of the two", ge=1, le=10_000)

    def open(self, folder: Path, bench: Bench) -> Index:
        """Both indexes, opened; this one writes nothing of its own."""
        return _ConvexIndex(self, bench.index(self.first), bench.index(self.second))


class _ConvexIndex(Index):
    def __init__(self, settings: ConvexCombination, first: Index, second: Index) -> None:
        self._depth = settings.depth
        self._lists = ((first, settings.weight), (second, 1 - settings.weight))

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        found = [(index.search(query, self._depth, docs, bench), weight) for index, weight in self._lists]
        chunks = {hit.chunk.id: hit.chunk for hits, _ in found for hit in hits}
        worth = [(*self._worth(hits), weight) for hits, weight in found]
        return ranked([Hit(chunk, _sum(key, worth)) for key, chunk in chunks.items()])[:k]

    def _worth(self, hits: Sequence[Hit]) -> tuple[dict[str, float], float]:
        """Of each chunk in the list, at most 1; and of those that are not in it."""
        best = hits[0].score if hits and hits[0].score > 0 else 1.0
        worth = {hit.chunk.id: hit.score / best for hit in hits}
        return worth, min(worth.values()) if len(hits) == self._depth else 0.0


def _sum(key: str, worth: Sequence[tuple[dict[str, float], float, float]]) -> float:
    return sum(weight * own.get(key, missing) for own, missing, weight in worth)
