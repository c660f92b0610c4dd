"""Late interaction on token states: each token of the question looks for its best match in the passage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import model_validator

from harness.bench import Bench
from harness.components import query_time
from harness.protocols import Embedder, Reranker
from harness.records import Hit
from systems.rerankers._scored import reordered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    States = NDArray[np.floating[Any]]


class LateInteraction(Reranker):
    """score(q, c) = mean over the tokens i of q of the max over the tokens j of c of cos(q_i, c_j).

    ColBERT's MaxSim (Khattab and Zaharia, SIGIR 2020), as a mean, on the states of a model trained for whole sentences.
    """

    embedder: Embedder
    depth: int = query_time(30, "hits that are reranked; those after them keep their order", ge=1, le=10_000)

    @model_validator(mode="after")
    def _has_states(self) -> LateInteraction:
        if not hasattr(self.embedder, "states"):
            raise ValueError(f"embedder {self.embedder.name()!r} gives no token states; 'minilm' does")
        return self

    def rerank(self, query: str, hits: list[Hit], bench: Bench) -> list[Hit]:
        """The first `depth` hits by their score, the rest after them."""
        head, rest = hits[: self.depth], hits[self.depth :]
        embedder: Any = self.embedder
        question = embedder.states([query], "query", bench)[0]
        passages = embedder.states([hit.chunk.text for hit in head], "passage", bench)
        scored = [Hit(hit.chunk, _max_sim(question, states)) for hit, states in zip(head, passages, strict=True)]
        return reordered(scored, rest)


def _max_sim(question: States, passage: States) -> float:
    """Rounded, so that equal passages tie. An empty question or passage scores 0."""
    import numpy as np

    if not len(question) or not len(passage):
        return 0.0
    cosines = question.astype(np.float32) @ passage.astype(np.float32).T
    return round(float(cosines.max(axis=1).mean()), 6)
