"""Small results of single units of work (a search, an answer, a score), in one SQLite file under results/cache/.

A crash costs what was not finished; two runs on one results folder share it. Each row carries a checksum; a damaged
row is computed again, a damaged file is put aside and begun anew: it is a cache.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
import weakref
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.errors import UserError, WorldError
from harness.files.writing import writing

_SCHEMA = "CREATE TABLE IF NOT EXISTS unit (key TEXT PRIMARY KEY, check_sum INTEGER, value TEXT) WITHOUT ROWID"
_CHECK = "SELECT key, check_sum, value FROM unit LIMIT 0"
_BATCH = 500
_WORLD = tuple(f"SQLITE_{name}" for name in ("FULL", "BUSY", "LOCKED", "CANTOPEN", "PERM", "NOMEM", "IOERR"))
"""How SQLite's errors begin when the file is sound and the world is not."""


class Outcomes:
    """A persistent mapping of keys to JSON values, safe for threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            self._refuse_world(error)
        return self._begin_anew()

    def _refuse_world(self, error: sqlite3.DatabaseError) -> None:
        """Raise WorldError (UserError where it is read-only) unless the file itself is damaged, or of another version."""
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_CANTOPEN"):
            with writing(self.path):  # the system says why, SQLite does not
                self.path.touch()
        if name.startswith("SQLITE_READONLY"):
            raise UserError(f"{self.path}: {error}. Name a folder for results that can be written.") from error
        if name.startswith(_WORLD):
            raise WorldError(
                f"{self.path}: {error}. Run again when that is mended; what is kept is not lost."
            ) from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
        try:
            connection.text_factory = bytes
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(_SCHEMA)
            connection.execute(_CHECK)
            connection.commit()
        except sqlite3.DatabaseError:
            connection.close()
            raise
        weakref.finalize(self, connection.close)  # Python 3.13 warns of one that is left open
        return connection

    def _begin_anew(self) -> sqlite3.Connection:
        """Put the file aside, with the journal that belongs to it and to no other."""
        print(
            f"warning: {self.path} is damaged or of another version; it is a cache and is begun anew", file=sys.stderr
        )
        with writing(self.path):
            self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
            self.path.replace(self.path.with_suffix(".damaged"))
        return self._connect()

    def get(self, key: str) -> Any | None:
        """The value, or None where there is none or it is damaged."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values that are there, by key."""
        wanted = list(keys)
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), _BATCH):
            found.update(self._read(wanted[start : start + _BATCH]))
        return found

    def _read(self, keys: list[str]) -> dict[str, Any]:
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, check_sum, value FROM unit WHERE key IN ({marks})"
        rows = self._guarded(lambda: self._connection.execute(query, keys).fetchall(), damaged=[])
        sound = [row for row in rows if isinstance(row[2], bytes) and zlib.crc32(row[2]) == row[1]]
        return {key.decode(): json.loads(value) for key, _, value in sound}

    def put(self, key: str, value: Any) -> None:
        """Keep one value."""
        self.put_many({key: value})

    def put_many(self, values: Mapping[str, Any]) -> None:
        """Keep values, all or none."""
        texts = [(key, json.dumps(value, ensure_ascii=True, allow_nan=False)) for key, value in values.items()]
        rows = [(key, zlib.crc32(text.encode()), text) for key, text in texts]
        self._guarded(lambda: self._write(rows), damaged=None)

    def _write(self, rows: list[tuple[str, int, str]]) -> None:
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO unit VALUES (?, ?, ?)", rows)

    def _guarded(self, work: Any, damaged: Any) -> Any:
        with self._lock:
            try:
                return work()
            except sqlite3.DatabaseError as error:
                self._refuse_world(error)
                self._connection.close()
                self._connection = self._begin_anew()
                return damaged
