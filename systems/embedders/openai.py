"""Any OpenAI-compatible embeddings endpoint, with its extra fields (Jina's `task`); vectors are kept as paid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from harness.bench import Bench
from harness.components import query_time
from harness.protocols import Embedder
from harness.records import Model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OpenAi(Embedder):
    """`POST {url}/embeddings` through the door, with the extra fields of the kind of text."""

    model: Model = Field(Model(name="text-embedding-3-small"), description="a block, or a name under `models:`")
    passage: dict[str, Any] = Field(default_factory=dict, description="extra body fields for passages")
    query: dict[str, Any] = Field(default_factory=dict, description="extra body fields for questions")
    batch: int = query_time(64, "texts a request", ge=1, le=2048)

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        """float32 (n, d), unit length. The door keeps each vector the moment it is paid, so there is no memo."""
        return self.encode(texts, kind, bench)

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        """float32 (n, d), unit length."""
        import numpy as np

        extra = self.passage if kind == "passage" else self.query
        rows: list[NDArray[np.float32]] = []
        for batch in _batches(texts, self.batch):
            rows += list(bench.door.embed(self.model, batch, extra))
            bench.progress(f"embed {kind}", len(rows), len(texts))
        vectors = np.asarray(rows, dtype=np.float32).reshape(len(rows), -1)
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)  # type: ignore[assignment, unused-ignore]
        return unit


def _batches(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    yield from (list(texts[start : start + size]) for start in range(0, len(texts), size))
