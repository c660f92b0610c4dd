"""Tells text that a reader could read from what a broken font leaves behind: parsers mark such pages `unreadable`."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter

_BROKEN = frozenset({"Cc", "Co", "Cn", "Cs"})
_WORD = re.compile(r"[^\W\d_]{2,}")
_VOWELS = frozenset("aeiouy")
_FEWEST = 20
"""Letters, in words of four or more, from which on their frequencies say something."""
_UNLIKELY = -3.3
"""Mean log probability of a letter below which no language of Europe lies but those that are rich in z, w and y."""

_PER_MILLE = {
    "a": 91, "b": 15, "c": 35, "d": 45, "e": 136, "f": 14, "g": 19, "h": 27, "i": 75, "j": 3, "k": 5, "l": 49, "m": 27,
    "n": 74, "o": 69, "p": 21, "q": 6, "r": 66, "s": 69, "t": 65, "u": 40, "v": 14, "w": 9, "x": 2, "y": 6, "z": 6,
}  # fmt: skip
"""How often letters are written, as the mean of English, French, German, Italian and Spanish (Wikipedia, Letter frequency)."""
_LOGARITHM = {letter: math.log(share / 1000) for letter, share in _PER_MILLE.items()}


def readable(text: str, *, most_broken: float = 0.1) -> bool:
    """False where `text` is mostly control characters, private code points, or words of wrong letters.

    Args:
        text: a page's text; without letters and digits it counts as readable (there is nothing to misread).
        most_broken: share of characters that may be control, private or unassigned ones.
    """
    signs = Counter(text)
    visible = sum(count for sign, count in signs.items() if not sign.isspace())
    broken = sum(count for sign, count in signs.items() if not sign.isspace() and _broken(sign))
    if broken > most_broken * visible:
        return False
    letters = Counter({sign: count for sign, count in signs.items() if sign.isalpha()})
    if visible >= 200 and letters.total() < 0.05 * visible:
        return sum(count for sign, count in signs.items() if sign.isalnum()) >= 0.3 * visible
    latin = sum(count for sign, count in letters.items() if sign < "\u0250" or "\u1e00" <= sign < "\u1f00")
    return latin < 0.5 * letters.total() or not _wrong_letters(text, letters, latin)


def _broken(sign: str) -> bool:
    return sign == "\ufffd" or unicodedata.category(sign) in _BROKEN


def _wrong_letters(text: str, letters: Counter[str], latin: int) -> bool:
    """Whether a page of Latin letters is none: another script read as Latin-1, one letter for all, or letters shifted."""
    accented = sum(count for sign, count in letters.items() if "\u00c0" <= sign <= "\u00ff")
    words = [word.casefold() for word in _WORD.findall(text)]
    return (
        (latin >= 20 and accented > 0.5 * latin)
        or (len(set(words)) >= 5 and len(set("".join(words))) <= 2)
        or _shifted("".join(word for word in words if len(word) > 3))
    )


def _shifted(letters: str) -> bool:
    """Whether rare letters stand where common ones should, and few vowels: shifted fonts turn e into H or f."""
    plain = Counter(sign for sign in unicodedata.normalize("NFD", letters) if sign in _LOGARITHM)
    total = plain.total()
    if total < _FEWEST:
        return False
    likely = sum(count * _LOGARITHM[letter] for letter, count in plain.items()) / total
    return likely < _UNLIKELY and sum(plain[vowel] for vowel in _VOWELS) < total / 3
