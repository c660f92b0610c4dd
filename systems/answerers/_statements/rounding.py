"""How a computed value is written: in the unit and with the decimals that the question asks for."""

from __future__ import annotations

import re

from systems.answerers._statements import vocabulary
from systems.answerers._statements.figures import factor

_DECIMALS = re.compile(rf"\b({'|'.join(vocabulary.DECIMALS)}|1|2|3|4)\s+decimal|\bnearest ({vocabulary.WHOLE_UNIT})")
_SCALE = re.compile(rf"\b(?:{vocabulary.BEFORE_SCALE})\s+(?:\w+\s+)?({vocabulary.ASKED_SCALE})s?\b", re.IGNORECASE)
_PERCENT = re.compile(vocabulary.PERCENT, re.IGNORECASE)


def decimals(question: str) -> int | None:
    """The decimals asked for."""
    match = _DECIMALS.search(question.lower())
    if match is None:
        return None
    return 0 if match[2] else vocabulary.DECIMALS.get(match[1]) or int(match[1])


def share(value: float, question: str, *, percent: bool) -> str:
    """A quotient: as a percentage where it is one by custom or by the question, unless decimals of it are asked for."""
    places = decimals(question)
    if _PERCENT.search(question) or (percent and places is None):
        return f"{100 * value:.{2 if places is None else places}f}%"
    return f"{value:.4g}" if places is None else f"{value:.{places}f}"


def _own(value: float) -> str:
    """The scale in which prose would give an amount."""
    return next((name for name in vocabulary.OWN_SCALES if abs(value) >= factor(name)), "")


def amount(value: float, question: str, scale: str) -> str:
    """An amount in the scale that the question asks for, else in that of its figures."""
    match = _SCALE.search(question)
    scale = match[1].lower() if match else scale or _own(value)
    figure = value / factor(scale)
    places = decimals(question) if match else None
    text = f"{figure:,.{places}f}" if places else f"{figure:,.6g}" if abs(figure) < 1000 else f"{figure:,.0f}"
    return f"{text} (in {scale}s)" if scale else text
