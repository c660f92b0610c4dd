"""Markdown that foreign text cannot break: ids, titles and names in tables."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_MARKS = re.compile(r"([\\`*_\[\]|~#])")


def cell(text: str) -> str:
    """`text` as the content of a table cell: one line, no markup, no HTML."""
    plain = html.escape(_CONTROL.sub(" ", text), quote=False)
    return _MARKS.sub(r"\\\1", plain).strip()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table's lines. The first column is aligned to the left, the others to the right where all hold numbers."""
    aligned = ["---" if not _numbers(rows, column) else "--:" for column in range(len(head))]
    lines = [head, aligned, *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def _numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    return column > 0 and all(re.fullmatch(r"[-\d.,to \u2013]*", row[column]) for row in rows)


def terminal(text: str) -> str:
    """`text` as it may be printed: control characters and escapes as visible marks, bidirectional controls gone."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\N{REPLACEMENT CHARACTER}", text)
