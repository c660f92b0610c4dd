"""Scoring saved answers again: a new metric or judge, no system called."""

from __future__ import annotations

from pathlib import Path

from harness.bench import Bench
from harness.cache import keys
from harness.cache.blobs import Blobs
from harness.cache.outcomes import Outcomes
from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.goldens import loading
from harness.goldens.loading import GoldenSet
from harness.records import Golden
from harness.runs import results
from harness.runs.options import Options
from harness.runs.results import Manifest, Rows
from harness.runs.run import Result, metric_versions, scoring_stamp
from harness.runs.stages import Scoring
from harness.scoring.summaries import all_metrics, summarise


def rescore(name: str, options: Options) -> Result:
    """The latest run of "<set>/<system>/<split>" with the metrics of today, kept beside it as a result of its own."""
    place = results.latest(options.results, name)
    old = results.read_manifest(place)
    corpus, _, asked = reopen(old, options)
    saved = results.read_rows(place, asked)
    cache = options.results / "cache"
    metrics = all_metrics()
    bench = Bench(corpus=corpus, blobs=Blobs(cache / "blobs"))
    scoring = Scoring(metrics, Outcomes(cache / "outcomes.sqlite"), bench, old.config["scope"], scoring_stamp(corpus))
    pairs = zip(saved.retrieved, saved.generated, strict=True)
    rows = Rows(saved.retrieved, saved.generated, tuple(score for pair in pairs for score in scoring.score(*pair)))
    manifest = _restamped(old, metric_versions(metrics))
    summaries = tuple(summarise(metrics, rows.retrieved, rows.scores))
    return Result(manifest, rows, summaries, results.write(options.results, manifest, rows))


def _restamped(old: Manifest, versions: str) -> Manifest:
    """The manifest under a key of its own where the metrics changed since."""
    if old.stamp.get("metrics") == versions:
        return old
    key = keys.digest([old.key, versions])[:8]
    return old.model_copy(update={"stamp": {**old.stamp, "metrics": versions}, "key": key})


def reopen(manifest: Manifest, options: Options) -> tuple[Corpus, GoldenSet, list[Golden]]:
    """Corpus and goldens of a kept run. Raises UserError where the goldens are not those that were run."""
    folder = options.goldens or Path(manifest.config["goldens"])
    corpus = Corpus.open(folder, options.results / "cache")
    loaded = loading.load(folder, manifest.split, corpus)
    if loaded.sha256 != manifest.goldens["sha256"]:
        raise UserError(f"{loaded.path} is not what {manifest.set}/{manifest.system} ran on. Run the system again.")
    return corpus, loaded, list(loaded.goldens)
