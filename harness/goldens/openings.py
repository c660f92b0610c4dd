"""Openings of held-out splits: each time that held-out numbers of something new were seen, counted for good.

An opening is identified by its key (config, prompts and goldens). The same again reveals nothing and is not counted; seeing the
rows of single questions (unsealing) is noted once more under the same number. The file only ever grows, and is kept in git.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import BinaryIO

from pydantic import Field, ValidationError

from harness.errors import UserError
from harness.files import jsonl
from harness.files.locking import held
from harness.files.reading import reading, shorten
from harness.records import Record


class Opening(Record):
    """One line of openings.jsonl; `when` is ISO 8601 in UTC, `commit` the code's, which is recorded and not counted."""

    when: str
    system: str
    key: str
    commit: str | None = None
    dirty: bool = False
    unsealed: bool = False
    aggregates: dict[str, float | None] = Field(default_factory=dict)


def read(path: Path) -> list[Opening]:
    """All openings, oldest first; none where there is no file. Raises UserError that names a line which cannot be read."""
    if not path.exists():
        return []
    with reading(path) as file:
        return _parse(path, file.read())


def number(path: Path, key: str) -> int:
    """The number of the opening with that key, or the next number where it was never opened. Raises UserError as `read`."""
    return _number(read(path), key)


def record(path: Path, opening: Opening) -> int:
    """Note an opening and return its number; a known key is noted again only when it is unsealed for the first time.

    Two processes may do this at once. Raises UserError where the file cannot be read or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("a+b") as file, held(file.fileno()):
            file.seek(0)
            before = _parse(path, file.read())
            if _is_new(before, opening):
                _append(file, opening)
    except OSError as error:
        raise UserError(f"{path}: the opening cannot be noted: {error.strerror or error}.") from None
    return _number(before, opening.key)


def _number(openings: list[Opening], key: str) -> int:
    keys = list(dict.fromkeys(opening.key for opening in openings))
    return keys.index(key) + 1 if key in keys else len(keys) + 1


def _is_new(before: list[Opening], opening: Opening) -> bool:
    same = [old for old in before if old.key == opening.key]
    return not same or (opening.unsealed and not any(old.unsealed for old in same))


def _parse(path: Path, data: bytes) -> list[Opening]:
    openings: list[Opening] = []
    lines = data.split(b"\n")
    for row, line in enumerate(lines, start=1):
        try:
            found = jsonl.parse(line)
            openings += [Opening.model_validate(found)] if found is not None else []
        except (ValueError, ValidationError):
            what = "was cut off while it was written" if row == len(lines) else "is no opening"
            raise UserError(f"{path}:{row}: this line {what}: {_shown(line)}. Mend it, or take it out.") from None
    return openings


def _shown(line: bytes) -> str:
    return shorten(line.decode("utf-8", "replace"))


def _append(file: BinaryIO, opening: Opening) -> None:
    """One write of one whole line, on a line of its own even after a last line without newline."""
    file.seek(0, os.SEEK_END)
    size = file.tell()
    file.seek(max(size - 1, 0))
    start = b"\n" if size and file.read(1) != b"\n" else b""
    file.write(start + json.dumps(opening.model_dump(), ensure_ascii=False, allow_nan=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())
