"""Latency that means something: one case at a time, warmed, repeated, nothing read back from a cache.

Only `harness run --time` measures it, and it measures the stages as every run has them: caps, oracles and faults included.
What a search would reuse in service stays (the opened index, token states of passages); what belongs to the question is
computed each time (its vector, its token states).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.bench import Bench, Memo
from harness.components import Component
from harness.records import Golden
from harness.runs.stages import Stages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REPEATS = 3


class NothingKept:
    """Stands for the cache of outcomes and keeps nothing."""

    def get(self, key: str) -> Any | None:
        return None

    def put(self, key: str, value: Any) -> None:
        pass


class NothingRemembered:
    """A memo that computes each time."""

    def fetch(
        self, texts: Sequence[str], compute: Callable[[list[str]], list[NDArray[np.floating[Any]]]]
    ) -> list[NDArray[np.floating[Any]]]:
        return compute(list(texts))


@dataclass(frozen=True)
class PassageMemo:
    """The memos of a bench for passages; what belongs to a query is computed each time."""

    bench: Bench

    def __call__(self, component: Component, label: str) -> Memo:
        return NothingRemembered() if "query" in label else self.bench.memo(component, label)


def measure(stages: Stages, goldens: Sequence[Golden]) -> dict[str, float]:
    """Milliseconds, p50 and p95 over all goldens and repeats, of the retrieve stage and of the generate stage."""
    bench = replace(stages.bench, memo=PassageMemo(stages.bench))
    fresh = Stages(stages.system, stages.ingest, NothingKept(), bench)
    return {**_timed("retrieve", fresh.retrieve, goldens), **_timed("answer", fresh.generate, goldens)}


def _timed(name: str, stage: Callable[[Golden], object], goldens: Sequence[Golden]) -> dict[str, float]:
    values = sorted(value for golden in goldens for value in _repeated(partial(stage, golden)))
    marks = {"p50": 0.5, "p95": 0.95}
    return {
        f"{name}_{mark}_ms": round(values[int(share * (len(values) - 1))], 3) for mark, share in marks.items() if values
    }


def _repeated(work: Callable[[], object]) -> list[float]:
    """Milliseconds of each repeat, after one that only warms."""
    return [_milliseconds(work) for _ in range(REPEATS + 1)][1:]


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)
