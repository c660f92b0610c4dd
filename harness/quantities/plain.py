"""The text with its marks made plain: digits of every script as 0-9, powers of ten and fractions written out.

Everything that is judged or looked up passes here once; spans then refer to the plain text. Words are left as they are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from harness.quantities.east_asian import numbers_written_out

_INVISIBLE = dict.fromkeys(
    map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u2066\u2067\u2069")
)
_MARKS = str.maketrans(
    {"٪": "%", "٫": ".", "٬": ",", "％": "%", "﹪": "%", "。": ". ", "、": ", ", "؛": "; ", "؟": "? ", "।": ". "}
)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_ODD_DIGIT = re.compile(r"(?![0-9²³¹⁰⁴-⁹₀-₉])\d")
_VULGAR = re.compile(r"(?:(?<![\d.,])(\d{1,3})[ \u00a0]?)?([¼½¾⅐-⅞])")
_MIXED = re.compile(r"(?<![\d.,/])(\d{1,3}) ([1-9])/([2-9]|1[0-6])(?![\d/.])")
_POWER = re.compile(r"(?<=\d)\s?[×x*·]\s?10(?:\^|\*\*)?\s?\{?([-−–⁻]?)([\d⁰¹²³⁴-⁹]{1,2})\}?(?![\d.,])")
_DOTTED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.]*\d)")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@lru_cache(maxsize=2048)
def plain_text(text: str) -> str:
    """The same text, made plain."""
    if not text.isascii():
        text = _in_ascii_digits(text.translate(_INVISIBLE))
        text = numbers_written_out(text).translate(_MARKS)
        text = _VULGAR.sub(_vulgar, text)
    if "10" in text:
        text = _POWER.sub(_power, text)
    return _MIXED.sub(_mixed, text) if "/" in text else text


def ungrouped(text: str) -> str:
    """A text of a language that groups by dots, with those dots taken out: "3.500" as 3500."""
    return _DOTTED.sub(lambda match: match[0].replace(".", ""), text)


def _in_ascii_digits(text: str) -> str:
    text = text.translate(_FULL_WIDTH)
    return _ODD_DIGIT.sub(lambda match: str(unicodedata.digit(match[0])), text)


def _vulgar(match: re.Match[str]) -> str:
    return _decimal(int(match[1] or 0) + unicodedata.numeric(match[2]))


def _mixed(match: re.Match[str]) -> str:
    whole, over, under = map(int, match.groups())
    return _decimal(whole + over / under) if over < under else match[0]


def _decimal(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _power(match: re.Match[str]) -> str:
    raised = match[2][0] in "⁰¹²³⁴⁵⁶⁷⁸⁹"
    if not raised and not re.search(r"\^|\*\*|[-−–]", match[0]):
        return match[0]
    return f"e{'-' if match[1] else ''}{match[2].translate(_RAISED)}"
