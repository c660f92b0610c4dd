"""Vectors that were paid for, by text: kept the moment they come, under all that shaped them, and with what they took."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cache.rows import read_rows, write_rows
from harness.records import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


class KeptVectors:
    """The vectors of one model with one set of further fields. Safe for threads and processes.

    Each request that was answered is a segment: `<name>.npy` with its `<name>.rows`, and `<name>.json`, which says what was
    asked, and how many of the tokens are whose, by length.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asking = threading.Lock()
        """Held while a request is made, so that a text is paid once."""
        self._vectors: dict[str, Vector] | None = None
        self._usage: dict[str, Usage] = {}
        self._lock = threading.Lock()

    def get(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Those that are kept, by the keys of their texts."""
        with self._lock:
            found = self._load()
            return {key: found[key] for key in keys if key in found}

    def usage(self, keys: Sequence[str]) -> Usage:
        """What the vectors of these texts took."""
        with self._lock:
            self._load()
            used = [self._usage.get(key, Usage(calls=1, cost=None)) for key in dict.fromkeys(keys)]
        total = sum(used, Usage())
        return total.model_copy(update={"calls": len(used)})

    def put(self, texts: Mapping[str, str], vectors: Sequence[Vector], request: Mapping[str, Any], used: Usage) -> None:
        """Keep the answer to a request: one vector for each text, by the text's key."""
        from harness.cache.vectors import write_segment

        shares = _shares(texts, used)
        name = uuid.uuid4().hex
        write_rows(
            self.folder / f"{name}.usage", [dict(request), *([key, s.model_dump()] for key, s in shares.items())]
        )
        found = dict(zip(texts, (vector[None, :] for vector in vectors), strict=True))
        write_segment(self.folder, found)
        with self._lock:
            self._load().update({key: rows[0] for key, rows in found.items()})
            self._usage.update(shares)

    def _load(self) -> dict[str, Vector]:
        from harness.cache.vectors import read_segment

        if self._vectors is None:
            self._vectors = {}
            for path in sorted(self.folder.glob("*.usage")):
                rows = read_rows(path) or []
                self._usage.update({key: Usage.model_validate(used) for key, used in rows[1:]})
            for path in sorted(self.folder.glob("*.rows")):
                self._vectors.update({key: rows[0] for key, rows in read_segment(path).items()})
        return self._vectors


def _shares(texts: Mapping[str, str], used: Usage) -> dict[str, Usage]:
    """Each text's part of what a request took, by its length."""
    whole = sum(len(text) for text in texts.values()) or 1
    return {key: _part(used, len(text) / whole) for key, text in texts.items()}


def _part(used: Usage, share: float) -> Usage:
    cost = None if used.cost is None else used.cost * share
    return Usage(calls=1, input_tokens=round(used.input_tokens * share), cost=cost)


def described(model: str, texts: Sequence[str], extra: Mapping[str, Any]) -> dict[str, Any]:
    """A request as its segment says it."""
    return {"model": model, "texts": len(texts), "extra": json.loads(json.dumps(dict(extra)))}
