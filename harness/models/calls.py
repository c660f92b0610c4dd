"""Kept calls: every request that was answered, as readable JSON under results/calls/, so that nothing is paid twice.

A file is named by its request and carries the checksum of its contents: one that was damaged, cut or edited is no file.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from harness.cache import keys
from harness.files.locking import held
from harness.files.writing import writing
from harness.records import Finish, Json, Record, Usage


class Request(Record):
    """A request, as it goes over the wire. Images stand in it by their sha256; the endpoint has a name and no address."""

    kind: str
    provider: str
    endpoint: str
    body: dict[str, Json]
    sample: int = 0

    @property
    def key(self) -> str:
        """32 hex digits of all of it; below the first level the order of fields counts, as it does to a model."""
        return keys.digest(
            [self.kind, self.provider, self.endpoint, json.dumps(dict(sorted(self.body.items()))), self.sample]
        )


class Kept(Record):
    """An answered request. `reply` is the body as it came."""

    key: str
    request: Request
    status: int
    reply: Json
    finish: Finish
    usage: Usage
    seconds: float = 0.0


class Calls:
    """The folder of kept calls. Safe for threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    @contextmanager
    def asking(self, key: str) -> Iterator[None]:
        """Around a request, so that two cases that ask the same pay once, in two processes too."""
        with self._lock:
            own = self._locks.setdefault(key, threading.Lock())
        place = self.path(key).with_suffix(".asking")
        with own:
            with writing(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(place, os.O_CREAT | os.O_RDWR)
            try:
                with held(handle):
                    yield
            finally:
                place.unlink(missing_ok=True)
                os.close(handle)

    def path(self, key: str) -> Path:
        """Where the call of that key lies."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Kept | None:
        """The kept call; None where there is none, or it is not what was written."""
        try:
            whole = json.loads(self.path(key).read_bytes())
            call = whole["call"]
            return Kept.model_validate(call) if _sum(call) == whole["sha256"] and call["key"] == key else None
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def put(self, kept: Kept) -> None:
        """Keep a call. It is in its place before anything else is done; a crash of the machine may damage it, and is seen."""
        call = kept.model_dump(mode="json")
        text = _written(call)
        path = self.path(kept.key)
        temporary = path.with_name(f".{uuid4().hex}")
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(text.encode("utf-8", "surrogatepass"))
            os.replace(temporary, path)


def _written(call: dict[str, Any]) -> str:
    """JSON with a line for each field, since calls are looked into with an editor and with grep."""
    fields = ",\n".join(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in call.items())
    return f'{{"sha256": "{_sum(call)}",\n"call": {{\n{fields}\n}}}}\n'


def _sum(call: Any) -> str:
    text = json.dumps(call, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
