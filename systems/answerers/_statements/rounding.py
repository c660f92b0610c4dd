"""How a computed value is written: in the unit and with the decimals that the question asks for."""

from __future__ import annotations

import re

from systems.answerers._statements.figures import factor

_DECIMALS = re.compile(r"\b(one|two|three|four|1|2|3|4)\s+decimal|\bnearest (percent|whole|integer|dollar|million)")
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_SCALE = re.compile(r"\b(?:in|usd|us\$|\$|dollars?)\s+(?:\w+\s+)?(thousand|million|billion)s?\b", re.IGNORECASE)
_PERCENT = re.compile(r"percent|%", re.IGNORECASE)


def decimals(question: str) -> int | None:
    """The decimals asked for."""
    match = _DECIMALS.search(question.lower())
    if match is None:
        return None
    return 0 if match[2] else _COUNTS.get(match[1]) or int(match[1])


def share(value: float, question: str, *, percent: bool) -> str:
    """A quotient: as a percentage where it is one by custom or by the question, unless decimals of it are asked for."""
    places = decimals(question)
    if _PERCENT.search(question) or (percent and places is None):
        return f"{100 * value:.{2 if places is None else places}f}%"
    return f"{value:.4g}" if places is None else f"{value:.{places}f}"


def _own(value: float) -> str:
    """The scale in which prose would give an amount."""
    return next((name for name in ("billion", "million") if abs(value) >= factor(name)), "")


def amount(value: float, question: str, scale: str) -> str:
    """An amount in the scale that the question asks for, else in that of its figures."""
    match = _SCALE.search(question)
    scale = match[1].lower() if match else scale or _own(value)
    figure = value / factor(scale)
    places = decimals(question) if match else None
    text = f"{figure:,.{places}f}" if places else f"{figure:,.6g}" if abs(figure) < 1000 else f"{figure:,.0f}"
    return f"{text} (in {scale}s)" if scale else text
