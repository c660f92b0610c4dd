"""Results on stdout: tables for people, one JSON document for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from harness.run import Result
from harness.tables import show as show_table

_FIELDS = ("mean", "low", "high", "scored", "not_applicable", "failed")


def show(results: Sequence[Result], page: Path | None) -> None:
    """Print the table of each result and where more is to be found."""
    from rich.console import Console

    console = Console(soft_wrap=False)
    for result in results:
        show_table(console, result.manifest, result.summaries)
        console.print(f"rows: {result.folder}", highlight=False, markup=False, soft_wrap=True)
    if page is not None:
        console.print(f"page: {page}", highlight=False, markup=False, soft_wrap=True)


def as_json(results: Sequence[Result]) -> dict[str, dict[str, dict[str, float | int | None]]]:
    """{"<set>/<system>/<split>": {"<metric>": {"mean", "low", "high", "scored", "not_applicable", "failed"}}}"""
    return {
        result.name: {
            summary.metric: {name: getattr(summary, name) for name in _FIELDS} for summary in result.summaries
        }
        for result in results
    }


def print_json(results: Sequence[Result]) -> None:
    """Print the JSON document."""
    print(json.dumps(as_json(results), indent=1))
