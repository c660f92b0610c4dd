"""The figures of an answer, and which of them is the answer.

The answer is what is stated last, or first, as a result: not an operand of the working, not a figure that the question gave,
not the year before's figure in a comparison, not the level where the change is asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.quantities.asking import Ask
from harness.quantities.clauses import clauses_of, respective_names
from harness.quantities.headers import Header, headers_of
from harness.quantities.orders import OPERAND, Ranker
from harness.quantities.periods import agree
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all
from harness.quantities.rivals import rival
from harness.quantities.units import BARE, Unit

CLOSE = 1.5
"""Claims whose rank is that close to the best one's may be the answer as well as that."""

_BREAK = re.compile(r"\n+|(?<=[.!?;])\s+(?=[A-Z(*\[•\"“$-])")
_CALENDAR = re.compile(
    r"\b(?:in|of|for|during|fiscal|year|fy|since|by|until|through|and|to|from|december|\d,?)\s*\Z", re.IGNORECASE
)
_WITHDRAWS = re.compile(r"(?<=[.;!?\n])\s*(?:no|wait|actually|correction|sorry|rather|i mean)[,:;!.]", re.IGNORECASE)
_WITHDRAWN = -10.0
"""What a figure loses that stands in front of a "No, it is"."""
_LABEL = 300
"""Characters of a clause that may name its figure."""
_LISTED = re.compile(r"\W*[^:.;\d]{2,60}(?::|\||\t|\s[-–—]|\s{2,})\W*\d")
"""A line of a list: a name, a mark, a figure."""
_PAIR = re.compile(r"\b[A-Z][a-z]{2,} (?:\d{1,3}|[A-Z])\b(?![\d,.%'’&])")
_PROPER = re.compile(r"(?<=[a-z,'’] )[A-Z][\w-]{2,}")
_OF_WHICH = re.compile(r"\W*(?:and )?of (?:which|these|this)\b", re.IGNORECASE)
_NAME_COUNTS = 4
_PLACE = 2.5
"""What a figure's place in the answer adds to its rank at most."""
_MOST = 40
"""Claims that are weighed against one another at most."""
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
        "million",
        "billion",
        "thousand",
        "percent",
        "per",
        "cent",
        "points",
        "dollars",
    }
)
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3040-\u9fff\uac00-\ud7a3]{2}")


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure of an answer with the place that it has in it; a higher rank is likelier to be the answer."""

    quantity: Quantity
    rank: float
    sentence: int
    label: str

    @property
    def words(self) -> frozenset[str]:
        """The stems of its clause's words."""
        return _words(self.label) | _pairs(self.label)


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
    labels = _labels(answer, quantities, read)
    withdrawn = max((match.start() for match in _WITHDRAWS.finditer(answer)), default=0)
    claims = [
        Claim(quantity, ranker.rank(quantity, place) + _WITHDRAWN * (quantity.start < withdrawn), place, label)
        for quantity, place, label in zip(quantities, places, labels, strict=True)
    ]
    return sorted(claims, key=lambda claim: (-claim.rank, claim.quantity.start))


def _labels(answer: str, quantities: list[Quantity], read: list[Quantity]) -> list[str]:
    """The words of each figure's clause."""
    years = [(one.start, one.end) for one in read if one.role == "year"]
    clauses = clauses_of(answer, [(one.start, one.end) for one in quantities], years)
    labels = [answer[clause.start : clause.end][:_LABEL] for clause in clauses]
    for i, name in respective_names(answer, quantities, clauses):
        labels[i] = name
    return labels


def likeliest(claims: Sequence[Claim], question: str, ask: Ask | None = None) -> list[Claim]:
    """The claims that may be the answer: those of the best rank, less those of another period than asked where one is of that
    period, and those whose label fits the question worse than that of another figure of the same kind beside it
    ("the gross margin was 8.2% and the net margin 5.1%")."""
    able = [claim for claim in claims if claim.rank > OPERAND] or list(claims[:1])
    able = _of_period(able, ask) if ask else able
    able = [claim for claim in able if not (_OF_WHICH.match(claim.label) and not _fit(claim, question))] or able
    close = _outlasting(able[:_MOST], question, _side_by_side)
    close = [claim for claim in close if close[0].rank - claim.rank < CLOSE]
    return _outlasting(close, question, lambda one, other: one.sentence == other.sentence)


def _of_period(claims: list[Claim], ask: Ask) -> list[Claim]:
    """Without claims of another period, where one is said to be of the period that is asked for."""
    if len(ask.periods) != 1 or ask.change:
        return claims
    meant = [claim for claim in claims if claim.quantity.period and agree(claim.quantity.period, ask.periods)]
    if not meant:
        return claims
    return [claim for claim in claims if not claim.quantity.period or agree(claim.quantity.period, ask.periods)]


def _outlasting(claims: list[Claim], question: str, beside: Callable[[Claim, Claim], bool]) -> list[Claim]:
    kept = [
        claim
        for claim in claims
        if not any(beside(claim, other) and _outdone(claim, other, question) for other in claims)
    ]
    return kept or claims


def _side_by_side(one: Claim, other: Claim) -> bool:
    """Whether two figures stand in lines of a list of names and figures, so that only their place ranks one higher."""
    apart = one.sentence != other.sentence and one.rank - other.rank < _PLACE
    return apart and bool(_LISTED.match(one.label) and _LISTED.match(other.label))


def _outdone(claim: Claim, other: Claim, question: str) -> bool:
    """Whether another figure of the same kind fits the question better, or this one is said of a rival of what is asked."""
    one, two = claim.quantity, other.quantity
    if one.value == two.value or one.unit.dimension != two.unit.dimension:
        return False
    if rival(question, claim.label) and not rival(question, other.label):
        return True
    return bool(claim.words) and _fit(claim, question) < _fit(other, question)


def _fit(claim: Claim, question: str) -> int:
    """How many words of the question name a figure; its proper names count for more than all the others."""
    names = _words(" ".join(_PROPER.findall(question))) | _pairs(question)
    return len(claim.words & _words(question)) + _NAME_COUNTS * len(claim.words & names)


def _pairs(text: str) -> frozenset[str]:
    """Names with a number or a letter: "Tranche B", "Pier 4"."""
    return frozenset(pair.lower() for pair in _PAIR.findall(text))


def _words(text: str) -> frozenset[str]:
    return _stems(text.lower())


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:6] for word in _WORD.findall(text) if word not in _PLAIN)


def _may_be_figure(answer: str, quantity: Quantity) -> bool:
    before = answer[max(0, quantity.start - 14) : quantity.start]
    return quantity.role == "year" and quantity.text.isdigit() and not _CALENDAR.search(before)
