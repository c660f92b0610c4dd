"""What `harness check` looks at: golden sets, openings, configs, findings. Each check is one line, sound or not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.documents import page_text
from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.files.wording import counted
from harness.goldens import loading, locks, openings
from harness.goldens.openings import Ledger
from harness.reports import findings, set_findings, unread
from harness.reports.findings import Question, Section, Source
from harness.reports.set_findings import Finding, Told
from harness.runs import config, heldout
from harness.runs.options import Options
from harness.runs.results import read_manifest, read_scores, with_rows
from harness.scoring.scores import STATUSES, Summary

_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Line:
    """One thing that was looked at."""

    text: str
    sound: bool = True

    @property
    def mark(self) -> str:
        return "ok" if self.sound else "FAULT"


def goldens_of(sets: Sequence[Path], cache: Path) -> Iterator[Line]:
    """Each golden set with each of its splits, locks included."""
    for folder in sets:
        try:
            corpus = Corpus.open(folder, cache if cache.is_dir() else None)
            loaded = [loading.load(folder, split, corpus) for split in loading.splits(folder)]
        except UserError as error:
            yield Line(str(error), sound=False)
            continue
        yield from (Line(reason, sound=False) for reason in corpus.damaged.values())
        yield from (Line(f"{folder}: {said}") for said in _unread(corpus))
        splits = ", ".join(f"{one.split} {len(one.goldens)}" for one in loaded)
        yield Line(f"{folder}: {counted(len(corpus.documents), 'document')}, goldens: {splits or 'none'}")


def _unread(corpus: Corpus) -> Iterator[str]:
    """The pages of each document that hold no text that could be read, and what would read them."""
    files = [file for id, file in corpus.documents.items() if id not in corpus.damaged]
    found = page_text.unread_of_all({file.sha256: (file.path, file.pages) for file in files}, corpus.cache)
    for file in files:
        yield from unread.sentences(file.id, file.pages, found[file.sha256])


def openings_of(sets: Sequence[Path], results: Path, pages: Path) -> Iterator[Line]:
    """The record of each locked split: nothing that was ever noted of it, or that a result or a page tells of, is missing."""
    for folder in sets:
        try:
            name, lock = Corpus.open(folder, verify=False).name, locks.read(folder)
        except UserError:
            continue  # a fault of the set, which its own check tells
        if lock is not None:
            yield from _openings(folder, heldout.ledger(folder, name, lock.sha256, Options(results=results)), pages)


def _openings(folder: Path, records: Ledger, pages: Path) -> Iterator[Line]:
    try:
        faults = [*_lost(records), *_unrecorded(records, pages)]
        count = len({opening.key for opening in records.read() if opening.opens})
    except UserError as error:
        yield Line(str(error), sound=False)
        return
    yield from (Line(f"{folder}: {fault}", sound=False) for fault in faults)
    if count and not faults:
        yield Line(f"{folder}: held-out, {counted(count, 'opening')} recorded in {records.main}")


def _lost(records: Ledger) -> Iterator[str]:
    """Lines that another record has, or that git had, and that are gone."""
    known = records.read()
    copies = [path for path in records.copies if path.exists()]
    for path in (records.main, *copies):
        if gone := openings.lost(path, known):
            of = ", ".join(dict.fromkeys(opening.system for opening in gone))
            yield f"{path} misses {counted(len(gone), 'line')} that were recorded before (of {of}); put them back"


def _unrecorded(records: Ledger, pages: Path) -> Iterator[str]:
    """Held-out numbers that are there although no opening is recorded for them."""
    known = {opening.key for opening in records.read() if opening.opens}
    for path in sorted(records.main.parent.glob("*/heldout/*/manifest.json")):
        manifest = read_manifest(path.parent)
        if manifest.goldens["sha256"] == records.lock and (manifest.opening_key or manifest.key) not in known:
            yield f"{path.parent} holds held-out numbers whose opening {records.main} does not record"
    for data in sorted(pages.glob(f"*{findings.SUFFIX}")):
        for source in _opened(data):
            if source.goldens["sha256"] == records.lock and (source.opening or 0) > len(known):
                yield f"{data} shows opening no. {source.opening}; {records.main} records {len(known)}"


def _opened(data: Path) -> list[Source]:
    """The sources of a finding; none where it cannot be read, which its own check tells."""
    try:
        return [section.source for section in findings.read(data)]
    except (UserError, ValueError, KeyError):
        return []


def configs_in(folder: Path) -> Iterator[Line]:
    """Each config of a folder."""
    for path in sorted(folder.glob("*.yaml")):
        try:
            system = config.load(path)
        except UserError as error:
            yield Line(str(error), sound=False)
            continue
        parts = ", ".join(component.name() for component in system.components.values())
        yield Line(f"{path}: {parts}")


def findings_in(folder: Path, results: Path) -> Iterator[Line]:
    """Each finding: its page against its data, its means against its rows, its numbers against results/."""
    for data in sorted(folder.glob(f"*{findings.SUFFIX}")):
        try:
            sections = findings.read(data)
            faults = [*_page(data, sections), *(fault for one in sections for fault in _means(one))]
            verified = [_against_results(one, results) for one in sections]
        except (UserError, ValueError, KeyError) as error:
            yield Line(f"{data}: cannot be read: {error}", sound=False)
            continue
        yield from (Line(f"{data}: {fault}", sound=False) for fault in faults)
        if not faults:
            yield from (Line(f"{data}: {text}", sound) for text, sound in verified)


def sets_in(folder: Path, results: Path) -> Iterator[Line]:
    """Each page about a set: page and plots against its data, the rows that it cites against results/."""
    for data in sorted(folder.glob(f"*{set_findings.SUFFIX}")):
        try:
            finding = set_findings.read(data)
            changed = [name for name, content in set_findings.files(finding).items() if not _is(folder / name, content)]
        except (UserError, ValueError, KeyError, StopIteration) as error:
            yield Line(f"{data}: cannot be read: {str(error).partition(chr(10))[0]}", sound=False)
            continue
        if changed:
            yield Line(
                f"{data}: {', '.join(changed)}: not what its data gives; `harness compare --findings` writes it",
                sound=False,
            )
            continue
        yield from (_cited(data, finding, one, results) for one in finding.systems)


def _cited(data: Path, finding: Finding, system: Told, results: Path) -> Line:
    """The means of a system against its kept result, which its rows' content hash names."""
    name = f"{finding.asked.set}/{system.name}/{finding.asked.split}"
    place = with_rows(results, name, system.rows)
    if place is None:
        return Line(f"{data}: {name}: not verified here (no results with these rows)")
    values: dict[str, list[float]] = {}
    for score in read_scores(place):
        if score.value is not None:
            values.setdefault(score.metric, []).append(score.value)
    for one in system.summaries:
        own = values.get(one.metric, [])
        mean = math.fsum(own) / len(own) if own and not one.strata else one.mean
        if len(own) != one.scored or (mean is not None and not math.isclose(mean, one.mean or 0.0, abs_tol=_TOLERANCE)):
            return Line(f"{data}: {name}: {one.metric} does not agree with {place}", sound=False)
    return Line(f"{data}: {name}: agrees with {place}")


def _is(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _page(data: Path, sections: Sequence[Section]) -> Iterator[str]:
    page = findings.page_of(data)
    if not page.exists():
        yield f"there is no {page.name} beside it"
    elif page.read_text(encoding="utf-8") != findings.render(sections):
        yield f"{page.name} is not what its data gives; `harness run` or `harness score` writes it again"


def _means(one: Section) -> Iterator[str]:
    """Means that do not follow from the rows of their questions."""
    for summary in one.summaries if one.questions else ():
        values = [q.values[summary.metric] for q in one.questions if summary.metric in q.values]
        mean = _mean(summary, one.questions, values)
        if mean is not None and summary.mean is not None and not math.isclose(mean, summary.mean, abs_tol=_TOLERANCE):
            yield f"{summary.metric} is {summary.mean:.6f} but its rows give {mean:.6f}"
        if len(values) != summary.scored:
            yield f"{summary.metric} counts {counted(summary.scored, 'scored question')} but has {counted(len(values), 'row')}"


def _mean(summary: Summary, questions: Sequence[Question], values: Sequence[float]) -> float | None:
    """The mean of the rows; of a metric with strata, the mean of their means, where each of them has rows."""
    if not summary.strata:
        return math.fsum(values) / len(values) if values else None
    groups = [
        [q.values[summary.metric] for q in questions if q.expect == stratum and summary.metric in q.values]
        for stratum in summary.strata
    ]
    return sum(math.fsum(group) / len(group) for group in groups) / len(groups) if all(groups) else None


def _against_results(one: Section, results: Path) -> tuple[str, bool]:
    """What comparing with the kept result says, and whether it is sound. Rows are found by their content hash."""
    name = "/".join((one.source.set, one.source.system, one.source.split))
    place = with_rows(results, name, one.source.rows)
    if place is None:
        return f"{name}: not verified here (no results with these rows)", True
    rows = read_scores(place)
    for summary in one.summaries:
        own = [score.status for score in rows if score.metric == summary.metric]
        counts = tuple(own.count(status) for status in STATUSES)
        if counts != tuple(getattr(summary, status) for status in STATUSES):
            return f"{name}: {summary.metric} does not agree with {place}", False
    return f"{name}: agrees with {place}", True
