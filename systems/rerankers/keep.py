"""Keeps the order that the retriever gave: the baseline of every reranker."""

from __future__ import annotations

from harness.bench import Bench
from harness.protocols import Reranker
from harness.records import Hit


class Keep(Reranker):
    """No model, no change."""

    def rerank(self, query: str, hits: list[Hit], bench: Bench) -> list[Hit]:
        """The hits as they came."""
        return list(hits)
