"""Number strings and number words to exact decimals.

Grouping follows the string itself: `1,234.5`, `1.234,5`, `1,23,456` and `1 234` are read by their own marks. Where one
mark alone could be either (`1.234`), English usage decides. text2num and number-parser rewrite the text instead of
telling where the number stood, so the hundred lines of English number words are ours.
"""

from __future__ import annotations

import re
from decimal import Decimal

SPACES = " \u00a0\u2009\u202f"

_SPACED = r"|[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]*\d|[ ]\d)"
NUMBER = (
    r"\d{1,3}(?:\.\d+)?[eE][-+−]?\d{1,2}(?![\w.])|"
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]\d)"
    r"|\d{1,3}(?:,\d{2})+,\d{3}(?:\.\d+)?(?!\d)"
    r"|\d{1,3}(?:\.\d{3})+,\d+(?![\d.])"
    r"|\d{1,3}(?:\.\d{3}){2,}(?![\d.])"
    r"|\d{1,3}(?:['’]\d{3})+(?:\.\d+)?(?!\d)"
    rf"{_SPACED}"
    r"|\d+,\d{1,2}(?![\d,]|\.\d)"
    r"|\d+\.\d+(?!\.\d)"
    r"|\.\d+|\d+"
)
"""A number as a regular expression, without sign, currency or unit."""
CELL = NUMBER.replace(_SPACED, "")
"""The same where a space parts two numbers."""

_GROUPED = re.compile(rf"(?<=\d)[{SPACES}'’](?=\d{{3}})")
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+\Z|\d{1,3}(?:\.\d{3}){2,}\Z")
_THREE = re.compile(r"\d{1,3}[.,]\d{3}\Z")
_COMMA_DECIMAL = re.compile(r"\d+,\d{1,2}\Z")


def decimal_of(text: str, comma_decimal: bool = False) -> tuple[Decimal, Decimal]:
    """(value, last stated digit) of a number string that `NUMBER` matched: "1,234.50" is (1234.50, 0.01).

    `comma_decimal`: the words beside it are of a language that writes 1.234,5; "1.234" is then 1234.
    """
    plain = _GROUPED.sub("", text)
    if "e" in plain.lower():
        number, _, power = plain.lower().replace("−", "-").partition("e")
        value, step = decimal_of(number)
        return value.scaleb(int(power)), step.scaleb(int(power))
    if _EUROPEAN.match(plain) or _COMMA_DECIMAL.match(plain) or (comma_decimal and _THREE.match(plain)):
        plain = plain.replace(".", "").replace(",", ".")
    plain = plain.replace(",", "")
    _, _, decimals = plain.partition(".")
    return Decimal(plain), Decimal(1).scaleb(-len(decimals))


_WORD = re.compile(r"[a-z]+")
_UNITS = _WORD.findall(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = _WORD.findall("twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {word: n for n, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)} | {"dozen": 12}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
NUMBER_WORDS = frozenset(
    (*_SMALL, "hundred", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
)
"""Without one of these words a text spells no number, "a million" aside."""
_ARTICLES = {"a": Decimal(1), "an": Decimal(1), "half a": Decimal("0.5"), "half an": Decimal("0.5")}
_ONE = "|".join(sorted(_SMALL, key=len, reverse=True))

WORDS = re.compile(
    rf"\b(?:half an?|an?)(?=[\s-]+(?:thousand|million|billion|trillion)\b)|"
    rf"\b(?:(?:a|an|{_ONE})[\s-]+)??(?:{_ONE}|(?<=a )hundred|"
    rf"(?<=one )hundred)\b(?:(?:[\s-]+(?:and[\s-]+)?)(?:{_ONE}|hundred|(?:thousand|million|"
    rf"billion)(?=[\s-]+(?:and[\s-]+)?(?:{_ONE})\b))\b)*(?: and a half\b)?",
    re.IGNORECASE,
)


FRACTIONS = re.compile(
    r"\b(?:(?P<two>two|three|four|five|six|seven|eight|nine)[ -](?P<parts>third|quarter|fifth|sixth|seventh|eighth|ninth|"
    r"tenth)s"
    r"|(?:one|a)[ -](?P<part>third|quarter|half|fifth|sixth|seventh|eighth|ninth|tenth)(?= of\b|\W*\Z)"
    r"|one[ -](?P<hyphened>third|quarter|half|fifth|sixth|seventh|eighth|ninth|tenth)(?![ -]\w)|(?P<half>half)(?= of\b|"
    r" an? (?:dollar|euro|pound|"
    r"cup|kilo|mile|year|hour|day|percent|tonne)))\b",
    re.IGNORECASE,
)
_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}


def fraction(match: re.Match[str]) -> Decimal:
    """The value of a spelled fraction ("two thirds", "a quarter of")."""
    part = match["parts"] or match["part"] or match["hyphened"] or match["half"]
    return Decimal(_SMALL[(match["two"] or "one").lower()]) / _PARTS[part.lower()]


def spelled(text: str) -> Decimal | None:
    """The value of English number words ("two hundred and twelve"), None where they are no number."""
    if text.lower() in _ARTICLES:
        return _ARTICLES[text.lower()]
    whole, half, _ = text.lower().partition(" and a half")
    total, group = 0, 0
    for word in re.split(r"[\s-]+", whole):
        if word in _SMALL:
            group += _SMALL[word] if word != "dozen" else (12 if not group else 11 * group)
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word in _LARGE:
            total, group = total + max(group, 1) * _LARGE[word], 0
        elif word not in ("and", "a", "an"):
            return None
    return Decimal(total + group) + (Decimal("0.5") if half else 0)
