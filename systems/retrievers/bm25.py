"""BM25 over posting lists (bm25s), on stemmed words with figures and hyphenated terms kept whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from harness.components import Index, Retriever
from harness.records import Chunk, Hit
from systems.retrievers._best import best
from systems.retrievers._tokens import tokens

if TYPE_CHECKING:
    from harness.bench import Bench


class Bm25(Retriever):
    """score(q, c) = Σ over the query's tokens t of idf(t) · tf / (tf + k1 · (1 − b + b · |c| / mean |c|)).

    With variant "lucene", idf(t) = ln(1 + (N − n(t) + 0.5) / (n(t) + 0.5)): never negative, however common the token
    (Kamphuis et al. 2020, table 1). "robertson", "atire", "bm25l" and "bm25+" are those of the same table, as bm25s has
    them. A token that the query holds twice counts twice. Chunks without any of the tokens are not hits.
    """

    variant: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"] = "lucene"
    k1: float = Field(1.5, description="how soon repeats of a token stop to count", ge=0, le=10)
    b: float = Field(0.75, description="how much a long chunk is held against it", ge=0, le=1)

    def build(self, chunks: Sequence[Chunk], folder: Path, bench: Bench) -> None:
        """Posting lists and vocabulary in bm25s' own files; none where no chunk holds a token."""
        import bm25s

        corpus = [tokens(chunk.text) for chunk in chunks]
        if any(corpus):
            index = bm25s.BM25(method=self.variant, k1=self.k1, b=self.b)
            index.index(corpus, show_progress=False)
            index.save(folder, show_progress=False)

    def open(self, folder: Path, bench: Bench) -> Index:
        """The index, its posting lists mapped from disk."""
        import bm25s

        empty = not any(folder.glob("*.index.json"))
        return _Bm25Index(None if empty else bm25s.BM25.load(folder, mmap=True, load_corpus=False))


class _Bm25Index(Index):
    def __init__(self, index: Any) -> None:
        self._index = index

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        import numpy as np

        known = [] if self._index is None else [t for t in tokens(query) if t in self._index.vocab_dict]
        if not known:
            return []
        scores = np.asarray(self._index.get_scores(known), dtype=np.float64)
        rows = np.asarray(bench.chunks.rows(docs), dtype=np.int64)
        return best(scores[rows], rows, k, bench, positive=True)
