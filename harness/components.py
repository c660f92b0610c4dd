"""Component and the protocols: what a parser, chunker, embedder, retriever, reranker or answerer has to offer.

Settings are typed fields; the YAML block of a component validates straight into it. A field that holds another component
takes a block of its own (`embedder: {use: minilm}`), so that variants are composed instead of switched.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, model_validator

from harness import registry
from harness.errors import UserError
from harness.records import Answer, Chunk, Hit, Page, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.bench import Bench

    Vectors = NDArray[np.float32]

SearchCall = Callable[[str], list[Hit]]
"""What an answerer gets to search with: a query in, the hits it may read out, best first."""


def query_time(default: Any, description: str = "", **limits: Any) -> Any:
    """A setting that acts at query time only: it stays out of the index's key."""
    return Field(default, description=description, json_schema_extra={"query_time": True}, **limits)


class Component(BaseModel):
    """Base of everything that a YAML block can name. Frozen; unknown settings are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    kind: ClassVar[str] = ""
    """Which folder it lives in; set by the protocol."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Import names of packages outside the default set."""
    extra: ClassVar[str | None] = None
    """The extra of this project that installs them."""
    sees_gold: ClassVar[bool] = False
    """True for oracles: bench.golden is set for them, and their results are stamped."""

    @model_validator(mode="wrap")
    @classmethod
    def _by_name(cls, value: Any, handler: ModelWrapValidatorHandler[Component]) -> Component:
        is_protocol = "kind" in cls.__dict__ and bool(cls.kind)
        if not is_protocol or isinstance(value, cls):
            return handler(value)
        return build(cls, value)

    @classmethod
    def name(cls) -> str:
        """Its name in YAML: the name of its file."""
        return cls.__module__.rpartition(".")[2]

    def settings(self) -> Iterator[tuple[str, Any, bool]]:
        """Each field as (name, value, whether it acts at query time only)."""
        for name, field in type(self).model_fields.items():
            extra = field.json_schema_extra
            yield name, getattr(self, name), isinstance(extra, dict) and bool(extra.get("query_time"))

    def spec(self, *, for_index: bool = False) -> dict[str, Any]:
        """The whole block with its defaults, as JSON; without query-time settings where it is for an index's key."""
        block: dict[str, Any] = {"use": self.name()}
        for name, value, late in self.settings():
            if not (late and for_index):
                block[name] = _plain(value, for_index)
        return block

    def parts(self) -> list[Component]:
        """This component and every component inside it, outermost first."""
        inner = [part for _, value, _ in self.settings() for child in _components(value) for part in child.parts()]
        return [self, *inner]

    def files(self) -> tuple[Path, ...]:
        """Files that shape what it does (a prompt, a model): their contents count into its key."""
        return ()


def _components(value: Any) -> list[Component]:
    if isinstance(value, Component):
        return [value]
    return [item for item in value if isinstance(item, Component)] if isinstance(value, (list, tuple)) else []


def _plain(value: Any, for_index: bool) -> Any:
    if isinstance(value, Component):
        return value.spec(for_index=for_index)
    if isinstance(value, (list, tuple)):
        return [_plain(item, for_index) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, for_index) for key, item in value.items()}
    return str(value) if isinstance(value, Path) else value


def build(protocol: type[Component], block: Any) -> Component:
    """The component that a YAML block names. Raises ValueError, or pydantic's own error, for what is wrong in it."""
    block = {"use": block} if isinstance(block, str) else block
    if not isinstance(block, dict) or not isinstance(block.get("use"), str):
        raise ValueError(f"write a {protocol.kind} as {{use: name, setting: value}}, not {block!r}")
    try:
        found = registry.load(protocol.kind, block["use"], protocol)
    except UserError as error:
        raise ValueError(str(error)) from None
    assert issubclass(found, Component)
    _require(found)
    return found.model_validate({key: value for key, value in block.items() if key != "use"})


def _require(found: type[Component]) -> None:
    """Say what to install before a run starts, not in the middle of it."""
    for package in found.needs:
        if importlib.util.find_spec(package) is None:
            target = f"-e '.[{found.extra}]'" if found.extra else package
            raise ValueError(
                f"{found.kind} {found.name()!r} needs the package {package!r}. Install it with: pip install {target}"
            )


class Parser(Component):
    """PDF in, pages out: one Page for each page of the file, whatever became of it."""

    kind: ClassVar[str] = "parser"

    def parse(self, pdf: Path, doc: str, bench: Bench) -> list[Page]:
        """All pages of `pdf`, in order. A page without content is `blank`; one that cannot be read is `unreadable`."""
        raise NotImplementedError


class Chunker(Component):
    """Pages of one document in, chunks out. Chunk ids are unique in the corpus: begin them with the page."""

    kind: ClassVar[str] = "chunker"

    def chunk(self, pages: Sequence[Page], bench: Bench) -> list[Chunk]:
        """The document's chunks, in reading order."""
        raise NotImplementedError


class Embedder(Component):
    """Texts in, vectors out, each text once per model over all variants."""

    kind: ClassVar[str] = "embedder"
    paid: ClassVar[bool] = False
    """True where vectors cost money: they are then kept with the calls and not with the cache."""

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> Vectors:
        """float32 (n, d), each row of unit length; from the memo where the text was embedded before."""
        import numpy as np

        rows = bench.memo(self, kind).fetch(texts, lambda missing: list(self.encode(missing, kind, bench)[:, None, :]))
        return np.concatenate(rows) if rows else np.zeros((0, 1), dtype=np.float32)

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> Vectors:
        """The model itself: float32 (n, d), each row of unit length, never from a cache."""
        raise NotImplementedError


class Index:
    """An opened index. It holds no chunks of its own: rows refer to `bench.chunks`, in the order of the build."""

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        """The best k chunks, ordered by (-score, chunk id). `docs` filters *before* ranking; None is the whole corpus."""
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
