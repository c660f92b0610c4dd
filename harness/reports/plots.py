"""Plots of findings as SVG: the same bytes for the same numbers, readable in black and white and at 700 pixels."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

_STYLE: Any = {
    "svg.hashsalt": "harness",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_LINES = ("-", "--", "-.", ":")
_MARKS = "osD^vPX*"
_GREYS = ("black", "0.35", "0.55")


class Row(NamedTuple):
    """A row of a forest plot: a difference with its interval."""

    name: str
    difference: float
    low: float
    high: float


def curves(lines: Mapping[str, Mapping[int, float]], x: str, y: str) -> bytes:
    """A line a system over a few cut-offs, told apart by dash, mark and grey."""
    with _figure(7.0, 3.8) as (axes, drawn):
        for at, (name, points) in enumerate(lines.items()):
            style = {"linestyle": _LINES[at % 4], "marker": _MARKS[at % 8], "color": _GREYS[at % 3]}
            axes.plot(list(points), list(points.values()), label=name, markersize=5, **style)
        axes.set(xlabel=x, ylabel=y, ylim=(0, 1.02))
        axes.set_xticks(sorted({k for points in lines.values() for k in points}))
        axes.legend(frameon=False, loc="lower right")
    return drawn()


def forest(rows: Sequence[Row], x: str) -> bytes:
    """A difference a row with its interval, and a line at no difference."""
    with _figure(7.0, 0.9 + 0.32 * len(rows)) as (axes, drawn):
        for at, row in enumerate(reversed(rows)):
            axes.plot([row.low, row.high], [at, at], color="black", linewidth=1.4)
            axes.plot([row.difference], [at], marker="s", color="black", markersize=5)
        axes.axvline(0, color="0.5", linestyle="--", linewidth=1)
        axes.set_yticks(range(len(rows)), [row.name for row in reversed(rows)])
        axes.set(xlabel=x, ylim=(-0.6, len(rows) - 0.4))
    return drawn()


@contextmanager
def _figure(width: float, height: float) -> Iterator[tuple[Any, Callable[[], bytes]]]:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        data = io.BytesIO()
        yield figure.subplots(), data.getvalue
        figure.savefig(data, format="svg", metadata={"Date": None, "Creator": None})
