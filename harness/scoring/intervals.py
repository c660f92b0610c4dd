"""Means with intervals, paired tests and per-document values: what a number over a golden set can carry.

Everything is deterministic and does not depend on the order of the scores: values are sorted before they are resampled.
Intervals are for *these documents*; inference over documents starts at fifteen of them (README.md beside this file).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.scoring.scores import Score, Summary

Array = NDArray[np.float64]

RESAMPLES = 2000
SEED = 20180401
STRATUM = "stratum"
"""The key in a score's detail that names its stratum; a mean over such scores is the mean of the strata's means."""

_Z = NormalDist().inv_cdf(0.975)
_KEPT = 2000


class Interval(NamedTuple):
    """Bounds of a 95% interval; both None where the values cannot carry one."""

    low: float | None
    high: float | None


NONE = Interval(None, None)


# -- one mean ---------------------------------------------------------------------------------------------------------


def summarise(metric: str, scores: Sequence[Score], binary: bool, *, share: bool = True) -> Summary:
    """Mean of the scored values with its 95% interval: Wilson for 0/1 values, BCa bootstrap otherwise.

    Where some scores failed, `worst` and `best` are the mean with these counted as 0 and as 1; only a share (`share`)
    has them. Scores that name a stratum are summarised as `balanced` does.
    """
    if any(STRATUM in score.detail for score in scores):
        return balanced(metric, scores)
    values = scored_values(scores)
    low, high = interval(values, binary=binary, share=share)
    worst, best = extremes(scores) if share else (None, None)
    return Summary(metric=metric, mean=plain_mean(values), low=low, high=high, worst=worst, best=best, **counts(scores))


def scored_values(scores: Iterable[Score]) -> list[float]:
    """The values of the scored rows, ascending."""
    return sorted(score.value for score in scores if score.value is not None)


def counts(scores: Iterable[Score]) -> dict[str, Any]:
    """How many rows are scored, not applicable and failed."""
    status = [score.status for score in scores]
    return {name: status.count(name) for name in ("scored", "not_applicable", "failed")}


def mean_of(scores: Iterable[Score]) -> float | None:
    """The mean of the scored values; over scores with strata, the mean of the strata's means. None without values."""
    rows = list(scores)
    if any(STRATUM in score.detail for score in rows):
        means = [plain_mean(scored_values(group)) for group in strata(rows).values()]
        known = [mean for mean in means if mean is not None]
        return plain_mean(known) if len(known) == len(means) > 1 else None
    return plain_mean(scored_values(rows))


def extremes(scores: Sequence[Score]) -> tuple[float | None, float | None]:
    """The mean with every failed score counted as 0, and as 1; (None, None) where none failed."""
    failed = sum(score.status == "failed" for score in scores)
    if not failed:
        return None, None
    values = scored_values(scores)
    return plain_mean([*values, *[0.0] * failed]), plain_mean([*values, *[1.0] * failed])


def interval(values: Sequence[float], *, binary: bool, share: bool = True) -> Interval:
    """The 95% interval of the mean of `values`.

    Values that are all equal have no spread to resample: where they are all 0 or all 1 of a share, Wilson's interval
    says what n such values carry; otherwise the interval is the value itself, and a single one has none.
    """
    if not values:
        return NONE
    equal = min(values) == max(values)
    if binary or (equal and share and values[0] in (0.0, 1.0)):
        return wilson(math.fsum(values), len(values))
    if equal:
        return Interval(values[0], values[0]) if len(values) > 1 else NONE
    return bca(values)


def wilson(successes: float, n: int) -> Interval:
    """Wilson's 95% score interval of a share (Wilson 1927, without continuity correction)."""
    if n == 0:
        return NONE
    p, z2 = successes / n, _Z * _Z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Interval(0.0 if p == 0 else max(0.0, centre - half), 1.0 if p == 1 else min(1.0, centre + half))


def bca(values: Sequence[float], resamples: int = RESAMPLES) -> Interval:
    """Bias-corrected and accelerated bootstrap interval of a mean (Efron 1987), seeded. Needs two different values."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    replicates = resampled_sums(ordered, resamples) / len(ordered)
    centred = ordered - ordered.mean()
    return bca_of(float(ordered.mean()), replicates, centred)


def bca_of(estimate: float, replicates: Array, influence: Array) -> Interval:
    """BCa bounds from bootstrap replicates and the jackknife's influence values (mean of leave-one-out minus each)."""
    tie = 1e-10 * max(1e-300, float(np.ptp(replicates)))
    below = (replicates < estimate - tie).mean() / 2 + (replicates <= estimate + tie).mean() / 2
    bias = NormalDist().inv_cdf(min(max(float(below), 0.5 / len(replicates)), 1 - 0.5 / len(replicates)))
    square = float((influence**2).sum())
    skew = float((influence**3).sum()) / (6 * square**1.5) if square > 0 else 0.0
    low, high = np.quantile(replicates, [_adjusted(bias, skew, -_Z), _adjusted(bias, skew, _Z)])
    return Interval(float(low), float(high))


def _adjusted(bias: float, skew: float, z: float) -> float:
    return NormalDist().cdf(bias + (bias + z) / max(1e-9, 1 - skew * (bias + z)))


def resampled_sums(ordered: Array, resamples: int) -> Array:
    """Sums of bootstrap samples along the first axis: (n,) gives (resamples,), (n, m) gives (resamples, m)."""
    n = len(ordered)
    if n <= _KEPT:
        return np.asarray(_weights(n, resamples) @ ordered)
    rng = np.random.default_rng(SEED)
    return np.array([ordered[rng.integers(0, n, n)].sum(axis=0) for _ in range(resamples)])


@lru_cache(maxsize=16)
def _weights(n: int, resamples: int) -> Array:
    """How often each of n values is drawn in each resample: (resamples, n), the same for every metric."""
    drawn = np.random.default_rng(SEED).integers(0, n, (resamples, n))
    flat = (drawn + n * np.arange(resamples)[:, None]).ravel()
    return np.bincount(flat, minlength=resamples * n).reshape(resamples, n).astype(np.float64)


def plain_mean(values: Sequence[float]) -> float | None:
    """The mean; None without values."""
    return math.fsum(values) / len(values) if values else None


# -- a mean of means --------------------------------------------------------------------------------------------------


def strata(scores: Iterable[Score]) -> dict[str, list[Score]]:
    """Applicable scores by the stratum that their detail names, in alphabetical order."""
    groups: defaultdict[str, list[Score]] = defaultdict(list)
    for score in scores:
        if score.status != "not_applicable":
            groups[str(score.detail.get(STRATUM, ""))].append(score)
    return dict(sorted(groups.items()))


def balanced(metric: str, scores: Sequence[Score]) -> Summary:
    """The mean of the strata's means of 0/1 values, with a stratified interval; no mean where a stratum is missing.

    The interval is MOVER's: each stratum's Wilson bounds, combined by the distances to its own mean (Newcombe 1998;
    Zou and Donner 2008).
    """
    groups = strata(scores)
    mean = mean_of(scores)
    if mean is None:
        only = ", ".join(name for name, rows in groups.items() if scored_values(rows)) or "nothing"
        return Summary(metric=metric, mean=None, note=f"needs two kinds of golden; scored: {only}", **counts(scores))
    low, high = _mover([scored_values(rows) for rows in groups.values()])
    worst, best = _balanced_extremes(groups)
    return Summary(metric=metric, mean=mean, low=low, high=high, worst=worst, best=best, **counts(scores))


def _mover(groups: Sequence[Sequence[float]]) -> Interval:
    down = up = total = 0.0
    for values in groups:
        mean, (low, high) = math.fsum(values) / len(values), wilson(math.fsum(values), len(values))
        assert low is not None
        assert high is not None
        total, down, up = total + mean, down + (mean - low) ** 2, up + (high - mean) ** 2
    n = len(groups)
    return Interval(max(0.0, (total - math.sqrt(down)) / n), min(1.0, (total + math.sqrt(up)) / n))


def _balanced_extremes(groups: Mapping[str, Sequence[Score]]) -> tuple[float | None, float | None]:
    if not any(score.status == "failed" for rows in groups.values() for score in rows):
        return None, None
    worst, best = [], []
    for rows in groups.values():
        low, high = extremes(rows)
        mean = plain_mean(scored_values(rows))
        worst.append(low if low is not None else mean)
        best.append(high if high is not None else mean)
    return plain_mean([v for v in worst if v is not None]), plain_mean([v for v in best if v is not None])
