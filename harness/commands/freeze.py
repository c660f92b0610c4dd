"""Lock the held-out split of a golden set, so that a change to it is seen.

The first lock is free. To lock a changed split again, its reason has to be in CHANGES.md beside it, as text below the last line
that begins with "Locked"; --reason writes it there for you. Nothing changed: nothing is written.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from harness.errors import HarnessError, UserError
from harness.files.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from harness.goldens.locks import Lock

CHANGES = "CHANGES.md"
MARK = "Locked "
_SAYS = re.compile(r"[^\W\d_]{2,}")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("set", metavar="SET", help="folder of a golden set, or its name under goldens/")
    parser.add_argument("--reason", help="why the held-out split changed; added to CHANGES.md")


def run(args: argparse.Namespace) -> int:
    """Write heldout.lock. Raises UserError for a split with faults, a change without a reason, a closed folder."""
    from harness.goldens import loading, locks

    folder = loading.find(args.set)
    old, new = locks.read(folder), _lock_of(folder)
    if old and old.sha256 == new.sha256 and old.goldens == new.goldens:
        print(f"{folder / locks.LOCK}: {counted(new.goldens, 'golden')}, locked on {old.locked}; nothing has changed.")
        return 0
    history = _history(folder, old, new, args.reason)
    _write(folder, new, history)
    print(f"{folder / locks.LOCK}: {counted(new.goldens, 'golden')} locked, sha256 {new.sha256[:12]}….")
    return 0


def _lock_of(folder: Path) -> Lock:
    """The lock that fits the split as it is, after the split was checked like any other."""
    from datetime import UTC, datetime

    from harness.documents.corpus import Corpus
    from harness.goldens import loading, locks

    path = folder / locks.SPLIT
    if not path.is_file():
        raise UserError(f"{path}: there is no such file, so there is nothing to lock.")
    loaded = loading.read(path, "heldout", Corpus.open(folder))
    today = datetime.now(UTC).date().isoformat()
    return locks.Lock(file=locks.SPLIT, sha256=loaded.sha256, goldens=len(loaded.goldens), locked=today)


def _history(folder: Path, old: Lock | None, new: Lock, reason: str | None) -> str:
    """CHANGES.md as it will be. Raises UserError where the split changed and no reason is given."""
    from harness.goldens import locks

    path = folder / CHANGES
    text = path.read_text(encoding="utf-8") if path.exists() else "# Changes to this golden set\n"
    text = text.rstrip("\n") + "\n"
    said = " ".join((reason or "").split())
    if said:
        text += f"\n{new.locked}: {said}\n"
    marked = f"{MARK}{new.locked}: {new.file}, {counted(new.goldens, 'golden')}, sha256 {new.sha256[:12]}."
    if old and not said and not _explained(text, new):
        where = f"below {_last_mark(text)!r} in {path}" if _last_mark(text) else f"into {path}"
        raise UserError(
            f"{folder / locks.SPLIT} {locks.changes(folder, old)}. Write the reason {where} and freeze again, "
            'or let --reason "…" write it.'
        )
    return text if _last_mark(text).endswith(f"sha256 {new.sha256[:12]}.") else f"{text}\n{marked}\n"


def _explained(text: str, new: Lock) -> bool:
    """Whether an entry stands below the last lock, or the last lock is this one (the lock file was not written then)."""
    mark = _last_mark(text)
    if mark.endswith(f"sha256 {new.sha256[:12]}."):
        return True
    below = text.rpartition(mark)[2] if mark else text
    return any(_SAYS.search(line) and not line.startswith("# ") for line in below.splitlines())


def _last_mark(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.startswith(MARK)), "")


def _write(folder: Path, lock: Lock, history: str) -> None:
    """The history first: a lock without its reason must not exist."""
    from harness.files.writing import write_text
    from harness.goldens import locks

    try:
        write_text(folder / CHANGES, history)
        locks.write(folder, lock)
    except HarnessError:
        raise
    except OSError as error:
        raise UserError(f"{folder}: the lock cannot be written there: {error.strerror or error}.") from None
