"""The table on screen: every metric with its value, interval, counts, documents and floors, one alignment for all stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.files.wording import counted
from harness.records import Json
from harness.reports import unread
from harness.runs.results import Manifest
from harness.runs.run import Result
from harness.scoring.per_document import TOO_FEW
from harness.scoring.scores import Score, Summary
from harness.scoring.sealing import LEAST, is_sealed

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


class Described(Protocol):
    """What a title needs of a manifest, or of a finding's source."""

    @property
    def split(self) -> str: ...
    @property
    def config(self) -> dict[str, Json]: ...
    @property
    def goldens(self) -> dict[str, Json]: ...
    @property
    def stamp(self) -> dict[str, Json]: ...
    @property
    def oracle(self) -> bool: ...
    @property
    def opening(self) -> int | None: ...
    @property
    def codes(self) -> int: ...


def headline(manifest: Described) -> str:
    """What was measured on what, in one line."""
    scope = "each asked of its own report" if manifest.config["scope"] == "golden" else "each asked of the whole set"
    asked, of = manifest.goldens["asked"], manifest.goldens["of"]
    questions = counted(of, "question") if asked == of else f"{asked} of {counted(of, 'question')} (partial)"
    documents, pages = (counted(manifest.stamp[f"{name}s"], name) for name in ("document", "page"))
    return f"{questions} on {documents}, {pages}, {scope}"


def split_name(manifest: Described) -> str:
    """ "dev", or "held-out, opening no. 3", with the codes it was seen with, and "oracle" where a component saw the goldens."""
    opening = f", opening no. {manifest.opening}" if manifest.opening is not None else ""
    opening += f", seen with {counted(manifest.codes, 'code')}" if manifest.codes > 1 else ""
    name = "held-out" if manifest.split == "heldout" else manifest.split
    return f"{name}{opening}{', ORACLE: it sees the goldens' if manifest.oracle else ''}"


# -- on screen --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A column of the table: its cells, when a narrow terminal leaves it out (the highest first), and what it means."""

    name: str
    rank: int
    cell: Callable[[Summary], str]
    meaning: str = ""


def _floor(summary: Summary) -> str:
    return number(max(summary.floors.values()), summary.unit) if summary.floors else ""


def _short_interval(summary: Summary) -> str:
    """The interval for a screen: a share with two decimals; nothing where every question has the same count."""
    if summary.low is None or summary.high is None:
        return "-"
    if summary.unit != "share":
        low, high = number(summary.low, summary.unit), number(summary.high, summary.unit)
        return f"{low}-{high}" if low != high else ""
    return f"{summary.low:.2f}-{summary.high:.2f}"


SEALED = f"sealed: cells on fewer than {LEAST} questions are left empty; --unseal shows them, and is recorded"

COLUMNS = (
    Column("value", 1, lambda summary: number(summary.mean, summary.unit)),
    Column("95%", 3, _short_interval, "95%: interval by question, for these documents"),
    Column("n", 2, lambda summary: str(summary.scored)),
    Column("n/a", 7, lambda summary: str(summary.not_applicable)),
    Column("undecided", 6, lambda summary: str(summary.undecided), "undecided: right or wrong, no program can tell"),
    Column("failed", 5, lambda summary: str(summary.failed)),
    Column(
        "by doc",
        8,
        lambda summary: number(summary.document_mean, summary.unit),
        "by doc: the mean of the documents' means",
    ),
    Column("floor", 4, _floor, "floor: what can be had without reading the question"),
)
"""In the order of the table."""
_GAP = "  "
_SHOWN = 10
"""Questions that are named in one line."""

Line = tuple[str, bool]
"""A line and whether it is a title."""


def lines(manifest: Manifest, summaries: Sequence[Summary], width: int | None) -> Iterator[Line]:
    """The table of one result in at most `width` characters a line, where that can be done; None: as wide as it is."""
    shown = [summary for summary in summaries if not silent(summary)]
    names = max((len(summary.metric) for summary in shown), default=0) + len(_GAP)
    widths = {
        column.name: max([len(column.name), *(len(column.cell(summary)) for summary in shown)]) for column in COLUMNS
    }
    columns = fitting(widths, names, width, without=() if any(one.undecided for one in shown) else ("undecided",))
    yield f"{manifest.set} / {manifest.system} / {split_name(manifest)}", True
    yield headline(manifest), False
    yield "", False
    yield _aligned("", [column.name for column in columns], columns, names, widths), False
    for stage, title in STAGE_TITLES.items():
        own = [summary for summary in shown if summary.stage == stage]
        if own:
            yield title, True
        for summary in own:
            cells = [column.cell(summary) for column in columns]
            yield _aligned(_GAP + summary.metric, cells, columns, names, widths), False
    yield "", False
    yield from ((line, False) for line in footnotes(summaries, columns))
    yield from ((line, False) for line in unread.lines(manifest.corpus))
    if manifest.split == "heldout" and any(map(is_sealed, summaries)):
        yield SEALED, False
    if manifest.latency:
        yield latency(manifest), False
    if manifest.calls:
        yield expense(manifest), False


def marked(result: Result) -> Iterator[str]:
    """How many questions ask for what the parser could not read; which, where that may be shown."""
    ids = [case.golden.id for case in result.rows.retrieved if case.unread]
    if ids:
        shown = ", ".join(ids[:_SHOWN]) + (f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else "")
        which = f": {shown}" if result.manifest.split != "heldout" else ""
        yield f"{counted(len(ids), 'question')} of {len(result.rows.retrieved)} on pages that were not read{which}"


def rows(result: Result) -> Iterator[str]:
    """A line for each question with its values in the headline metrics: what unsealing shows of a held-out split."""
    names = [summary.metric for summary in result.summaries if summary.headline]
    found = {(score.golden, score.metric): score for score in result.rows.scores}
    ids = [case.golden.id for case in result.rows.retrieved]
    width = max(map(len, [*ids, "question"]))
    yield _GAP.join(["question".ljust(width), *names])
    for id in ids:
        yield _GAP.join([id.ljust(width), *(_cell(found.get((id, name))).rjust(len(name)) for name in names)])
    yield ""


def _cell(score: Score | None) -> str:
    if score is None or score.value is None:
        return {"not_applicable": "n/a", "undecided": "open", "failed": "FAILED"}.get(
            score.status if score else "", "-"
        )
    return f"{score.value:.4g}"


def latency(manifest: Manifest) -> str:
    """The measured latency in one line: of this machine, never compared."""
    found = manifest.latency
    parts = [
        f"{what} {_rounded(found[f'{what}_p50_ms'])} ms (p95 {_rounded(found[f'{what}_p95_ms'])})"
        for what in ("retrieve", "answer")
    ]
    cores = counted(manifest.machine.get("cores") or 0, "core")
    return f"latency, one case at a time, warm, on {cores}: {', '.join(parts)}"


def expense(manifest: Manifest) -> str:
    """What models cost, in one line: with nothing kept from before, and what of it was billed this time."""
    cold, billed = _usd(manifest.cost_cold), _usd(manifest.cost_billed)
    calls = counted(manifest.calls["billed"], "call")
    return f"models: {manifest.tokens:,} tokens; with nothing kept {cold}; billed this time: {calls}, {billed}"


def _usd(amount: float | None) -> str:
    return "at a price that is not known" if amount is None else f"USD {amount:.4f}"


def _rounded(milliseconds: float) -> str:
    """Whole milliseconds; under ten, two digits, since a fast search takes less than one."""
    return f"{milliseconds:.0f}" if milliseconds >= 10 else f"{milliseconds:.2g}"


def silent(summary: Summary) -> bool:
    """True for an expense that no question had."""
    return summary.expense and summary.mean == 0 and not summary.failed


def fitting(widths: Mapping[str, int], names: int, width: int | None, without: Sequence[str] = ()) -> list[Column]:
    """The columns for which there is room, in the order of the table; at least the first."""
    left = (width or 10_000) - names
    kept: list[Column] = []
    for column in sorted((one for one in COLUMNS if one.name not in without), key=lambda column: column.rank):
        left -= widths[column.name] + len(_GAP)
        if left >= 0 or not kept:
            kept.append(column)
    return [column for column in COLUMNS if column in kept]


def _aligned(name: str, cells: Sequence[str], columns: Sequence[Column], names: int, widths: Mapping[str, int]) -> str:
    texts = [cell.rjust(widths[column.name]) for cell, column in zip(cells, columns, strict=True)]
    return _GAP.join([name.ljust(names), *texts]).rstrip()


def footnotes(summaries: Sequence[Summary], columns: Sequence[Column] = COLUMNS) -> list[str]:
    """What a reader has to know beside the numbers."""
    lines = [column.meaning for column in columns if column.meaning]
    if few := too_few(summaries):
        lines.append(few)
    zero = [summary.metric for summary in summaries if silent(summary)]
    lines += [f"not listed, zero for every question: {', '.join(zero)}"] if zero else []
    for summary in summaries:
        if bounds := bounds_of(summary):
            lines.append(f"{summary.metric}: {bounds}")
    return lines


def too_few(summaries: Sequence[Summary]) -> str:
    """That documents are too few for an interval over them: of the set, or of the metrics for which they are; else empty."""
    few = [summary.metric for summary in summaries if TOO_FEW in summary.note]
    of_all = all(TOO_FEW in summary.note for summary in summaries if summary.by_document)
    named = "" if of_all else f" for {', '.join(few)}"
    return f"{TOO_FEW}{named}: no interval over documents is given" if few else ""


def bounds_of(summary: Summary) -> str:
    """Between what the mean lies, where answers are undecided or scores failed; empty where none are."""
    if summary.worst is None or summary.best is None:
        return ""
    what = {"undecided": summary.undecided, "could not be scored": summary.failed}
    said = " and ".join(f"{count} {words}" for words, count in what.items() if count)
    return f"{said}; the mean lies between {number(summary.worst)} and {number(summary.best)}"
