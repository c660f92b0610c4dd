"""Systems side by side: a table with the best tie group marked, a sentence for each pair and metric, one JSON document."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from harness.files.wording import counted
from harness.reports.table import Line, number, split_name
from harness.reports.wrapping import wrapped
from harness.runs.comparing import Comparison, Entry
from harness.scoring.attribution import STEPS, Funnel, Step, counted_steps
from harness.scoring.compare import Pair
from harness.scoring.metric import Metric
from harness.scoring.scores import STATUSES, Summary
from harness.scoring.sealing import LEAST
from harness.scoring.slices import FEWEST, Slice, summary_on

_GAP = "  "
_BEST = "*"
_FEWEST_COLUMNS = 24
"""Characters that the systems' names have at least."""
_FIELDS = ("mean", "low", "high", *STATUSES)


def lines(comparison: Comparison, width: int | None, *, slices: bool = False) -> Iterator[Line]:
    """The comparison in at most `width` characters a line; None: as wide as it is."""
    yield from ((wrapped(line, 2, width), True) for line in _title(comparison))
    yield "", False
    yield from _table(comparison, width or 120)
    yield "", False
    for funnel, title in FUNNELS.items():
        yield from _waterfall(comparison, funnel, title, width or 120)
    for entry in comparison.entries[1:]:
        yield wrapped(f"{entry.name} against {comparison.baseline.name}", 2, width), True
        yield from ((wrapped(_GAP + line, indent, width), False) for line, indent in _about(comparison, entry))
        yield "", False
    for metric in _sliced(comparison) if slices else ():
        yield from ((wrapped(line, 2, width), title) for line, title in _slices(comparison, metric, width or 120))
    yield from ((wrapped(line, 2, width), False) for line in footnotes(comparison))


def _title(comparison: Comparison) -> Iterator[str]:
    manifest = comparison.baseline.manifest
    asked = counted(manifest.goldens["asked"], "question")
    yield f"{manifest.set} / {split_name(manifest)}: {len(comparison.entries)} systems on {asked}"
    if comparison.forced:
        yield f"NOT COMPARABLE, forced: {'; '.join(comparison.forced)}"


# -- the table --------------------------------------------------------------------------------------------------------


def heads(metrics: Sequence[Metric]) -> list[str]:
    """The metrics' names at the head of columns."""
    return [metric.short or metric.label for metric in metrics]


def _table(comparison: Comparison, width: int) -> Iterator[Line]:
    """Systems as rows, the metrics' names above in as many lines as the narrow columns need."""
    titles = [head.replace("_", " ").split() for head in heads(comparison.metrics)]
    titles = [_paired(words) for words in titles]
    cells = [[marked(comparison, entry, metric) for metric in comparison.metrics] for entry in comparison.entries]
    widths = [max(map(len, [*words, *(row[at].rstrip() for row in cells), *(row[at] for row in cells)]))
              for at, words in enumerate(titles)]  # fmt: skip
    room = max(_FEWEST_COLUMNS, width - sum(widths) - len(_GAP) * len(widths))
    names = [_name_lines(entry, room) for entry in comparison.entries]
    room = max(len(line) for name in names for line in name)
    for row in range(height := max(map(len, titles))):
        words = [(*[""] * (height - len(one)), *one)[row] for one in titles]
        yield _row("", words, room, widths), False
    for name, row_cells in zip(names, cells, strict=True):
        yield _row(name[0], row_cells, room, widths), False
        yield from ((line, False) for line in name[1:])
    yield _row("questions", [_asked(comparison, metric) for metric in comparison.metrics], room, widths), False


def _paired(words: Sequence[str]) -> list[str]:
    """Words in lines, short neighbours together."""
    return textwrap.wrap(" ".join(words), max(7, *map(len, words)), break_long_words=False, break_on_hyphens=False)


def _row(name: str, cells: Sequence[str], room: int, widths: Sequence[int]) -> str:
    padded = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return _GAP.join([name.ljust(room), *padded]).rstrip()


def _name_lines(entry: Entry, room: int) -> list[str]:
    """The name in lines of at most `room` characters, broken where a variant's settings begin."""
    oracle = " (oracle)" if entry.manifest.oracle else ""
    parts = entry.name.replace("+", "\n+").split("\n")
    if len(entry.name + oracle) <= room:
        return [entry.name + oracle]
    cut = [piece for part in parts for piece in textwrap.wrap(part, room - 2)]
    return [cut[0], *(f"  {piece}" for piece in cut[1:-1]), f"  {cut[-1]}{oracle}"]


def marked(comparison: Comparison, entry: Entry, metric: Metric) -> str:
    """The mean, with a mark where the system is in the best tie group."""
    summary = summary_of(entry, metric)
    groups = comparison.tie_groups.get(metric.label) or [[]]
    mark = _BEST if entry.name in groups[0] and summary.mean is not None else " "
    return f"{number(summary.mean, metric.unit)}{mark}"


def summary_of(entry: Entry, metric: Metric) -> Summary:
    """The system's summary of a metric."""
    return next(one for one in entry.summaries if one.metric == metric.label)


def _asked(comparison: Comparison, metric: Metric) -> str:
    """On how many questions a column stands: of all systems, or from the fewest to the most."""
    counts = {summary_of(entry, metric).scored for entry in comparison.entries}
    low, high = min(counts), max(counts)
    return f"{low} " if low == high else f"{low}-{high} "


# -- where questions were lost ----------------------------------------------------------------------------------------

FUNNELS: dict[Funnel, str] = {
    "pages": "where the gold page was lost: questions straight to search, the first five pages",
    "answer": "where the answer was lost: through the answerer's own searches",
}


def _waterfall(comparison: Comparison, funnel: Funnel, title: str, width: int) -> Iterator[Line]:
    """How many questions each step lost, systems as rows; nothing of a sealed split."""
    counts = {entry.name: lost_at(comparison, entry, funnel) for entry in comparison.entries}
    told = {name: count for name, count in counts.items() if count}
    steps = [step for step in STEPS if any(step in count for count in told.values())]
    if not told:
        return
    widths = [max(4, len(step)) for step in steps]
    room = max(_FEWEST_COLUMNS, width - sum(widths) - len(_GAP) * len(widths))
    entries = [entry for entry in comparison.entries if entry.name in told]
    names = {entry.name: _name_lines(entry, room) for entry in entries}
    room = max(len(line) for lines in names.values() for line in lines)
    yield title, True
    yield _row("", steps, room, widths), False
    for name, first in names.items():
        yield _row(first[0], [str(told[name].get(step, 0)) for step in steps], room, widths), False
        yield from ((line, False) for line in first[1:])
    yield "", False


def lost_at(comparison: Comparison, entry: Entry, funnel: Funnel) -> dict[Step, int]:
    """How many questions each step lost; empty where that is not known, or the split is sealed."""
    return {} if comparison.sealed else counted_steps((one for one in entry.losses if getattr(one, funnel)), funnel)


# -- sentences --------------------------------------------------------------------------------------------------------


def _about(comparison: Comparison, entry: Entry) -> Iterator[tuple[str, int]]:
    """Lines on a system against the baseline, each with the column where its text begins."""
    yield from ((line, len(_GAP) * 2) for line in differing(entry))
    own = [pair for pair in comparison.pairs if pair.b == entry.name]
    changed = [pair for pair in own if pair.n == 0 or pair.wins or pair.losses or pair.difference is None]
    room = max((len(pair.metric) for pair in changed), default=0)
    by_label = {metric.label: metric for metric in comparison.metrics}
    for pair in changed:
        yield f"{pair.metric:<{room}}  {sentence(pair, by_label[pair.metric])}", len(_GAP) * 2 + room
    same = [f"{pair.metric} ({pair.n})" for pair in own if pair not in changed]
    if same:
        yield f"the same on every question: {', '.join(same)}", len(_GAP) * 2


def differing(entry: Entry) -> Iterator[str]:
    """In what a system differs from the baseline, and whether that moved anything."""
    if entry.manifest.oracle:
        yield "an oracle: it sees the goldens; a ceiling, and never tested"
    if entry.settings and not entry.manifest.oracle:
        yield f"differs in {'; '.join(entry.settings)}"
    if entry.unnamed:
        yield f"{'also differs' if entry.settings else 'differs'} in what no config names: {'; '.join(entry.unnamed)}"
    if entry.moved and not any(entry.moved):
        yield "inert: no ranking and no answer moved"
    elif entry.moved:
        parts = (("ranking", entry.moved.rankings), ("answer", entry.moved.answers))
        yield f"moved {' and '.join(counted(count, what) if count else f'no {what}' for what, count in parts)}"


def sentence(pair: Pair, metric: Metric) -> str:
    """A pair in one sentence: whether it can be told, difference, interval, p, wins and losses, what would tell."""
    if pair.difference is None or pair.p is None:
        return f"cannot tell: {counted(pair.n, 'question')} that both have a value for" + _few(pair)
    said = f"{_verdict(pair)}: {size(pair, metric)}, {pair.wins} won, {pair.losses} lost{_p(pair)}"
    return f"{said}{_would_tell(pair)}{_remarks(pair, metric)}"


def _few(pair: Pair) -> str:
    return f", fewer than {LEAST}" if 0 < pair.n < LEAST else ""


def _verdict(pair: Pair) -> str:
    if not pair.is_significant:
        return "cannot tell"
    return "better" if pair.wins > pair.losses else "worse" if pair.wins < pair.losses else "differs"


def size(pair: Pair, metric: Metric) -> str:
    """The difference with its interval: of shares in points of a hundred, of amounts in their unit."""
    scale, unit, decimals = (100, " points", 1) if metric.unit == "share" else (1, f" {metric.unit}", 2)
    low, high = ("?" if one is None else f"{scale * one:+.{decimals}f}" for one in (pair.low, pair.high))
    return f"{scale * (pair.difference or 0):+.{decimals}f}{unit} [{low}, {high}]"


def _p(pair: Pair) -> str:
    if pair.p_holm is None:
        return ""
    return f", p{'<.001' if pair.p_holm < 0.001 else f'={pair.p_holm:.3f}'.replace('=0.', '=.')}"


def _would_tell(pair: Pair) -> str:
    if pair.is_significant:
        return ""
    if pair.is_blind:
        return f"; {counted(pair.n, 'question')} are blind to any difference"
    return f"; about {_rounded(pair.needed)} questions would be needed" if pair.needed and pair.needed > pair.n else ""


def _rounded(count: int) -> str:
    """Two digits of a count: it is an estimate."""
    digits = 10 ** max(0, len(str(count)) - 2)
    return f"{round(count / digits) * digits:,}"


def _remarks(pair: Pair, metric: Metric) -> str:
    said = ""
    if pair.disagrees:
        said += "; interval and test disagree, it is at the edge"
    if pair.worst is not None and pair.best is not None:
        low, high = (f"{100 * one:+.1f}" for one in (pair.worst, pair.best))
        said += f"; {low} to {high} by how what is undecided is judged"
    return said


def footnotes(comparison: Comparison) -> Iterator[str]:
    """What a reader has to know beside the numbers."""
    yield f"{_BEST} cannot be told from the best of its column (Holm's p, as over all pairs of systems)"
    pairs = len(comparison.entries) - 1 - sum(entry.manifest.oracle for entry in comparison.entries[1:])
    adjusted = f"by Holm over {counted(pairs, 'pair')} of a metric" if pairs > 1 else "of each metric on its own"
    tests = sorted({pair.test for pair in comparison.pairs if pair.test})
    if tests:
        yield f"p {adjusted}; {', '.join(tests)}; intervals are 95%, each for itself"
    untested = [metric.label for metric in comparison.metrics if not metric.can_be_tested]
    if untested:
        yield f"not tested: {', '.join(untested)}: each system has it on questions of its own"
    for one in comparison.left_out:
        yield f"left out of {', '.join(one.metrics)}: {counted(one.questions, 'question')}, {one.why}"


# -- parts of the split -----------------------------------------------------------------------------------------------


def _sliced(comparison: Comparison) -> list[Metric]:
    """The metrics that slices are shown of: the two that say most, where they are among the columns, else the first two."""
    chosen = [metric for metric in comparison.metrics if metric.label in ("page_hit@5", "correctness")]
    return chosen or list(comparison.metrics[:2])


def _slices(comparison: Comparison, metric: Metric, width: int) -> Iterator[Line]:
    """A row a slice, a column a system, as many as fit."""
    heads = [_paired(re.split(r"[_+]", entry.name)) for entry in comparison.entries]
    widths = [max(6, *map(len, head)) for head in heads]
    rows = [row for part in comparison.slices if (row := _slice_row(comparison, part, metric))]
    room = max((len(name) for name, _ in rows), default=0)
    fit = max(1, sum(room + sum(w + len(_GAP) for w in widths[: n + 1]) <= width for n in range(len(widths))))
    yield f"{metric.label} on {counted(len(rows), 'slice')} of {FEWEST} questions or more", True
    height = max(map(len, heads[:fit]))
    for line in range(height):
        yield _row("", [(*[""] * (height - len(one)), *one)[line] for one in heads[:fit]], room, widths[:fit]), False
    for name, cells in rows:
        yield _row(name, cells[:fit], room, widths[:fit]), False
    if fit < len(heads):
        yield f"{counted(len(heads) - fit, 'system')} more than fit; --json has them", False
    yield f"{counted(len(rows), 'slice')} were looked at: by chance alone about one in twenty looks different", False
    yield "", False


def _slice_row(comparison: Comparison, part: Slice, metric: Metric) -> tuple[str, list[str]] | None:
    """The slice with its questions, and each system's mean; None under eight questions, and for all that there are."""
    found = [summary_on(part, entry.contestant, metric) for entry in comparison.entries]
    most = max(one.scored for one in found)
    whole = max(summary_of(entry, metric).scored for entry in comparison.entries)
    if most < FEWEST or most == whole:
        return None
    few = LEAST if comparison.sealed else 1
    cells = [number(one.mean if one.scored >= few else None, metric.unit) for one in found]
    return f"{part.by} {part.value} ({most})", cells


def slices_json(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Each slice and metric with the systems' summaries."""
    few = LEAST if comparison.sealed else 1
    for part in comparison.slices:
        for metric in comparison.metrics:
            found = {entry.name: summary_on(part, entry.contestant, metric) for entry in comparison.entries}
            shown = {name: one for name, one in found.items() if one.scored >= few}
            if shown and max(one.scored for one in shown.values()) >= FEWEST:
                systems = {name: {field: getattr(one, field) for field in _FIELDS} for name, one in shown.items()}
                yield {
                    "by": part.by,
                    "value": part.value,
                    "questions": len(part.goldens),
                    "metric": metric.label,
                    "systems": systems,
                }


# -- for programs -----------------------------------------------------------------------------------------------------


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The document of `harness compare --json`; a difference is b - a, and a is the baseline."""
    manifest = comparison.baseline.manifest
    return {
        "set": manifest.set,
        "split": manifest.split,
        "baseline": comparison.baseline.name,
        "forced": list(comparison.forced),
        "systems": {entry.name: _system(comparison, entry) for entry in comparison.entries},
        "pairs": [_pair(pair) for pair in comparison.pairs],
        "tie_groups": comparison.tie_groups,
        "slices": list(slices_json(comparison)),
    }


def _system(comparison: Comparison, entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.manifest.key,
        "path": str(entry.place),
        "overrides": entry.manifest.overrides,
        "opening": entry.manifest.opening,
        "oracle": entry.manifest.oracle,
        "settings": list(entry.settings),
        "unnamed": list(entry.unnamed),
        "inert": None if entry.moved is None else not any(entry.moved),
        "lost_at": lost_at(comparison, entry, "answer") or None,
        "pages_lost_at": lost_at(comparison, entry, "pages") or None,
        "metrics": {one.metric: {name: getattr(one, name) for name in _FIELDS} for one in entry.summaries},
    }


def _pair(pair: Pair) -> dict[str, Any]:
    flips = None if pair.flips is None else [one.model_dump() for one in pair.flips]
    return {**pair.model_dump(mode="json"), "flips": flips}
