"""Finds the table in what a parser took for a paragraph: its words stand in rows, with figures in columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from systems.parsers._tables import Rows

_FIGURE = re.compile(r"[($€£¥₹\s-]*[\d,]*\.?\d+[)%\s]*|[-—–]+|\$")
_GAP = 6.0
"""Points between two pieces of text from which on they are two cells."""
_SAME = 3.0
"""Points of height within which two pieces stand on one line."""
_COLUMN = 14.0
"""Points between right edges within which two figures stand in one column."""


class Cell(NamedTuple):
    """Text between two gaps of a line, with its left and right edge in points."""

    text: str
    left: float
    right: float

    @property
    def figure(self) -> bool:
        return bool(_FIGURE.fullmatch(self.text)) and bool(re.search(r"[\d—–-]", self.text))


def rows_in(items: Sequence[Any], box: tuple[float, float, float, float]) -> Rows | None:
    """The rows of a table in `box` of a page's text items; None where it is running text.

    A table: three lines or more, two in three of them a label followed by figures.
    """
    found = [cells(line) for line in _lines(items, box)]
    data = [line for line in found if not line[0].figure and any(cell.figure for cell in line[1:])]
    if len(found) < 3 or len(data) < max(3, 2 * len(found) / 3):
        return None
    edges = _edges([cell for line in data for cell in line[1:] if cell.figure])
    usual = Counter(sum(cell.figure for cell in line[1:]) for line in data).most_common(1)[0][0]
    return [_in_order(line) if _plain(line, usual) else _row(line, edges) for line in found]


def _lines(items: Sequence[Any], box: tuple[float, float, float, float]) -> list[list[Any]]:
    left, top, right, bottom = box
    inside = [
        item
        for item in items
        if left - 2 <= item.x and item.x + item.width <= right + 2 and top - 2 <= item.y + item.height / 2 <= bottom + 2
    ]
    return lines(inside, _SAME)


def lines(items: Sequence[Any], same: float) -> list[list[Any]]:
    """The items that hold text, in lines from above to below; on one line stand those within `same` points of height."""
    found: list[list[Any]] = []
    for item in sorted((item for item in items if item.text.strip()), key=lambda item: (item.y, item.x)):
        if found and item.y - found[-1][0].y <= same:
            found[-1].append(item)
        else:
            found.append([item])
    return found


def cells(line: Sequence[Any]) -> list[Cell]:
    """The cells of a line of text items, from left to right. A "$" at the end of a piece belongs to the figure after it."""
    found: list[Cell] = []
    sign = ""
    for item in sorted(line, key=lambda item: item.x):
        text = f"{sign}{' '.join(item.text.split())}"
        sign = "$" if text.endswith("$") else ""
        text = text.removesuffix("$").strip()
        if text and found and item.x - found[-1].right < _GAP:
            found[-1] = Cell(f"{found[-1].text} {text}", found[-1].left, item.x + item.width)
        elif text:
            found.append(Cell(text, item.x, item.x + item.width))
    return found or [Cell("", 0.0, 0.0)]


def _edges(figures: Sequence[Cell]) -> list[float]:
    """The right edges of the columns, from left to right."""
    edges = sorted(cell.right for cell in figures)
    starts = [n == 0 or edges[n] - edges[n - 1] > _COLUMN for n in range(len(edges))]
    numbers = [sum(starts[: n + 1]) for n in range(len(edges))]
    return [
        max(edge for _, edge in group) for _, group in groupby(zip(numbers, edges, strict=True), lambda pair: pair[0])
    ]


def _plain(line: Sequence[Cell], usual: int) -> bool:
    """A label and as many figures as most lines have: nothing is left out, so their order is their columns'."""
    return len(line) == usual + 1 and not line[0].figure and all(cell.figure for cell in line[1:])


def _in_order(line: Sequence[Cell]) -> list[str]:
    return [cell.text for cell in line]


def _row(line: Sequence[Cell], edges: Sequence[float]) -> list[str]:
    row = [""] * (len(edges) + 1)
    for number, cell in enumerate(line):
        place = 0
        if cell.figure or (number and cell.left > line[0].right):
            place = 1 + min(range(len(edges)), key=lambda column: abs(edges[column] - cell.right))
        row[place] = f"{row[place]} {cell.text}".strip()
    return row
