"""Means with intervals, paired tests and per-document values: what a number over a golden set can carry.

Everything is a formula: nothing is drawn, and the order of the scores does not matter. What each interval covers is simulated
in benchmarks/interval_coverage.py. Intervals are for *these documents*; inference over documents starts at fifteen of them
(README.md beside this file).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.scoring.scores import STATUSES, Score, Summary

Array = NDArray[np.float64]

FEWEST = 4
"""Values that are not yes/no carry an interval from this many on."""
STRATUM = "stratum"
"""The key in a score's detail that names its stratum; a mean over such scores is the mean of the strata's means."""

_Z = NormalDist().inv_cdf(0.975)


class Interval(NamedTuple):
    """Bounds of a 95% interval; both None where the values cannot carry one."""

    low: float | None
    high: float | None


NONE = Interval(None, None)


# -- one mean ---------------------------------------------------------------------------------------------------------


def summarise(metric: str, scores: Sequence[Score], binary: bool, *, share: bool = True) -> Summary:
    """Mean of the scored values with its 95% interval: Wilson's for shares, Hall's for amounts.

    Where some scores are undecided or failed, `worst` and `best` are the mean with these as 0 and as 1; only a share (`share`)
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
    """How many rows have each status."""
    status = [score.status for score in scores]
    return {name: status.count(name) for name in STATUSES}


def is_open(score: Score) -> bool:
    """Whether a value is missing that the metric should have: undecided or failed."""
    return score.status in ("undecided", "failed")


def mean_of(scores: Iterable[Score]) -> float | None:
    """The mean of the scored values; over scores with strata, the mean of the strata's means. None without values."""
    rows = list(scores)
    if any(STRATUM in score.detail for score in rows):
        means = [plain_mean(scored_values(group)) for group in strata(rows).values()]
        known = [mean for mean in means if mean is not None]
        return plain_mean(known) if len(known) == len(means) > 1 else None
    return plain_mean(scored_values(rows))


def extremes(scores: Sequence[Score]) -> tuple[float | None, float | None]:
    """The mean with every open score counted as 0, and as 1; (None, None) where none is open."""
    missing = sum(map(is_open, scores))
    if not missing:
        return None, None
    values = scored_values(scores)
    return plain_mean([*values, *[0.0] * missing]), plain_mean([*values, *[1.0] * missing])


def interval(values: Sequence[float], *, binary: bool, share: bool = True) -> Interval:
    """The 95% interval of the mean of `values`, ascending: Wilson's for yes/no values and other shares, Hall's for amounts.

    Fewer than four values that are not yes/no have none.
    """
    if binary:
        return wilson(math.fsum(values), len(values))
    if len(values) < FEWEST:
        return NONE
    found = np.asarray(values, dtype=np.float64)
    return of_shares(found, np.ones(len(found))) if share else of_amounts(found)


def wilson(successes: float, n: float, z: float = _Z) -> Interval:
    """Wilson's 95% score interval of a share (Wilson 1927, without continuity correction); none for n = 0."""
    return _score_interval(successes / n, n, z) if n else NONE


def _score_interval(p: float, n: float, z: float) -> Interval:
    z2 = z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Interval(0.0 if p == 0 else max(0.0, centre - half), 1.0 if p == 1 else min(1.0, centre + half))


def of_shares(sums: Array, counts: Array, z: float = _Z) -> Interval:
    """The interval of sum(sums) / sum(counts), each sum between 0 and its count: Wilson's, at an effective number of values.

    That number is how many yes/no values would leave the mean as uncertain as these do. One imaginary value of 0 and one of 1
    take part in the variance, so that few or equal values are not certain. On yes/no values it is Wilson's own interval.
    """
    mean, size = math.fsum(sums) / math.fsum(counts), float(counts.mean())
    sums, counts = np.append(sums, [0.0, size]), np.append(counts, [size, size])
    centre = float(sums.sum() / counts.sum())
    variance = float(((sums - centre * counts) ** 2).mean()) / size**2
    return _score_interval(min(1.0, mean), (len(sums) - 2) * centre * (1 - centre) / variance, z)


def of_amounts(values: Array, degrees: float | None = None) -> Interval:
    """The interval of a mean of amounts with a long tail: Student's, freed of skewness by Hall's cubic transformation (1992).

    `degrees` of freedom are one fewer than the values where nothing is said. Equal amounts say nothing of how far another might
    go and have none. Where no value is negative, neither is a bound.
    """
    n, mean = len(values), float(values.mean())
    deviations = values - mean
    spread = math.sqrt(float((deviations**2).mean()))
    if np.ptp(values) <= 1e-12 * abs(mean):
        return NONE
    skew = float((deviations**3).mean()) / spread**3
    t, error = student(degrees or n - 1) / math.sqrt(n), spread * math.sqrt(n / (n - 1))
    low, high = (mean - error * _without_skew(side, skew, n) for side in (t, -t))
    return Interval(max(low, 0.0) if values.min() >= 0 else low, high)


def _without_skew(t: float, skew: float, n: int) -> float:
    """The inverse of Hall's transformation of a studentised mean."""
    a = skew / 3
    shifted = t - skew / (6 * n)
    return (float(np.cbrt(1 + 3 * a * shifted)) - 1) / a if abs(a) > 1e-6 else shifted


def student(degrees: float) -> float:
    """The 97.5% quantile of Student's distribution, within 0.2% from three degrees on (Abramowitz and Stegun 26.7.5)."""
    z, v = _Z, degrees
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4)
    )


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
    if not any(is_open(score) for rows in groups.values() for score in rows):
        return None, None
    worst, best = [], []
    for rows in groups.values():
        low, high = extremes(rows)
        mean = plain_mean(scored_values(rows))
        worst.append(low if low is not None else mean)
        best.append(high if high is not None else mean)
    return plain_mean([v for v in worst if v is not None]), plain_mean([v for v in best if v is not None])
