"""Reads every quantity of a text: value, unit, scale, sign, stated precision, period, span.

Why ours: tried on the strings of tests/test_quantities.py (November 2026), quantulum3 0.10 reads "36k" as kelvin, "45 bps" as
bits per second, "1.577bn" as barn newton and "(123)" as 123, at some 20 ms a sentence; price-parser 0.5 reads one price a text
and drops sign and scale; babel parses a bare number once its locale is known; pint converts units that it is handed, bps as
bits per second too; text2num and number-parser rewrite the text, so that no span is left; dateparser fills what a date leaves
out with today's. Comparing needs span, sign, scale and stated precision apart, and none of them keeps these.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from harness.quantities.clauses import Clause, clauses_of
from harness.quantities.denials import denied_at
from harness.quantities.marks import Mark, marks_of, role_at
from harness.quantities.numerals import FRACTIONS, NUMBER_WORDS, WORDS, decimal_of, fraction, spelled
from harness.quantities.parts import EXACT, multiples_of, shares_of, with_wholes
from harness.quantities.periods import Period, periods_of
from harness.quantities.quantity import Quantity
from harness.quantities.signs import direction_at, is_aside, outcome_at, qualifier_at
from harness.quantities.tokens import MINUS, UNSPACED, Token, scale_and_unit, tokens_of
from harness.quantities.units import BARE

_PLAIN = dict.fromkeys(map(ord, "\u00a0\u2009\u202f\u2007\t*{}_`"), " ")
_LETTERS = re.compile(r"[a-z]+")
_HYPHEN_BEFORE = re.compile(r"[^\W\d][-–]")
_HYPHEN_BEHIND = re.compile(r"[-–][^\W\d]")
_SCALED = re.compile(r"-(?:thousand|million|billion|trillion|per)", re.IGNORECASE)
_CAPITAL_BEFORE = re.compile(r"[A-Z][\w&'’]* \Z|\b(?:the|a|of) \Z")
_CAPITAL_BEHIND = re.compile(r" [A-Z&]")
_OF_A = re.compile(r"\s+(?:of\s+)?an?(?=\s)", re.IGNORECASE)
_A_MILLION = re.compile(r"\b[Aa]n? [tmb][hir]")
_BEHIND = 32
"""Characters behind a figure that are kept, for the noun that it counts."""
_LATER = re.compile(r"\W*(?:(?:a|one) year later|(?:the|in the) (?:following|next) year)\b", re.IGNORECASE)
_TO = re.compile(r"\s*to\b", re.IGNORECASE)
"""A period in front of "to" is that of the figure before it: "from $5 million in 2020 to $6 million"."""
_NO_PERIOD: tuple[str, ...] = ()
_AT_HAND = 25
"""Characters behind a figure within which a period is preferred to one in front."""
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
    numbers += [] if cells else [*multiples_of(text), *shares_of(text)]
    apart = _apart(sorted(numbers, key=lambda quantity: (quantity.start, -quantity.end)))
    return apart if cells else _with_periods(text, with_wholes(text, _ranges(text, apart)), periods)


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
    if behind.isalpha() and not UNSPACED.match(behind):
        return None
    if not token.currency and _NAMED.search(text, max(0, token.number[0] - 2), token.number[0]):
        return "label"
    if token.unit is BARE and token.scale is None and _TIED.match(text, token.end):
        return "label"
    return "label" if token.unit.dimension in _TIME and text[token.number[1]] == "-" else "figure"


def _quantity(text: str, token: Token, role: str, cells: bool) -> Quantity:
    value, step = decimal_of(text[slice(*token.number)], token.comma_decimal)
    start, end = token.start, token.end
    if (
        token.brackets
        and not cells
        and (token.scale is not None or token.unit is not BARE)
        and is_aside(text, start, end)
    ):
        token, start, end = token._replace(brackets=False), start + 1, end - (text[end - 1] == ")")
    minus = token.minus or token.brackets
    qualifier, direction, outcome = ("", 0, 0) if cells else _beside(text, start, end)
    return Quantity(
        text[start:end].strip(), start, end, -value if minus else value, step, token.scale, token.unit,
        signed=minus or token.plus, direction=direction, outcome=outcome, qualifier=qualifier, role=role,
        behind=text[end : end + _BEHIND],
    )  # fmt: skip


def _beside(text: str, start: int, end: int) -> tuple[str, int, int]:
    """Qualifier, direction and outcome that the words beside a figure give it."""
    if denied_at(text, start, end):
        return "not", direction_at(text, start, end), outcome_at(text, start, end)
    return qualifier_at(text, start, end), direction_at(text, start, end), outcome_at(text, start, end)


def _words(text: str, cells: bool) -> Iterator[Quantity]:
    """Spelled numbers; "one" alone is a word more often than a figure, so it needs a scale or a unit."""
    if not (NUMBER_WORDS & set(_LETTERS.findall(text.lower())) or _A_MILLION.search(text)):
        return
    for match in FRACTIONS.finditer(text):
        qualifier = "" if cells else qualifier_at(text, match.start(), match.end())
        whole = _OF_A.match(text, match.end())
        scale, unit, end = scale_and_unit(text, whole.end()) if whole else (None, BARE, match.end())
        yield Quantity(text[match.start() : end], match.start(), end, fraction(match), EXACT, scale, unit, qualifier=qualifier,
                       spelled=True)  # fmt: skip
    for match in WORDS.finditer(text):
        value = spelled(match[0])
        if value is None:
            continue
        scale, unit, end = scale_and_unit(text, match.end())
        if (value == 1 and scale is None and unit is BARE) or _in_a_name(text, match, end):
            continue
        qualifier, direction, outcome = ("", 0, 0) if cells else _beside(text, match.start(), end)
        yield Quantity(text[match.start() : end], match.start(), end, value, Decimal(1), scale, unit, direction=direction,
                       outcome=outcome, qualifier=qualifier, spelled=True, behind=text[end : end + _BEHIND])  # fmt: skip


def _in_a_name(text: str, match: re.Match[str], end: int) -> bool:
    """Whether a number word is part of a compound or a name: "net-zero", "zero-coupon", "the Big Four", "Seven Hills"."""
    before, behind = text[max(0, match.start() - 2) : match.start()], text[end : end + 2]
    if (
        _HYPHEN_BEFORE.match(before)
        or _HYPHEN_BEHIND.match(behind)
        or text[match.end() : match.end() + 1] == "-" != match[0][-1]
    ):
        return not (end > match.end() and _SCALED.match(text, match.end()))
    if not match[0][0].isupper():
        return False
    return bool(
        _CAPITAL_BEFORE.search(text, max(0, match.start() - 24), match.start()) or _CAPITAL_BEHIND.match(text, end)
    )


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
    alone = low.unit is not BARE and low.unit == high.unit and low.start <= 1 and "=" not in text
    return joint == word or word not in "-−" or alone


def _sharing(one: Quantity, other: Quantity) -> Quantity:
    unit = other.unit if one.unit is BARE else one.unit
    scale = other.scale if one.scale is None and abs(one.mantissa) < 1000 else one.scale
    return one.with_(unit=unit, scale=scale)


def _with_periods(text: str, quantities: list[Quantity], periods: list[Period]) -> list[Quantity]:
    if not periods:
        return quantities
    figures = [quantity for quantity in quantities if quantity.role == "figure"]
    clauses = clauses_of(text, [(one.start, one.end) for one in figures], [(one.start, one.end) for one in periods])
    if not figures:
        return quantities
    ends = [*(figure.start for figure in figures[1:]), len(text)]
    given = dict(zip((one.start for one in figures), _periods(text, figures, clauses, ends, periods), strict=True))
    dated = [quantity.with_(period=given.get(quantity.start, ())) for quantity in quantities]
    cuts = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text) + 1]
    return _respectively(text, dated, periods, cuts) if "respectively" in text else dated


def _periods(
    text: str, figures: list[Quantity], clauses: list[Clause], ends: list[int], periods: list[Period]
) -> Iterator[tuple[str, ...]]:
    """Each figure's period: one of its clause, else the last that its sentence named outside brackets and comparisons."""
    sentence, last = -1, _NO_PERIOD
    for figure, clause, end in zip(figures, clauses, ends, strict=True):
        last = last if clause.sentence == sentence else _NO_PERIOD
        sentence = clause.sentence
        inside = periods[bisect_left(periods, (clause.start,)) : bisect_left(periods, (clause.end,))]
        chosen = _of_clause(text, figure, end, inside)
        if chosen and not clause.aside:
            last = chosen
        later = clause.aside or bool(_LATER.match(text, figure.end))
        yield chosen or (_NO_PERIOD if later else last)


def _of_clause(text: str, figure: Quantity, end: int, inside: list[Period]) -> tuple[str, ...]:
    """The period behind the figure ("$5 million in 2018") before one in front."""
    behind = [period for period in inside if figure.end <= period.start < end]
    behind = [period for period in behind if text[period.end : period.end + 2].strip()[:1] not in (":", "=")]
    before = [
        period for period in inside if period.end <= figure.start and not _TO.match(text, period.end, figure.start)
    ]
    if behind and not (before and behind[0].start > figure.end + _AT_HAND):
        return behind[0].names
    return before[-1].names if before else ()


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
