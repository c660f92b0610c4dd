"""What a running component may use. One per case, passed on as an argument: never global, never a context variable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

from harness.errors import HarnessError
from harness.records import Chunk, Golden

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.cache.blobs import Blobs
    from harness.components import Component, Index, Retriever
    from harness.documents.corpus import Corpus


@dataclass(frozen=True)
class Document:
    """A document as a component may know it."""

    id: str
    title: str
    aliases: tuple[str, ...] = ()


class Memo(Protocol):
    """Arrays by text, computed once over all variants and runs."""

    def fetch(
        self, texts: Sequence[str], compute: Callable[[list[str]], list[NDArray[np.floating[Any]]]]
    ) -> list[NDArray[np.floating[Any]]]:
        """One array (rows, d) a text, in order. `compute` is asked only for texts never seen, each once, by length."""


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


def _no_memo(component: Component, label: str) -> Memo:
    raise HarnessError("this bench has no memo")


def _no_index(retriever: Retriever) -> Index:
    raise HarnessError("this bench has no indexes")


def _no_chunks() -> list[Chunk]:
    return []


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

    corpus: Corpus
    blobs: Blobs
    documents: tuple[Document, ...] = ()
    """Documents in scope, of which the question is asked."""
    chunks: Chunks = field(default_factory=lambda: Chunks(_no_chunks))
    memo: Callable[[Component, str], Memo] = _no_memo
    """`memo(component, label)`: kept under the component's own key, so that another model or code never reads it."""
    index: Callable[[Retriever], Index] = _no_index
    """`index(retriever)`: a retriever inside another one, built where needed and opened once a run."""
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

    def with_index(self, index: Callable[[Retriever], Index]) -> Bench:
        """The same bench, with the indexes of one ingest."""
        return replace(self, index=index)

    def for_case(self, documents: tuple[Document, ...], gold: Golden | None) -> Bench:
        """The same bench, narrowed to one case."""
        return replace(self, documents=documents, gold=gold)
