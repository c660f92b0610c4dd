"""Quotes the sentence, or the table row with its header, that supports the answer; no model, refuses on evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from harness.components import Answerer, SearchCall
from harness.records import Answer, Citation, Hit, Turn
from systems.answerers._asked import Asked
from systems.answerers._passages import Quote, quotes
from systems.answerers._reading import Figure, change, of_row, of_sentence, with_scale
from systems.retrievers._tokens import tokens

if TYPE_CHECKING:
    from harness.bench import Bench

_DENIAL = re.compile(r"\b(?:no|not|never|none|neither|nor|without)\b|n['’]t\b", re.IGNORECASE)
_DOWN = re.compile(r"\b(?:declin|decreas|drop|fell|fall|lower|less|reduc|shrink|loss)")
_LEADS = re.compile(r":$|\bas follows\b|\bfollowing table|\btable (?:below|above)")
"""A sentence that only leads to a table."""
_NEUTRAL = frozenset({"total", "net"})
"""Words of a label that may be there unasked: "net sales" is answered by the row "Total net sales"."""
OUTSIDE, PRECISION, NO_FIGURE, PER_RANK = 0.5, 0.5, 0.3, 0.05
"""What a word of the question counts in the title and header instead of the label; how much words of the label that were
not asked for tell against it; a sentence without the figure asked for; each rank of its passage."""
REFUSAL = "The documents do not answer this."


class Claim(NamedTuple):
    """A line, the figure in it that answers, and how well the evidence fits, 0 to 1."""

    quote: Quote
    figure: Figure | None
    fit: float


class Extractive(Answerer):
    """Takes the line whose words fit the question best, rare ones counting more, and from it the figure of the year asked.

    It refuses where a company or person that the question names is neither the document's nor in the passages, where no
    line holds the year that is asked for, and where the fit is below `threshold`.
    """

    threshold: float = Field(0.15, description="confidence below which it abstains", ge=0, le=1)

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """The figure or sentence, cited as `[doc, p.41]`, with the line that it stands in as the citation's quote."""
        hits = search(question)
        asked = Asked.of(question)
        if not hits:
            return _refusal("nothing was found", 0.0)
        stranger = _stranger(asked, hits, bench)
        if stranger:
            return _refusal(f"no passage names {stranger}", 0.0)
        best = max(_claims(asked, hits, bench), key=lambda claim: (claim.fit, -claim.quote.rank), default=None)
        if best is None or confidence(best.fit) < self.threshold:
            return _refusal("no line fits the question well enough", confidence(best.fit) if best else 0.0)
        return _answer(best, asked)


def confidence(fit: float) -> float:
    """The chance that an answer of that fit is right: a logistic curve through 109 decided answers of finance dev.

    Share right there against the curve's mean, by fit: to .20 .07 / .07, to .35 .06 / .16, to .5 .26 / .27, to .7
    .63 / .49, above .77 / .82.
    """
    return round(1 / (1 + math.exp(3.42 - 5.54 * fit)), 4)


def _refusal(reason: str, chance: float) -> Answer:
    return Answer(text=REFUSAL, abstained=True, confidence=chance, trace={"why": reason})


def _stranger(asked: Asked, hits: Sequence[Hit], bench: Bench) -> str | None:
    """The first name in the question that is neither a document's in scope nor in what was found."""
    own = _own_names(bench)
    read = " ".join(hit.chunk.passage for hit in hits)
    for name in asked.names:
        if not any(_alike(name, other) for other in own) and not _named_in(name, read):
            return name
    return None


def _own_names(bench: Bench) -> list[str]:
    return [name for doc in bench.documents for name in (doc.title, doc.id, *doc.aliases)]


def _named_in(name: str, read: str) -> bool:
    """Whether a word of the name stands in the passages, written as in the question or in the passages' own capitals."""
    spellings = {spelling for word in name.split() if len(word) > 2 for spelling in (word, word.title(), word.upper())}
    return any(re.search(rf"\b{re.escape(spelling)}\b", read) for spelling in spellings)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _alike(name: str, own: str) -> bool:
    """Whether a word of the name is the document's own, a slip of the pen allowed for."""
    words = [_squeezed(name), *(_squeezed(word) for word in name.split() if len(word) > 3)]
    parts = [
        _squeezed(own),
        *(part for part in (_squeezed(word) for word in re.split(r"[\W_]+", own)) if len(part) > 2),
    ]
    return any(word in parts[0] or max(_likeness(word, part) for part in parts) > 0.8 for word in words if word)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _claims(asked: Asked, hits: Sequence[Hit], bench: Bench) -> list[Claim]:
    found = list(quotes(hits, [_before(hit, bench) for hit in hits]))
    own = set(tokens(" ".join(_own_names(bench))))
    asked = replace(asked, words=tuple(word for word in asked.words if word not in own) or asked.words)
    held = [set(tokens(f"{quote.text} {quote.title}")) for quote in found]
    weights = {w: math.log(1 + len(held) / (1 + sum(w in line for line in held))) for w in asked.words}
    return [_claim(asked, quote, weights) for quote in found]


def _before(hit: Hit, bench: Bench) -> list[str]:
    """The lines of the hit's page that stand before it: a table's header may lie in the chunk above."""
    lines: list[str] = []
    for row in bench.chunks.rows([hit.chunk.ref.doc]):
        chunk = bench.chunks[row]
        if chunk.id == hit.chunk.id:
            break
        if chunk.ref == hit.chunk.ref:
            lines += [line.strip() for line in chunk.passage.splitlines() if line.strip()]
    return lines


def _claim(asked: Asked, quote: Quote, weights: dict[str, float]) -> Claim:
    figure = of_row(quote, asked.years) if quote.cells else of_sentence(quote, asked.years)
    label, around = set(tokens(quote.label)), set(tokens(f"{quote.title} {' '.join(quote.header)}"))
    label -= _NEUTRAL - set(weights)
    total = sum(weights.values()) or 1.0
    inside = sum(weight for word, weight in weights.items() if word in label)
    outside = sum(weight for word, weight in weights.items() if word in around - label)
    fit = (inside + OUTSIDE * outside) / total
    if quote.cells:
        precise = sum(word in weights for word in label) / len(label) if label else 0.0
        fit *= (1 - PRECISION + PRECISION * precise) * (figure.sure if figure else 0.0)
    elif asked.figure:
        fit *= figure.sure if figure else NO_FIGURE
    if not quote.cells:
        fit *= (0.4 if _LEADS.search(quote.text) else 1.0) * (1.0 if len(quote.text) < 400 else 0.8)
    return Claim(quote, figure, round(min(1.0, fit) * (1 - PER_RANK * quote.rank), 6))


def _answer(claim: Claim, asked: Asked) -> Answer:
    quote, ref = claim.quote, claim.quote.chunk.ref
    raw = f"[{ref.doc}, p.{ref.page}]"
    said = _said(claim, asked)
    citation = Citation(raw=raw, ref=ref, span=(len(said) + 1, len(said) + 1 + len(raw)), quote=_quoted(quote))
    return Answer(
        text=f"{said} {raw}", citations=(citation,), confidence=confidence(claim.fit), trace={"chunk": quote.chunk.id}
    )


def _said(claim: Claim, asked: Asked) -> str:
    quote, figure = claim.quote, claim.figure
    if asked.yes_no:
        return f"{_verdict(claim, asked)}. {quote.text}"
    if quote.cells and figure:
        when = f" ({asked.years[0]})" if asked.years else ""
        return f"{quote.label}{when}: {with_scale(figure.text, quote.scale)}"
    if asked.figure and figure and figure.sure == 1.0:
        return f"{figure.text}: {quote.text}"
    return quote.text


def _verdict(claim: Claim, asked: Asked) -> str:
    """ "Yes" or "No": by the row's two years where the question compares them, else by whether the line denies."""
    grown = change(claim.quote, asked.years) if claim.quote.cells else None
    down = bool(_DOWN.search(" ".join(asked.words)))
    if grown is not None:
        return "Yes" if (grown < 0) == down else "No"
    return "No" if _DENIAL.search(claim.quote.text) else "Yes"


def _quoted(quote: Quote) -> str:
    return "\n".join([*quote.header, quote.text])
