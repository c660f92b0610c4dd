"""Claims about held-out numbers: what is said of them is written down before they are seen, and judged after.

A claim reads "hybrid_rerank > bm25_only on page_hit@5". One of the two systems is run now; the other is run now too, or its
latest held-out result of that set is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from harness.errors import UserError, nearest
from harness.goldens.loading import GoldenSet
from harness.goldens.openings import Ledger, Opening
from harness.records import Json
from harness.runs import heldout, results
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.results import Manifest
from harness.runs.run import Result
from harness.runs.stamps import metric_versions
from harness.scoring.metric import Metric
from harness.scoring.paired import Paired, paired
from harness.scoring.scores import Score
from harness.scoring.sealing import LEAST
from harness.scoring.summaries import all_metrics

LEVEL = 0.05
"""A claim with a p of this or more cannot be told."""
_FORM = re.compile(r"\s*(\S.*?)\s*>\s*(\S.*?)\s+on\s+(\S+)\s*\Z")
_SAME = ("goldens", "scope", "documents", "unit", "asked", "images")
"""What of two results' stamps has to be equal, before one is set beside the other."""


@dataclass(frozen=True)
class Claim:
    """That one system has more of a metric than another on held-out, with the records that it is written to."""

    text: str
    more: str
    less: str
    metric: Metric
    job: Job
    """The job of one of the two: it opens what the claim is about."""
    key: str
    records: Ledger

    def judged(self, made: Sequence[Result], options: Options) -> str:
        """How it ended, in one line; written to the records of openings."""
        more, less = (_scores(name, self, made, options) for name in (self.more, self.less))
        found = paired(more, less, binary=self.metric.binary)
        says = _says(found)
        self.records.note(_line(self, _verdict(says, found)))
        p = f", p = {found.p:.3f}" if found.p is not None else ""
        size = f"difference {found.difference:+.3f}{p}, " if found.difference is not None and found.n >= LEAST else ""
        return f"claim {self.text!r}: {says} ({size}{found.n} questions that both have a value for, {found.test})"


def made_before(jobs: Sequence[Job], options: Options) -> list[Claim]:
    """The claims, checked; nothing is computed or written yet. Raises UserError for one that cannot be judged after."""
    return [_claim(text, jobs, options) for text in options.claims]


def write(claims: Sequence[Claim]) -> Iterator[str]:
    """Write claims to the records before anything is opened; a line on each whose numbers were seen already."""
    for one in claims:
        if one.records.knows(one.key):
            number = one.records.number(one.key)
            yield f"claim {one.text!r}: {one.job.system.name} was opened before as no. {number}; it is made after the fact."
        one.records.note(_line(one, {}))


def _claim(text: str, jobs: Sequence[Job], options: Options) -> Claim:
    read = _FORM.match(text)
    if read is None:
        raise UserError(f'--claim takes "A > B on METRIC", as "hybrid_rerank > bm25_only on page_hit@5", not {text!r}.')
    more, less, label = read.groups()
    job, loaded = _opened(text, (more, less), jobs, options)
    metrics = {metric.label: metric for metric in all_metrics()}
    if label not in metrics:
        raise UserError(
            f"--claim: unknown metric {label!r}.{nearest(label, list(metrics))} Known: {', '.join(metrics)}."
        )
    goldens: dict[str, Json] = {"sha256": loaded.sha256, "asked": len(loaded.goldens), "of": len(loaded.goldens)}
    records = heldout.ledger(job.system.goldens, loaded.name, loaded.sha256, options)
    claim = Claim(text, more, less, metrics[label], job, heldout.opening_key(job.system, goldens), records)
    for name in {more, less} - {one.system.name for one in jobs}:
        _refuse_other(name, claim, loaded, options)
    return claim


def _opened(text: str, names: tuple[str, str], jobs: Sequence[Job], options: Options) -> tuple[Job, GoldenSet]:
    """The job that the claim is about and its held-out goldens."""
    if options.partial:
        raise UserError("--claim is about the whole held-out split; leave out --only and --limit.")
    named = [job for job in jobs if job.system.name in names]
    if names[0] == names[1] or not named:
        known = ", ".join(job.system.name for job in jobs)
        raise UserError(f"--claim {text!r} has to set a system that is run now ({known}) against another one.")
    for loaded in named[0].sets:
        if loaded.split == "heldout":
            return named[0], loaded
    raise UserError("--claim is about held-out numbers; open them with --split heldout.")


def _refuse_other(name: str, claim: Claim, loaded: GoldenSet, options: Options) -> None:
    """Raises UserError where there is no result of the other system that can be set beside this one."""
    whole = f"{loaded.name}/{name}/heldout"
    manifest = results.read_manifest(results.latest(options.results, whole))
    if manifest.goldens["sha256"] != loaded.sha256 or manifest.stamp["scope"] != claim.job.system.scope:
        raise UserError(f"--claim: the latest result of {whole} is on other goldens or another scope; run it again.")
    if manifest.stamp["metrics"] != metric_versions(all_metrics()):
        raise UserError(
            f"--claim: {whole} was scored by other metrics than today's; run `harness score {whole}` first."
        )


def _scores(name: str, claim: Claim, made: Sequence[Result], options: Options) -> list[Score]:
    """The metric's scores of a system on held-out: of this run, else of its latest result."""
    own = next((one for one in made if one.manifest.system == name and one.manifest.split == "heldout"), None)
    ran = next(one.manifest for one in made if one.name.endswith(f"/{claim.job.system.name}/heldout"))
    if own is None:
        place = results.latest(options.results, f"{ran.set}/{name}/heldout")
        _refuse_unlike(results.read_manifest(place), ran)
    rows = own.rows.scores if own else results.read_scores(place)
    return [score for score in rows if score.metric == claim.metric.label]


def _refuse_unlike(other: Manifest, ran: Manifest) -> None:
    unlike = [name for name in _SAME if other.stamp.get(name) != ran.stamp.get(name)]
    if unlike:
        raise UserError(f"--claim: {other.system} and {ran.system} differ in {', '.join(unlike)}; run both again.")


def _says(found: Paired) -> str:
    if found.p is None or found.difference is None or found.p >= LEVEL:
        return "cannot tell"
    return "holds" if found.difference > 0 else "does not hold"


def _verdict(says: str, found: Paired) -> dict[str, Json]:
    """What is written of a judged claim; on fewer than five questions without the numbers, which would tell answers."""
    numbers = {"difference": found.difference, "low": found.low, "high": found.high, "p": found.p}
    kept = {name: round(value, 6) for name, value in numbers.items() if value is not None and found.n >= LEAST}
    return {"says": says, **kept, "n": found.n, "test": found.test}


def _line(claim: Claim, verdict: dict[str, Json]) -> Opening:
    origin = claim.job.origin
    return Opening(
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        system=claim.job.system.name,
        key=claim.key,
        commit=origin.commit,
        commits=origin.commits,
        dirty=origin.not_clean is not None,
        claim=claim.text,
        verdict=verdict,
        lock=claim.records.lock,
    )
