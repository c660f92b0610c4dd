"""What a running component may use. One per case, passed on as an argument: never global, never a context variable.

Of the corpus and of blobs it says only what components may ask for, so that the contract knows no room of the instrument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, overload

from pydantic import BaseModel

from harness.components import Component
from harness.errors import HarnessError
from harness.records import Chunk, Golden, Hit, Message, Model, PageRef, Reply, Step, Tool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Document:
    """A document as a component may know it; all of it is in the keys of what the component makes."""

    id: str
    title: str
    aliases: tuple[str, ...] = ()
    pages: int = 0


class Listed(Protocol):
    """What corpus.yaml says of a document."""

    @property
    def title(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def pages(self) -> int: ...


@dataclass(frozen=True)
class Untitled:
    """A document as a parser may know it: pages are made of the file alone, so that a new title parses nothing again."""

    id: str
    pages: int

    @property
    def title(self) -> str:
        raise RuntimeError(
            f"a parser reads the file of {self.id!r}; titles and aliases are for chunkers and what follows"
        )

    @property
    def aliases(self) -> tuple[str, ...]:
        raise RuntimeError(
            f"a parser reads the file of {self.id!r}; titles and aliases are for chunkers and what follows"
        )


class Pages(Protocol):
    """The pages of the corpus as the instrument reads them, never as the parser under test does."""

    @property
    def documents(self) -> Mapping[str, Listed]:
        """The documents by id."""

    def __contains__(self, ref: object) -> bool:
        """Whether the corpus has that page."""

    def text(self, ref: PageRef) -> str:
        """The page's reference text. Raises KeyError outside the corpus, UserError where the page cannot be read."""

    def doubt(self, ref: PageRef) -> str | None:
        """Why what the reference text lacks may yet stand on the page; None where there is no such reason."""

    def label(self, ref: PageRef) -> str | None:
        """The number printed on the page, None where none is."""

    def words(self, ref: PageRef) -> Sequence[tuple[str, float, float, float, float]]:
        """Each word with its box (x0, y0, x1, y1), in points from the top left of the page as it is shown."""

    def image(self, ref: PageRef, dpi: int = 150) -> bytes:
        """The page as a PNG of `dpi` pixels an inch."""


class BlobStore(Protocol):
    """Files by their sha256: images and crops."""

    def put(self, data: bytes) -> str:
        """Keep `data`; its sha256."""

    def get(self, name: str) -> bytes:
        """The contents. Raises FileNotFoundError where there is no such blob."""


class NoPages:
    """A corpus without documents."""

    def __init__(self) -> None:
        self.documents: dict[str, Listed] = {}

    def __contains__(self, ref: object) -> bool:
        return False

    def text(self, ref: PageRef) -> str:
        raise KeyError(f"{ref} is no page: this bench has no corpus")

    def doubt(self, ref: PageRef) -> str | None:
        raise KeyError(f"{ref} is no page: this bench has no corpus")

    def label(self, ref: PageRef) -> str | None:
        raise KeyError(f"{ref} is no page: this bench has no corpus")

    def words(self, ref: PageRef) -> Sequence[tuple[str, float, float, float, float]]:
        raise KeyError(f"{ref} is no page: this bench has no corpus")

    def image(self, ref: PageRef, dpi: int = 150) -> bytes:
        raise KeyError(f"{ref} is no page: this bench has no corpus")


class Shelf:
    """Some documents of a corpus, and nothing else of it: what is not here would be in no key of what a component makes.

    No folder and no file either: a component that reads the disk reads what it declares in `files()`.
    """

    def __init__(self, pages: Pages, documents: Mapping[str, Listed]) -> None:
        self._pages = pages
        self.documents = MappingProxyType(dict(documents))

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, PageRef) and ref.doc in self.documents and ref in self._pages

    def text(self, ref: PageRef) -> str:
        return self._pages.text(self._own(ref))

    def doubt(self, ref: PageRef) -> str | None:
        return self._pages.doubt(self._own(ref))

    def label(self, ref: PageRef) -> str | None:
        return self._pages.label(self._own(ref))

    def words(self, ref: PageRef) -> Sequence[tuple[str, float, float, float, float]]:
        return self._pages.words(self._own(ref))

    def image(self, ref: PageRef, dpi: int = 150) -> bytes:
        return self._pages.image(self._own(ref), dpi)

    def _own(self, ref: PageRef) -> PageRef:
        if ref not in self:
            raise KeyError(f"{ref} is no page of the documents that this component works on")
        return ref


class NoBlobs:
    """A store that keeps nothing."""

    def put(self, data: bytes) -> str:
        raise HarnessError("this bench keeps no blobs")

    def get(self, name: str) -> bytes:
        raise FileNotFoundError(name)


class Memo(Protocol):
    """Arrays by text, computed once over all variants and runs."""

    def fetch(
        self, texts: Sequence[str], compute: Callable[[list[str]], list[NDArray[np.floating[Any]]]]
    ) -> list[NDArray[np.floating[Any]]]:
        """One array (rows, d) a text, in order. `compute` is asked only for texts never seen, each once, by length.

        An array is kept by its text and by the component's key: what else `compute` reads would be in no key.
        """


class Chunks(Sequence[Chunk]):
    """All chunks of the corpus, in the order in which indexes were built; loaded on first use."""

    def __init__(self, load: Callable[[], list[Chunk]]) -> None:
        self._load = load
        self._items: list[Chunk] | None = None
        self._by_doc: dict[str, list[int]] = {}

    @property
    def items(self) -> list[Chunk]:
        if self._items is None:
            items = self._load()
            by_doc: dict[str, list[int]] = {}
            for row, chunk in enumerate(items):
                by_doc.setdefault(chunk.ref.doc, []).append(row)
            self._by_doc, self._items = by_doc, items
        return self._items

    def rows(self, docs: Iterable[str] | None) -> list[int]:
        """Row numbers of the chunks of these documents, ascending; of all where `docs` is None."""
        items = self.items
        return (
            list(range(len(items))) if docs is None else sorted(r for d in set(docs) for r in self._by_doc.get(d, []))
        )

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, row: int) -> Chunk: ...
    @overload
    def __getitem__(self, row: slice) -> list[Chunk]: ...
    def __getitem__(self, row: int | slice) -> Chunk | list[Chunk]:
        return self.items[row]


class Index:
    """An opened index. It holds no chunks of its own: rows refer to `bench.chunks`, in the order of the build."""

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        """The best k chunks, ordered by (-score, chunk id). `docs` filters *before* ranking; None is the whole corpus."""
        raise NotImplementedError


def _no_memo(component: Component, label: str) -> Memo:
    raise HarnessError("this bench has no memo")


def _no_index(retriever: Component) -> Index:
    raise HarnessError("this bench has no indexes")


def _no_passage(chunk_id: str) -> str:
    raise HarnessError("this bench has no passages")


def _no_chunks() -> list[Chunk]:
    return []


class Door(Protocol):
    """The one way to a model. Safe for threads; what a call used is booked to the case.

    Raises WorldError (nothing is kept, the run stops) and ReplyError (a kept reply that cannot be used).
    """

    def chat(
        self,
        model: Model,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        tool_choice: str | None = None,
        schema: type[BaseModel] | None = None,
        logprobs: int = 0,
        sample: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """The model's reply, from the kept ones where the same was asked before.

        `tool_choice` is "auto", "none", "required" or a tool's name. With a `schema`, `reply.parsed` is an object that it
        accepts. `logprobs` is the number of likeliest tokens in each place. Another `sample` is another reply to the same.
        `on_text` is told each piece of text as it comes.
        """

    def embed(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any] = MappingProxyType({})) -> Vectors:
        """float32 (n, d), as the model gave them; `extra` are further fields of the request's body."""

    def rerank(self, model: Model, query: str, passages: Sequence[str]) -> list[float]:
        """How well each passage fits the query, in the order of the passages."""


_NO_DOOR = "it asks a model, and none of its settings is a Model: what it gives could not be kept under its key"


class NoDoor:
    """A door that is shut, for components that name no model in their settings."""

    def chat(self, model: Model, messages: Sequence[Message], **settings: Any) -> Reply:
        raise RuntimeError(_NO_DOOR)

    def embed(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any] = MappingProxyType({})) -> Vectors:
        raise RuntimeError(_NO_DOOR)

    def rerank(self, model: Model, query: str, passages: Sequence[str]) -> list[float]:
        raise RuntimeError(_NO_DOOR)


def _no_note(step: Step) -> None:
    pass


class Watcher(Protocol):
    """Is told how far a step is, and what a user should know."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """`done` of `total` of step `what`."""

    def note(self, text: str) -> None:
        """One line for the user."""


class Silent:
    """A watcher that says nothing."""

    def __call__(self, what: str, done: int, total: int) -> None:
        pass

    def note(self, text: str) -> None:
        pass


@dataclass(frozen=True)
class Bench:
    """The things that a component may use while it works on one case."""

    corpus: Pages = field(default_factory=NoPages)
    blobs: BlobStore = field(default_factory=NoBlobs)
    door: Door = field(default_factory=NoDoor)
    note: Callable[[Step], None] = _no_note
    """Puts a step of the component's own (a draft, a check, a note) into the case's trace."""
    documents: tuple[Document, ...] = ()
    """Documents in scope, of which the question is asked."""
    chunks: Chunks = field(default_factory=lambda: Chunks(_no_chunks))
    memo: Callable[[Component, str], Memo] = _no_memo
    """`memo(component, label)`: kept under the component's own key, so that another model or code never reads it."""
    index: Callable[[Component], Index] = _no_index
    """`index(retriever)`: a retriever inside another one, built where needed and opened once a run."""
    passage: Callable[[str], str] = _no_passage
    """`passage(chunk_id)`, for a metric with `reads_passages` and for judges, while a case is scored: what the answerer
    read under that id. Made again where the cache is gone, since a case on disk holds ids only. Raises KeyError for a
    chunk that no search of the case gave."""
    progress: Watcher = field(default_factory=Silent)
    gold: Golden | None = None

    @property
    def golden(self) -> Golden:
        """The golden, for oracles only. Raises RuntimeError for everybody else."""
        if self.gold is None:
            raise RuntimeError("only a component with sees_gold = True may look at the golden")
        return self.gold

    def file(self, component: Component, path: Path) -> bytes:
        """The contents of a file that the component declared in `files()`; others would not count into its key."""
        if path not in component.files():
            raise RuntimeError(f"{component.name()} reads {path} but does not declare it in files()")
        return path.read_bytes()

    def with_index(self, index: Callable[[Component], Index]) -> Bench:
        """The same bench, with the indexes of one ingest."""
        return replace(self, index=index)

    def for_texts(self) -> Bench:
        """What may be read while vectors are made: nothing of the case and of the corpus, since they are kept by text."""
        return Bench(blobs=self.blobs, door=self.door, memo=self.memo, progress=self.progress)

    def for_case(self, documents: tuple[Document, ...], gold: Golden | None) -> Bench:
        """The same bench, narrowed to one case."""
        return replace(self, documents=documents, gold=gold)

    def booking(self, door: Door, note: Callable[[Step], None]) -> Bench:
        """The same bench, with a door that books to one case and that case's trace."""
        return replace(self, door=door, note=note)
