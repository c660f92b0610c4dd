"""Sentences of an answer: lines, and what a full stop before a capital parts."""

from __future__ import annotations

import re

_BREAK = re.compile(
    r"\n+|(?<=;)\s+|(?<=[.!?])(?<!\b[MD]s\.)(?<!\b[MD]r\.)(?<!\bMrs\.)(?<!\bInc\.)(?<!\bCorp\.)(?<!\bLtd\.)(?<!\bvs\.)\s+(?=[A-Z(*\[•\"“-])"
)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text in order, without empty ones."""
    return [part.strip() for part in _BREAK.split(text) if part and part.strip()]
