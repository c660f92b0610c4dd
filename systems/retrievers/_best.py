"""The best k rows of an array of scores, as hits in their canonical order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.bench import Bench
from harness.records import Hit, ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def rows_of(docs: frozenset[str] | None, bench: Bench) -> NDArray[np.int64]:
    """The rows of bench.chunks that lie in these documents, ascending; all of them where `docs` is None."""
    import numpy as np

    return np.arange(len(bench.chunks)) if docs is None else np.asarray(bench.chunks.rows(docs), dtype=np.int64)


def best(
    scores: NDArray[np.floating[Any]], rows: NDArray[np.int64], k: int, bench: Bench, *, positive: bool = False
) -> list[Hit]:
    """The k best of `rows` (numbers into bench.chunks, scores beside), by (-score, chunk id), ties at the k-th included.

    Scores are rounded to six decimals before they are compared: sums in another order, or over another part of the
    corpus, differ in the last bits, and equal passages must tie.
    """
    import numpy as np

    values = np.round(scores.astype(np.float64), 6)
    keep = np.flatnonzero(values > 0) if positive else np.arange(len(values))
    if len(keep) > k:
        floor = np.partition(values[keep], len(keep) - k)[len(keep) - k]
        keep = keep[values[keep] >= floor]
    return ranked([Hit(bench.chunks[int(rows[i])], float(values[i])) for i in keep])[:k]
