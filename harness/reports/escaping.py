"""Markdown that foreign text cannot break: ids, titles and names in tables."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

_UNPRINTABLE = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f"
"""Control characters and escapes, ends of lines of other kinds, overrides of direction, halves of pairs, invisible tags."""
_BREAKS = re.compile(rf"[\s{_UNPRINTABLE}]+")
_MARKS = re.compile(r"([\\`*_\[\]|~#$])")
LONGEST = 300
"""Characters of a cell at most."""


def cell(text: str) -> str:
    """`text` as the content of a table cell: one line, no markup, no HTML, not endless."""
    line = _BREAKS.sub(" ", text).strip()
    short = line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
    return _MARKS.sub(r"\\\1", html.escape(short, quote=False))


def code(text: str) -> str:
    """`text` as code in a table cell: one line, its bars escaped, its backticks as apostrophes."""
    return f"`{_BREAKS.sub(' ', text).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table's lines. The first column is aligned to the left, the others to the right where all hold numbers."""
    aligned = ["---" if not _numbers(rows, column) else "--:" for column in range(len(head))]
    lines = [head, aligned, *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def _numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    return column > 0 and all(re.fullmatch(r"[-\d.,to \u2013]*", row[column]) for row in rows)


_CONTROLS = re.compile(f"[{_UNPRINTABLE}]")


def terminal(text: str) -> str:
    """`text` as it may be printed: each control character, escape, override of direction and tag is a visible mark."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def hanging(text: str, indent: int) -> str:
    """`text` with its further lines indented, so that none of them can pass for a line of the program's own."""
    return ("\n" + " " * indent).join(text.splitlines())
