"""The pages of the hits, whole: a table's header may lie in the chunk above the one that was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from harness.bench import Bench
from harness.records import Chunk, Hit, PageRef
from systems.answerers._statements.periods import years

_OVERLAP = 400
"""Characters that neighbouring chunks share, at most."""


class Page(NamedTuple):
    """A page that was found. `chunk` is its first hit, `rank` that hit's place, from 0."""

    chunk: Chunk
    rank: int
    lines: tuple[str, ...]

    @property
    def ref(self) -> PageRef:
        """Which page."""
        return self.chunk.ref

    @property
    def years(self) -> frozenset[int]:
        """The years that the page names."""
        return _years(self.lines)


@lru_cache(maxsize=1024)
def _years(lines: tuple[str, ...]) -> frozenset[int]:
    return frozenset(year for line in lines for year in years(line))


def pages_of(hits: Sequence[Hit], bench: Bench) -> list[Page]:
    """The pages of the hits, in order of first hit."""
    first: dict[PageRef, tuple[int, Hit]] = {}
    for rank, hit in enumerate(hits):
        first.setdefault(hit.chunk.ref, (rank, hit))
    whole = _whole(first, bench)
    return [Page(hit.chunk, rank, _lines(whole.get(ref) or [hit.chunk])) for ref, (rank, hit) in first.items()]


def _whole(refs: Iterable[PageRef], bench: Bench) -> dict[PageRef, list[Chunk]]:
    """All chunks of each page, in order."""
    found: dict[PageRef, list[Chunk]] = {ref: [] for ref in refs}
    for row in bench.chunks.rows({ref.doc for ref in found}):
        if (chunk := bench.chunks[row]).ref in found:
            found[chunk.ref].append(chunk)
    return found


def _lines(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    text = ""
    for chunk in chunks:
        text = _joined(text, chunk.passage)
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _joined(text: str, following: str) -> str:
    """Two chunks as one text, what they share once."""
    for length in range(min(_OVERLAP, len(text), len(following)), 0, -1):
        if text.endswith(following[:length]):
            return text + following[length:]
    return f"{text}\n{following}"
