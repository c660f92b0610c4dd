"""Scoring saved answers again: a new metric or judge, no system called."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from harness.bench import Silent
from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.goldens import loading
from harness.goldens.loading import GoldenSet
from harness.runs import config, provenance, results
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.results import Manifest
from harness.runs.run import Result, finished
from harness.runs.saved import scored_again
from harness.runs.session import Session
from harness.runs.stamps import scored_by
from harness.scoring.summaries import summarise


def rescore(place: Path, options: Options) -> Result:
    """A kept run with the metrics of today, under the same key: the answers are the same. `place` is its folder.

    A system is built only where a metric asks for passages that no cache holds any more.
    """
    old = results.read_manifest(place)
    corpus, loaded = reopen(old, options)
    origin = provenance.origin(loaded.path.parent, (), (options.results, options.findings))
    session = Session(Job(config.restore(old.config), corpus, (loaded,), origin=origin), options, Silent())
    rows = scored_again(session, loaded, old, results.read_rows(place, loaded.goldens))
    summaries = summarise(session.metrics, rows.retrieved, rows.scores)
    return finished(_restamped(old, session), rows, summaries, options, newest=results.is_latest(place))


def _restamped(old: Manifest, session: Session) -> Manifest:
    """The manifest of what is scored now: when, and at which commit, is that of the metrics."""
    stamp = {**old.stamp, **scored_by(session.metrics, session.system.judges)}
    now = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "stamp": stamp}
    stood = {"commit": session.origin.commit, "commits": session.origin.commits, "dirty": session.origin.not_clean}
    return old.model_copy(update={**now, **stood} if old.split == "heldout" else {"stamp": stamp})


def reopen(manifest: Manifest, options: Options) -> tuple[Corpus, GoldenSet]:
    """Corpus and goldens of a kept run. Raises UserError where the goldens are not those that were run."""
    folder = options.goldens or Path(manifest.config["goldens"])
    corpus = Corpus.open(folder, options.cache)
    loaded = loading.load(folder, manifest.split, corpus)
    if loaded.sha256 != manifest.goldens["sha256"]:
        raise UserError(f"{loaded.path} is not what {manifest.set}/{manifest.system} ran on. Run the system again.")
    return corpus, loaded
