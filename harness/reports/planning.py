"""A plan as a table for people and as one JSON document for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.runs.plan import Line, Range, total

_COLUMNS = ("stage", "units", "kept", "to do", "seconds", "calls", "tokens in", "tokens out", "USD")


def lines(plans: Mapping[str, Sequence[Line]]) -> list[str]:
    """The table of each system, and of all where there is more than one."""
    rows: list[list[str]] = []
    for name, stages in plans.items():
        rows += [[name], list(_COLUMNS), *map(_cells, stages), _cells(total("in all", stages))]
    if len(plans) > 1:
        rows += [["all systems"], _cells(total("in all", [line for stages in plans.values() for line in stages]))]
    widths = [max(len(row[n]) for row in rows if len(row) > n and len(row) > 1) for n in range(len(_COLUMNS))]
    return [row[0] if len(row) == 1 else _row(row, widths) for row in rows]


def as_json(plans: Mapping[str, Sequence[Line]]) -> dict[str, Any]:
    """`{"systems": {name: [line, …]}, "total": line}`, a line's ranges as [low, high], USD null where no price is known."""
    every = total("total", [line for stages in plans.values() for line in stages])
    systems = {name: [line.model_dump(mode="json") for line in stages] for name, stages in plans.items()}
    return {"systems": systems, "total": every.model_dump(mode="json")}


def _cells(line: Line) -> list[str]:
    counts = [str(line.units), str(line.kept), str(line.to_do)]
    whole = [_range(one, 0) for one in (line.calls, line.input, line.output)]
    usd = "not known" if line.usd is None else _range(line.usd, 4)
    return [line.stage, *counts, _range(line.seconds, 0), *whole, usd]


def _range(one: Range, digits: int) -> str:
    low, high = (f"{value:,.{digits}f}" for value in one)
    return "-" if one == (0, 0) else low if low == high else f"{low}–{high}"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = cells
    return "  ".join([f"  {first:<{widths[0]}}", *(f"{c:>{w}}" for c, w in zip(others, widths[1:], strict=True))])
