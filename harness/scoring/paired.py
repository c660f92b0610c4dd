"""Two systems on the same questions: differences by question, their interval, and the test that fits the values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.scoring.intervals import FEWEST, NONE, Interval, interval, plain_mean, student
from harness.scoring.paired_shares import mcnemar, tango
from harness.scoring.scores import Score

Array = NDArray[np.float64]

_EXACT = 16
_SEED = 20180401


class Paired(NamedTuple):
    """Two systems on the questions that both have a value for: first minus second."""

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    """Two-sided, exact McNemar or sign-flip; None without common questions."""
    n: int
    wins: int
    losses: int
    test: str


def paired(first: Iterable[Score], second: Iterable[Score], *, binary: bool, share: bool = True) -> Paired:
    """Paired comparison by question: the mean difference, its 95% interval, and the test that fits the values."""
    differences = paired_differences(first, second)
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    test = "exact McNemar" if binary else "sign-flip"
    if not differences:
        return Paired(None, None, None, None, 0, 0, 0, test)
    low, high = difference_interval(differences, binary=binary, share=share)
    p = mcnemar(wins, losses) if binary else sign_flip(differences)
    return Paired(plain_mean(differences), low, high, p, len(differences), wins, losses, test)


def paired_differences(first: Iterable[Score], second: Iterable[Score]) -> list[float]:
    """First minus second on each golden that both have a value for, ascending."""
    other = {(score.golden, score.sample): score.value for score in second if score.value is not None}
    mine = {(score.golden, score.sample): score.value for score in first if score.value is not None}
    return sorted(mine[key] - other[key] for key in mine.keys() & other.keys())


def sign_flip(differences: Sequence[float], flips: int = 20_000) -> float:
    """Two-sided sign-flip p of a mean difference (Fisher's randomisation): exact to 16 non-zero ones, else sampled.

    Sampled, the observed signs count as one of the samples: (1 + at least as extreme) / (1 + flips).
    """
    sizes = np.sort(np.abs([d for d in differences if d != 0.0]))
    observed = abs(math.fsum(differences)) - 1e-9 * float(sizes.sum())
    if len(sizes) <= _EXACT:
        return float((np.abs(_all_signed_sums(sizes)) >= observed).mean())
    signs = np.random.default_rng(_SEED).integers(0, 2, (flips, len(sizes)), dtype=np.int8)
    sums = 2 * (signs @ sizes) - sizes.sum()
    return float((1 + (np.abs(sums) >= observed).sum()) / (1 + flips))


def _all_signed_sums(sizes: Array) -> Array:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def difference_interval(differences: Sequence[float], *, binary: bool, share: bool = True) -> Interval:
    """95% interval of a mean paired difference: Tango's for 0/1 values, Student's for amounts.

    Differences of other shares lie between -1 and 1: as shares of that span they have the interval of a share.
    """
    if binary:
        return tango(sum(d > 0 for d in differences), sum(d < 0 for d in differences), len(differences))
    if not share:
        return _student(differences)
    low, high = interval(sorted((1 + d) / 2 for d in differences), binary=False)
    return NONE if low is None or high is None else Interval(2 * low - 1, 2 * high - 1)


def _student(differences: Sequence[float]) -> Interval:
    """Student's; skewness largely cancels in a difference. Equal differences, and fewer than four, carry none."""
    n = len(differences)
    if n < FEWEST or min(differences) == max(differences):
        return NONE
    mean = math.fsum(differences) / n
    error = math.sqrt(math.fsum((d - mean) ** 2 for d in differences) / (n - 1) / n)
    return Interval(mean - student(n - 1) * error, mean + student(n - 1) * error)
