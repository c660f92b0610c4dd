"""Locks of held-out splits: what was locked, and what differs from it.

A lock is a small JSON file beside the split: {"file", "sha256", "goldens", "locked"}. Which goldens changed is told from git,
where the locked version was committed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from harness.errors import UserError
from harness.files import jsonl
from harness.files.git import git
from harness.files.reading import reading, shorten
from harness.files.wording import command, counted
from harness.files.writing import write_text
from harness.records import Record

SPLIT = "heldout.jsonl"
LOCK = "heldout.lock"


class Lock(Record):
    """A held-out split as it was locked: its file, the sha256 of its bytes, its number of goldens and the day."""

    file: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    goldens: Annotated[int, Field(ge=0)]
    locked: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]


def read(folder: Path) -> Lock | None:
    """The lock of a golden set, None where there is none. Raises UserError where it cannot be read as one."""
    path = folder / LOCK
    if not path.exists():
        return None
    try:
        with reading(path) as file:
            lock = Lock.model_validate(json.loads(file.read(100_000)))
    except (ValidationError, ValueError):
        form = '{"file": "heldout.jsonl", "sha256": …, "goldens": 25, "locked": "2026-11-29"}'
        raise UserError(
            f"{path}: this is no lock; one looks like {form}. {command('freeze', folder)} writes it."
        ) from None
    if lock.file != SPLIT:
        raise UserError(f"{path}: the lock is for {shorten(lock.file)}; it must be for {SPLIT!r}.")
    return lock


def write(folder: Path, lock: Lock) -> None:
    """Replace the lock of a golden set. Raises OSError where the folder cannot be written."""
    write_text(folder / LOCK, json.dumps(lock.model_dump(), indent=1) + "\n")


def measure(folder: Path) -> tuple[str, int]:
    """sha256 and number of goldens of the held-out split as it is now. Raises UserError where it cannot be read."""
    sha256, count = hashlib.sha256(), 0
    with reading(folder / SPLIT) as file:
        for line in file:
            sha256.update(line)
            count += bool(line.strip())
    return sha256.hexdigest(), count


def verify(folder: Path) -> Lock:
    """The lock, if the held-out split is what was locked.

    Raises UserError where there is no lock, or where the split has changed: with both sha256, both counts and, where git knows
    the locked version, the goldens that differ.
    """
    lock = read(folder)
    if lock is None:
        raise UserError(f"{folder / SPLIT} has no lock: {command('freeze', folder)} locks it as it is.")
    sha256, count = measure(folder)
    if sha256 != lock.sha256:
        again = command("freeze", folder, "--reason", "…")
        raise UserError(f"{folder / SPLIT} {changes(folder, lock)}. Restore it, or run {again}.")
    if count != lock.goldens:
        raise UserError(
            f"{folder / LOCK} speaks of {counted(lock.goldens, 'golden')}, {folder / SPLIT} holds {count}: edited by hand?"
        )
    return lock


def changes(folder: Path, lock: Lock) -> str:
    """In half a sentence, what differs between the lock and the split as it is now."""
    sha256, count = measure(folder)
    before = counted(lock.goldens, "golden")
    number = f"{before} then, {count} now" if count != lock.goldens else f"{before} as before"
    shas = f"sha256 {lock.sha256[:12]}… then, {sha256[:12]}… now"
    return f"has changed since it was locked on {lock.locked}: {number}, {shas}{_which(folder, lock)}"


def _which(folder: Path, lock: Lock) -> str:
    before = _committed(folder, lock.sha256)
    if before is None:
        return ""
    old, new = _by_id(before), _by_id((folder / SPLIT).read_bytes())
    groups = {
        "changed": [id for id in old if id in new and old[id] != new[id]],
        "added": [id for id in new if id not in old],
        "removed": [id for id in old if id not in new],
    }
    differences = [f"{name}: {_some(ids)}" for name, ids in groups.items() if ids]
    return f"; {'; '.join(differences)}" if differences else "; only order or spacing differ"


def _some(ids: list[str], most: int = 5) -> str:
    named = ", ".join(shorten(id) for id in ids[:most])
    return named + (f" and {len(ids) - most} more" if len(ids) > most else "")


def _by_id(data: bytes) -> dict[str, Any]:
    """Goldens by id; a line that cannot be read goes by itself."""
    rows: dict[str, Any] = {}
    for line in data.splitlines():
        try:
            row = jsonl.parse(line) or {}
        except ValueError:
            row = {"id": line.decode("utf-8", "replace")}
        if row:
            rows[str(row.get("id"))] = row
    return rows


def _committed(folder: Path, sha256: str) -> bytes | None:
    """The version of the split with that sha256 among its last fifty in git; None where git knows none."""
    for commit in (git(folder, "log", "-n", "50", "--format=%H", "--", SPLIT) or b"").decode().split():
        data = git(folder, "show", f"{commit}:./{SPLIT}")
        if data is not None and hashlib.sha256(data).hexdigest() == sha256:
            return data
    return None
