"""Reads every quantity of a text: value, unit, scale, sign, stated precision, period, span.

Why ours: quantulum3 (0.10) takes some 2 ms a number, loads a classifier, reads "(123)" as 123 and "$1,577 million" without a
scale of its own; price-parser reads one price a string; babel parses a number once its locale is known; pint converts units
that it is handed; dateparser knows dates. None keeps span, stated precision and scale apart, which is what comparing needs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal

from harness.quantities.numerals import CELL, NUMBER, WORDS, decimal_of, spelled
from harness.quantities.periods import DATE, PERIOD, Period, periods_of
from harness.quantities.quantity import Quantity
from harness.quantities.units import BARE, CASED, SCALES, TIMES, UNITS, Unit, unit_named

_MINUS = "-−–‒﹣－"
_CODES = sorted(
    (w for w, u in UNITS.items() if u.dimension == "currency" and (len(w) == 3 or not w[-1].isalpha()) and w != "¢"),
    key=len,
    reverse=True,
)
_CURRENCY = "|".join(re.escape(w) if not w[-1].isalpha() else rf"\b{re.escape(w)}" for w in _CODES)


def _figure(number: str) -> re.Pattern[str]:
    return re.compile(_PREFIX + rf"(?<![\w])(?<!\d[.,])(?P<number>{number})(?P<close>[ ]?\))?", re.IGNORECASE)


_PREFIX = rf"(?P<open>\()?[ ]?(?P<sign>(?<![\w)%])[{_MINUS}+])?(?:(?P<currency>{_CURRENCY})[ ]{{0,2}}(?P<inner>[{_MINUS}](?=[\d.])|\([ ]?(?=[\d.]))?)?"
_FIGURE = _figure(NUMBER)
_CELL = _figure(CELL)
_WORD_SCALES = "|".join(sorted((re.escape(w) for w in SCALES if len(w) > 1 and w[0].isalpha()), key=len, reverse=True))
_SCALE = re.compile(
    rf"(?:[ \n]{{0,2}}|-)(?P<word>{_WORD_SCALES}|['’]?000s?)(?![\w])|(?P<letter>[kmb])(?![\w/])|[ ](?P<loose>[mb])(?![\w/'’.])",
    re.IGNORECASE,
)
_LONG_UNITS = sorted(UNITS, key=len, reverse=True)
_UNIT = re.compile(
    r"(?:-(?=[A-Za-z])|[ \n]{0,2})(?P<unit>"
    + "|".join(CASED)
    + "|(?i:"
    + "|".join(
        re.escape(w).replace(r"\ ", r"[\s-]+") + (r"(?!\w)" if w[-1].isalnum() else r"(?!\s?\d)" if w != "%" else "")
        for w in _LONG_UNITS
    )
    + "))"
)
_OF = re.compile(r"[ ]of[ ](?=(?:us )?dollars|euros)", re.IGNORECASE)

_LABEL = re.compile(
    r"\b(?:pages?|pp?\.|pgs?\.?)\s?(?P<page>\d+(?:\s?[-–,&]\s?\d+)*)(?!\d|[.,]\d|\s?%)"
    r"|\b(?:foot)?notes?\s(?P<note>\d+[a-z]?(?:\.\d+)?)(?!\d|,\d|\s?%)"
    r"|\b(?:table|figure|fig\.?|exhibit|item|section|chapter|part|appendix|schedule|step|level|scope|tier|topic|phase|article|rule|"
    r"asc|asu|ifrs|ias|no\.|number|paragraph|question|category|type|stage|form|version|basel|class|series|annex|principle|pillar|division)\s(?P<label>\d+(?:[.-]\d+)*[a-z]?)\b(?!,\d|\s?%|\s(?:million|billion))"
    r"|\[(?P<cite>\d{1,3}(?:[,\s-]+\d{1,3})*)\]"
    r"|\b(?P<form>\d{1,2}-[KQF]s?(?:/A)?)\b"
    r"|\bS&P\s(?P<index>\d+)\b"
    r"|(?:^|\n)[ \t]*(?P<list>\(?\d{1,2}[.)])(?=\s+\S)"
    r"|(?P<dotted>\b\d+(?:\.\d+){2,}\b)",
    re.IGNORECASE,
)
_ROLES = {"page": "page", "note": "note", "list": "list"}
_QUALIFIER = re.compile(
    r"(?:(?P<about>approximately|about|around|roughly|nearly|almost|some|circa|ca\.?|c\.|~|≈|close to|just (?:over|under|above|below))"
    r"|(?P<more>more than|over|above|at least|exceeding|in excess of|greater than|>|≥)|(?P<less>less than|under|below|up to|at most|fewer than|<|≤))\s*(?:the\s+)?\Z",
    re.IGNORECASE,
)
_DOWN = r"decreas\w*|declin\w*|fell|fall(?:s|en|ing)?|drop(?:s|ped|ping)?|reduc\w+|lower(?:ed)?|down|shr[aiu]nk\w*|los[ts]|loss(?:es)?|negative|minus|contract(?:ed|ion)|outflows?|deficits?|worsen\w*|slipp\w*|slid|fewer|less"
_UP = r"increas\w*|grew|grow(?:s|n|th|ing)?|rose|rise[sn]?|rising|up|gain(?:s|ed)?|higher|improv\w+|climb\w*|expan\w+|jump\w*|surg\w+|positive|plus|inflows?|more"
_BEFORE = re.compile(
    rf"\b(?:(?P<down>{_DOWN})|(?P<up>{_UP}))(?:\s+(?:slightly|sharply|significantly|only|just|further|year[- ]over[- ]year|yoy))*(?:\s+(?:by|of))?(?:\s+(?:approximately|about|around|roughly|nearly|almost|some|an?|a total of|over|more than))*\s*[~≈(]?\s*\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\)?\s*(?:(?:year[- ]over[- ]year|yoy|annual|net|overall|total)\s+)?(?:(?P<down>decreas\w*|declin\w*|drop|fall|reduction|loss|contraction|lower|less|fewer|deficit)|(?P<up>increas\w*|growth|rise|gain|higher|improvement|more|surplus))\b",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\s*(?:[{_MINUS}]|to|and|or)\s*", re.IGNORECASE)
_TIED = re.compile(r"-(?=[A-Za-z])")
_SENTENCE = re.compile(r"\n+|(?<=[.!?;])\s+(?=[A-Z(*\[•-])")


def read_all(text: str, *, cells: bool = False) -> list[Quantity]:
    """Every number of a text in order, those that are no figures included (see `Quantity.role`).

    `cells`: the text is a page's, where a space parts two cells of a table and does not group digits.
    """
    text = _flat(text)
    marks = _marks(text)
    numbers = sorted(
        (*_numerals(text, marks, _CELL if cells else _FIGURE), *_words(text)),
        key=lambda quantity: (quantity.start, -quantity.end),
    )
    return _with_periods(text, _ranges(text, _apart(numbers)))


def read_quantities(text: str) -> list[Quantity]:
    """Every figure of a text in order; years, dates, page, note and list numbers are none."""
    return [quantity for quantity in read_all(text) if quantity.role == "figure"]


def _flat(text: str) -> str:
    """The text with its marks made plain, character for character, so that spans still hold."""
    return text.translate(_PLAIN).replace("\\$", " $").replace("\\%", " %")


_PLAIN = {
    0xA0: " ",
    0x2009: " ",
    0x202F: " ",
    0x2007: " ",
    ord("\t"): " ",
    ord("*"): " ",
    ord("{"): " ",
    ord("}"): " ",
    ord("_"): " ",
    ord("`"): " ",
}


def _marks(text: str) -> list[tuple[int, int, str]]:
    """Where numbers stand that are no figures: (start, end, role), in order."""
    marks = [(match.start(), match.end(), "date") for match in DATE.finditer(text)]
    marks += [(match.start(), match.end(), "year") for match in PERIOD.finditer(text)]
    for match in _LABEL.finditer(text):
        name = match.lastgroup or ""
        marks.append((*match.span(name), _ROLES.get(name, "label")))
    return sorted(marks)


def _role(marks: list[tuple[int, int, str]], start: int, end: int) -> str:
    for first, last, role in marks[max(0, bisect_right(marks, (start, 10**9, "")) - 3) :]:
        if first <= start and end <= last:
            return role
        if first > start:
            break
    return "figure"


def _numerals(text: str, marks: list[tuple[int, int, str]], pattern: re.Pattern[str]) -> Iterator[Quantity]:
    for match in pattern.finditer(text):
        quantity = _numeral(text, match, marks)
        if quantity:
            yield quantity


def _numeral(text: str, match: re.Match[str], marks: list[tuple[int, int, str]]) -> Quantity | None:
    value, step = decimal_of(match["number"])
    scale, unit, end = _suffix(text, match)
    role = _role(marks, *match.span("number"))
    if role == "figure" or (role == "year" and (match["currency"] or scale)):
        role = "label" if unit is BARE and scale is None and _TIED.match(text, end) else "figure"
    if end < len(text) and (text[end].isalpha()) and role == "figure":
        return None
    minus = _negative(text, match, end)
    parens = (match["open"] or match["inner"] or "").startswith("(")
    start = match.start() + (len(match[0]) - len(match[0].lstrip()))
    if match["open"] and not (minus and parens):
        start = match.start("open") + 1
    if parens and minus and end < len(text) and text[end] == ")":
        end += 1
    if unit.dimension in ("days", "months", "hours") and text[match.end("number")] == "-":
        role = "label"
    qualifier, direction = _qualifier(text, start), _direction(text, start, end)
    unit = unit if unit is not BARE else _currency(match)
    return Quantity(
        text[start:end].strip(),
        start,
        end,
        -value if minus else value,
        step,
        scale,
        unit,
        minus or match["sign"] == "+",
        direction,
        qualifier,
        role=role,
    )


def _currency(match: re.Match[str]) -> Unit:
    return unit_named(match["currency"]) if match["currency"] else BARE


def _suffix(text: str, match: re.Match[str]) -> tuple[Decimal | None, Unit, int]:
    """Scale, unit and end of what follows the number."""
    end = match.end("number")
    if match["currency"] and text[end : end + 1] == "$":
        end += 1
    scale = _SCALE.match(text, end)
    factor = None
    if scale and (scale["word"] or scale["letter"] or match["currency"]):
        factor = (
            SCALES[
                (scale["word"] or scale["letter"] or scale["loose"])
                .lower()
                .replace("'000", "000s")
                .replace("’000", "000s")
                .removesuffix("000s")
                or "thousand"
            ]
            if scale["word"] is None or not scale["word"].lstrip("'’").startswith("000")
            else Decimal(1000)
        )
        end = scale.end()
    tail = _OF.match(text, end)
    found = _UNIT.match(text, tail.end() if tail else end)
    if found is None or (found["unit"].lower() in ("x", "×") and re.match(r"\s*[\d$(]", text[found.end() :])):
        close = match.end("close") if match["close"] and factor is None and match["open"] else end
        after = _UNIT.match(text, match.end("close")) if match["close"] and factor is None else None
        if after and after["unit"] == "%":
            return factor, unit_named("%"), after.end()
        return factor, BARE, max(close, end)
    return factor, unit_named(found["unit"]), found.end()


def _negative(text: str, match: re.Match[str], end: int) -> bool:
    if (match["sign"] or "+") != "+" or (match["inner"] or "(") != "(":
        return True
    closed = bool(match["close"]) or text[end : end + 1] == ")"
    if match["inner"] == "(":
        return closed
    return bool(match["open"]) and closed and not _aside(text, match)


def _aside(text: str, match: re.Match[str]) -> bool:
    """Whether the brackets only set a figure apart ("the margin rose (5.4%)" after words) instead of negating it."""
    before = text[max(0, match.start() - 40) : match.start()].rstrip(" ")
    return (
        bool(before)
        and before[-1].isalpha()
        and not re.search(
            r"\b(?:was|were|is|of|at|to|by|be|totaled|totalled|reached|USD|NOK|EUR|income|loss|cash)\Z", before
        )
    )


def _qualifier(text: str, start: int) -> str:
    found = _QUALIFIER.search(text, max(0, start - 24), start)
    return (found.lastgroup or "") if found else ""


def _direction(text: str, start: int, end: int) -> int:
    found = _BEFORE.search(text, max(0, start - 60), start) or _AFTER.match(text, end)
    return 0 if not found else -1 if found["down"] else 1


def _words(text: str) -> Iterator[Quantity]:
    """Spelled numbers; "one" alone is a word more often than a figure, so it needs a scale or a unit."""
    for match in WORDS.finditer(text):
        value = spelled(match[0])
        if value is None:
            continue
        scale = _SCALE.match(text, match.end())
        factor = SCALES[scale["word"].lower()] if scale and scale["word"] and scale["word"].lower() in SCALES else None
        end = scale.end() if factor and scale else match.end()
        found = _UNIT.match(text, end)
        if value == 1 and not (factor or (found and found["unit"].isalpha())):
            continue
        unit, end = (unit_named(found["unit"]), found.end()) if found else (BARE, end)
        yield Quantity(
            text[match.start() : end],
            match.start(),
            end,
            value,
            Decimal(1),
            factor,
            unit,
            direction=_direction(text, match.start(), end),
            qualifier=_qualifier(text, match.start()),
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
    for i, (low, high) in enumerate(zip(quantities, quantities[1:], strict=False)):
        joint = text[low.end : high.start]
        if low.role != "figure" or low.role != high.role or not _RANGE.fullmatch(joint) or low.edge:
            continue
        word = joint.strip().lower()
        if word and word in "-−" and joint != word:
            continue
        if word in ("and", "or") and not re.search(
            r"\b(?:between|either)\s*\S{0,4}\Z", text[max(0, low.start - 14) : low.start], re.IGNORECASE
        ):
            continue
        if word == "to" and re.search(
            r"\b(?:from|rose|fell|increased|decreased|grew|declined)\b[^.]{0,30}\Z",
            text[max(0, low.start - 44) : low.start],
            re.IGNORECASE,
        ):
            continue
        quantities[i] = _sharing(low, high).with_(edge="low")
        quantities[i + 1] = _sharing(high, low).with_(
            edge="high", mantissa=abs(high.mantissa) if word in _MINUS else high.mantissa
        )
    return quantities


def _sharing(one: Quantity, other: Quantity) -> Quantity:
    unit = other.unit if one.unit is BARE else one.unit
    scale = other.scale if one.scale is None and abs(one.mantissa) < 1000 else one.scale
    return one.with_(unit=unit, scale=scale)


def _with_periods(text: str, quantities: list[Quantity]) -> list[Quantity]:
    periods = periods_of(text)
    if not periods:
        return quantities
    cuts = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text) + 1]
    return [quantity.with_(period=_period(text, quantity, periods, cuts, quantities)) for quantity in quantities]


def _period(
    text: str, quantity: Quantity, periods: list[Period], cuts: list[int], quantities: list[Quantity]
) -> tuple[str, ...]:
    """The period of its sentence that is nearest, one right behind it ("$5 million in 2018") before one in front."""
    at = bisect_right(cuts, quantity.start) - 1
    low, high = cuts[at], cuts[at + 1]
    inside = [period for period in periods if low <= period.start < high]
    starts = [other.start for other in quantities if other.role == "figure" and other.start > quantity.start]
    next_start = min(starts, default=high)
    behind = [period for period in inside if quantity.end <= period.start < min(next_start, quantity.end + 25)]
    behind = [period for period in behind if text[period.end : period.end + 2].strip()[:1] not in (":", "=")]
    before = [period for period in inside if period.end <= quantity.start]
    chosen = behind[0] if behind else before[-1] if before else inside[0] if len(inside) == 1 else None
    return chosen.names if chosen else ()


__all__ = ["TIMES", "read_all", "read_quantities"]
