"""A result as an export takes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from harness.models.calls import Calls, Kept
from harness.records import Case, Step
from harness.runs.results import Manifest, Rows
from harness.scoring.scores import Score, Summary


class Saved(NamedTuple):
    """A run that was read back: its rows with their goldens, the lines of its table, and the calls of its models."""

    name: str
    manifest: Manifest
    rows: Rows
    summaries: tuple[Summary, ...]
    calls: Calls

    def scores(self) -> dict[str, list[Score]]:
        """The scores of each golden."""
        found: dict[str, list[Score]] = {}
        for score in self.rows.scores:
            found.setdefault(score.golden, []).append(score)
        return found

    def steps(self, case: Case) -> tuple[Step, ...]:
        """What led to a case."""
        return next((trace.steps for trace in self.rows.traces if trace.golden == case.golden.id), ())

    def replies(self, steps: Iterable[Step]) -> dict[str, Kept]:
        """The kept calls of these steps, by their keys; one that was deleted is not among them."""
        keys = {step.key for step in steps if step.key}
        return {key: kept for key in keys if (kept := self.calls.get(key)) is not None}


def file_name(saved: Saved, ending: str) -> Path:
    """A name for the result's file: when, what, and by which key."""
    when = saved.manifest.when.replace(":", "-")
    return Path(f"{when}_{saved.name.replace('/', '-')}_{saved.manifest.key}.{ending}")
