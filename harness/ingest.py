"""Documents to pages, chunks and indexes: each unit under its own key, parsed in a pool of processes.

A worker writes what it made before it reports it, so a run that is killed costs only the documents that were in work.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import keys
from harness.bench import Bench, Chunks
from harness.blobs import Blobs
from harness.components import Chunker, Index, Parser, Retriever
from harness.corpus import Corpus
from harness.errors import HarnessError, WorldError
from harness.records import Chunk, Page, PageRef
from harness.rows import first_row, read_rows, write_rows
from harness.shelves import keep_folder, whole


@dataclass(frozen=True)
class Task:
    """One document's work, as it goes to a worker process. Components travel as (kind, spec)."""

    folder: Path
    cache: Path
    doc: str
    pages_file: Path
    chunks_file: Path
    parser: Parser
    chunker: Chunker


class Ingest:
    """The documents of a corpus as one system sees them: pages, chunks, indexes."""

    def __init__(self, corpus: Corpus, docs: Sequence[str], cache: Path, parser: Parser, chunker: Chunker) -> None:
        self.corpus, self.documents, self.cache = corpus, tuple(docs), cache
        self.parser, self.chunker = parser, chunker
        self.lost: dict[str, str] = {}
        """Documents that failed in this run only (their process was killed), with the reason; never kept."""
        parser_key = keys.component_key(parser)
        chunker_key = keys.component_key(chunker)
        stage = keys.own_code(__name__)
        self.parse_keys = {
            doc: keys.digest(["parse", stage, doc, corpus.documents[doc].sha256, parser_key]) for doc in docs
        }
        self.chunk_keys = {doc: keys.digest(["chunk", key, chunker_key]) for doc, key in self.parse_keys.items()}
        self.chunks = Chunks(self._load_chunks)

    def index_key(self, retriever: Retriever) -> str:
        """The key of an index: its chunks, the retriever's settings (query-time ones aside) and its code."""
        component = keys.component_key(retriever, for_index=True)
        chunks = [self.chunk_keys[doc] for doc in self.documents if doc not in self.lost]
        return keys.digest(["index", chunks, component])

    def pages_file(self, doc: str) -> Path:
        return self.cache / "pages" / f"{self.parse_keys[doc]}.jsonl"

    def chunks_file(self, doc: str) -> Path:
        return self.cache / "chunks" / f"{self.chunk_keys[doc]}.jsonl"

    def pages(self, doc: str) -> list[Page]:
        """The pages of a document, parsed where they are not there yet."""
        rows = read_rows(self.pages_file(doc))
        if rows is None:
            make_document(self._task(doc))
            rows = read_rows(self.pages_file(doc)) or []
        return [Page.model_validate(row) for row in rows]

    def _task(self, doc: str) -> Task:
        files = self.pages_file(doc), self.chunks_file(doc)
        return Task(self.corpus.folder, self.cache, doc, *files, self.parser, self.chunker)

    def _chunk_rows(self, doc: str) -> list[Any]:
        rows = read_rows(self.chunks_file(doc))
        if rows is None:
            make_document(self._task(doc))
            rows = read_rows(self.chunks_file(doc))
        if rows is None:
            raise WorldError(f"{self.chunks_file(doc)} cannot be read back after it was written: is the disk full?")
        return rows

    def _load_chunks(self) -> list[Chunk]:
        whole = [doc for doc in self.documents if doc not in self.lost]
        return [Chunk.model_validate(row) for doc in whole for row in self._chunk_rows(doc)[1:]]

    def head(self, doc: str) -> dict[str, Any]:
        """{"pages": how many of each status, "error": why the document failed as a whole, or None}"""
        if doc in self.lost:
            return {"pages": {"failed": self.corpus.documents[doc].pages}, "error": self.lost[doc]}
        row = first_row(self.chunks_file(doc)) or self._chunk_rows(doc)[0]
        return {"pages": row["pages"], "error": row["error"]}

    def missing(self) -> list[str]:
        """Documents that have no whole chunk file yet."""
        return [doc for doc in self.documents if not self.chunks_file(doc).exists()]

    def run(self, bench: Bench, workers: int) -> None:
        """Make the chunks of all documents, in a pool of processes where there is more than one to make."""
        tasks = [self._task(doc) for doc in self.missing()]
        for done, (doc, reason) in enumerate(run_tasks(tasks, workers), start=1):
            if reason is not None:
                self.lost[doc] = reason
                bench.progress.note(f"document {doc!r} failed: {reason}")
            bench.progress("documents", done, len(tasks))


def run_tasks(tasks: Sequence[Task], workers: int) -> Iterator[tuple[str, str | None]]:
    """Yield each document as it ends, with the reason where it was lost.

    Where the system kills a worker, the documents that were in work get one more try, each in a process of its own.
    """
    if len(tasks) <= 1 or workers <= 1:
        yield from ((make_document(task), None) for task in tasks)
        return
    broken: list[Task] = []
    with _pool(min(workers, len(tasks))) as pool:
        futures = {pool.submit(make_document, task): task for task in tasks}
        for future in as_completed(futures):
            try:
                yield future.result(), None
            except BrokenProcessPool:
                broken.append(futures[future])
    for task in broken:
        yield task.doc, _again(task)


def _pool(workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_quiet_interrupts)


def _quiet_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _again(task: Task) -> str | None:
    """Try a document again in a process of its own; the reason where that is killed too."""
    if task.chunks_file.exists():
        return None
    try:
        with _pool(1) as pool:
            pool.submit(make_document, task).result()
    except BrokenProcessPool:
        return "the process that parsed it was killed twice (out of memory?)"
    return None


def _bench(task: Task, corpus: Corpus) -> Bench:
    return Bench(corpus=corpus, blobs=Blobs(task.cache / "blobs"))


def make_document(task: Task) -> str:
    """Parse and chunk one document, write both, and prepare its reference text; runs in a worker process.

    Returns the document's id.
    """
    corpus = Corpus.open(task.folder, task.cache, verify=False)
    bench = _bench(task, corpus)
    rows = read_rows(task.pages_file)
    pages = [Page.model_validate(row) for row in rows] if rows is not None else _parse(task, corpus, bench)
    _keep(task, pages, bench)
    corpus.reference(task.doc)
    return task.doc


def _parse(task: Task, corpus: Corpus, bench: Bench) -> list[Page]:
    """The pages, each exactly once; where the parser raises, all of them `failed` with its reason."""
    try:
        pages = task.parser.parse(corpus.documents[task.doc].path, task.doc, bench)
    except (HarnessError, ModuleNotFoundError, MemoryError, OSError):
        raise
    except Exception as error:
        return failed_pages(corpus, task.doc, f"{type(error).__name__}: {error}")
    found = {page.ref: page for page in pages}
    return [found.get(page.ref, page) for page in failed_pages(corpus, task.doc, "the parser did not return this page")]


def failed_pages(corpus: Corpus, doc: str, reason: str) -> list[Page]:
    """A page with status `failed` for each page of the document."""
    refs = (PageRef(doc, number) for number in range(1, corpus.documents[doc].pages + 1))
    return [Page(ref=ref, status="failed", error=reason) for ref in refs]


def _keep(task: Task, pages: Sequence[Page], bench: Bench) -> None:
    write_rows(task.pages_file, [page.model_dump(mode="json", exclude_defaults=True) for page in pages])
    chunks, error = _chunk(task, pages, bench)
    states = Counter(page.status for page in pages)
    head = {"doc": task.doc, "pages": dict(sorted(states.items())), "error": error or _whole_failure(pages)}
    write_rows(task.chunks_file, [head, *(chunk.model_dump(mode="json", exclude_defaults=True) for chunk in chunks)])


def _whole_failure(pages: Sequence[Page]) -> str | None:
    """Why no page of the document could be parsed; None where one could."""
    failed = [page for page in pages if page.status == "failed"]
    return failed[0].error if pages and len(failed) == len(pages) else None


def _chunk(task: Task, pages: Sequence[Page], bench: Bench) -> tuple[list[Chunk], str | None]:
    """The chunks; where the chunker raises or repeats an id, none and the reason: that is the system's fault."""
    try:
        chunks = task.chunker.chunk(pages, bench)
        repeated = [id for id, count in Counter(chunk.id for chunk in chunks).items() if count > 1]
        if repeated:
            raise ValueError(f"chunker {task.chunker.name()!r} gave two chunks the id {repeated[0]!r}")
    except (HarnessError, ModuleNotFoundError, MemoryError, OSError):
        raise
    except Exception as error:
        return [], f"{type(error).__name__}: {error}"
    return chunks, None


class Indexes:
    """Indexes of one ingest: built where they are missing, checked, opened once."""

    def __init__(self, ingest: Ingest, bench: Bench) -> None:
        self.ingest, self.bench = ingest, bench.with_index(self.open)
        self._lock = threading.RLock()
        self._open: dict[str, Index] = {}

    def open(self, retriever: Retriever) -> Index:
        """The index of a retriever, nested ones included."""
        key = self.ingest.index_key(retriever)
        opened = keys.digest([key, retriever.spec()])
        with self._lock:
            if opened not in self._open:
                self._open[opened] = retriever.open(self._built(retriever, key), self.bench)
            return self._open[opened]

    def _built(self, retriever: Retriever, key: str) -> Path:
        folder = self.ingest.cache / "indexes" / key
        if not whole(folder):
            chunks = self.ingest.chunks.items
            with keep_folder(folder) as scratch:
                retriever.build(chunks, scratch, self.bench)
        return folder
