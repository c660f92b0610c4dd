"""Scoring saved answers again: a new metric or judge, no system called."""

from __future__ import annotations

from pathlib import Path

from harness import goldens, keys, store
from harness.bench import Bench
from harness.blobs import Blobs
from harness.corpus import Corpus
from harness.errors import UserError
from harness.goldens import GoldenSet
from harness.records import Golden
from harness.request import Request
from harness.run import Result, metric_versions, scoring_stamp
from harness.stages import Scoring
from harness.store import Manifest, Rows
from harness.summaries import all_metrics, summarise
from harness.units import Units


def rescore(name: str, request: Request) -> Result:
    """The latest run of "<set>/<system>/<split>" with the metrics of today, kept beside it as a result of its own."""
    place = store.latest(request.results, name)
    old = store.read_manifest(place)
    corpus, _, asked = reopen(old, request)
    saved = store.read_rows(place, asked)
    cache = request.results / "cache"
    metrics = all_metrics()
    bench = Bench(corpus=corpus, blobs=Blobs(cache / "blobs"))
    scoring = Scoring(metrics, Units(cache / "units.sqlite"), bench, old.config["scope"], scoring_stamp(corpus))
    pairs = zip(saved.retrieved, saved.generated, strict=True)
    rows = Rows(saved.retrieved, saved.generated, tuple(score for pair in pairs for score in scoring.score(*pair)))
    manifest = _restamped(old, metric_versions(metrics))
    summaries = tuple(summarise(metrics, rows.retrieved, rows.scores))
    return Result(manifest, rows, summaries, store.write(request.results, manifest, rows))


def _restamped(old: Manifest, versions: str) -> Manifest:
    """The manifest under a key of its own where the metrics changed since."""
    if old.stamp.get("metrics") == versions:
        return old
    key = keys.digest([old.key, versions])[:8]
    return old.model_copy(update={"stamp": {**old.stamp, "metrics": versions}, "key": key})


def reopen(manifest: Manifest, request: Request) -> tuple[Corpus, GoldenSet, list[Golden]]:
    """Corpus and goldens of a kept run. Raises UserError where the goldens are not those that were run."""
    folder = request.goldens or Path(manifest.config["goldens"])
    corpus = Corpus.open(folder, request.results / "cache")
    loaded = goldens.load(folder, manifest.split, corpus)
    if loaded.sha256 != manifest.goldens["sha256"]:
        raise UserError(f"{loaded.path} is not what {manifest.set}/{manifest.system} ran on. Run the system again.")
    return corpus, loaded, list(loaded.goldens)
