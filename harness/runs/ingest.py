"""Documents to pages, chunks and indexes: each unit under its own key, parsed in processes of their own, within limits.

What a parser or chunker may read of a document is in its key: a parser knows the file, a chunker title and aliases besides.

A worker writes what it made before it reports it, so a run that is killed costs only the documents that were in work. A
document that ends its worker, or takes more time or memory than it may, is given to the parser's second reader (readers.py); it
fails where there is none, or that is lost on it too. Who was lost is kept. A worker that somebody killed is not the document's
fault: the document is tried once more, and nothing is kept of that.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from harness.bench import Bench, Chunks, Document, Listed, Shelf, Untitled
from harness.cache import keys
from harness.cache.blobs import Blobs
from harness.cache.rows import checksum, first_row, read_rows, write_rows
from harness.components import Component
from harness.documents import file_link, page_text, processes
from harness.documents import shortfall as shortfalls
from harness.documents.corpus import Corpus
from harness.documents.corpus_yaml import DocumentFile
from harness.documents.losses import Losses
from harness.documents.processes import Done
from harness.documents.shortfall import Shortfall
from harness.errors import UserError, WorldError
from harness.files import working_folder, writing
from harness.protocols import Chunker, Parser, Retriever
from harness.records import Chunk, Page, PageRef, Usage
from harness.runs import guards
from harness.runs.readers import Reader, Readers, Work


class OpenedDoor(Protocol):
    """The door while a worker is at one document."""

    def enter(self, bench: Bench, component: Component) -> Bench:
        """The bench with the door, where the component asks models."""

    def used(self) -> Usage:
        """What the document's calls cost with nothing kept. Raises the world's failure that a component went on after."""

    def billed(self) -> Usage:
        """What was paid for the document."""


class DocumentDoor(Protocol):
    """How a worker comes by the door. This module does not know it: no document is parsed again because the door changed."""

    def key(self, component: Component) -> list[Any]:
        """What of the door is in the key of what the component makes."""

    def open(self, cache: Path) -> OpenedDoor:
        """In a worker, the door for one document."""


@dataclass(frozen=True)
class Task:
    """One document's work, as it goes to a worker process: with what corpus.yaml said of it when the run began."""

    file: DocumentFile
    cache: Path
    pages_file: Path
    chunks_file: Path
    parser: Parser
    chunker: Chunker
    again: bool = False
    """Whether it is parsed again although its pages are kept."""
    instead: str | None = None
    """Where its parser is the second reader: why."""
    shortfall_file: Path | None = None
    """Where it is kept what the parse lacks, for the step that counts it."""
    door: DocumentDoor | None = None
    """How models are asked, where the parser or the chunker asks one."""

    @property
    def doc(self) -> str:
        return self.file.id

    def corpus(self) -> Corpus:
        """The corpus with this document alone."""
        return Corpus(self.file.path.parent, "", False, {self.doc: self.file}, self.cache)


_ASKING_SECONDS = 86_400.0
"""More for a document whose parser or chunker asks a model; calls have limits of their own."""


class Step(NamedTuple):
    """What a worker is asked for: a document's pages and chunks, its reference text, or what the former lack of the latter."""

    what: Literal["document", "reference text", "comparison"]
    task: Task


class Ingest:
    """The documents of a corpus as one system sees them: pages, chunks, indexes."""

    def __init__(
        self,
        corpus: Corpus,
        docs: Sequence[str],
        cache: Path,
        parser: Parser,
        chunker: Chunker,
        retry_failed: bool = False,
        door: DocumentDoor | None = None,
    ) -> None:
        self.corpus, self.documents, self.cache = corpus, tuple(docs), cache
        self.parser, self.chunker, self.retry_failed, self.door = parser, chunker, retry_failed, door
        self.lost: dict[str, str] = {}
        """Documents without chunks, since the processes that worked on them were lost, with the reason."""
        self.limits = processes.Limits.from_environment()
        self.readers = Readers(parser, Losses(cache, self.limits, forget=retry_failed))
        parser_key, chunker_key = (
            [keys.component_key(one), *([door.key(one)] if door else [])] for one in (parser, chunker)
        )
        stage, files = keys.code(__name__), corpus.documents
        self.parse_keys = {
            doc: keys.digest(["parse", stage, doc, files[doc].sha256, files[doc].pages, parser_key]) for doc in docs
        }
        self.chunk_keys = {
            doc: keys.digest(["chunk", key, files[doc].title, *files[doc].aliases, chunker_key])
            for doc, key in self.parse_keys.items()
        }
        self.chunks = Chunks(self._load_chunks)
        self._checksums: dict[str, str | None] = {}
        self._unread: dict[str, dict[str, list[int]]] = {}
        self._lock = threading.Lock()

    @property
    def shelf(self) -> Shelf:
        """What components may read of the documents; `index_key` holds all of it."""
        return Shelf(self.corpus, {doc: known(self.corpus.documents[doc]) for doc in self.documents})

    def index_key(self, retriever: Retriever) -> str:
        """The key of an index: its documents and chunks, the retriever's settings (query-time ones aside) and its code."""
        component = keys.component_key(retriever, for_index=True)
        return keys.digest(["index", [self._contents(doc) for doc in self.documents], component])

    def _contents(self, doc: str) -> list[Any]:
        """What stands for a document in a key: chunks and listing, and whether it can be read at all in this run."""
        checksum = None if doc in self.lost else self._checksum(doc)
        return [doc, self.chunk_keys[doc], checksum, doc in self.corpus.damaged]

    def _checksum(self, doc: str) -> str | None:
        """The checksum of the chunks as this run uses them: a parser may give others when it is asked again."""
        with self._lock:
            if doc not in self._checksums:
                self._checksums[doc] = checksum(self.chunks_file(doc))
            return self._checksums[doc]

    def pages_file(self, doc: str) -> Path:
        return self.cache / "pages" / f"{self.parse_keys[doc]}.jsonl"

    def chunks_file(self, doc: str) -> Path:
        return self.cache / "chunks" / f"{self.chunk_keys[doc]}.jsonl"

    def _task(self, doc: str, reader: Reader | None = None) -> Task:
        places = self.pages_file(doc), self.chunks_file(doc)
        file, (parser, instead, _) = self.corpus.documents[doc], reader or Reader(self.parser, None, "")
        return Task(file, self.cache, *places, parser, self.chunker, self.retry_failed, instead, door=self.door)

    def _work(self, doc: str) -> Work:
        return Work(self.parse_keys[doc], self.chunk_keys[doc], self.corpus.documents[doc].pages)

    def _chunk_rows(self, doc: str) -> list[Any]:
        """The head and the chunks; raises WorldError where they are not those that this run began with."""
        rows = read_rows(self.chunks_file(doc))
        if rows is None or checksum(self.chunks_file(doc)) != self._checksum(doc):
            raise WorldError(
                f"{self.chunks_file(doc)} was changed or damaged during the run: run again to make it anew."
            )
        return rows

    def _load_chunks(self) -> list[Chunk]:
        whole = [doc for doc in self.documents if doc not in self.lost]
        chunks = [Chunk.model_validate(row) for doc in whole for row in self._chunk_rows(doc)[1:]]
        self._refuse_twins(chunks)
        return chunks

    def _refuse_twins(self, chunks: Sequence[Chunk]) -> None:
        """One text would be read for the other's hit: within a document `_chunk` sees to that, here it is the corpus."""
        first: dict[str, Chunk] = {}
        for chunk in chunks:
            other = first.setdefault(chunk.id, chunk)
            if other is not chunk:
                raise UserError(
                    f"chunker {self.chunker.name()!r} gave the id {chunk.id!r} to a chunk of {other.ref} and to one of "
                    f"{chunk.ref}: ids are unique in the corpus, begin them with the page."
                )

    def head(self, doc: str) -> dict[str, Any]:
        """{"pages": how many of each status, "error": why the document failed as a whole, or None}

        And "instead", where the second reader was given it: who that is, and why.
        """
        if doc in self.lost:
            return {"pages": {"failed": self.corpus.documents[doc].pages}, "error": self.lost[doc]}
        row = first_row(self.chunks_file(doc)) or self._chunk_rows(doc)[0]
        return {name: row[name] for name in ("pages", "error", "instead", "usage") if name in row}

    def unread(self, doc: str) -> dict[str, list[int]]:
        """The numbers of the pages of which there is no text, by why: picture, unreadable, blank or failed."""
        if doc in self.lost:
            return {"failed": list(range(1, self.corpus.documents[doc].pages + 1))}
        if doc not in self._unread:
            row = first_row(self.chunks_file(doc)) or self._chunk_rows(doc)[0]
            self._unread[doc] = row.get("unread", {})
        return self._unread[doc]

    def missing(self) -> list[str]:
        """Documents that have no whole chunk file of their own yet; those that failed too, where they are tried again."""
        return [doc for doc in self.documents if not self._has_chunks(doc)]

    def _has_chunks(self, doc: str) -> bool:
        rows = read_rows(self.chunks_file(doc))
        if not rows or rows[0]["doc"] != doc or any(PageRef.parse(row["ref"]).doc != doc for row in rows[1:]):
            return False
        failed, instead = rows[0]["error"] is not None or rows[0]["pages"].get("failed"), rows[0].get("instead")
        if instead and not self.readers.known_lost(self._work(doc)):
            return False
        return not (self.retry_failed and failed)

    def run(self, bench: Bench, workers: int) -> Usage:
        """Make the chunks and reference texts that are missing, and tell the user which documents failed.

        Returns what models were paid for it.
        """
        for kind in ("pages", "chunks", "reference", "shortfalls", "indexes"):
            writing.sweep(self.cache / kind)
        unread = [doc for doc in self.documents if not self.corpus.has_reference(doc)]
        waiting, billed = self.missing(), Usage()
        at_once = 1 if self.door else workers  # what endpoints allow holds within one process
        while steps := self._to_read(waiting):
            waiting, paid = self._make(steps, bench, at_once)
            billed += paid
        self._make([Step("reference text", self._task(doc)) for doc in unread], bench, workers)
        self._make([Step("comparison", task) for task in self._uncompared()], bench, workers)
        for doc in self.documents:
            head = self.head(doc)
            if head["error"] is not None:
                bench.progress.note(f"document {doc!r} failed: {head['error']}")
            elif "instead" in head:
                bench.progress.note(f"document {doc!r}: {head['instead']}")
            if (reason := self.corpus.damaged.get(doc)) is not None:
                bench.progress.note(f"document {doc!r}: figures on its pages cannot be checked: {reason}")
        return billed

    def _to_read(self, docs: Sequence[str]) -> list[Step]:
        """A step for each document, to be read by the first who was not lost on it; where all were, it is lost."""
        steps = []
        for doc in docs:
            reader = self.readers.of(self._work(doc))
            if reader is None:
                self.lost[doc] = self.readers.why_nobody(self._work(doc))
            else:
                steps.append(Step("document", self._task(doc, reader)))
        return steps

    def _uncompared(self) -> Iterator[Task]:
        for doc in self.documents:
            path = self._shortfall_file(doc)
            if path is not None and read_rows(path) is None:
                yield replace(self._task(doc), shortfall_file=path)

    def _shortfall_file(self, doc: str) -> Path | None:
        """None where pages or reference text are not to be had. A parser may give other pages when it is asked again."""
        pages = checksum(self.pages_file(doc))
        if pages is None or doc in self.lost or doc in self.corpus.damaged:
            return None
        key = keys.digest(["shortfall", self.corpus.documents[doc].sha256, pages, keys.code(shortfalls.__name__)])
        return self.cache / "shortfalls" / f"{key}.jsonl"

    def shortfall(self, doc: str) -> Shortfall | None:
        """What the parse lacks of the reference text; None where one of the two is not to be had."""
        path = self._shortfall_file(doc)
        rows = read_rows(path) if path else None
        return Shortfall.model_validate(rows[0]) if rows else None

    def _make(self, steps: Sequence[Step], bench: Bench, size: int) -> tuple[list[str], Usage]:
        """Do the steps; returns the documents that are to be given to another reader, and what models were paid."""
        again, billed = list[str](), Usage()
        with closing(self._each(steps, bench.progress.note, size)) as ended:
            for number, done in enumerate(ended, start=1):
                step, taken, lost, _ = done
                fault, billed = (taken.fault, billed + taken.billed) if taken else (None, billed)
                if step.what == "document" and lost:
                    again += self._lost(step.task, done)
                elif step.what == "reference text" and (lost or fault):
                    self._unreferenced(step.task, done)
                bench.progress(f"{step.what}s", number, len(steps))
        return again, billed

    def _unreferenced(self, task: Task, done: Done[Any, Taken]) -> None:
        """Note that there is no reference text; it may be there where only the second reader was lost on it."""
        if page_text.read_cached(task.file.sha256, self.cache) is None:
            self.corpus.damaged[task.doc] = done.lost or (done.result and done.result.fault) or ""
            page_text.note_lost(task.file.sha256, task.file.pages, self.cache, done)

    def _lost(self, task: Task, done: Done[Any, Any]) -> list[str]:
        """Note who was lost on a document. It is given to another reader where that was not somebody else's doing."""
        if done.outside:
            self.lost[task.doc] = done.lost or ""
            return []
        parsed = read_rows(self.pages_file(task.doc)) is not None
        self.readers.note(self._work(task.doc), done, parsed=parsed)
        return [task.doc]

    def _each(self, steps: Sequence[Step], note: Callable[[str], None], size: int) -> Any:
        def notify(step: Step, what: str) -> None:
            note(f"{step.what} {step.task.doc!r}: {what}")

        def seconds(step: Step) -> float:
            own = self.limits.time(self.corpus.documents[step.task.doc].pages)
            return own + (_ASKING_SECONDS if self.door else 0.0)

        return processes.each(take, steps, size, seconds, notify, self.limits.gib)


class Taken(NamedTuple):
    """What a worker says of a step: why there is no reference text, where there is none, and what was paid."""

    fault: str | None = None
    billed: Usage = Usage()


def take(step: Step) -> Taken:
    """Do a step, in a worker."""
    if step.what == "reference text":
        return Taken(make_reference(step.task))
    if step.what == "comparison":
        make_comparison(step.task)
        return Taken()
    return Taken(billed=make_document(step.task))


def known(file: DocumentFile) -> Document:
    """A document as components may know it: not where its file lies, which is beside the answers."""
    return Document(file.id, file.title, tuple(file.aliases), file.pages)


def _bench(task: Task, corpus: Corpus, listed: Listed) -> Bench:
    return Bench(corpus=Shelf(corpus, {task.doc: listed}), blobs=Blobs(task.cache / "blobs"))


def make_document(task: Task) -> Usage:
    """Parse and chunk one document and write both; what models were paid for it. Runs in a worker."""
    corpus, opened = task.corpus(), task.door.open(task.cache) if task.door else None
    enter = opened.enter if opened else _no_door
    pages = None if task.again else _kept_pages(task)
    if pages is None:
        pages = _parse(task, corpus, enter(_bench(task, corpus, Untitled(task.doc, task.file.pages)), task.parser))
        pages = [page.model_copy(update={"instead": task.instead}) for page in pages]
    chunks, error = _chunk(task, pages, enter(_bench(task, corpus, known(task.file)), task.chunker))
    _keep(task, pages, chunks, error, opened.used() if opened else Usage())
    return opened.billed() if opened else Usage()


def _no_door(bench: Bench, component: Component) -> Bench:
    return bench


def _kept_pages(task: Task) -> list[Page] | None:
    """The pages that were parsed before; None where there are none, or they are another document's."""
    rows = read_rows(task.pages_file)
    pages = [Page.model_validate(row) for row in rows or []]
    own = [PageRef(task.doc, number) for number in range(1, task.file.pages + 1)]
    by_another = any(page.instead for page in pages) and task.instead is None
    return pages if [page.ref for page in pages] == own and not by_another else None


def make_reference(task: Task) -> str | None:
    """Prepare the reference text of one document, in a worker; why it cannot be had, where the file cannot be opened."""
    try:
        task.corpus().reference(task.doc)
    except UserError as error:
        return str(error)
    return None


def make_comparison(task: Task) -> None:
    """Count what the parse of one document lacks of its reference text, in a worker."""
    pages = _kept_pages(task)
    if pages is not None and task.shortfall_file is not None:
        found = shortfalls.shortfall(task.doc, pages, task.corpus().reference(task.doc))
        write_rows(task.shortfall_file, [found.model_dump(mode="json")])


def _parse(task: Task, corpus: Corpus, bench: Bench) -> list[Page]:
    """The pages, each exactly once; where the parser raises, those that it did not give before are `failed`."""
    found: dict[PageRef, Page] = {}
    why = "the parser did not return this page"
    with file_link.linked(corpus.documents[task.doc].path, task.cache) as file:
        try:
            for page in _given(task, file, bench):
                found[page.ref] = page
        except BaseException as error:  # a panic in Rust is no Exception
            why = _why(task.parser, error).replace(f"{file.parent}{os.sep}", "")
    return [found.get(page.ref, page) for page in failed_pages(corpus, task.doc, why)]


def _given(task: Task, file: Path, bench: Bench) -> Iterator[Page]:
    """The pages of a list, or of a generator as they come."""
    with working_folder.fixed():
        for page in guards.many(task.parser, task.parser.parse(file, task.doc, bench), "pages"):
            yield guards.page(task.parser, page)


def _why(component: Component, error: BaseException) -> str:
    """The reason of a fault; what lacked memory is lost in this run only."""
    if isinstance(error, MemoryError):
        raise error
    return guards.reason(guards.fault(component, error))


def failed_pages(corpus: Corpus, doc: str, reason: str) -> list[Page]:
    """A page with status `failed` for each page of the document."""
    refs = (PageRef(doc, number) for number in range(1, corpus.documents[doc].pages + 1))
    return [Page(ref=ref, status="failed", error=reason) for ref in refs]


def _keep(task: Task, pages: Sequence[Page], chunks: Sequence[Chunk], error: str | None, used: Usage) -> None:
    """Write pages and chunks; in the head of the chunks, what models took while they were made."""
    write_rows(task.pages_file, [page.model_dump(mode="json", exclude_defaults=True) for page in pages])
    states = Counter(page.status for page in pages)
    head: dict[str, Any] = {
        "doc": task.doc,
        "pages": dict(sorted(states.items())),
        "error": error or _whole_failure(pages),
    }
    head |= {"unread": unread} if (unread := _unread(pages)) else {}
    head |= {"instead": task.instead} if task.instead else {}
    if used.calls:
        head["usage"] = used.model_dump(mode="json", exclude_defaults=True)
    write_rows(task.chunks_file, [head, *(chunk.model_dump(mode="json", exclude_defaults=True) for chunk in chunks)])


def _unread(pages: Sequence[Page]) -> dict[str, list[int]]:
    """The pages without text by why: one that is `unreadable` and has no letter at all is a picture."""
    found: dict[str, list[int]] = {}
    for page in pages:
        if page.status != "ok":
            picture = page.status == "unreadable" and not page.text.strip()
            found.setdefault("picture" if picture else page.status, []).append(page.ref.page)
    return found


def _whole_failure(pages: Sequence[Page]) -> str | None:
    """Why no page of the document could be parsed; None where one could."""
    failed = [page for page in pages if page.status == "failed"]
    return failed[0].error if pages and len(failed) == len(pages) else None


def _chunk(task: Task, pages: Sequence[Page], bench: Bench) -> tuple[list[Chunk], str | None]:
    """The chunks; where the chunker raises or repeats an id, none and the reason: that is the system's fault."""
    try:
        with working_folder.fixed():
            given = task.chunker.chunk(pages, bench)
            return guards.chunks(task.chunker, given, {page.ref for page in pages}), None
    except BaseException as error:
        return [], _why(task.chunker, error)
