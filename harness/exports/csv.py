"""A spreadsheet's table: one row a golden and metric."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.files.writing import write_text
from harness.runs.kept import Kept, refuse_sealed
from harness.runs.options import Options
from harness.scoring.scores import Score

COLUMNS = ("set", "system", "split", "key", "golden", "expect", "metric", "value", "status", "reason")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would compute."""


def export(kept: Sequence[Kept], out: Path, options: Options, extras: Sequence[str]) -> list[Path]:
    """One file a result. A text that a spreadsheet would take for a formula has an apostrophe before it."""
    refuse_sealed(kept, options)
    return [_write(one, out / f"{one.file_name}.csv") for one in kept]


def _write(one: Kept, path: Path) -> Path:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_rows(one))
    write_text(path, text.getvalue())
    return path


def _rows(one: Kept) -> Iterator[tuple[str, ...]]:
    expected = {golden.id: golden.expect for golden in one.goldens.goldens}
    manifest = one.manifest
    for score in one.rows.scores:
        whose = (manifest.set, manifest.system, manifest.split, manifest.key)
        yield tuple(map(_text, (*whose, score.golden, expected[score.golden], score.metric))) + _said(score)


def _said(score: Score) -> tuple[str, ...]:
    """The value as it is, a number that no spreadsheet mistakes; status and reason."""
    return ("" if score.value is None else repr(score.value), score.status, _text(score.reason))


def _text(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
