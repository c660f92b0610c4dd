"""A run: which stages, on which goldens, in which order; reading back what is unchanged; the manifest last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from harness.bench import Watcher
from harness.cache import keys
from harness.goldens.loading import GoldenSet
from harness.models.door import Door
from harness.records import Case, Golden, Json, Usage
from harness.runs import heldout, provenance, results, timing, unread
from harness.runs.jobs import Job, choose
from harness.runs.options import Options
from harness.runs.results import Manifest, Rows, Trace
from harness.runs.session import Session
from harness.runs.stages import Stages
from harness.runs.stamps import scope_stamp, scored_by
from harness.runs.trails import Trails
from harness.scoring.attribution import Trail
from harness.scoring.scores import Summary
from harness.scoring.summaries import summarise

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Result:
    """One system on one split: what was kept, and the lines of its table."""

    manifest: Manifest
    rows: Rows
    summaries: tuple[Summary, ...]
    folder: Path

    @property
    def name(self) -> str:
        """ "<set>/<system>/<split>" """
        return f"{self.manifest.set}/{self.manifest.system}/{self.manifest.split}"

    @property
    def is_default(self) -> bool:
        """Whether it is its config's own result: the whole split, and nothing changed by --set."""
        return not self.manifest.partial and not self.manifest.overrides


def run(job: Job, options: Options, progress: Watcher, door: Door | None = None) -> list[Result]:
    """Run a job on its splits: all three stages, kept. `door` is the command's, where it runs more than one job."""
    session = Session(job, options, progress, door)
    return [_run_split(session, loaded) for loaded in job.sets]


def _run_split(session: Session, loaded: GoldenSet) -> Result:
    return finished(*measured(session, loaded), session.options)


def measured(session: Session, loaded: GoldenSet) -> tuple[Manifest, Rows, list[Summary]]:
    """All three stages on a split; nothing of it is kept but in the caches."""
    asked = choose(loaded, session.options)
    stages = session.stages(loaded)
    try:
        rows = _rows(session, stages, asked, loaded.split)
        latency = timing.measure(stages, asked) if session.options.time else {}
    finally:
        session.flush()
    with session.clock.step("report"):
        summaries = summarise(session.metrics, rows.retrieved, rows.scores)
    return _manifest(session, loaded, asked, stages, rows, latency), rows, summaries


def finished(
    manifest: Manifest, rows: Rows, summaries: Sequence[Summary], options: Options, *, newest: bool = True
) -> Result:
    """The result, written; of a held-out split with only what may be shown, and noted as an opening before it is seen."""
    seen = heldout.shown(manifest.split, options, summaries, rows.retrieved, rows.scores)
    if manifest.split == "heldout":
        manifest = heldout.record_opening(manifest, summaries, seen, options)
    return Result(manifest, rows, seen, results.write(options.results, manifest, rows, newest=newest))


def _rows(session: Session, stages: Stages, asked: Sequence[Golden], split: str) -> Rows:
    scoring, clock = session.scoring(stages.rerank_key, lambda: stages), session.clock
    with clock.step("retrieve"):
        retrieved = _each(session, f"{split}: retrieve", stages.retrieve, asked)
    with clock.step("generate"):
        traced = _each(session, f"{split}: generate", stages.generate, asked)
        generated = [one.case for one in traced]
    with clock.step("score"):
        pairs = list(zip(retrieved, generated, strict=True))
        scores = _each(session, f"{split}: score", lambda pair: scoring.score(*pair), pairs)
    with clock.step("trails"):
        trails = _trails(session, stages, pairs)
    traces = tuple(Trace(golden=golden.id, steps=one.steps) for golden, one in zip(asked, traced, strict=True))
    found = tuple(score for row in scores for score in row)
    return Rows(tuple(retrieved), tuple(generated), found, traces, tuple(trails))


def _trails(session: Session, stages: Stages, pairs: Sequence[tuple[Case, Case]]) -> list[Trail]:
    """How far the gold pages came; an oracle's say nothing."""
    if session.system.oracle or not session.follows:
        return []
    trails = Trails(stages, session.corpus)
    with_evidence = [pair for pair in pairs if pair[0].golden.evidence]
    return _each(session, "gold pages followed", lambda pair: trails.follow(*pair), with_evidence)


def _each(session: Session, what: str, work: Callable[[In], Out], items: Sequence[In]) -> list[Out]:
    """`work` on each item, in a pool of threads, results in the order of the items."""
    pool = ThreadPoolExecutor(session.workers)
    try:
        futures = [pool.submit(work, item) for item in items]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            session.progress(what, done, len(items))
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _manifest(
    session: Session,
    loaded: GoldenSet,
    asked: Sequence[Golden],
    stages: Stages,
    rows: Rows,
    latency: dict[str, float],
) -> Manifest:
    system, ingest = session.system, stages.ingest
    goldens = {"sha256": loaded.sha256, "asked": len(asked), "of": len(loaded.goldens)}
    stamp = scope_stamp(system, loaded, asked, ingest)
    return Manifest(
        set=loaded.name,
        system=system.name,
        split=loaded.split,
        key=keys.digest([system.answering(), stages.keys, stamp, [golden.id for golden in asked]])[:8],
        config={"goldens": str(system.goldens), **system.spec()},
        replaced=system.replaced,
        overrides=system.overrides,
        goldens=goldens,
        components={place: keys.component_key(part) for place, part in system.components.items()},
        corpus={
            doc: {"sha256": session.corpus.documents[doc].sha256, **ingest.head(doc), **parse}
            for doc, parse in unread.of_documents(ingest)
        },
        keys=stages.keys,
        stamp={**stamp, **scored_by(session.metrics, system.judges)},
        partial=session.options.partial,
        oracle=system.oracle,
        opening_key=_opening_key(session, loaded, asked, goldens),
        commit=session.origin.commit,
        commits=session.origin.commits,
        dirty=session.origin.not_clean,
        packages=provenance.packages(),
        machine=provenance.describe(),
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=dict(session.clock.seconds),
        latency=latency,
        **_expense([case.usage for case in rows.generated]),
        **session.billed(),
    )


def _opening_key(session: Session, loaded: GoldenSet, asked: Sequence[Golden], goldens: dict[str, Json]) -> str | None:
    only = [golden.id for golden in asked] if session.options.partial else []
    return heldout.opening_key(session.system, goldens, only) if loaded.split == "heldout" else None


def _expense(usage: Sequence[Usage]) -> dict[str, Json]:
    """Tokens of all cases, and what they cost if nothing is kept; None where a price is not known."""
    costs = [one.cost for one in usage]
    return {
        "tokens": sum(one.input_tokens + one.output_tokens for one in usage),
        "cost_cold": sum(cost for cost in costs if cost is not None) if None not in costs else None,
    }
