"""Types of command-line arguments, whose messages say what is allowed."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path


def from_zero(text: str) -> int:
    """A whole number from 0."""
    return _whole(text, 0)


def from_one(text: str) -> int:
    """A whole number from 1."""
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise ArgumentTypeError(f"{text!r} is not a whole number from {least}")
    return int(text)


def usd(text: str) -> float:
    """An amount of money from 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not an amount in USD")
    return value


def share(text: str) -> float:
    """A number above 0 and below 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise ArgumentTypeError(f"{text!r} is not a share above 0 and below 1, as 0.05 for five points")
    return number


def place(text: str) -> Path:
    """A file or folder; an empty text, as an unset variable of a shell leaves it, is none."""
    if not text.strip():
        raise ArgumentTypeError("the path is empty")
    return Path(text)
