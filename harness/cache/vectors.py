"""Vectors and token states by text: computed once per model over all variants and runs, kept in .npy segments.

A namespace is a folder named by the component's key. Each batch that was computed becomes one segment: `<name>.npy` with
all rows of its texts below each other, and `<name>.rows` with the texts' keys and their numbers of rows.
"""

from __future__ import annotations

import hashlib
import threading
import uuid
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.cache.rows import read_rows, write_rows
from harness.files.writing import write_bytes

Array = NDArray[np.floating[Any]]
_BATCH = 256
_PENDING = 64


def text_key(text: str) -> str:
    """sha256 of a text, 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ArrayMemo:
    """Arrays of shape (rows, d) by text, in one namespace. Safe for threads; segments are safe for processes."""

    def __init__(self, folder: Path, progress: Callable[[str, int, int], None], what: str) -> None:
        self.folder = folder
        self.progress = progress
        self.what = what
        self._lock = threading.RLock()
        self._found: dict[str, Array] | None = None
        self._pending: dict[str, Array] = {}

    def fetch(self, texts: Sequence[str], compute: Callable[[list[str]], list[Array]]) -> list[Array]:
        """One array a text, in order. `compute` gets texts never seen, each once, sorted by length."""
        keys = [text_key(text) for text in texts]
        with self._lock:
            found = self._load()
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
            if missing:
                self._compute(missing, compute)
            return [found[key] for key in keys]

    def _compute(self, missing: dict[str, str], compute: Callable[[list[str]], list[Array]]) -> None:
        order = sorted(missing, key=lambda key: (len(missing[key]), key))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            arrays = compute([missing[key] for key in batch])
            self._keep(dict(zip(batch, arrays, strict=True)))
            if len(order) > _PENDING:
                self.progress(self.what, start + len(batch), len(order))

    def _keep(self, arrays: dict[str, Array]) -> None:
        self._load().update(arrays)
        self._pending.update(arrays)
        if len(self._pending) >= _PENDING:
            self.flush()

    def flush(self) -> None:
        """Write what is pending as a segment."""
        with self._lock:
            if self._pending:
                write_segment(self.folder, self._pending)
                self._pending = {}

    def _load(self) -> dict[str, Array]:
        if self._found is None:
            self._found = {}
            for rows in sorted(self.folder.glob("*.rows")):
                self._found.update(read_segment(rows))
        return self._found


def write_segment(folder: Path, arrays: dict[str, Array]) -> None:
    """Write arrays as one segment; the `.rows` file last, so that a segment with one is whole."""
    name = uuid.uuid4().hex
    buffer = BytesIO()
    np.save(buffer, np.concatenate(list(arrays.values())))
    data = buffer.getvalue()
    write_bytes(folder / f"{name}.npy", data)
    lengths = [[key, len(array)] for key, array in arrays.items()]
    write_rows(folder / f"{name}.rows", [hashlib.sha256(data).hexdigest(), *lengths])


def read_segment(rows: Path) -> dict[str, Array]:
    """The arrays of a segment; none of them where a file of it is damaged (they are computed again)."""
    listed = read_rows(rows)
    try:
        data = rows.with_suffix(".npy").read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return {}
    if not listed or hashlib.sha256(data).hexdigest() != listed[0]:
        return {}
    matrix = np.load(BytesIO(data), allow_pickle=False)
    bounds = np.cumsum([0, *(length for _, length in listed[1:])])
    return {key: matrix[bounds[i] : bounds[i + 1]] for i, (key, _) in enumerate(listed[1:])}


class Memos:
    """All namespaces of a folder, each opened once."""

    def __init__(self, folder: Path, progress: Callable[[str, int, int], None]) -> None:
        self.folder = folder
        self.progress = progress
        self._lock = threading.Lock()
        self._open: dict[str, ArrayMemo] = {}

    def open(self, namespace: str, what: str) -> ArrayMemo:
        """The memo of that namespace."""
        with self._lock:
            if namespace not in self._open:
                self._open[namespace] = ArrayMemo(self.folder / namespace, self.progress, what)
            return self._open[namespace]

    def flush(self) -> None:
        """Write everything that is pending."""
        for memo in list(self._open.values()):
            memo.flush()
