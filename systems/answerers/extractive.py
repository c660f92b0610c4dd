"""Quotes the sentence, or the table row with its header, that supports the answer; no model, abstains on weak evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from harness.components import Answerer, SearchCall
from harness.records import Answer, Citation, Turn
from systems.answerers._passages import Quote, quotes
from systems.retrievers._tokens import tokens

if TYPE_CHECKING:
    from harness.bench import Bench

Weights = dict[str, float]


class Extractive(Answerer):
    """Takes the line that holds the greatest share of the question's words, rare ones counting more."""

    threshold: float = Field(0.35, description="confidence below which it abstains", ge=0, le=1)

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """The quote, its page cited as `[doc, p.41]`, and the share of the question that it covers as confidence."""
        found = list(quotes(search(question)))
        if not found:
            return Answer(text="Nothing was found on this.", abstained=True, confidence=0.0)
        weights = _weights(question, found)
        best = max(found, key=lambda quote: (_share(quote, weights), -quote.rank))
        confidence = _share(best, weights)
        if confidence < self.threshold:
            return Answer(text="The passages found do not answer this.", abstained=True, confidence=confidence)
        return _answer(best, confidence)


def _weights(question: str, found: Sequence[Quote]) -> Weights:
    """How much each token of the question counts: the rarer among the lines that were found, the more."""
    asked = dict.fromkeys(tokens(question))
    held = [set(tokens(quote.text)) for quote in found]
    return {token: math.log(1 + len(held) / (1 + sum(token in line for line in held))) for token in asked}


def _share(quote: Quote, weights: Weights) -> float:
    held = set(tokens(f"{quote.header} {quote.text}"))
    total = sum(weights.values())
    return sum(weight for token, weight in weights.items() if token in held) / total if total else 0.0


def _answer(quote: Quote, confidence: float) -> Answer:
    ref = quote.chunk.ref
    raw = f"[{ref.doc}, p.{ref.page}]"
    said = f"{quote.header}\n{quote.text}" if quote.header else quote.text
    span = (len(said) + 1, len(said) + 1 + len(raw))
    citation = Citation(raw=raw, ref=ref, span=span, quote=quote.text)
    return Answer(text=f"{said} {raw}", citations=(citation,), confidence=confidence)
