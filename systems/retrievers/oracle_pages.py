"""The ceiling of retrieval: the golden's own pages first, the smallest group of evidence leading."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from harness.bench import Bench, Index
from harness.protocols import Retriever
from harness.records import Chunk, Golden, Hit, Kind, PageRef

_KINDS: dict[str, Kind] = {
    "text": "text",
    "table": "table",
    "figure": "figure",
    "chart": "figure",
    "layout": "figure",
}


class OraclePages(Retriever):
    """Every metric of the retrieve stage must read 1.0 for it: what is less is a fault of the instrument or the golden."""

    sees_gold: ClassVar[bool] = True

    def open(self, folder: Path, bench: Bench) -> Index:
        """It needs no index."""
        return _OracleIndex()


class _OracleIndex(Index):
    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        chunks = [chunk for ref in _pages(bench.golden) for chunk in _chunks(ref, bench)][:k]
        return [Hit(chunk, 1.0 / rank) for rank, chunk in enumerate(chunks, start=1)]


def _pages(golden: Golden) -> list[PageRef]:
    groups = sorted(golden.evidence, key=len)
    return list(dict.fromkeys(ref for group in groups for ref in group))


def _chunks(ref: PageRef, bench: Bench) -> Iterator[Chunk]:
    """One chunk of the page for each kind that the golden's modality asks for, with all of the page's text in it."""
    own = [chunk for chunk in (bench.chunks[row] for row in bench.chunks.rows([ref.doc])) if chunk.ref == ref]
    text = "\n".join(chunk.passage for chunk in own)
    for kind in dict.fromkeys(_KINDS.get(name, "text") for name in bench.golden.modality):
        yield Chunk(id=f"{ref}-gold-{kind}", ref=ref, text=text, kind=kind)
