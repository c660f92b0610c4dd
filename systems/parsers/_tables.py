"""Tables as a parser found them, made fit to be searched and read: cells tidied, rows as lines, HTML beside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

Rows = list[list[str]]

_PREFIX = re.compile(r"[$€£¥₹(]|[A-Z]{0,3}[$€£¥₹]|Rs\.?")
_SUFFIX = re.compile(r"[)%]+|\)\s*%|pp|bps")
_PROSE = 300


def tidy(rows: Sequence[Sequence[str]]) -> Rows:
    """Cells with single spaces, a lone "$" joined to the figure after it, a lone "%" to the one before, empty columns gone."""
    clean = [_join_signs([" ".join(cell.split()) for cell in row]) for row in rows]
    width = max(map(len, clean), default=0)
    padded = [row + [""] * (width - len(row)) for row in clean]
    full = [column for column in range(width) if any(row[column] for row in padded)]
    return [[row[column] for column in full] for row in padded]


def _join_signs(row: list[str]) -> list[str]:
    cells = list(row)
    for here in range(len(cells) - 1):
        following = next((i for i in range(here + 1, len(cells)) if cells[i]), None)
        if following is not None and _PREFIX.fullmatch(cells[here]):
            cells[here], cells[following] = "", f"{cells[here]}{cells[following]}"
    for here in range(len(cells) - 1, 0, -1):
        before = next((i for i in range(here - 1, -1, -1) if cells[i]), None)
        if before is not None and before > 0 and _SUFFIX.fullmatch(cells[here]):
            cells[here], cells[before] = "", f"{cells[before]}{cells[here]}"
    return cells


def split_prose(rows: Sequence[Sequence[str]]) -> tuple[Rows, list[str]]:
    """The rows, and the running text that was taken for rows at the table's end (one cell, or the row, of many words)."""
    kept = [list(row) for row in rows]
    prose: list[str] = []
    while kept and sum(map(len, kept[-1])) > 2 * _PROSE and len(kept[-1][0]) > _PROSE:
        prose.insert(0, " ".join(" ".join(kept.pop()).split()))
    return kept, prose


def as_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """One line a row, cells parted by " | "; empty cells stay, so that every line has the same columns."""
    return "\n".join(" | ".join(row).rstrip() for row in _all(header, rows) if any(row))


def as_html(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The table as HTML; the first row is a header only where the parser said so."""
    lines = _all(header, rows)
    marks = ["th" if any(header) and number == 0 else "td" for number in range(len(lines))]
    body = "".join(
        "<tr>" + "".join(f"<{mark}>{escape(cell)}</{mark}>" for cell in row) + "</tr>"
        for mark, row in zip(marks, lines, strict=True)
    )
    return f"<table>{body}</table>"


def _all(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Rows:
    return tidy([list(header), *rows] if any(header) else rows)
