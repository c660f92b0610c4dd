"""Every score of a kept result computed again from its rows, with nothing read from a cache."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.bench import Bench, Shelf
from harness.cache.blobs import Blobs
from harness.cache.outcomes import Outcomes
from harness.documents.corpus import Corpus
from harness.runs.ingest import known
from harness.runs.results import Manifest, Rows
from harness.runs.stages import Scoring
from harness.runs.stamps import scoring_stamp
from harness.scoring.scores import Score
from harness.scoring.summaries import all_metrics


@dataclass(frozen=True)
class Verified:
    """What came of it."""

    agree: int
    other: tuple[Score, ...]
    """Kept scores that come out otherwise now."""
    unverified: tuple[Score, ...]
    """Kept scores that cannot be computed here: what they read, or the metric itself, is not here."""


def verify(manifest: Manifest, rows: Rows, corpus: Corpus) -> Verified:
    """Compute the scores of a result again, by the metrics that are here. No system is built."""
    with tempfile.TemporaryDirectory() as scratch:
        again = {(score.golden, score.metric): score for score in _scores(manifest, rows, corpus, Path(scratch))}
    pairs = [(kept, again.get((kept.golden, kept.metric))) for kept in rows.scores]
    lost = [kept for kept, now in pairs if now is None or (now.status == "failed" != kept.status)]
    other = [kept for kept, now in pairs if now is not None and kept not in lost and not _same(kept, now)]
    return Verified(len(pairs) - len(lost) - len(other), tuple(other), tuple(lost))


def _scores(manifest: Manifest, rows: Rows, corpus: Corpus, scratch: Path) -> Iterator[Score]:
    shelf = Shelf(corpus, {doc: known(file) for doc, file in corpus.documents.items()})
    bench = Bench(corpus=shelf, blobs=Blobs(scratch / "blobs"))
    outcomes, scope = Outcomes(scratch / "outcomes.sqlite"), str(manifest.stamp["scope"])
    scoring = Scoring(all_metrics(), outcomes, bench, scope, scoring_stamp(corpus))
    for retrieved, generated in zip(rows.retrieved, rows.generated, strict=True):
        yield from scoring.score(retrieved, generated)


def _same(kept: Score, now: Score) -> bool:
    if kept.value is None or now.value is None:
        return kept.status == now.status
    return kept.status == now.status and math.isclose(kept.value, now.value, abs_tol=1e-9)


def by_metric(scores: Sequence[Score]) -> dict[str, int]:
    """How many scores each metric has."""
    names = [score.metric for score in scores]
    return {name: names.count(name) for name in dict.fromkeys(names)}
