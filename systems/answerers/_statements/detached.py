"""Tables that the parser took apart: all labels first, all figures further down."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from systems.answerers._statements.figures import is_figure, is_sign
from systems.answerers._statements.periods import years

_LEAST = 3
"""Rows that such a table has at least."""
_LABEL = re.compile(r"[A-Z][^\d|]{2,79}(?<![.:;,])")


class Line(NamedTuple):
    """A line as it is read, and as the page shows it."""

    read: str
    shown: str


def joined(lines: Sequence[str]) -> list[Line]:
    """The lines, with labels and figures of such tables side by side where there are as many of the one as of the other."""
    labels, figures = _runs(lines, _is_label), _runs(lines, _is_figures)
    put: dict[int, list[Line]] = {}
    for start, end in figures:
        fitting = [run for run in labels if run[1] <= start and run[1] - run[0] - (end - start) in (0, 1)]
        if len(fitting) == 1 and fitting[0][1] not in put:
            heads = [Line(line, line) for line in _heads(lines, start)]
            pairs = zip(lines[fitting[0][1] - (end - start) : fitting[0][1]], lines[start:end], strict=True)
            rows = [Line(f"{label} | {figure}", f"{label}\n{figure}") for label, figure in pairs]
            put[fitting[0][1]] = [*heads, *rows]
    return [one for place, line in enumerate(lines) for one in (*put.get(place, ()), Line(line, line))]


def _runs(lines: Sequence[str], belongs: Callable[[str], bool]) -> list[tuple[int, int]]:
    """From where to where lines of a kind follow each other."""
    found: list[tuple[int, int]] = []
    start = 0
    for place in range(len(lines) + 1):
        if place < len(lines) and belongs(lines[place]):
            continue
        if place - start >= _LEAST:
            found.append((start, place))
        start = place + 1
    return found


def _heads(lines: Sequence[str], start: int) -> list[str]:
    """The line above the figures where it names their columns."""
    above = lines[start - 1] if start else ""
    return [above] if years(above) and len(above) < 100 else []


def _is_label(line: str) -> bool:
    return bool(_LABEL.fullmatch(line))


def _is_figures(line: str) -> bool:
    words = line.replace("|", " ").replace("*", "").split()
    figures = [word for word in words if is_figure(word)]
    return len(figures) > 1 and all(is_figure(w) or is_sign(w) for w in words) and not any(years(w) for w in figures)
