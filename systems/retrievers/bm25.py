"""BM25 over posting lists (bm25s), on stemmed words with figures and hyphenated terms kept whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from harness.bench import Bench, Index
from harness.components import query_time
from harness.protocols import Retriever
from harness.records import Chunk, Hit
from systems._shared.tokens import tokens
from systems.retrievers._best import best, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Bm25(Retriever):
    """score(q, c) = Σ over the query's tokens t of idf(t) · tf / (tf + k1 · (1 − b + b · |c| / mean |c|)).

    Variant "lucene": idf(t) = ln(1 + (N − n(t) + 0.5) / (n(t) + 0.5)), never negative however common the token; "atire":
    idf(t) = ln(N / n(t)), and the second factor times k1 + 1 (Kamphuis et al., ECIR 2020, table 1). N and n(t) count the
    chunks in scope, or of the whole corpus; mean |c| is the corpus's. A token that the query holds twice counts twice.
    Chunks without any of the tokens are not hits.
    """

    variant: Literal["lucene", "atire"] = "lucene"
    k1: float = Field(1.5, description="how soon repeats of a token stop to count", ge=0, le=10)
    b: float = Field(0.75, description="how much a long chunk is held against it", ge=0, le=1)
    idf: Literal["scope", "corpus"] = query_time("scope", "among which chunks a token is rare")

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
        return _Bm25Index(self, None if empty else bm25s.BM25.load(folder, mmap=True, load_corpus=False))

    def rarity(self, chunks: int, holding: int) -> float:
        """idf of a token that `holding` of `chunks` chunks hold; 0 where none does."""
        if not holding:
            return 0.0
        if self.variant == "atire":
            return math.log(chunks / holding)
        return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))


class _Bm25Index(Index):
    def __init__(self, settings: Bm25, index: Any) -> None:
        self._settings, self._index = settings, index

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:

        rows = rows_of(docs, bench)
        if self._index is None or not len(rows):
            return []
        return best(self._scores(query, rows, len(bench.chunks))[rows], rows, k, bench, positive=True)

    def _scores(self, query: str, rows: NDArray[np.int64], total: int) -> NDArray[np.float64]:
        """float64 (chunks of the corpus,); right for `rows`, which are those in scope."""
        import numpy as np

        scores, inside = np.zeros(total), np.zeros(total, dtype=bool)
        inside[rows] = True
        for token, times in Counter(tokens(query)).items():
            holding, gains = self._postings(token)
            weight = self._weight(len(holding), int(inside[holding].sum()), len(rows), total)
            scores[holding] += times * weight * gains
        return scores

    def _weight(self, everywhere: int, here: int, chunks: int, total: int) -> float:
        """What turns gains with the corpus's idf into gains with that of the scope."""
        if self._settings.idf == "corpus" or chunks == total or not everywhere:
            return 1.0
        whole = self._settings.rarity(total, everywhere)
        return self._settings.rarity(chunks, here) / whole if whole else 0.0

    def _postings(self, token: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The rows that hold the token, and what it adds to each one's score."""
        import numpy as np

        place = self._index.vocab_dict.get(token)
        if place is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        matrix = self._index.scores
        part = slice(int(matrix["indptr"][place]), int(matrix["indptr"][place + 1]))
        return np.asarray(matrix["indices"][part], np.int64), np.asarray(matrix["data"][part], np.float64)
