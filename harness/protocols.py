"""The protocols: what a parser, chunker, embedder, retriever, reranker, answerer or checker has to offer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from harness.bench import Bench, Index
from harness.components import Component, query_time
from harness.records import Answer, Chunk, Hit, Page, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_UNIT = 1e-2
"""How far a vector's length may be from 1: what half-precision numbers lose is below."""
SearchCall = Callable[[str], list[Hit]]
"""What an answerer gets to search with: a query in, the hits it may read out, best first."""


class Parser(Component):
    """PDF in, pages out: one Page for each page of the file, whatever became of it."""

    kind: ClassVar[str] = "parser"

    def parse(self, pdf: Path, doc: str, bench: Bench) -> list[Page]:
        """All pages of `pdf`, in order. A page without content is `blank`; one that cannot be read is `unreadable`."""
        raise NotImplementedError

    def second(self) -> Parser | None:
        """The parser that is given a document which this one was lost on: its process ended, or a limit was reached."""
        return None


class Chunker(Component):
    """Pages of one document in, chunks out. Chunk ids are unique in the corpus: begin them with the page."""

    kind: ClassVar[str] = "chunker"

    def chunk(self, pages: Sequence[Page], bench: Bench) -> list[Chunk]:
        """The document's chunks, in reading order."""
        raise NotImplementedError


class Embedder(Component):
    """Texts in, vectors out, each text once per model over all variants."""

    kind: ClassVar[str] = "embedder"

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> Vectors:
        """float32 (n, d), each row of unit length; from the memo where the text was embedded before."""
        import numpy as np

        alone = bench.for_texts()

        def encoded(missing: list[str]) -> list[Vectors]:
            return list(self._checked(missing, self.encode(missing, kind, alone))[:, None, :])

        rows = bench.memo(self, kind).fetch(texts, encoded)
        return np.concatenate(rows) if rows else np.zeros((0, 1), dtype=np.float32)

    def _checked(self, texts: Sequence[str], vectors: Vectors) -> Vectors:
        """What `encode` gave. Raises ValueError where it is not one vector of unit length a text."""
        import numpy as np

        if not isinstance(vectors, np.ndarray):
            raise ValueError(f"{self._called} gave a {type(vectors).__name__} where an array is needed")
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ValueError(f"{self._called} gave an array of shape {vectors.shape} for {len(texts)} text(s)")
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
        wrong = lengths[~(np.abs(lengths - 1) <= _UNIT)]
        if len(wrong):
            raise ValueError(f"{self._called} gave a vector of length {wrong[0]:g}, not 1")
        return vectors

    @property
    def _called(self) -> str:
        return f"embedder {self.name()!r}"

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> Vectors:
        """The model itself: float32 (n, d), each row of unit length, never from a cache. `bench` has no case and no corpus."""
        raise NotImplementedError


class Retriever(Component):
    """Builds an index on disk and opens it, also after a restart or on another machine."""

    kind: ClassVar[str] = "retriever"

    candidates: int = query_time(100, "hits that one search returns", ge=1, le=10_000)

    def build(self, chunks: Sequence[Chunk], folder: Path, bench: Bench) -> None:
        """Write what `open` needs into the empty `folder`. A retriever that only wraps others writes nothing."""

    def open(self, folder: Path, bench: Bench) -> Index:
        """The index in `folder`. A retriever inside this one is opened with `bench.index(retriever)`."""
        raise NotImplementedError


class Reranker(Component):
    """Puts hits into a better order."""

    kind: ClassVar[str] = "reranker"

    def rerank(self, query: str, hits: list[Hit], bench: Bench) -> list[Hit]:
        """The same hits, or fewer, in the new order. Scores fall from first to last."""
        raise NotImplementedError


class Answerer(Component):
    """Answers a question from what it finds, or abstains."""

    kind: ClassVar[str] = "answerer"

    keep: int = Field(8, description="hits of a search that it reads", ge=1, le=1000)
    max_searches: int = Field(20, description="searches a question; after that a search returns nothing", ge=0, le=1000)

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """Answer `question`; `history` holds the earlier turns. It never sees the golden, unless it is an oracle."""
        raise NotImplementedError


class Checker(Component):
    """Checks an answer inside a system, before it is shown."""

    kind: ClassVar[str] = "checker"

    def check(self, question: str, answer: Answer, hits: Sequence[Hit], bench: Bench) -> float:
        """How well the hits support the answer, 0 to 1."""
        raise NotImplementedError
