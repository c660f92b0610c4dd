"""The table on screen: every metric with its value, interval, counts, documents and floors, one alignment for all stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.files.wording import counted
from harness.runs.results import Manifest
from harness.scoring.scores import Summary

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


def headline(manifest: Manifest) -> str:
    """What was measured on what, in one line."""
    scope = "each asked of its own report" if manifest.config["scope"] == "golden" else "each asked of the whole set"
    asked, of = manifest.goldens["asked"], manifest.goldens["of"]
    questions = counted(of, "question") if asked == of else f"{asked} of {counted(of, 'question')} (partial)"
    documents, pages = (counted(manifest.stamp[f"{name}s"], name) for name in ("document", "page"))
    return f"{questions} on {documents}, {pages}, {scope}"


def split_name(manifest: Manifest) -> str:
    """ "dev", or "held-out, opening no. 3", with "oracle" where a component saw the goldens."""
    opening = f", opening no. {manifest.opening}" if manifest.opening is not None else ""
    name = "held-out" if manifest.split == "heldout" else manifest.split
    return f"{name}{opening}{', ORACLE: it sees the goldens' if manifest.oracle else ''}"


# -- on screen --------------------------------------------------------------------------------------------------------

_BY_NEED = ("value", "n", "95%", "floor", "failed", "n/a", "by doc")
"""Columns in the order in which a narrow terminal keeps them."""
_ORDER = ("value", "95%", "n", "n/a", "failed", "by doc", "floor")
_GAP = "  "
_EXPENSE = ("searches", "capped", "tokens", "cost")
"""Metrics that say nothing where they are zero for every question."""

Line = tuple[str, bool]
"""A line and whether it is a title."""


def lines(manifest: Manifest, summaries: Sequence[Summary], width: int | None) -> Iterator[Line]:
    """The table of one result in at most `width` characters a line, where that can be done; None: as wide as it is."""
    shown = [summary for summary in summaries if not silent(summary)]
    rows = {summary.metric: cells(summary) for summary in shown}
    names = max((len(name) for name in rows), default=0) + len(_GAP)
    widths = {column: max([len(column), *(len(row[column]) for row in rows.values())]) for column in _ORDER}
    columns = fitting(widths, names, width)
    yield f"{manifest.set} / {manifest.system} / {split_name(manifest)}", True
    yield headline(manifest), False
    yield "", False
    yield _aligned("", {column: column for column in columns}, names, widths), False
    for stage, title in STAGE_TITLES.items():
        own = [summary.metric for summary in shown if summary.stage == stage]
        if own:
            yield title, True
        for name in own:
            yield _aligned(_GAP + name, {column: rows[name][column] for column in columns}, names, widths), False
    yield "", False
    yield from ((line, False) for line in footnotes(summaries, columns))
    if manifest.latency:
        yield latency(manifest), False


def latency(manifest: Manifest) -> str:
    """The measured latency in one line: of this machine, never compared."""
    found = manifest.latency
    parts = [
        f"{what} {found[f'{what}_p50_ms']:.0f} ms (p95 {found[f'{what}_p95_ms']:.0f})"
        for what in ("retrieve", "answer")
    ]
    cores = counted(manifest.machine.get("cores") or 0, "core")
    return f"latency, one case at a time, warm, on {cores}: {', '.join(parts)}"


def silent(summary: Summary) -> bool:
    """True for an expense that no question had."""
    return summary.metric in _EXPENSE and summary.mean == 0 and not summary.failed


def cells(summary: Summary) -> dict[str, str]:
    """The cells of a row by column."""
    return {
        "value": number(summary.mean, summary.unit),
        "95%": short_interval(summary),
        "n": str(summary.scored),
        "n/a": str(summary.not_applicable),
        "failed": str(summary.failed),
        "by doc": number(summary.document_mean, summary.unit),
        "floor": number(max(summary.floors.values()), summary.unit) if summary.floors else "",
    }


def short_interval(summary: Summary) -> str:
    """The interval for a screen: a share with two decimals; nothing where every question has the same count."""
    if summary.low is None or summary.high is None:
        return "-"
    if summary.unit != "share":
        low, high = number(summary.low, summary.unit), number(summary.high, summary.unit)
        return f"{low}-{high}" if low != high else ""
    return f"{summary.low:.2f}-{summary.high:.2f}"


def fitting(widths: dict[str, int], names: int, width: int | None) -> list[str]:
    """The columns for which there is room, in the order of the table; at least the first."""
    left = (width or 10_000) - names
    kept: list[str] = []
    for column in _BY_NEED:
        left -= widths[column] + len(_GAP)
        if left >= 0 or not kept:
            kept.append(column)
    return [column for column in _ORDER if column in kept]


def _aligned(name: str, row: dict[str, str], names: int, widths: dict[str, int]) -> str:
    parts = [name.ljust(names), *(text.rjust(widths[column]) for column, text in row.items())]
    return _GAP.join(parts).rstrip()


_MEANINGS = {
    "95%": "95%: interval by question, for these documents",
    "by doc": "by doc: the mean of the documents' means",
    "floor": "floor: what can be had without reading the question",
}


def footnotes(summaries: Sequence[Summary], columns: Sequence[str] = _ORDER) -> list[str]:
    """What a reader has to know beside the numbers."""
    lines = [_MEANINGS[column] for column in columns if column in _MEANINGS]
    if any(summary.note == "too few documents to generalise" for summary in summaries):
        lines.append("too few documents to generalise: no interval over documents is given")
    zero = [summary.metric for summary in summaries if silent(summary)]
    lines += [f"not listed, zero for every question: {', '.join(zero)}"] if zero else []
    for summary in summaries:
        if summary.failed and summary.worst is not None and summary.best is not None:
            bounds = f"{number(summary.worst)} and {number(summary.best)}"
            lines.append(f"{summary.metric}: {summary.failed} could not be scored; the mean lies between {bounds}")
    return lines
