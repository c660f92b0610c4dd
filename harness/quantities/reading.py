"""Reads every quantity of a text: value, unit, scale, sign, stated precision, period, span.

Why ours: tried on the strings of tests/test_quantities.py (November 2026), quantulum3 0.10 reads "36k" as kelvin, "45 bps" as
bits per second, "1.577bn" as barn newton and "(123)" as 123, at some 20 ms a sentence; price-parser 0.5 reads one price a text
and drops sign and scale; babel parses a bare number once its locale is known; pint converts units that it is handed, bps as
bits per second too; text2num and number-parser rewrite the text, so that no span is left; dateparser fills what a date leaves
out with today's. Comparing needs span, sign, scale and stated precision apart, and none of them keeps these.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from harness.quantities.marks import Mark, marks_of, role_at
from harness.quantities.numerals import FRACTIONS, NUMBER_WORDS, WORDS, decimal_of, fraction, spelled
from harness.quantities.periods import Period, periods_of
from harness.quantities.quantity import Quantity
from harness.quantities.signs import direction_at, is_aside, qualifier_at
from harness.quantities.tokens import MINUS, Token, scale_and_unit, tokens_of
from harness.quantities.units import BARE

_PLAIN = dict.fromkeys(map(ord, "\u00a0\u2009\u202f\u2007\t*{}_`"), " ")
_LETTERS = re.compile(r"[a-z]+")
_A_MILLION = re.compile(r"\b[Aa]n? [tmb][hir]")
_LONGEST = 30
"""Characters of a number at most: longer ones are keys and account numbers."""
_NAMED = re.compile(r"[A-Za-z]-\Z")
_TIED = re.compile(r"-(?=[A-Za-z])")
_TIME = frozenset({"days", "months", "hours", "minutes"})
_RANGE = re.compile(rf"\s*(?:[{MINUS}]|to|and|or|through)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|either)\s*\S{0,4}\Z", re.IGNORECASE)
_MOVED = re.compile(r"\b(?:from|rose|fell|increased|decreased|grew|declined|ratio of)\b[^.]{0,30}\Z", re.IGNORECASE)
_SENTENCE = re.compile(r"\n+|(?<=[.!?;])\s+(?=[A-Z(*\[•-])")


def read_all(text: str, *, cells: bool = False) -> list[Quantity]:
    """Every number of a text in order, those that are no figures included (see `Quantity.role`).

    `cells`: the text is a page's, where a space parts two cells of a table and does not group digits; words that give a
    sign, ranges and periods are then left aside.
    """
    text = _flat(text)
    periods = periods_of(text)
    numbers = [*_numerals(text, marks_of(text, periods), cells), *_words(text, cells)]
    apart = _apart(sorted(numbers, key=lambda quantity: (quantity.start, -quantity.end)))
    return apart if cells else _with_periods(text, _ranges(text, apart), periods)


def read_quantities(text: str) -> list[Quantity]:
    """Every figure of a text in order; years, dates, page, note and list numbers are none."""
    return [quantity for quantity in read_all(text) if quantity.role == "figure"]


def _flat(text: str) -> str:
    """The text with its marks made plain, character for character, so that spans still hold."""
    return text.translate(_PLAIN).replace("\\$", " $").replace("\\%", " %")


def _numerals(text: str, marks: list[Mark], cells: bool) -> Iterator[Quantity]:
    for token in tokens_of(text, cells):
        role = _role(text, token, marks)
        if role:
            yield _quantity(text, token, role, cells)


def _role(text: str, token: Token, marks: list[Mark]) -> str | None:
    """What a number is; None for one inside a word ("5G")."""
    if token.number[1] - token.number[0] > _LONGEST:
        return None
    role = role_at(marks, *token.number)
    if role == "year" and (token.currency or token.scale is not None):
        role = "figure"
    if role != "figure":
        return role
    behind = text[token.end : token.end + 1]
    if behind.isalpha():
        return None
    if not token.currency and _NAMED.search(text, max(0, token.number[0] - 2), token.number[0]):
        return "label"
    if token.unit is BARE and token.scale is None and _TIED.match(text, token.end):
        return "label"
    return "label" if token.unit.dimension in _TIME and text[token.number[1]] == "-" else "figure"


def _quantity(text: str, token: Token, role: str, cells: bool) -> Quantity:
    value, step = decimal_of(text[slice(*token.number)])
    start, end = token.start, token.end
    if token.brackets and not cells and (token.scale is not None or token.unit is not BARE) and is_aside(text, start):
        token, start, end = token._replace(brackets=False), start + 1, end - (text[end - 1] == ")")
    minus = token.minus or token.brackets
    qualifier, direction = ("", 0) if cells else (qualifier_at(text, start), direction_at(text, start, end))
    return Quantity(
        text[start:end].strip(), start, end, -value if minus else value, step, token.scale, token.unit,
        signed=minus or token.plus, direction=direction, qualifier=qualifier, role=role,
    )  # fmt: skip


def _words(text: str, cells: bool) -> Iterator[Quantity]:
    """Spelled numbers; "one" alone is a word more often than a figure, so it needs a scale or a unit."""
    if not (NUMBER_WORDS & set(_LETTERS.findall(text.lower())) or _A_MILLION.search(text)):
        return
    for match in FRACTIONS.finditer(text):
        yield Quantity(match[0], match.start(), match.end(), fraction(match), Decimal("0.01"), spelled=True)
    for match in WORDS.finditer(text):
        value = spelled(match[0])
        if value is None:
            continue
        scale, unit, end = scale_and_unit(text, match.end())
        if value == 1 and scale is None and unit is BARE:
            continue
        signs = (0, "") if cells else (direction_at(text, match.start(), end), qualifier_at(text, match.start()))
        yield Quantity(text[match.start() : end], match.start(), end, value, Decimal(1), scale, unit,
                       direction=signs[0], qualifier=signs[1], spelled=True)  # fmt: skip


def _apart(quantities: list[Quantity]) -> list[Quantity]:
    """Without those that overlap an earlier one."""
    kept: list[Quantity] = []
    for quantity in quantities:
        if not kept or quantity.start >= kept[-1].end:
            kept.append(quantity)
    return kept


def _ranges(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """The two ends of a range know it, and share the scale and unit that only one of them states."""
    for i, (low, high) in enumerate(pairwise(quantities)):
        joint = text[low.end : high.start]
        if low.role == high.role == "figure" and not quantities[i].edge and _is_range(text, low, high, joint):
            upper = abs(high.mantissa) if joint.strip() in MINUS else high.mantissa
            quantities[i] = _sharing(low, high).with_(edge="low")
            quantities[i + 1] = _sharing(high, low).with_(edge="high", mantissa=upper)
    return quantities


def _is_range(text: str, low: Quantity, high: Quantity, joint: str) -> bool:
    if low.scale == high.scale and high.mantissa >= 0 and high.mantissa <= low.mantissa:
        return False
    if len(joint) > 12 or not _RANGE.fullmatch(joint):
        return False
    word = joint.strip().lower()
    if word in ("and", "or"):
        return bool(_BETWEEN.search(text[max(0, low.start - 14) : low.start]))
    if word in ("to", "through"):
        return not _MOVED.search(text[max(0, low.start - 44) : low.start])
    return joint == word or word not in "-−"


def _sharing(one: Quantity, other: Quantity) -> Quantity:
    unit = other.unit if one.unit is BARE else one.unit
    scale = other.scale if one.scale is None and abs(one.mantissa) < 1000 else one.scale
    return one.with_(unit=unit, scale=scale)


def _with_periods(text: str, quantities: list[Quantity], periods: list[Period]) -> list[Quantity]:
    if not periods:
        return quantities
    cuts = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text) + 1]
    after = [quantity.start for quantity in quantities if quantity.role == "figure"]
    given = ((quantity, _period(text, quantity, periods, cuts, after)) for quantity in quantities)
    dated = [quantity.with_(period=period) if period else quantity for quantity, period in given]
    return _respectively(text, dated, periods, cuts) if "respectively" in text else dated


def _period(
    text: str, quantity: Quantity, periods: list[Period], cuts: list[int], figures: list[int]
) -> tuple[str, ...]:
    """The period of its sentence that is nearest, one right behind it ("$5 million in 2018") before one in front."""
    at = bisect_right(cuts, quantity.start) - 1
    first, last = (bisect_left(periods, (cut,)) for cut in (cuts[at], cuts[at + 1]))
    inside = periods[first:last]
    following = bisect_right(figures, quantity.start)
    limit = min(figures[following] if following < len(figures) else cuts[-1], quantity.end + 25)
    behind = [period for period in inside if quantity.end <= period.start < limit]
    behind = [period for period in behind if text[period.end : period.end + 2].strip()[:1] not in (":", "=")]
    before = [period for period in inside if period.end <= quantity.start]
    chosen = behind[0] if behind else before[-1] if before else None
    return chosen.names if chosen else ()


def _respectively(text: str, quantities: list[Quantity], periods: list[Period], cuts: list[int]) -> list[Quantity]:
    """ "$5 million and $6 million in 2019 and 2020, respectively": as many periods as figures pair up in order."""
    for low, high in pairwise(cuts):
        if "respectively" not in text[low:high].lower():
            continue
        places = [i for i, q in enumerate(quantities) if low <= q.start < high and q.role == "figure"]
        inside = [period for period in periods if low <= period.start < high]
        if len(places) == len(inside) > 1:
            for i, period in zip(places, inside, strict=True):
                quantities[i] = quantities[i].with_(period=period.names)
    return quantities
