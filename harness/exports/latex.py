"""A table for a paper: systems as rows, headline metrics as columns, each mean with its interval (needs booktabs)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.files.wording import counted
from harness.files.writing import write_text
from harness.runs.kept import Kept
from harness.runs.options import Options
from harness.scoring.scores import Summary

_SPECIAL = re.compile(r"[\\{}$&#^_~%]")
_WRITTEN = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}


def export(kept: Sequence[Kept], out: Path, options: Options, extras: Sequence[str]) -> list[Path]:
    """One file a set and split. Of a held-out split, cells on fewer than five questions are left empty."""
    groups: dict[str, list[Kept]] = {}
    for one in kept:
        groups.setdefault(f"{one.manifest.set}-{one.manifest.split}", []).append(one)
    return [_write(group, out / f"{name}.tex", options) for name, group in groups.items()]


def _write(group: Sequence[Kept], path: Path, options: Options) -> Path:
    rows = [(one, {line.metric: line for line in one.summaries(options) if line.headline}) for one in group]
    metrics = list(dict.fromkeys(metric for _, lines in rows for metric, line in lines.items() if line.scored))
    write_text(path, "\n".join(_table(rows, metrics)) + "\n")
    return path


def _table(rows: Sequence[tuple[Kept, dict[str, Summary]]], metrics: Sequence[str]) -> Iterator[str]:
    first = rows[0][0].manifest
    yield r"\begin{table}"
    yield r"\centering"
    yield rf"\caption{{{escaped(_caption(rows))}}}"
    yield rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', f'{first.set}-{first.split}')}}}"
    yield rf"\begin{{tabular}}{{l{'r' * len(metrics)}}}"
    yield r"\toprule"
    yield " & ".join(["system", *map(escaped, metrics)]) + r" \\"
    yield r"\midrule"
    for one, lines in rows:
        yield " & ".join([escaped(_system(one)), *(_cell(lines.get(metric)) for metric in metrics)]) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _caption(rows: Sequence[tuple[Kept, dict[str, Summary]]]) -> str:
    manifest = rows[0][0].manifest
    asked = counted(int(str(manifest.stamp["asked"])), "question")
    return f"{manifest.set}, {manifest.split}: {asked}; means with 95% intervals by question, and on how many"


def _system(one: Kept) -> str:
    opened = f" (opening no. {one.manifest.opening})" if one.manifest.opening is not None else ""
    return f"{one.manifest.system}{' (oracle)' if one.manifest.oracle else ''}{opened}"


def _cell(line: Summary | None) -> str:
    """Mean, interval and n; a dash where it has none or may not be shown."""
    if line is None or line.mean is None:
        return "--"
    bounds = f" [{line.low:.2f}, {line.high:.2f}]" if line.low is not None and line.high is not None else ""
    return f"{line.mean:.3f}{bounds} ({line.scored})"


def escaped(text: str) -> str:
    """`text` as LaTeX prints it."""
    line = " ".join(text.split())
    return _SPECIAL.sub(lambda found: _WRITTEN.get(found[0], f"\\{found[0]}"), line)
