"""Sentences of an answer: lines, and what a full stop before a capital parts."""

from __future__ import annotations

import re

_BREAK = re.compile(
    r"\n+|(?<=;)\s+|(?<=[.!?])(?<!\b[MD]s\.)(?<!\b[MD]r\.)(?<!\bMrs\.)(?<!\b[A-Z]\.)(?<!\bProf\.)(?<!\bCo\.)(?<!\bInc\.)(?<!\bCorp\.)(?<!\bLtd\.)(?<!\bvs\.)\s+(?=[A-Z(*\[•\"“\u00c0-\u024f\u0370-\u1fff\u3040-\ud7a3-])"
)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text in order, without empty ones."""
    return [part.strip() for part in _BREAK.split(text) if part and part.strip()]
