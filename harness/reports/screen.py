"""Results on stdout: tables for people, one JSON document for programs."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.files import output
from harness.reports import comparison, table
from harness.reports.escaping import terminal
from harness.reports.wrapping import width
from harness.runs import comparing
from harness.runs.comparing import Comparison
from harness.runs.options import Options
from harness.runs.run import Result
from harness.scoring.scores import STATUSES, Summary

_FIELDS = ("mean", "low", "high", *STATUSES)
_WRAP: Any = {"subsequent_indent": "  ", "break_long_words": False, "break_on_hyphens": False}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def show(results: Sequence[Result], page: Path | None, *, unsealed: bool = False) -> None:
    """Print the table of each result and where more is to be found; unsealed, each held-out question's row too."""
    for result in results:
        print()
        for line, title in table.lines(result.manifest, result.summaries, width()):
            _print(line, title)
        for line in table.marked(result):
            _print(line, False)
        for line in table.rows(result) if unsealed and result.manifest.split == "heldout" else ():
            _print(line, False)
        print(f"rows: {terminal(str(result.folder))}")
    if page is not None:
        print(f"page: {terminal(str(page))}")


def show_comparison(found: Comparison, page: Path | None = None, *, slices: bool = False) -> None:
    """Print systems side by side, with the parts of the split where they are asked for."""
    print()
    for lines, title in comparison.lines(found, width(), slices=slices):
        for line in lines.split("\n"):
            _print(line, title)
    if page is not None:
        print(f"page: {terminal(str(page))}")


def show_comparisons(made: Sequence[Result], options: Options) -> None:
    """What a run ends with: its systems side by side, or its only one beside what is kept of the others; by set and split."""
    for group in dict.fromkeys((one.manifest.set, one.manifest.split) for one in made):
        own = [one for one in made if (one.manifest.set, one.manifest.split) == group]
        places = comparing.beside(own, options)
        if len(places) > 1:
            show_comparison(comparing.compare(places, options))


def print_comparison_json(found: Comparison) -> None:
    """Print a comparison as one JSON document."""
    output.document(json.dumps(comparison.as_json(found), indent=1))


def _print(line: str, title: bool) -> None:
    """A line of the table, the longer ones wrapped; titles bold where the terminal can."""
    plain = terminal(line)
    columns = width()
    wrapped = textwrap.wrap(plain, columns, **_WRAP) if columns and len(plain) > columns else [plain]
    for one in wrapped:
        print(f"{_BOLD}{one}{_PLAIN}" if title and _styled() else one)


def _styled() -> bool:
    dumb = os.environ.get("TERM", "dumb") == "dumb" or bool(os.environ.get("NO_COLOR"))
    return sys.stdout.isatty() and not dumb


def as_json(results: Sequence[Result]) -> dict[str, dict[str, Any]]:
    """{"<set>/<system>/<split>": {"<metric>": {"mean", "low", "high", "scored", "not_applicable", "undecided", "failed"}}}

    Beside the metrics stand "key", "path", "overrides", "opening" and "latency" of the result; a metric has its "stage" and
    "floors" too. Where a share has undecided or failed scores, "worst" and "best": the mean with these as 0 and as 1.
    """
    return {result.name: {**_about(result), **_metrics(result)} for result in results}


def _about(result: Result) -> dict[str, Any]:
    manifest = result.manifest
    told = {name: getattr(manifest, name) for name in ("key", "overrides", "opening", "latency")}
    return {**told, "path": str(result.folder)}


def _metrics(result: Result) -> dict[str, dict[str, Any]]:
    return {summary.metric: _numbers(summary) for summary in result.summaries}


def _numbers(summary: Summary) -> dict[str, Any]:
    bounds = ("worst", "best") if summary.worst is not None else ()
    return {name: getattr(summary, name) for name in (*_FIELDS, *bounds, "stage", "floors")}


def print_json(results: Sequence[Result]) -> None:
    """Print the JSON document, in ASCII: it is the same in every locale."""
    output.document(json.dumps(as_json(results), indent=1))
