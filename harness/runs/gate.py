"""A gate check: held-out scores of the tree as it is beside those that were accepted.

It shows verdicts and means and no question, is noted in the record of openings, and is counted apart from them. What was not
made alike is not compared: goldens, documents, scope, metrics, judges, and every accepted question has to have its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from harness.bench import Watcher
from harness.cache import keys
from harness.errors import NotComparableError
from harness.files.wording import counted
from harness.goldens import accepted as baselines
from harness.goldens.accepted import Accepted
from harness.goldens.loading import GoldenSet
from harness.goldens.openings import Opening
from harness.runs import heldout, saved
from harness.runs.acceptance import heldout_of, path_of
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.repeats import Asked, ask
from harness.runs.stamps import SAME, judge_codes, metric_codes
from harness.scoring import gate
from harness.scoring.gate import Finding, Values
from harness.scoring.summaries import all_metrics

EXITS = {"pass": 0, "regression": 1, "inconclusive": 3, "not_comparable": 3}


@dataclass(frozen=True)
class Check:
    """How a check ended."""

    accepted: Accepted
    verdict: str
    reasons: tuple[str, ...]
    """Why it is not comparable; what else there is to say follows from the findings."""
    key: str | None = None
    asked: int = 0
    findings: Mapping[str, Finding] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """What each metric that has a threshold is now."""
    must_pass_failed: int = 0
    flaky: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Ids of the questions whose values differ between repeats, by metric."""
    times: int = 1
    opening: int | None = None
    """The number under which this config was opened, where it was."""
    checks: int = 0
    usd: float | None = 0.0

    @property
    def exit(self) -> int:
        return EXITS[self.verdict]

    @property
    def missed(self) -> list[str]:
        """Metrics below their thresholds."""
        return [metric for metric, now in self.thresholds.items() if now < self.accepted.thresholds[metric]]


def worst(checks: Sequence[Check]) -> int:
    """The exit code of several checks: a regression before what is not told."""
    codes = [one.exit for one in checks]
    return 1 if 1 in codes else max(codes)


def check(job: Job, options: Options, times: int, progress: Watcher) -> Check:
    """Set the tree as it is beside its baseline, which has to be there."""
    old, loaded = baselines.read(path_of(job)), heldout_of(job)
    assert old is not None
    keys.PARSED.load(options.cache / "code.jsonl")
    unlike, asked = list(_unlike(job, loaded, old)), None
    try:
        asked = None if unlike else _asked(job, loaded, options, times, progress)
    except NotComparableError as error:
        unlike = [str(error)]
    found = _compared(old, loaded, asked) if asked else Check(old, "not_comparable", tuple(unlike))
    return _noted(found, job, loaded, options, asked)


def _asked(job: Job, loaded: GoldenSet, options: Options, times: int, progress: Watcher) -> Asked:
    if options.saved is not None:
        return saved.ask(job, loaded, options, options.saved)
    return ask(job, loaded, options, times, progress)


# -- what may be compared ---------------------------------------------------------------------------------------------


def _unlike(job: Job, loaded: GoldenSet, old: Accepted) -> Iterator[str]:
    """What can be told before anything is asked."""
    if old.goldens != loaded.sha256:
        yield f"the held-out goldens changed (sha256 {old.goldens[:12]}… accepted, {loaded.sha256[:12]}… now)"
    if old.corpus != job.corpus.sha256:
        yield f"the documents changed (sha256 {old.corpus[:12]}… accepted, {job.corpus.sha256[:12]}… now)"
    if old.stamp["scope"] != job.system.scope:
        yield f"the scope changed ({old.stamp['scope']} accepted, {job.system.scope} now)"
    now = metric_codes([metric for metric in all_metrics() if metric.label in old.metrics])
    yield from _other("metric", old.metrics, now)
    yield from _other("judge", old.judges, judge_codes(job.system.judges))


def _other(what: str, accepted: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(accepted.keys() | now.keys()):
        if name not in now:
            yield f"the {what} {name} is gone"
        elif name not in accepted:
            yield f"the {what} {name} is new"
        elif accepted[name] != now[name]:
            yield f"the {what} {name} has other code than when it was accepted"


def _missing(old: Accepted, asked: Asked, now: Mapping[str, Values]) -> Iterator[str]:
    """What can be told only of what was asked."""
    for name, words in SAME.items():
        if old.stamp[name] != asked.manifest.stamp[name]:
            yield f"{words} changed ({old.stamp[name]} accepted, {asked.manifest.stamp[name]} now)"
    for metric, rows in old.scores.items():
        lost, new = len(rows.keys() - now[metric].keys()), len(now[metric].keys() - rows.keys())
        if lost or new:
            yield f"{metric}: {counted(lost, 'accepted question')} without a value now, {new} with one that had none"


# -- the verdict ------------------------------------------------------------------------------------------------------


def _compared(old: Accepted, loaded: GoldenSet, asked: Asked) -> Check:
    hashes = baselines.hashes(loaded.goldens, old.salt)
    found = {metric: asked.values(metric) for metric in old.scores}
    now = {metric: {hashes[id]: value for id, value in values.items()} for metric, (values, _) in found.items()}
    if unlike := list(_missing(old, asked, now)):
        return Check(old, "not_comparable", tuple(unlike), asked.manifest.key)
    flips = {metric: gate.flips(rows, now[metric]) for metric, rows in old.scores.items()}
    made = Check(
        old,
        "pass",
        (),
        asked.manifest.key,
        asked=int(str(asked.manifest.stamp["asked"])),
        findings=gate.findings(flips, old.margin),
        thresholds={metric: gate.share(now[metric]) for metric in old.thresholds},
        must_pass_failed=gate.failing(old.must_pass, now),
        flaky={metric: ids for metric, (_, ids) in found.items() if ids},
        times=len(asked.scores),
        usd=asked.usd,
    )
    return replace(made, verdict=_verdict(made))


def _verdict(made: Check) -> str:
    verdicts = {finding.verdict for finding in made.findings.values()}
    if "regression" in verdicts or made.must_pass_failed or made.missed:
        return "regression"
    return "inconclusive" if "inconclusive" in verdicts else "pass"


def _noted(made: Check, job: Job, loaded: GoldenSet, options: Options, asked: Asked | None) -> Check:
    """The check with its place in the records, where it is noted if any number was looked at."""
    records = heldout.ledger(job.system.goldens, loaded.name, loaded.sha256, options)
    whole = {"sha256": loaded.sha256, "asked": len(loaded.goldens), "of": len(loaded.goldens)}
    key = heldout.opening_key(job.system, whole)
    if asked is not None:
        records.note(_line(made, job, loaded, key, asked))
        if options.unseal and made.flaky:
            heldout.unseal(asked.manifest, options)
    opening = records.number(key) if records.knows(key) else None
    return replace(made, opening=opening, checks=records.gate_checks())


def _line(made: Check, job: Job, loaded: GoldenSet, key: str, asked: Asked) -> Opening:
    return Opening(
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        system=job.system.name,
        key=key,
        commit=job.origin.commit,
        commits=job.origin.commits,
        dirty=job.origin.not_clean is not None,
        gate=made.verdict,
        lock=loaded.sha256,
        numbers=heldout.numbers(asked.summaries),
    )
