"""Exact nearest neighbours: the cosine of every chunk in scope, no approximation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.bench import Bench, Index
from harness.protocols import Embedder, Retriever
from harness.records import Chunk, Hit
from systems.retrievers._best import best, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Dense(Retriever):
    """score(q, c) = cosine of the embedder's vectors. The index is one float32 array (chunks, d), mapped from disk."""

    embedder: Embedder

    def build(self, chunks: Sequence[Chunk], folder: Path, bench: Bench) -> None:
        """Write vectors.npy, a row a chunk."""
        import numpy as np

        np.save(folder / "vectors.npy", self.embedder.embed([chunk.text for chunk in chunks], "passage", bench))

    def open(self, folder: Path, bench: Bench) -> Index:
        """The index, its vectors mapped from disk."""
        import numpy as np

        return _DenseIndex(self.embedder, np.load(folder / "vectors.npy", mmap_mode="r"))


class _DenseIndex(Index):
    def __init__(self, embedder: Embedder, vectors: NDArray[np.float32]) -> None:
        self._embedder = embedder
        self._vectors = vectors

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:

        rows = rows_of(docs, bench)
        if not len(rows):
            return []
        vector = self._embedder.embed([query], "query", bench)[0]
        return best(_cosines(_part(self._vectors, rows), vector), rows, k, bench)


def _cosines(rows: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (rows,). Not with `@`: its threads wait for one another where several questions are searched at once, which
    cost 20 ms a query on two busy cores instead of 0.6 at 7,700 chunks."""
    import numpy as np

    cosines: NDArray[np.float32] = np.einsum("ij,j->i", rows, vector)
    return cosines


def _part(vectors: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """These rows: a view where they lie side by side, as one document's do, else a copy."""
    first, last = int(rows[0]), int(rows[-1])
    return vectors[first : last + 1] if last - first + 1 == len(rows) else vectors[rows]
