"""`harness gate --accept`: held-out is opened, and its scores are written as what the next checks are held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.bench import Watcher
from harness.cache import keys
from harness.errors import UserError, nearest
from harness.goldens import accepted as baselines
from harness.goldens.accepted import Accepted
from harness.goldens.loading import GoldenSet
from harness.records import Golden
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.repeats import Asked, ask
from harness.runs.run import finished
from harness.runs.stamps import SAME, judge_codes, metric_codes
from harness.scoring import gate
from harness.scoring.summaries import all_metrics


@dataclass(frozen=True)
class Terms:
    """On which terms a system is accepted; what is None stays as it was accepted before, else at its default."""

    metrics: tuple[str, ...] | None = None
    margin: float | None = None
    thresholds: Mapping[str, float] | None = None
    must_pass: tuple[str, ...] | None = None
    """Ids of goldens."""


@dataclass(frozen=True)
class _Agreed:
    """Terms with nothing left open."""

    metrics: tuple[str, ...]
    margin: float
    thresholds: Mapping[str, float]
    must_pass: tuple[str, ...]


@dataclass(frozen=True)
class Acceptance:
    """A baseline as it was written, and the number of the opening that it took."""

    accepted: Accepted
    path: Path
    opening: int | None


def path_of(job: Job) -> Path:
    """The file of a job's baseline."""
    return baselines.folder(job.system.goldens, job.corpus.name) / f"{job.system.name}.json"


def heldout_of(job: Job) -> GoldenSet:
    """A job's held-out goldens."""
    return next(loaded for loaded in job.sets if loaded.split == "heldout")


def refuse(jobs: Sequence[Job]) -> None:
    """Raises UserError for systems that cannot be gated."""
    for job in jobs:
        if job.system.oracle:
            raise UserError(f"{job.system.name} sees the goldens (oracle): it is a ceiling, and is not gated.")


def refuse_unaccepted(jobs: Sequence[Job]) -> None:
    """Raises UserError for systems that cannot be gated, and those of which nothing was accepted yet."""
    refuse(jobs)
    for job in jobs:
        if baselines.read(path_of(job)) is None:
            raise UserError(
                f"{path_of(job)}: nothing is accepted yet; `harness gate --accept` on a clean tree writes it."
            )


def accept(job: Job, options: Options, terms: Terms, times: int, progress: Watcher) -> Acceptance:
    """Open held-out and write the baseline. Raises UserError for terms that cannot be kept; then no baseline is written."""
    if job.origin.not_clean is not None:
        raise UserError(f"a baseline is accepted on a clean working tree: {job.origin.not_clean}. Commit first.")
    loaded, path = heldout_of(job), path_of(job)
    agreed = _agreed(terms, baselines.read(path), loaded.goldens)
    asked = ask(job, loaded, options, times, progress)
    result = finished(asked.manifest, asked.rows, asked.summaries, options)
    made = _accepted(job, loaded, agreed, asked)
    _refuse_failing(made)
    baselines.write(path, made)
    return Acceptance(made, path, result.manifest.opening)


def _agreed(terms: Terms, old: Accepted | None, goldens: Sequence[Golden]) -> _Agreed:
    """The terms in full: those given, else those of before, else the defaults."""
    metrics = terms.metrics or (tuple(old.metrics) if old else gate.GATED)
    margin = terms.margin if terms.margin is not None else old.margin if old else gate.MARGIN
    thresholds = terms.thresholds if terms.thresholds is not None else old.thresholds if old else {}
    must_pass = terms.must_pass if terms.must_pass is not None else _before(old, goldens)
    _refuse_metrics(metrics, thresholds)
    known = [golden.id for golden in goldens]
    for id in must_pass:
        if id not in known:
            raise UserError(f"--must-pass: there is no held-out golden {id!r}.")
    return _Agreed(metrics, margin, thresholds, must_pass)


def _before(old: Accepted | None, goldens: Sequence[Golden]) -> tuple[str, ...]:
    """The ids of the questions that had to pass before."""
    known = {hash: id for id, hash in baselines.hashes(goldens, old.salt).items()} if old else {}
    hashes = old.must_pass if old else ()
    if lost := [hash for hash in hashes if hash not in known]:
        raise UserError(
            f"{len(lost)} of {len(hashes)} must-pass questions were changed or left the set: name them again."
        )
    return tuple(known[hash] for hash in hashes)


def _refuse_metrics(names: Sequence[str], thresholds: Mapping[str, float]) -> None:
    known = [metric.label for metric in all_metrics() if metric.binary and metric.higher_is_better]
    for name in names:
        if name not in known:
            raise UserError(
                f"--metric {name}: metrics that say yes or no can be gated.{nearest(name, known)} They are: {', '.join(known)}."
            )
    for name in thresholds:
        if name not in names:
            raise UserError(f"--threshold {name}: it is not gated; gated are {', '.join(names)}.")


def _accepted(job: Job, loaded: GoldenSet, terms: _Agreed, asked: Asked) -> Accepted:
    manifest = asked.manifest
    salt = keys.digest([loaded.sha256, manifest.system, manifest.key])[:16]
    hashes = baselines.hashes(loaded.goldens, salt)
    values = {metric: asked.values(metric)[0] for metric in terms.metrics}
    scores = {metric: {hashes[id]: value for id, value in rows.items()} for metric, rows in values.items() if rows}
    return Accepted(
        set=loaded.name,
        system=manifest.system,
        key=manifest.key,
        commit=manifest.commit,
        goldens=loaded.sha256,
        corpus=job.corpus.sha256,
        stamp={name: manifest.stamp[name] for name in SAME},
        judges=judge_codes(job.system.judges),
        metrics=metric_codes([metric for metric in all_metrics() if metric.label in scores]),
        margin=terms.margin,
        thresholds={metric: least for metric, least in terms.thresholds.items() if metric in scores},
        must_pass=tuple(hashes[id] for id in terms.must_pass),
        salt=salt,
        scores=scores,
    )


def _refuse_failing(made: Accepted) -> None:
    """A baseline that misses its own terms would fail every check."""
    if failing := gate.failing(made.must_pass, made.scores):
        raise UserError(
            f"--must-pass: {failing} of {len(made.must_pass)} questions fail as it is; nothing is accepted."
        )
    for metric, least in made.thresholds.items():
        now = gate.share(made.scores[metric])
        if now < least:
            raise UserError(f"--threshold {metric}={least:g}: it is {now:.3f} as it is; nothing is accepted.")
