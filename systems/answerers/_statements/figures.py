"""Figures as reports print them: which words are figures, and which number each is."""

from __future__ import annotations

import re

from systems.answerers._statements import vocabulary

_SIGNS = rf"(?:{vocabulary.CURRENCY}|\()"
_FIGURE = re.compile(
    rf"[-−–]?{_SIGNS}*[-−–]?{_SIGNS}*\d(?:[\d,]*\d)?(?:\.\d+)?\)?%?\)?|\.\d+%?|[—–-]+|{vocabulary.NO_FIGURE}"
)
_LONE = re.compile(rf"{_SIGNS}+|[-−–]{_SIGNS}")
_AFTER = re.compile(rf"[)%]+|{vocabulary.POINTS}")
_BRACKET = re.compile(r"^[-−–]|\(\s*[$€£¥₹]?\s*\d")


def is_figure(word: str) -> bool:
    """Whether a word of a row is a figure, or stands where one would ("—", "NM")."""
    return bool(_FIGURE.fullmatch(word))


def is_sign(word: str) -> bool:
    """Whether a word belongs to the figure beside it: "$", "(", "%"."""
    return bool(_LONE.fullmatch(word) or _AFTER.fullmatch(word))


def closes(word: str) -> bool:
    """Whether such a word belongs to the figure before it."""
    return bool(_AFTER.fullmatch(word))


def number(figure: str) -> float | None:
    """The number that is printed, a dash being 0; brackets and a leading minus are its sign. None for "NM"."""
    text = figure.strip()
    if re.fullmatch(r"[$€£¥₹\s]*[—–-]+", text):
        return 0.0
    digits = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", text)
    if digits is None:
        return None
    value = float(digits[0].replace(",", ""))
    return -value if _BRACKET.search(text) else value


def factor(scale: str) -> float:
    """What "million" and its like multiply by; 1 where none is named."""
    return vocabulary.SCALES.get(scale, 1.0)


def amount_of(text: str) -> float | None:
    """The amount that a text of prose gives: "$5.1 billion"."""
    value = number(text)
    words = [word.rstrip("s") for word in text.lower().split() if word.rstrip("s") in vocabulary.SCALES]
    return None if value is None else value * factor(words[0] if words else "")


def scale_of(figure: str, about: str, scale: str) -> str:
    """The scale that goes for a figure: none for shares and for what `about`, its row's words, says is per share."""
    bare = "%" in figure or re.search(vocabulary.NO_SCALE, about, re.IGNORECASE)
    cents = "," not in figure and re.search(r"\.\d\d", figure) and scale != "billion"
    return "" if bare or cents else scale
