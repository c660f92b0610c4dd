"""BM25Okapi of the package rank_bm25, on words parted at white space: the baseline that many sketches start from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from harness.bench import Bench, Index
from harness.protocols import Retriever
from harness.records import Chunk, Hit
from systems.retrievers._best import best, rows_of


class RankBm25(Retriever):
    """Okapi's formula with the package's floor: a word in more than half of the chunks counts a quarter of the mean idf.

    The package scores every chunk anew for every question and keeps no index on disk. A sentence in a script without spaces
    between words (Chinese, Japanese, Thai) is one word to it: `bm25` finds what it does not.
    """

    needs: ClassVar[tuple[str, ...]] = ("rank_bm25",)
    extra: ClassVar[str | None] = "rank-bm25"

    k1: float = Field(1.5, ge=0, le=10)
    b: float = Field(0.75, ge=0, le=1)
    epsilon: float = Field(0.25, description="share of the mean idf that very common words get", ge=0, le=1)

    def open(self, folder: Path, bench: Bench) -> Index:
        """Built in memory from all chunks."""
        from rank_bm25 import BM25Okapi

        corpus = [_words(chunk.text) for chunk in bench.chunks]
        index = BM25Okapi(corpus, k1=self.k1, b=self.b, epsilon=self.epsilon) if any(corpus) else None
        return _RankBm25Index(index)

    def build(self, chunks: Sequence[Chunk], folder: Path, bench: Bench) -> None:
        """Nothing: the package has no index to keep."""


class _RankBm25Index(Index):
    def __init__(self, index: Any) -> None:
        self._index = index

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        import numpy as np

        rows = rows_of(docs, bench)
        if self._index is None or not len(rows):
            return []
        return best(np.asarray(self._index.get_scores(_words(query)))[rows], rows, k, bench)


def _words(text: str) -> list[str]:
    return text.lower().split()
