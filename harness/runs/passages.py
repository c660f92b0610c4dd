"""What an answerer read, by chunk id: rows on disk hold ids only, and a judge needs the text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from harness.records import Case
from harness.runs.stages import Passages, Reader, Stages


def passages_of(key: str, stages: Callable[[], Stages]) -> Passages:
    """`stages` is called once, when a passage is first asked for: it may have to parse again."""
    opened = cache(stages)

    def reader(case: Case) -> Reader:
        found = cache(lambda: _found(opened(), case))
        return lambda chunk_id: found()[chunk_id]

    return Passages(key, reader)


def _found(stages: Stages, case: Case) -> dict[str, str]:
    """Chunk id to passage over all searches of a case, which are read back, or made again where the cache is gone.

    A retriever may widen what is read for a hit, so that a passage belongs to its search and not to the chunk alone.
    """
    hits = [hit for search in case.searches for hit in stages.search(search.query, case.golden)]
    return {hit.chunk.id: hit.chunk.passage for hit in reversed(hits)}
