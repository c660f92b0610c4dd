"""The last step of every reranker: rescored hits first, the rest after them with scores that go on falling."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Hit, ranked


def reordered(head: Sequence[Hit], rest: Sequence[Hit]) -> list[Hit]:
    """`head` by (-score, chunk id), then `rest` in the order that it has, one below the other under the last of `head`."""
    first = ranked(list(head))
    floor = first[-1].score if first else 0.0
    return first + [Hit(hit.chunk, floor - rank) for rank, hit in enumerate(rest, start=1)]
