"""How messages are worded: counts with their noun, and commands that can be pasted into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path


def counted(number: int, noun: str) -> str:
    """`"1 document"`, `"2 documents"`, `"1,284 pages"`; the plural is the noun with an s, or -es after a hiss."""
    plural = f"{noun}es" if noun.endswith(("s", "sh", "ch", "x")) else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def command(*words: str | Path) -> str:
    """`harness …` between backticks, each word quoted where a shell needs it: ``command("freeze", "a set")``."""
    return f"`{shlex.join(['harness', *map(str, words)])}`"
