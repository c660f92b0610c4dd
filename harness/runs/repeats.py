"""A split asked once, or several times: a live system does not answer alike each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.bench import Watcher
from harness.goldens.loading import GoldenSet
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.results import Manifest, Rows
from harness.runs.run import measured
from harness.runs.session import Session
from harness.runs.timing import NothingKept
from harness.scoring import gate
from harness.scoring.scores import Score, Summary


@dataclass(frozen=True)
class Asked:
    """What a split gave; manifest, rows and summaries are those of the first time."""

    manifest: Manifest
    rows: Rows
    summaries: Sequence[Summary]
    scores: tuple[tuple[Score, ...], ...]
    """All scores of each time."""
    usd: float | None = 0.0
    """What the answers of all times cost if nothing is kept; None where a price is not known."""

    def values(self, metric: str) -> tuple[dict[str, float | None], frozenset[str]]:
        """By golden the value that most of the times gave, and the goldens whose values differ."""
        return gate.majority([gate.values_of(scores, metric) for scores in self.scores])


def ask(job: Job, loaded: GoldenSet, options: Options, times: int, progress: Watcher) -> Asked:
    """A split asked so many times: the first time what is kept is read back, each further time all is asked anew."""
    made = []
    for number in range(times):
        session = Session(job, options, progress)
        session.follows = False  # the system is asked so many times and no more
        if number:
            session.answered = NothingKept()
        made.append(measured(session, loaded))
    costs = [manifest.cost_cold for manifest, _, _ in made]
    manifest, rows, summaries = made[0]
    usd = None if None in costs else sum(cost for cost in costs if cost is not None)
    return Asked(manifest, rows, summaries, tuple(rows.scores for _, rows, _ in made), usd)
