"""Run folders: results/<set>/<system>/<split>/<key8>/, the manifest last; a folder without one is not a result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import Field, ValidationError

from harness.errors import UserError, nearest
from harness.files.locking import held
from harness.files.writing import sweep, write_bytes, write_text, writing
from harness.records import Attempt, Case, Golden, Json, Record, Step
from harness.scoring.attribution import Trail
from harness.scoring.scores import Score

T = TypeVar("T", bound=Record)

RETRIEVAL, GENERATION, SCORES, TRACES = "retrieval.jsonl", "generation.jsonl", "scores.jsonl", "traces.jsonl"
TRAILS = "trails.jsonl"
"""How far gold pages came. It says where a question was lost, and is no part of what was measured."""
_KEY = re.compile(r"[0-9a-f]{8}\s*\Z")


class Manifest(Record):
    """All about a run but its rows: enough to say what was measured, on what, where, and to do it again."""

    set: str
    system: str
    split: str
    key: str
    config: dict[str, Json]
    replaced: dict[str, Json] = Field(default_factory=dict)
    overrides: dict[str, Json] = Field(default_factory=dict)
    """What --set changed in the config, by path."""
    goldens: dict[str, Json]
    corpus: dict[str, Json]
    keys: dict[str, str]
    components: dict[str, str] = Field(default_factory=dict)
    """The key of each of the five components: whether answers that were kept are what it would give now."""
    stamp: dict[str, Json]
    partial: bool = False
    oracle: bool = False
    opening: int | None = None
    opening_key: str | None = None
    codes: int = 1
    """With how many different numbers this opening was seen, under other code or other metrics."""
    commit: str | None = None
    commits: dict[str, str] = Field(default_factory=dict)
    """Where harness, set, config and own components stood."""
    dirty: str | None = None
    packages: dict[str, str] = Field(default_factory=dict)
    machine: dict[str, Json] = Field(default_factory=dict)
    when: str = ""
    seconds: dict[str, float] = Field(default_factory=dict)
    latency: dict[str, float] = Field(default_factory=dict)
    """Milliseconds, measured only with --time; of this machine, never compared."""
    tokens: int = 0
    calls: dict[str, Json] = Field(default_factory=dict)
    """Calls that were billed for this result, and where prices come from; nothing where no model is asked."""
    cost_billed: float | None = 0.0
    cost_cold: float | None = 0.0
    files: dict[str, str] = Field(default_factory=dict)
    """sha256 of the files of rows, by name; set when the run is written."""


class Row(Attempt):
    """A line of retrieval.jsonl or generation.jsonl: an attempt with its golden's id."""

    golden: str


class Trace(Record):
    """A line of traces.jsonl: what led to a case of the generate stage, step by step. `key` of a call names its kept reply."""

    golden: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Rows:
    """All rows of a run, in the order of the golden file."""

    retrieved: tuple[Case, ...]
    generated: tuple[Case, ...]
    scores: tuple[Score, ...]
    traces: tuple[Trace, ...] = ()
    trails: tuple[Trail, ...] = ()


def folder(results: Path, manifest: Manifest) -> Path:
    """Where a run is kept."""
    return results / manifest.set / manifest.system / manifest.split / manifest.key


def write(results: Path, manifest: Manifest, rows: Rows, *, newest: bool = True) -> Path:
    """Write a run: rows, then the manifest, then `latest` (where it is the newest; partial runs aside). Returns its folder.

    A result that is there already with the same rows stays whole all the while; one with others is no result until the end.
    """
    place = folder(results, manifest)
    texts = contents(rows)
    stamped = manifest.model_copy(update={"files": checksums(texts)}).model_dump(mode="json")
    with _own_folder(place):
        sweep(place)
        changed = [name for name in texts if not _is(place / name, texts[name])]
        if changed:
            (place / "manifest.json").unlink(missing_ok=True)
        for name in changed:
            write_bytes(place / name, texts[name])
        write_text(place / "manifest.json", json.dumps(stamped, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        if newest and not manifest.partial:
            write_text(place.parent / "latest", manifest.key + "\n")
    return place


def contents(rows: Rows) -> dict[str, bytes]:
    """The files of rows by name: what a system did, and what was made of it; no clock, no machine, no versions."""
    return {
        RETRIEVAL: _lines(map(_row, rows.retrieved)),
        GENERATION: _lines(map(_row, rows.generated)),
        SCORES: _lines(score.model_dump(mode="json", exclude_defaults=True) for score in rows.scores),
        TRACES: _lines(trace.model_dump(mode="json", exclude_defaults=True) for trace in rows.traces),
        TRAILS: _lines(trail.model_dump(mode="json", exclude_defaults=True) for trail in rows.trails),
    }


def checksums(texts: Mapping[str, bytes]) -> dict[str, str]:
    """sha256 by file name."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in texts.items()}


def content_hash(files: Mapping[str, str]) -> str:
    """64 hex digits of a result's rows, by which a finding cites them: `files` are checksums by name.

    Traces and trails are no rows.
    """
    names = sorted(files.keys() - {TRACES, TRAILS})
    return hashlib.sha256("".join(f"{name} {files[name]}\n" for name in names).encode()).hexdigest()


@contextmanager
def _own_folder(place: Path) -> Iterator[None]:
    """Make a run folder and hold it for this process: rows of two runs must not mix."""
    with writing(place):
        place.mkdir(parents=True, exist_ok=True)
        with held(place):
            yield


def _is(path: Path, data: bytes) -> bool:
    with suppress(OSError):
        return path.read_bytes() == data
    return False


def _lines(rows: Iterable[Mapping[str, Json]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _row(case: Case) -> dict[str, Json]:
    return {"golden": case.golden.id, **case.model_dump(mode="json", exclude_defaults=True, exclude={"golden"})}


def latest(results: Path, name: str) -> Path:
    """The folder of the newest whole run of "<set>/<system>/<split>". Raises UserError that names what there is instead."""
    parent = results / name
    try:
        key = (parent / "latest").read_text(encoding="utf-8")
    except UnicodeDecodeError:
        key = ""
    except OSError:
        known = runs(results)
        listed = f" There are: {', '.join(known)}." if known else " There are none yet: begin with `harness run`."
        raise UserError(f"no result for {name}.{nearest(name, known)}{listed}") from None
    if not _KEY.match(key):
        raise UserError(
            f"{parent / 'latest'} is damaged: it must name a result by 8 digits 0-9 a-f. Run the system again."
        )
    place = parent / key.strip()
    if not place.is_dir():
        raise UserError(f"{parent / 'latest'} names {place.name}, and there is no such folder. Run the system again.")
    if not (place / "manifest.json").exists():
        raise UserError(f"{place} has no manifest: the run did not end. Run it again.")
    return place


def is_latest(place: Path) -> bool:
    """Whether a result is the newest of its system and split."""
    with suppress(OSError):
        return (place.parent / "latest").read_text(encoding="utf-8").strip() == place.name
    return False


def runs(results: Path) -> list[str]:
    """Every "<set>/<system>/<split>" with a latest result."""
    return sorted("/".join(path.parent.parts[-3:]) for path in results.glob("*/*/*/latest"))


def with_rows(results: Path, name: str, rows: str) -> Path | None:
    """The folder of a result of "<set>/<system>/<split>" whose rows have that content hash; None where there is none."""
    places = sorted(path.parent for path in (results / name).glob("*/manifest.json"))
    return next((place for place in places if content_hash(read_manifest(place).files) == rows), None)


def read_manifest(place: Path) -> Manifest:
    """The manifest of a run folder. Raises UserError where it cannot be read."""
    try:
        return Manifest.model_validate_json((place / "manifest.json").read_bytes())
    except (OSError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{place / 'manifest.json'} cannot be read: {first}. Run the system again.") from None


def read_rows(place: Path, goldens: Sequence[Golden]) -> Rows:
    """The saved rows of a run, joined to their goldens. Raises UserError where a golden has no row."""
    retrieved, generated = (_cases(place / name, goldens) for name in (RETRIEVAL, GENERATION))
    traces, trails = tuple(read_traces(place)), tuple(read_trails(place))
    return Rows(retrieved, generated, tuple(read_scores(place)), traces, trails)


def _cases(path: Path, goldens: Sequence[Golden]) -> tuple[Case, ...]:
    rows = {row.golden: row for row in _read(path, Row)}
    lost = [golden.id for golden in goldens if golden.id not in rows]
    if lost:
        raise UserError(
            f"{path.parent} holds no row for {lost[0]!r} ({len(lost)} in all): the goldens changed. Run it again."
        )
    return tuple(Case.of(golden, rows[golden.id]) for golden in goldens)


def read_scores(place: Path) -> list[Score]:
    """The saved scores of a run."""
    return _read(place / SCORES, Score)


def read_traces(place: Path) -> list[Trace]:
    """The saved traces of a run; none of one that was written before there were any."""
    return _read(place / TRACES, Trace) if TRACES in read_manifest(place).files else []


def read_trails(place: Path) -> list[Trail]:
    """How far gold pages came; nothing of a result that was made without."""
    return _read(place / TRAILS, Trail) if (place / TRAILS).exists() else []


def _read(path: Path, record: type[T]) -> list[T]:
    written = read_manifest(path.parent).files.get(path.name)
    try:
        data = path.read_bytes()
        if written is not None and hashlib.sha256(data).hexdigest() != written:
            raise UserError(f"{path} is not what the run wrote (its sha256 differs). Run the system again.")
        lines = data.decode("utf-8").split("\n")
        return [record.model_validate_json(line) for line in lines if line]
    except (OSError, UnicodeError, ValidationError) as error:
        raise UserError(f"{path} cannot be read: {str(error).splitlines()[0]}. Run the system again.") from None


def keep_out_of_git(results: Path) -> None:
    """Rows and caches ignore themselves, since they are large, hold held-out rows, and change with every version.

    Openings are kept: that a held-out set was looked at must not be forgotten.
    """
    path = results / ".gitignore"
    if not path.exists():
        write_text(path, IGNORED)


IGNORED = """\
# Rows and caches stay here; what was opened of held-out sets is kept.
*
!/.gitignore
!/README.md
!/*/
!/*/openings.jsonl
/cache/
/calls/
"""
