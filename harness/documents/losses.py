"""What was lost with the process that worked on it, so that each document costs its limit once.

A loss is kept under the key of what was at work (file, code, versions, settings) and of the limits that it had. Where one of
them changes, it is tried again.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.cache import keys
from harness.cache.rows import read_rows, write_rows
from harness.documents.processes import Done, Limits


class Losses:
    """Why work was lost, by its key. `forget`: what earlier runs lost is tried again. Without a cache nothing is kept."""

    def __init__(self, cache: Path | None, limits: Limits, *, forget: bool = False) -> None:
        self._folder, self._limits, self._forget = cache / "lost" if cache else None, limits, forget
        self._known: dict[str, str | None] = {}

    def reason(self, key: str, pages: int) -> str | None:
        """Why the work of that key, on a document of so many pages, was lost within these limits; None where it was not."""
        if key not in self._known:
            path = self._file(key, pages)
            rows = read_rows(path) if path and not self._forget else None
            self._known[key] = str(rows[0]) if rows else None
        return self._known[key]

    def note(self, key: str, pages: int, done: Done[Any, Any]) -> None:
        """Keep why this was lost; nothing where it was not, or where somebody else killed the process."""
        if done.lost is None or done.outside:
            return
        self._known[key] = done.lost
        if path := self._file(key, pages):
            with suppress(OSError):
                write_rows(path, [done.lost])

    def _file(self, key: str, pages: int) -> Path | None:
        name = keys.digest(["lost", key, self._limits.gib, self._limits.time(pages)])
        return self._folder / f"{name}.jsonl" if self._folder else None
