"""Indexes of one ingest: built where they are missing, checked, opened once."""

from __future__ import annotations

import threading
from pathlib import Path

from harness.bench import Bench, Index
from harness.cache import keys
from harness.cache.folders import keep_folder, whole
from harness.components import Component
from harness.files import writing
from harness.protocols import Retriever
from harness.runs import guards
from harness.runs.ingest import Ingest


class Indexes:
    """Indexes of one ingest: built where they are missing, checked, opened once."""

    def __init__(self, ingest: Ingest, bench: Bench) -> None:
        self.ingest, self.bench = ingest, bench.with_index(self.open)
        self._lock = threading.RLock()
        self._open: dict[str, Index] = {}
        self._failed: dict[str, Exception] = {}

    def open(self, retriever: Component) -> Index:
        """The index of a retriever, nested ones included."""
        assert isinstance(retriever, Retriever)
        key = self.ingest.index_key(retriever)
        opened = keys.digest([key, retriever.spec(in_order=True)])
        with self._lock:
            if opened in self._failed:  # what failed for one question is not tried again for each of the others
                raise self._failed[opened]
            if opened not in self._open:
                try:
                    self._open[opened] = self._made(retriever, key)
                except Exception as error:
                    self._failed[opened] = error
                    raise
            return self._open[opened]

    def _made(self, retriever: Retriever, key: str) -> Index:
        with guards.calling(retriever):
            index = retriever.open(self._built(retriever, key), self.bench)
        if not isinstance(index, Index):
            raise guards.Fault(f"retriever {retriever.name()!r} opened a {type(index).__name__}, which is no Index")
        return index

    def is_built(self, retriever: Retriever) -> bool:
        """Whether the index of a retriever is there, and of each one inside it."""
        inner = [part for part in retriever.parts() if isinstance(part, Retriever)]
        return all(whole(self.ingest.cache / "indexes" / self.ingest.index_key(one)) for one in inner)

    def _built(self, retriever: Retriever, key: str) -> Path:
        folder = self.ingest.cache / "indexes" / key
        if not whole(folder):
            chunks = self.ingest.chunks.items
            try:
                with keep_folder(folder) as scratch:
                    retriever.build(chunks, scratch, self.bench)
            except OSError as error:
                if error.errno is not None and error.errno not in writing.REFUSALS:
                    raise
                raise writing.refused(error, folder) from error
        return folder
