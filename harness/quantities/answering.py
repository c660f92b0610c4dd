"""Which quantity of a long answer is the answer.

The answer is what is stated last, or first, as a result: not an operand of the working, not a figure that the question gave,
not the year before's figure in a comparison.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from harness.quantities.asking import Ask
from harness.quantities.headers import headers_of
from harness.quantities.periods import agree
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all
from harness.quantities.units import BARE, Unit, same_dimension

_BREAK = re.compile(r"\n+|(?<=[.!?;])\s+(?=[A-Z(*\[•\"“$-])")
_CUE = re.compile(
    r"\b(?:therefore|thus|hence|in (?:summary|conclusion)|to summari[sz]e|overall|final(?:ly)?|answer|conclu\w+|result(?:s|ing)?|so,|rounded|this (?:means|gives|represents|yields)|approximately)\b",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"[=≈]|\bequals?\b")
_OPERATOR_AFTER = re.compile(
    r"[)\s]*(?:[+×÷*/]|[-−–]\s|x\s*[\d$(]|\b(?:plus|minus|times|divided by|multiplied by|less)\b)", re.IGNORECASE
)
_OPERATOR_BEFORE = re.compile(
    r"(?:[+×÷*/]|(?<=[\d)%])\s*[-−–]|\b(?:plus|minus|divided by|multiplied by|less))[\s($]*\Z", re.IGNORECASE
)
_COMPARED = re.compile(
    r"\b(?:from|compared (?:to|with)|versus|vs\.?|against|than|prior year(?:'s)?|previous(?:ly)?|up from|down from|relative to|out of|of which|including|excluding|based on|given|using|dividing|subtracting|adding|taking|by dividing)\b[^.]{0,40}\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure of an answer with the place that it has in it; a higher rank is likelier to be the answer."""

    quantity: Quantity
    rank: float
    sentence: int


def with_headers(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Figures without a scale of their own take that of the statement right behind them, or of the last header above."""
    headers = headers_of(text)
    return [_scaled(text, quantity, headers) for quantity in quantities] if headers else quantities


def _scaled(text: str, quantity: Quantity, headers: list) -> Quantity:  # type: ignore[type-arg]
    if quantity.scale is not None or quantity.unit.dimension not in ("", "currency") or quantity.role != "figure":
        return quantity
    for header in headers:
        if header.start >= quantity.end and not text[quantity.end : header.start].strip(" ([,"):
            return quantity.with_(scale=header.scale, header=True)
    above = [
        header for header in headers if header.end <= quantity.start and text[header.start - 1 : header.start] in "(["
    ]
    return quantity.with_(scale=above[-1].scale, header=True) if above and quantity.unit is not BARE else quantity


def claims_of(answer: str, ask: Ask, unit: Unit = BARE, *, years: bool = False) -> list[Claim]:
    """The figures of an answer, likeliest answer first. `unit`: the reference's, where one is known."""
    quantities = with_headers(answer, read_all(answer))
    roles = ("figure", "year") if years else ("figure",)
    quantities = [quantity for quantity in quantities if quantity.role in roles]
    cuts = [0, *(match.end() for match in _BREAK.finditer(answer)), len(answer) + 1]
    places = [bisect_right(cuts, quantity.start) - 1 for quantity in quantities]
    claims = [
        Claim(quantity, _rank(answer, quantity, place, cuts, ask, unit, (min(places), max(places))), place)
        for quantity, place in zip(quantities, places, strict=True)
    ]
    return sorted(claims, key=lambda claim: (-claim.rank, claim.quantity.start))


def _rank(
    answer: str, quantity: Quantity, place: int, cuts: list[int], ask: Ask, unit: Unit, ends: tuple[int, int]
) -> float:
    sentence = answer[cuts[place] : cuts[place + 1] - 1]
    at = quantity.start - cuts[place]
    rank = 3.0 * bool(_CUE.search(sentence)) + 2.0 * (place == ends[1]) + 1.0 * (place == ends[0]) + place / 1000
    rank -= 6.0 * _operand(sentence, at, quantity.end - cuts[place])
    rank -= 2.0 * bool(_COMPARED.search(sentence, 0, at)) + 4.0 * (abs(quantity.mantissa) in ask.given)
    rank -= 1.5 * (bool(ask.periods) and not agree(quantity.period, ask.periods))
    wanted = unit if unit is not BARE else ask.unit
    if wanted is not BARE and quantity.unit is not BARE:
        rank += 1.0 if same_dimension(wanted, quantity.unit) else -4.0
    return rank


def _operand(sentence: str, start: int, end: int) -> bool:
    if _OPERATOR_AFTER.match(sentence, end) or _OPERATOR_BEFORE.search(sentence, 0, start):
        return True
    return bool(_EQUALS.search(sentence, end)) and bool(_EQUALS.search(sentence, 0, start))
