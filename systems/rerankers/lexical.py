"""Looks for the question's own words, figures, years and units in each passage; no model."""

from __future__ import annotations

import math

from pydantic import Field

from harness.bench import Bench
from harness.components import query_time
from harness.protocols import Reranker
from harness.records import Hit
from systems._shared.finance_words import without_instructions
from systems._shared.tokens import tokens
from systems.rerankers._scored import reordered


class Lexical(Reranker):
    """score = 1 / (constant + rank before) · constant + share · (weight of the question's tokens that the passage holds).

    A token weighs ln(1 + n / n(t)), n(t) of the n reranked passages holding it; the shares are of the whole question's.
    """

    share: float = query_time(0.5, "what the words count against the rank before", ge=0, le=10)
    constant: float = query_time(60.0, "how slowly a rank's worth falls", ge=1)
    depth: int = Field(30, description="hits that are reranked; those after them keep their order", ge=1, le=10_000)

    def rerank(self, query: str, hits: list[Hit], bench: Bench) -> list[Hit]:
        """The first `depth` hits in their new order, the rest after them."""
        head, rest = hits[: self.depth], hits[self.depth :]
        asked = set(tokens(without_instructions(query)))
        held = [set(tokens(hit.chunk.text)) & asked for hit in head]
        weights = {word: math.log(1 + len(held) / max(1, sum(word in found for found in held))) for word in asked}
        total = sum(weights.values()) or 1.0
        scored = [
            Hit(hit.chunk, round(self._score(rank, sum(weights[word] for word in found) / total), 6))
            for rank, (hit, found) in enumerate(zip(head, held, strict=True), start=1)
        ]
        return reordered(scored, rest)

    def _score(self, rank: int, covered: float) -> float:
        return self.constant / (self.constant + rank) + self.share * covered
