"""The table on screen: every metric with its value, interval, counts, documents and floors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.records import Summary
from harness.store import Manifest

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

STAGE_TITLES = {
    "retrieve": "retrieve: the question straight to search",
    "generate": "generate: what the answerer did",
    "score": "score: the saved answers",
}


def number(value: float | None, unit: str = "share") -> str:
    """A value as tables print it: shares with three decimals, counts with one, money with four."""
    if value is None:
        return "-"
    decimals = {"share": 3, "USD": 4}.get(unit, 1)
    return f"{value:,.{decimals}f}"


def interval(summary: Summary) -> str:
    """The 95% interval, or a dash."""
    if summary.low is None or summary.high is None:
        return "-"
    return f"{number(summary.low, summary.unit)} to {number(summary.high, summary.unit)}"


def short_interval(summary: Summary) -> str:
    """The interval for a screen: a share with two decimals."""
    if summary.low is None or summary.high is None:
        return "-"
    if summary.unit != "share":
        return f"{number(summary.low, summary.unit)}-{number(summary.high, summary.unit)}"
    return f"{summary.low:.2f}-{summary.high:.2f}"


def floor(summary: Summary) -> str:
    """The highest of the floors: what can be had without looking at the question."""
    return number(max(summary.floors.values()), summary.unit) if summary.floors else ""


def headline(manifest: Manifest) -> str:
    """What was measured on what, in one line."""
    scope = "each asked of its own report" if manifest.config["scope"] == "golden" else "each asked of the whole set"
    asked, of = manifest.goldens["asked"], manifest.goldens["of"]
    questions = f"{asked} questions" if asked == of else f"{asked} of {of} questions (partial)"
    documents = f"{manifest.stamp['documents']} documents, {manifest.stamp['pages']} pages"
    return f"{questions} on {documents}, {scope}"


def split_name(manifest: Manifest) -> str:
    """ "dev", or "held-out, opening no. 3", with "oracle" where a component saw the goldens."""
    opening = f", opening no. {manifest.opening}" if manifest.opening is not None else ""
    name = "held-out" if manifest.split == "heldout" else manifest.split
    return f"{name}{opening}{', ORACLE: it sees the goldens' if manifest.oracle else ''}"


def show(console: Console, manifest: Manifest, summaries: Sequence[Summary]) -> None:
    """Print the table of one result."""
    title = f"{manifest.set} / {manifest.system} / {split_name(manifest)}"
    console.print()
    console.print(title, style="bold", highlight=False, markup=False)
    console.print(headline(manifest), highlight=False, markup=False)
    for stage, name in STAGE_TITLES.items():
        own = [summary for summary in summaries if summary.stage == stage]
        if own:
            console.print()
            console.print(name, style="bold", highlight=False, markup=False)
            console.print(table(own, narrow=console.width < 72))
    console.print()
    for line in footnotes(summaries):
        console.print(line, highlight=False, markup=False)


def table(summaries: Sequence[Summary], *, narrow: bool) -> RenderableType:
    """A rich table of summaries; fewer columns on a narrow terminal."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    made.add_column("metric", no_wrap=True, min_width=22)
    for name in ("value", "n") if narrow else ("value", "95%", "n", "n/a", "failed", "by doc", "floor"):
        made.add_column(name, justify="right", no_wrap=True, min_width=_WIDTHS[name])
    for summary in summaries:
        made.add_row(summary.metric, *cells(summary, narrow=narrow))
    return made


_WIDTHS = {"value": 6, "95%": 9, "n": 3, "n/a": 3, "failed": 6, "by doc": 6, "floor": 5}


def cells(summary: Summary, *, narrow: bool) -> list[str]:
    """The cells of a row after the metric's name."""
    value, scored = number(summary.mean, summary.unit), str(summary.scored)
    if narrow:
        return [value, scored]
    counts = [scored, str(summary.not_applicable), str(summary.failed)]
    return [value, short_interval(summary), *counts, number(summary.document_mean, summary.unit), floor(summary)]


def footnotes(summaries: Sequence[Summary]) -> list[str]:
    """What a reader has to know beside the numbers."""
    lines = ["intervals are 95%, by question, for these documents; by doc: mean of the documents' means"]
    notes = sorted({summary.note for summary in summaries if summary.note})
    shared = [note for note in notes if note == "too few documents to generalise"]
    lines += [f"{note}: no interval over documents is given" for note in shared]
    for summary in summaries:
        if summary.failed and summary.worst is not None and summary.best is not None:
            bounds = f"{number(summary.worst)} and {number(summary.best)}"
            lines.append(f"{summary.metric}: {summary.failed} could not be scored; the mean lies between {bounds}")
    return lines
