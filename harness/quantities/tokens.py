"""Where numbers stand in a text, and what is written against them: sign, brackets, currency before, scale and unit behind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from harness.quantities.numerals import CELL, NUMBER
from harness.quantities.scales import COMMA_DECIMAL, EAST_ASIAN
from harness.quantities.units import BARE, CASED, LOOSE, SCALES, UNITS, Unit, unit_named

MINUS = "-−–‒﹣－"
_DIGIT = re.compile(r"[0-9]")
_RUN = re.compile(r"\w*")
_NUMBER = re.compile(NUMBER)
_CELL = re.compile(CELL)
_CODES = sorted(
    (
        word
        for word, unit in UNITS.items()
        if unit.dimension == "currency" and (len(word) == 3 or not word[-1].isalpha())
    ),
    key=len,
    reverse=True,
)
_LEAD = re.compile(
    rf"(?P<open>\()?[ ]?(?P<sign>(?<![\w)%])[{MINUS}+])?"
    rf"(?:(?P<currency>{'|'.join(('' if not w[0].isalpha() else r'(?<![A-Za-z])') + re.escape(w) for w in _CODES)})"
    rf"[ ]{{0,2}}(?P<inner>[{MINUS}]|\([ ]?)?)?\Z",
    re.IGNORECASE,
)
_MARKS = frozenset("($€£¥₹₩₪₺₽+.") | frozenset(MINUS)
_UNSPACED = r"\u3040-\u9fff\uac00-\ud7a3"
UNSPACED = re.compile(rf"[{_UNSPACED}]")
_WHOLE = (
    rf"(?-i:(?<=[%.{_UNSPACED}])|(?<=[^\W_{_UNSPACED}])(?![^\W{_UNSPACED}])|(?<=[\W_])(?<![%.{_UNSPACED}])(?!\s?\d))"
)
"""Behind a word: no more letters where its script has spaces, no digit behind a symbol. It stands once behind all words of a
pattern, since Python compiles a class of so many letters in 10 ms."""


def _longest_first(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(re.escape(word) for word in sorted(words, key=len, reverse=True))}){_WHOLE}"


_WORDED = [w for w in SCALES if len(w) > 1 and w[0].isalpha() and w not in LOOSE and w not in EAST_ASIAN]
_SCALE = re.compile(
    rf"(?:[ \n]{{0,2}}|-)(?P<word>{_longest_first(_WORDED)}|['’]000s?(?!\w))|"
    rf"[ ]?(?P<signed>m|mn|md|mds|bn|b|k|t)(?=[€$£])|(?P<letter>[kmb])(?![\w/])|[ ]?(?P<joined>{_longest_first(EAST_ASIAN)})|"
    rf"[ ](?P<loose>mm|[mb])(?![\w/'’.])",
    re.IGNORECASE,
)
_UNIT_WORDS = _longest_first(UNITS).replace(r"\ ", r"[\s-]+")
_UNIT = re.compile(rf"(?:-(?=[A-Za-z])|[ \n]{{0,2}})(?P<unit>(?:{'|'.join(CASED)})(?![\w/²³])|(?i:{_UNIT_WORDS}))")
_OF = re.compile(r"[ ]of[ ](?=(?:us )?dollars|euros)", re.IGNORECASE)
_MINUS_SCALE = re.compile(rf"[{MINUS}](?=\s(?:thousand|million|billion|trillion|mn|bn)\b)")
_TRAILING_MINUS = re.compile(rf"[ ]?[{MINUS}](?=[ ]*(?:\Z|\n|[|)]))")
_CLOSE = re.compile(r"[ ]?\)")
_PER = re.compile(r"/[A-Za-z]")
_PLAIN_DIMENSIONS = frozenset(("currency", "ratio", "points", "times", "shares", "people"))
_SYMBOL = 4
"""Letters from which a unit is a word and no symbol: "30 m³/s" is in no unit of the tables, and compared as text."""
_MULTIPLIED = re.compile(r"\s*[\d$(]")


class Token(NamedTuple):
    """A number with what is written against it; `start` and `end` hold all of that, `number` the digits alone."""

    start: int
    end: int
    number: tuple[int, int]
    minus: bool
    plus: bool
    brackets: bool
    scale: Decimal | None
    unit: Unit
    currency: bool
    comma_decimal: bool = False


def tokens_of(text: str, cells: bool) -> Iterator[Token]:
    """The numbers of a text in order, those inside words ("A380") left out. `cells`: a space never groups digits."""
    pattern, place = _CELL if cells else _NUMBER, 0
    while found := _DIGIT.search(text, place):
        start = found.start()
        if start and (text[start - 1].isalnum() or text[start - 1] == "_") and not UNSPACED.match(text[start - 1]):
            place = max(start + 1, _end(_RUN, text, start))
            continue
        if start and text[start - 1] == "." and not text[max(0, start - 2)].isalnum():
            start -= 1
        number = pattern.match(text, start)
        place = number.end() if number else start + 1
        if number:
            token = _token(text, start, number.end())
            place = max(place, token.end)
            yield token


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def scale_and_unit(text: str, end: int) -> tuple[Decimal | None, Unit, int]:
    """Scale, unit and end of what follows a number that ends at `end`."""
    return _suffix(text, end, False)[:3]


def _token(text: str, start: int, end: int) -> Token:
    lead = _lead(text, start)
    opened, sign, currency, inner = lead.group("open", "sign", "currency", "inner") if lead else ("", "", "", "")
    behind = _MINUS_SCALE.match(text, end)
    scale, unit, last, word = _suffix(text, behind.end() if behind else end, bool(currency))
    closed = _CLOSE.match(text, last)
    bracket = bool(closed) and (bool(opened) or (inner or "").startswith("("))
    first = lead.start() + len(lead[0]) - len(lead[0].lstrip()) if lead else start
    if opened and lead and not bracket:
        first = lead.start("open") + 1
    minus = (sign or "+") != "+" or bool(inner and not inner.startswith("("))
    unit = unit if unit is not BARE or not currency else unit_named(currency)
    if bracket and closed:
        last, scale, unit = _behind(text, closed.end(), scale, unit)
    trailing = _TRAILING_MINUS.match(text, last)
    minus, last = minus or bool(trailing or behind), trailing.end() if trailing else last
    return Token(
        first, last, (start, end), minus, sign == "+", bracket, scale, unit, bool(currency), word in COMMA_DECIMAL
    )


def _lead(text: str, start: int) -> re.Match[str] | None:
    """What stands before a number; looked for only where the character before can be part of it."""
    place = start - 1
    while place >= 0 and start - place < 3 and text[place] == " ":
        place -= 1
    if place < 0 or not (text[place] in _MARKS or text[place].isalpha()):
        return None
    if (
        text[place].isalpha()
        and text[max(0, place - 2) : place + 1].lower() not in UNITS
        and text[place - 1 : place + 1].lower() != "rs"
    ):
        return None
    found = _LEAD.search(text, max(0, start - 14), start)
    return found if found and found[0] else None


def _suffix(text: str, end: int, currency: bool) -> tuple[Decimal | None, Unit, int, str]:
    """Scale, unit, end and scale word of what follows a number."""
    if currency and text[end : end + 1] == "$":
        end += 1
    scale, factor, word = _SCALE.match(text, end), None, ""
    if scale and (currency or not scale["loose"]):
        word = scale[scale.lastgroup or 0].lower()
        factor, end = _factor(word), scale.end()
    unit, last = _unit(text, end)
    return factor, unit, last, word


def _factor(word: str) -> Decimal:
    return Decimal(1000) if "000" in word else SCALES[word]


def _unit(text: str, end: int) -> tuple[Unit, int]:
    tail = _OF.match(text, end)
    found = _UNIT.match(text, tail.end() if tail else end)
    if found is None or (found["unit"].lower() in ("x", "×") and _MULTIPLIED.match(text, found.end())):
        return BARE, end
    unit = unit_named(found["unit"])
    compound = (
        _PER.match(text, found.end()) and unit.dimension not in _PLAIN_DIMENSIONS and len(found["unit"]) < _SYMBOL
    )
    return (BARE, end) if compound else (unit, found.end())


def _behind(text: str, end: int, scale: Decimal | None, unit: Unit) -> tuple[int, Decimal | None, Unit]:
    """Scale and unit behind a closing bracket: "(6,934) million", "(2.4)%"."""
    more, found, last, _ = _suffix(text, end, unit is not BARE)
    if (more and scale) or (found is not BARE and unit is not BARE):
        return end, scale, unit
    return last, scale or more, unit if found is BARE else found
