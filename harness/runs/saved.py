"""Answers that were saved, scored as they would be now: where documents or models are not at hand, and nothing may be asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from harness.bench import Silent
from harness.cache import keys
from harness.errors import NotComparableError
from harness.goldens.loading import GoldenSet
from harness.runs import results
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.provenance import packages
from harness.runs.repeats import Asked
from harness.runs.results import Manifest, Rows
from harness.runs.session import Session
from harness.scoring.summaries import summarise


def ask(job: Job, loaded: GoldenSet, options: Options, folder: Path) -> Asked:
    """The latest saved answers of a job's system to a split, scored again.

    `folder` is a results folder, or a bundle. Raises NotComparableError where the answering side is not what answered, and
    UserError where nothing is saved.
    """
    place = results.latest(root(folder), f"{loaded.name}/{job.system.name}/{loaded.split}")
    manifest = results.read_manifest(place)
    if changed := list(_changed(manifest, job, loaded)):
        raise NotComparableError(
            f"the saved answers are not those that this tree would give: {'; '.join(changed)}. "
            "Run the system where its documents are, and export it again"
        )
    session = Session(job, options, Silent())
    rows = scored_again(session, loaded, manifest, results.read_rows(place, loaded.goldens))
    summaries = summarise(session.metrics, rows.retrieved, rows.scores)
    return Asked(manifest, rows, summaries, (rows.scores,))


def root(folder: Path) -> Path:
    """The results folder that is named, or that lies in the bundle that is named."""
    return folder / "results" if (folder / "bundle.json").is_file() else folder


def scored_again(session: Session, loaded: GoldenSet, manifest: Manifest, rows: Rows) -> Rows:
    """The same cases with the scores that the metrics of today give.

    A system is built only where a metric asks for passages that no cache holds any more.
    """
    scoring = session.scoring(manifest.keys["rerank"], lambda: session.stages(loaded))
    pairs = zip(rows.retrieved, rows.generated, strict=True)
    return replace(rows, scores=tuple(score for pair in pairs for score in scoring.score(*pair)))


def _changed(manifest: Manifest, job: Job, loaded: GoldenSet) -> Iterator[str]:
    """What differs between what answered and what would answer now."""
    if manifest.goldens["sha256"] != loaded.sha256:
        yield f"they are to other goldens ({str(manifest.goldens['sha256'])[:12]}…)"
    if manifest.stamp["scope"] != job.system.scope:
        yield f"scope: {manifest.stamp['scope']} then, {job.system.scope} now"
    for place, component in job.system.components.items():
        if manifest.components.get(place) != keys.component_key(component):
            yield f"{place}: {component.name()} has other settings, code or packages{_packages(manifest)}"
    for doc, head in manifest.corpus.items():
        if doc not in job.corpus.documents or job.corpus.documents[doc].sha256 != head["sha256"]:
            yield f"the document {doc} is another file"


def _packages(manifest: Manifest) -> str:
    """Which packages differ, in brackets; nothing where all are the same."""
    now = packages()
    other = [
        f"{name} {old} then, {now.get(name, 'none')} now"
        for name, old in manifest.packages.items()
        if now.get(name) != old
    ]
    return f" ({', '.join(other)})" if other else ""
