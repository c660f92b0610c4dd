"""The figures of an answer, and which of them is the answer.

The answer is what is stated last, or first, as a result: not an operand of the working, not a figure that the question gave,
not the year before's figure in a comparison, not the level where the change is asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from harness.quantities.asking import Ask
from harness.quantities.headers import Header, headers_of
from harness.quantities.orders import OPERAND, Ranker
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all
from harness.quantities.units import BARE, Unit

CLOSE = 1.5
"""Claims whose rank is that close to the best one's may be the answer as well as that."""

_BREAK = re.compile(r"\n+|(?<=[.!?;])\s+(?=[A-Z(*\[•\"“$-])")
_CALENDAR = re.compile(
    r"\b(?:in|of|for|during|fiscal|year|fy|since|by|until|through|and|to|from|december|\d,?)\s*\Z", re.IGNORECASE
)
_MOST = 40
"""Claims that are weighed against one another at most."""
_OF = re.compile(
    r"\s+(?:of\s+(?:the\s+)?(?:[A-Za-z'’]+\s*){1,3}|(?!(?:in|and|or|to|from|at|for|on|as|was|were|is|with|by|"
    r"per)\b)[A-Za-z'’-]+)"
)
"""What a figure counts: "24% of profit", "12 plants"."""
_PLAIN = frozenset(
    {
        "the",
        "and",
        "was",
        "were",
        "for",
        "with",
        "that",
        "this",
        "which",
        "what",
        "from",
        "its",
        "are",
        "has",
        "had",
        "about",
    }
)
_WORD = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure of an answer with the place that it has in it; a higher rank is likelier to be the answer."""

    quantity: Quantity
    rank: float
    sentence: int
    label: frozenset[str]


def with_headers(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Figures without a scale of their own take that of the statement right behind them, or of the last header above."""
    headers = headers_of(text)
    return [_scaled(text, quantity, headers) for quantity in quantities] if headers else quantities


def _scaled(text: str, quantity: Quantity, headers: Sequence[Header]) -> Quantity:
    if quantity.scale is not None or quantity.unit.dimension not in ("", "currency") or quantity.role != "figure":
        return quantity
    for header in headers:
        if (
            header.start >= quantity.end
            and not text[quantity.end : header.start].strip(" ([,")
            and _closes(text, header)
        ):
            return quantity.with_(scale=header.scale, header=True)
    above = [
        header
        for header in headers
        if header.end <= quantity.start and text[header.start - 1 : header.start] in ("(", "[")
    ]
    return quantity.with_(scale=above[-1].scale, header=True) if above and quantity.unit is not BARE else quantity


def _closes(text: str, header: Header) -> bool:
    """Whether a scale statement ends there: "(in USD millions, this would be …)" says something else."""
    behind = text[header.end : header.end + 1]
    return behind in ("", ")", "]", ".", "\n") or (
        behind == "," and text[header.start - 1 : header.start] not in ("(", "[")
    )


def claims_of(answer: str, ask: Ask, unit: Unit = BARE, *, years: bool = False) -> list[Claim]:
    """The figures of an answer, likeliest answer first. `unit`: the reference's, where one is known; `years`: a number that
    could be a year may be a figure."""
    answer = answer.replace("**", "  ").replace("__", "  ")
    read = with_headers(answer, read_all(answer))
    quantities = [q for q in read if q.role == "figure" or (years and _may_be_figure(answer, q))]
    cuts = [0, *(match.end() for match in _BREAK.finditer(answer)), len(answer) + 1]
    places = [bisect_right(cuts, quantity.start) - 1 for quantity in quantities]
    ends = (min(places, default=0), max(places, default=0))
    ranker = Ranker(answer, cuts, ask, unit if unit is not BARE else ask.unit, ends)
    claims, last = [], 0
    for quantity, place in zip(quantities, places, strict=True):
        label = _words(answer[max(last, cuts[place]) : quantity.start])
        behind = _OF.match(answer, quantity.end)
        last = behind.end() if behind else quantity.end
        claims.append(Claim(quantity, ranker.rank(quantity, place), place, label | _words(answer[quantity.end : last])))
    return sorted(claims, key=lambda claim: (-claim.rank, claim.quantity.start))


def likeliest(claims: Sequence[Claim], question: str) -> list[Claim]:
    """The claims that may be the answer: those of the best rank, less those whose label fits the question worse than that of
    another figure of the same kind in the same sentence ("the gross margin was 8.2% and the net margin 5.1%")."""
    close = [claim for claim in claims if claims[0].rank - claim.rank < CLOSE and claim.rank > OPERAND]
    close = close[:_MOST] or list(claims[:1])
    words = _words(question)
    return [claim for claim in close if not any(_outdone(claim, other, words) for other in close)]


def _outdone(claim: Claim, other: Claim, words: frozenset[str]) -> bool:
    one, two = claim.quantity, other.quantity
    if claim.sentence != other.sentence or one.value == two.value or one.unit.dimension != two.unit.dimension:
        return False
    return bool(claim.label) and len(claim.label & words) < len(other.label & words)


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:6] for word in _WORD.findall(text.lower()) if word not in _PLAIN)


def _may_be_figure(answer: str, quantity: Quantity) -> bool:
    before = answer[max(0, quantity.start - 14) : quantity.start]
    return quantity.role == "year" and quantity.text.isdigit() and not _CALENDAR.search(before)
