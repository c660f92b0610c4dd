"""Tells text that a reader could read from what a broken font leaves behind: parsers mark such pages `unreadable`."""

from __future__ import annotations

import re
import unicodedata

_BROKEN = frozenset({"Cc", "Co", "Cn", "Cs"})
_WORD = re.compile(r"[^\W\d_]{2,}")
_VOWELS = frozenset("aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüāēīōū")


def readable(text: str, *, most_broken: float = 0.1) -> bool:
    """False where `text` is mostly control characters, private code points, or words of shifted letters.

    Args:
        text: a page's text; without letters and digits it counts as readable (there is nothing to misread).
        most_broken: share of characters that may be control, private or unassigned ones.
    """
    signs = [sign for sign in text if not sign.isspace()]
    broken = sum(1 for sign in signs if sign == "\ufffd" or unicodedata.category(sign) in _BROKEN)
    return not signs or (broken <= most_broken * len(signs) and not _shifted(text))


def _shifted(text: str) -> bool:
    """Shifted fonts turn words of Latin letters into strings without vowels, or into strings of signs."""
    words = [word.lower() for word in _WORD.findall(text) if word.isascii()]
    letters = sum(map(len, words))
    visible = sum(1 for sign in text if not sign.isspace())
    if visible < 200:
        return False
    if letters < 0.05 * visible:
        return sum(sign.isalnum() for sign in text) < 0.3 * visible
    vowels = sum(sign in _VOWELS for word in words for sign in word)
    return vowels < 0.25 * letters
