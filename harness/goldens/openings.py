"""Openings of held-out splits: each time that held-out numbers of something new were seen, counted for good.

An opening is identified by its key (config, prompts and goldens) and counted over all records of one lock. The same again
reveals nothing and is not counted; other numbers under a known key (changed code, changed metrics), rows of single questions
(unsealing), claims and gate checks are noted under the same number. A record only ever grows, and is kept in git.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import Field, ValidationError

from harness.errors import UserError
from harness.files import jsonl
from harness.files.git import git
from harness.files.locking import held
from harness.files.reading import reading, shorten
from harness.records import Json, Record

FILE = "openings.jsonl"


class Opening(Record):
    """One line of openings.jsonl; `when` is ISO 8601 in UTC. Fields at their defaults are left out of a line's end."""

    when: str
    system: str
    key: str
    commit: str | None = None
    """That of the config's checkout; `commits` holds those of the other places. Recorded, and not counted."""
    dirty: bool = False
    unsealed: bool = False
    aggregates: dict[str, float | None] = Field(default_factory=dict)
    """The means that were shown: those on five questions or more."""
    lock: str = ""
    """sha256 of the held-out split; empty in the lines of old, which count for the set in whose record they stand."""
    commits: dict[str, str] = Field(default_factory=dict)
    """Where harness, set, config and own components stood, by name."""
    numbers: str = ""
    """16 hex digits of all means, shown or not: whether numbers changed can be told without showing them."""
    claim: str = ""
    """What was said of the numbers before they were seen; such a line opens nothing by itself."""
    verdict: dict[str, Json] = Field(default_factory=dict)
    """How the claim ended, in a second line of the same claim."""
    gate: str = ""
    """The verdict of a gate check, which is counted apart; such a line opens nothing either."""

    @property
    def opens(self) -> bool:
        """Whether numbers were seen: it is neither a claim nor a gate check."""
        return not self.claim and not self.gate


_FIRST = ("when", "system", "key", "commit", "dirty", "unsealed", "aggregates")
"""What every line has, also at its default."""


def digest(means: dict[str, float | None]) -> str:
    """16 hex digits of means: equal means, equal digits."""
    return hashlib.sha256(json.dumps(means, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Ledger:
    """All records of one locked split: `main` is written first, `copies` where they can be, and `others` are only read."""

    lock: str
    main: Path
    copies: tuple[Path, ...] = ()
    """Records beside the lock itself: they hold where results are deleted, renamed or written elsewhere."""
    others: tuple[Path, ...] = ()
    """Records of other sets and results folders: what they hold of this lock counts too."""

    def read(self) -> list[Opening]:
        """Every opening of this lock that is known, oldest first. Raises UserError for a record that cannot be read."""
        return self._of_lock(read(self.main))

    def number(self, key: str) -> int:
        """The number of the opening with that key, or the next one where it was never opened."""
        return _number(self.read(), key)

    def knows(self, key: str) -> bool:
        """Whether numbers of that key were seen before."""
        return any(old.key == key and old.opens for old in self.read())

    def codes(self, key: str) -> int:
        """With how many different numbers that opening was seen: more than one tells of other code or other metrics."""
        return len({_numbers(old) for old in self.read() if old.key == key and old.opens and _numbers(old)})

    def gate_checks(self) -> int:
        """How many gate checks there were; the same numbers of the same config checked again tell nothing new."""
        return sum(bool(old.gate) for old in self.read())

    def note(self, opening: Opening) -> int:
        """Note an opening in every record, with what a record had lost; its number. Copies are made where they can be."""
        before = _append_new(self.main, opening, self._of_lock)
        if _is_new(before, opening):
            for path in self.copies:
                with suppress(OSError):
                    _append_missing(path, [*before, opening])
        return _number(before, opening.key)

    def _of_lock(self, main: Sequence[Opening]) -> list[Opening]:
        own = [*main, *(line for path in self.copies for line in read(path))]
        strange = [line for path in self.others for line in read(path) if line.lock]
        found = {_line(one): one for one in (*own, *strange) if one.lock in ("", self.lock)}
        return sorted(found.values(), key=lambda one: one.when)


def read(path: Path) -> list[Opening]:
    """All openings, oldest first; none where there is no file. Raises UserError that names a line which cannot be read."""
    if not path.exists():
        return []
    with reading(path) as file:
        return _parse(path, file.read())


def number(path: Path, key: str) -> int:
    """The number of the opening with that key in one record, or the next number. Raises UserError as `read`."""
    return _number(read(path), key)


def record(path: Path, opening: Opening) -> int:
    """Note an opening in one record, as `Ledger.note` does in all; its number.

    Two processes may do this at once. Raises UserError where the file cannot be read or written.
    """
    return _number(_append_new(path, opening, list), opening.key)


def lost(path: Path, known: Iterable[Opening]) -> list[Opening]:
    """What is known, or was committed to git in one of the last fifty versions of this record, and is not in it any more."""
    there = {_line(one) for one in read(path)}
    found = {_line(one): one for one in (*known, *_committed(path))}
    return [one for line, one in found.items() if line not in there]


def _committed(path: Path) -> Iterable[Opening]:
    folder = next((one for one in path.parents if one.is_dir()), Path())
    name = path.relative_to(folder).as_posix()
    for commit in (git(folder, "log", "-n", "50", "--format=%H", "--", name) or b"").decode().split():
        with suppress(UserError):  # a version that cannot be read is no evidence
            yield from _parse(path, git(folder, "show", f"{commit}:./{name}") or b"")


def _append_new(path: Path, opening: Opening, known: Callable[[Sequence[Opening]], list[Opening]]) -> list[Opening]:
    """What was known before; the opening is appended where it is new to that, with what this record had lost of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file, held(file.fileno()):
            file.seek(0)
            there = _parse(path, file.read())
            before = known(there)
            lines = {_line(one) for one in there}
            _append(file, [one for one in before if _line(one) not in lines])
            _append(file, [opening] if _is_new(before, opening) else [])
    except OSError as error:
        raise UserError(f"{path}: the opening cannot be noted: {error.strerror or error}.") from None
    return before


def _append_missing(path: Path, openings: Sequence[Opening]) -> None:
    with path.open("a+b") as file, held(file.fileno()):
        file.seek(0)
        there = {_line(one) for one in _parse(path, file.read())}
        _append(file, [one for one in openings if _line(one) not in there])


def _number(openings: Iterable[Opening], key: str) -> int:
    keys = list(dict.fromkeys(opening.key for opening in openings if opening.opens))
    return keys.index(key) + 1 if key in keys else len(keys) + 1


def _is_new(before: Iterable[Opening], opening: Opening) -> bool:
    """Whether it says what no line of its key says: other numbers, single rows for the first time, another claim or check."""
    same = [old for old in before if old.key == opening.key]
    if opening.claim:
        return (opening.claim, opening.verdict) not in [(old.claim, old.verdict) for old in same]
    if opening.gate:
        return (opening.gate, opening.numbers) not in [(old.gate, old.numbers) for old in same]
    seen = [old for old in same if old.opens]
    other = _numbers(opening) not in {_numbers(old) for old in seen} if _numbers(opening) else not seen
    return other or (opening.unsealed and not any(old.unsealed for old in seen))


def _numbers(opening: Opening) -> str:
    """What tells the numbers of an opening from others; empty for a line that showed none, as a claim."""
    return opening.numbers or (digest(opening.aggregates) if opening.aggregates else "")


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


def _line(opening: Opening) -> str:
    """The line of an opening, by which it is also told from others: what is at its default is left out of the new fields."""
    values = opening.model_dump()
    kept = {name: value for name, value in values.items() if value or name in _FIRST}
    return json.dumps(kept, ensure_ascii=False, allow_nan=False)


def _append(file: BinaryIO, openings: Sequence[Opening]) -> None:
    """One write of whole lines, on lines of their own even after a last line without newline."""
    if not openings:
        return
    file.seek(0, os.SEEK_END)
    size = file.tell()
    file.seek(max(size - 1, 0))
    start = b"\n" if size and file.read(1) != b"\n" else b""
    file.write(start + b"".join(_line(one).encode() + b"\n" for one in openings))
    file.flush()
    os.fsync(file.fileno())
