"""Latency that means something: one case at a time, warmed, repeated, nothing read back from a cache.

Only `harness run --time` measures it. What a search would reuse in service stays (the opened index, token states of passages);
what belongs to the question is computed each time (its vector, its token states).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.bench import Bench, Memo
from harness.components import Component
from harness.records import Golden, Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.runs.stages import Stages

REPEATS = 3


class Uncached:
    """A memo that remembers nothing."""

    def fetch(
        self, texts: Sequence[str], compute: Callable[[list[str]], list[NDArray[np.floating[Any]]]]
    ) -> list[NDArray[np.floating[Any]]]:
        return compute(list(texts))


def measure(stages: Stages, goldens: Sequence[Golden]) -> dict[str, float]:
    """Milliseconds, p50 and p95 over all goldens and repeats, of retrieve (search and rerank) and of the whole answer."""
    bench = replace(stages.bench, memo=_forgetful(stages.bench))
    searches = [_repeated(partial(_search, stages, bench, golden, golden.question)) for golden in goldens]
    answers = [_repeated(partial(_answer, stages, bench, golden)) for golden in goldens]
    return {**_quantiles("retrieve", searches), **_quantiles("answer", answers)}


def _repeated(work: Callable[[], object]) -> list[float]:
    """Milliseconds of each repeat, after one that only warms."""
    return [_milliseconds(work) for _ in range(REPEATS + 1)][1:]


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def _quantiles(name: str, repeats: Sequence[Sequence[float]]) -> dict[str, float]:
    values = sorted(value for row in repeats for value in row)
    marks = {"p50": 0.5, "p95": 0.95}
    return {
        f"{name}_{mark}_ms": round(values[int(share * (len(values) - 1))], 2) for mark, share in marks.items() if values
    }


def _forgetful(bench: Bench) -> Callable[[Component, str], Memo]:
    def memo(component: Component, label: str) -> Memo:
        return Uncached() if "query" in label else bench.memo(component, label)

    return memo


def _search(stages: Stages, bench: Bench, golden: Golden, query: str) -> list[Hit]:
    system = stages.system
    own = bench.for_case(stages.documents(golden), golden if system.oracle else None)
    hits = stages.indexes.open(system.retriever).search(query, system.retriever.candidates, stages.docs(golden), own)
    return system.reranker.rerank(query, hits, own)


def _answer(stages: Stages, bench: Bench, golden: Golden) -> None:
    answerer = stages.system.answerer
    own = bench.for_case(stages.documents(golden), golden if stages.system.oracle else None)
    answerer.answer(
        golden.question, lambda query: _search(stages, bench, golden, query)[: answerer.keep], golden.turns, own
    )
