"""findings/<set>.md from <set>.comparison.json: systems side by side, a verdict made from the numbers, plots.

The page and its plots are functions of the data file, so that `harness check` can render them again and compare. The data
hold ids of systems, numbers and the content hash of each result's rows: no question, no clock, no machine, no path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import Field

from harness.errors import UserError
from harness.files.wording import counted
from harness.files.writing import write_bytes, write_text
from harness.records import Json, Record
from harness.reports import plots
from harness.reports.comparison import FUNNELS, lost_at, sentence
from harness.reports.escaping import cell, code, table
from harness.reports.table import headline, number, split_name
from harness.runs.comparing import Comparison, Entry, chosen_metrics
from harness.runs.results import content_hash
from harness.scoring.attribution import MEANING, STEPS, Funnel
from harness.scoring.compare import Pair
from harness.scoring.metric import Metric
from harness.scoring.scores import Summary

R = TypeVar("R", bound=Record)

SUFFIX = ".comparison.json"
_CURVE = ("page_hit@1", "page_hit@3", "page_hit@5", "page_hit@10")
_VERDICTS = {"page_hit@5": "a gold page among the first five", "correctness": "a right answer"}


class Asked(Record):
    """What was asked of what, as a title needs it."""

    set: str
    split: str
    config: dict[str, Json]
    goldens: dict[str, Json]
    stamp: dict[str, Json]
    oracle: bool = False
    opening: int | None = None
    codes: int = 1


class Told(Record):
    """A system of the page."""

    name: str
    rows: str
    """The content hash of its result's rows."""
    oracle: bool = False
    settings: tuple[str, ...] = ()
    summaries: tuple[Summary, ...] = ()
    lost: dict[str, dict[str, int]] = Field(default_factory=dict)
    """Questions lost by step, of each funnel."""


class Finding(Record):
    """All that the page says."""

    asked: Asked
    metrics: tuple[str, ...]
    systems: tuple[Told, ...]
    """The baseline first."""
    pairs: tuple[Pair, ...]
    tie_groups: dict[str, list[list[str]]]


def of(comparison: Comparison) -> Finding:
    """What a page keeps of a comparison. Raises UserError where no page is made of it."""
    if comparison.forced or comparison.sealed or any(one.manifest.overrides for one in comparison.entries):
        raise UserError("findings are of whole dev results of configs as they are written, and of comparable ones.")
    manifest = comparison.baseline.manifest
    wanted = {*_CURVE, *(metric.label for metric in comparison.metrics)}
    asked = manifest.model_dump(mode="json", include=set(Asked.model_fields))
    asked["config"] = {"scope": manifest.config["scope"]}
    asked["stamp"] = {name: value for name, value in manifest.stamp.items() if name != "metrics"}
    return Finding(
        asked=Asked.model_validate(asked),
        metrics=tuple(metric.label for metric in comparison.metrics),
        systems=tuple(_told(comparison, entry, wanted) for entry in comparison.entries),
        pairs=tuple(_rounded(pair) for pair in comparison.pairs),
        tie_groups=comparison.tie_groups,
    )


def _told(comparison: Comparison, entry: Entry, wanted: set[str]) -> Told:
    lost = {funnel: {str(step): n for step, n in lost_at(comparison, entry, funnel).items()} for funnel in FUNNELS}
    return Told(
        name=entry.name,
        rows=content_hash(entry.manifest.files),
        oracle=entry.manifest.oracle,
        settings=entry.settings,
        summaries=tuple(_rounded(one) for one in entry.summaries if one.metric in wanted),
        lost={funnel: steps for funnel, steps in lost.items() if steps},
    )


def _rounded(record: R) -> R:
    """Without digits that another machine may give otherwise, and without single questions."""
    numbers = {
        name: round(value, 6) for name in type(record).model_fields if isinstance(value := getattr(record, name), float)
    }
    return record.model_copy(update={**numbers, **({"flips": None} if isinstance(record, Pair) else {})})


# -- files ------------------------------------------------------------------------------------------------------------


def publish(folder: Path, comparison: Comparison) -> Path:
    """Write a set's page, and the index of all of them. Returns the page."""
    page = write(folder, comparison)
    write_text(folder / "README.md", index(folder))
    return page


def write(folder: Path, comparison: Comparison) -> Path:
    """Write the data, the page and its plots. Returns the page."""
    finding = of(comparison)
    data = folder / f"{finding.asked.set}{SUFFIX}"
    write_text(data, json.dumps(finding.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    for name, content in files(read(data)).items():
        write_bytes(folder / name, content)
    return folder / f"{finding.asked.set}.md"


def read(data: Path) -> Finding:
    """A data file. Raises ValueError where it is none."""
    return Finding.model_validate_json(data.read_bytes())


def files(finding: Finding) -> dict[str, bytes]:
    """The page and its plots by file name."""
    name = finding.asked.set
    return {
        f"{name}.md": render(finding).encode(),
        f"{name}-hits.svg": _hits(finding),
        f"{name}-pairs.svg": _forest(finding),
    }


def index(folder: Path) -> str:
    """findings/README.md: every page about a set, with its verdict's first sentence."""
    pages = [(data, read(data)) for data in sorted(folder.glob(f"*{SUFFIX}"))]
    rows = [
        [f"[{one.asked.set}]({one.asked.set}.md)", cell(headline(one.asked)), next(verdict(one), "")]
        for _, one in pages
    ]
    return "\n".join(["# Findings", "", *table(["set", "what was asked", "what was found"], rows)]) + "\n"


# -- the page ---------------------------------------------------------------------------------------------------------


def render(finding: Finding) -> str:
    """The page, in Markdown."""
    name = finding.asked.set
    parts = [
        f"# {cell(name)}",
        "",
        f"{headline(finding.asked)}; {split_name(finding.asked)}.",
        "",
        *verdict(finding),
        "",
        *_table(finding),
        "",
        "Bold: cannot be told from the best of the column. Oracles are ceilings.",
        "",
        f"![gold page among the first k pages]({name}-hits.svg)",
        "",
        *(line for funnel, title in FUNNELS.items() for line in _waterfall(finding, funnel, title)),
        *_pairs(finding),
        f"![differences from {cell(finding.systems[0].name)}]({name}-pairs.svg)",
        "",
        *_would_change(finding),
        "## Rows",
        "",
        *table(["system", "content hash"], [[code(one.name), code(one.rows[:16])] for one in finding.systems]),
    ]
    return "\n".join(parts).rstrip() + "\n"


def verdict(finding: Finding) -> Iterator[str]:
    """A sentence for each metric that says most: who leads, by how much it is known, and who cannot be told from it."""
    for label, what in _VERDICTS.items():
        groups = finding.tie_groups.get(label)
        if groups:
            yield _leads(finding, label, what, groups)


def _leads(finding: Finding, label: str, what: str, groups: Sequence[Sequence[str]]) -> str:
    found = {one.name: summary_of(one, label) for one in finding.systems if one.name in groups[0]}
    best = max(found, key=lambda name: found[name].mean or 0.0)
    one, others = found[best], [name for name in groups[0] if name != best]
    low, high = number(one.low), number(one.high)
    said = f"For {what}, {code(best)} has {number(one.mean)} (95% {low} to {high}, n = {one.scored})"
    rest = sum(map(len, groups[1:]))
    if others:
        behind = f"; {counted(rest, 'system')} are told apart and behind" if rest else ""
        return f"{said}; {', '.join(map(code, others))} cannot be told from it{behind}."
    return f"{said}, and each other system is told apart and behind." if rest else f"{said}; no other system was run."


def summary_of(system: Told, label: str) -> Summary:
    """The system's summary of a metric."""
    return next(one for one in system.summaries if one.metric == label)


def _table(finding: Finding) -> list[str]:
    metrics = chosen_metrics(finding.metrics)
    rows = [
        [code(one.name) + (" (oracle)" if one.oracle else ""), *(_mean(finding, one, m) for m in metrics)]
        for one in finding.systems
    ]
    counts = [sorted({summary_of(one, metric.label).scored for one in finding.systems}) for metric in metrics]
    asked = ["questions", *(str(one[0]) if len(one) == 1 else f"{one[0]} to {one[-1]}" for one in counts)]
    return table(["system", *(metric.short or f"`{metric.label}`" for metric in metrics)], [*rows, asked])


def _mean(finding: Finding, system: Told, metric: Metric) -> str:
    text = number(summary_of(system, metric.label).mean, metric.unit)
    groups = finding.tie_groups.get(metric.label) or [[]]
    return f"**{text}**" if system.name in groups[0] else text


def _waterfall(finding: Finding, funnel: Funnel, title: str) -> list[str]:
    told = {one.name: one.lost[funnel] for one in finding.systems if funnel in one.lost}
    steps = [step for step in STEPS if any(step in lost for lost in told.values())]
    if not told:
        return []
    rows = [[code(name), *(str(lost.get(step, 0)) for step in steps)] for name, lost in told.items()]
    means = "; ".join(f"*{step}*: {MEANING[step]}" for step in steps)
    return [f"## {title[:1].upper()}{title[1:]}", "", *table(["system", *steps], rows), "", f"{means}.", ""]


def _pairs(finding: Finding) -> list[str]:
    base, by_label = finding.systems[0].name, {metric.label: metric for metric in chosen_metrics(finding.metrics)}
    lines = [f"## Against {code(base)}", ""]
    for system in finding.systems[1:]:
        own = [pair for pair in finding.pairs if pair.b == system.name]
        differs = f" ({'; '.join(map(code, system.settings))})" if system.settings and not system.oracle else ""
        lines += [f"**{cell(system.name)}**{differs}", ""] if own else []
        lines += [f"- `{pair.metric}`: {_said(pair, by_label[pair.metric])}" for pair in own]
        lines += [""] if own else []
    return lines


def _said(pair: Pair, metric: Metric) -> str:
    same = pair.n and not pair.wins and not pair.losses
    return f"the same on all {counted(pair.n, 'question')}" if same else sentence(pair, metric)


def _would_change(finding: Finding) -> list[str]:
    """What would change the conclusion: how many questions would tell what cannot be told now."""
    open_pairs = [pair for pair in finding.pairs if pair.needed and pair.needed > pair.n and not pair.is_significant]
    if not open_pairs:
        return []
    rows = [[code(pair.b), f"`{pair.metric}`", str(pair.n), f"{pair.needed:,}"] for pair in open_pairs]
    said = (
        "Differences that cannot be told; more questions of this kind would, were the observed difference the true one:"
    )
    head = ["system", "metric", "questions", "would tell"]
    return ["## What would change the conclusion", "", said, "", *table(head, rows), ""]


# -- plots ------------------------------------------------------------------------------------------------------------


def _hits(finding: Finding) -> bytes:
    lines = {one.name: _curve(one) for one in finding.systems}
    return plots.curves(lines, "first k pages", "share with a gold page")


def _curve(system: Told) -> Mapping[int, float]:
    found = {label: summary_of(system, label).mean for label in _CURVE}
    return {int(label.partition("@")[2]): mean for label, mean in found.items() if mean is not None}


def _forest(finding: Finding) -> bytes:
    shares = {metric.label for metric in chosen_metrics(finding.metrics) if metric.unit == "share"}
    rows = [
        plots.Row(f"{pair.b}: {pair.metric}", 100 * pair.difference, 100 * pair.low, 100 * pair.high)
        for pair in finding.pairs
        if pair.metric in shares and pair.difference is not None and pair.low is not None and pair.high is not None
    ]
    return plots.forest(rows, f"difference from {finding.systems[0].name}, points, 95%")
