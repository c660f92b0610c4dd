"""Two yes/no values for each of n questions: the difference of their shares, its interval, its tests, and what n can show.

Questions on which both agree count in n only. Wins are those that the first has and the second has not, losses the reverse,
and a difference is (wins - losses) / n. benchmarks/yes_no_coverage.py adds up what the interval covers.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from harness.scoring.intervals import Interval

POWER = 0.8
"""The chance of a significant result with which a difference counts as one that can be shown."""
LEVEL = 0.05
_EXACT = 20_000
"""The formula alone speaks for more questions than this; the discreteness of the test no longer matters there."""
_Z = NormalDist().inv_cdf


def tango(wins: float, losses: float, n: int, confidence: float = 0.95) -> Interval:
    """Tango's score interval of a difference of paired shares (Statistics in Medicine 17, 1998), two-sided; none for n = 0.

    Either bound taken alone is one-sided at half of the error: the lower one of 0.9 is the one-sided 95% bound.
    """
    if n == 0:
        return Interval(None, None)
    z2, found = _Z((1 + confidence) / 2) ** 2, (wins - losses) / n
    return Interval(_edge(wins, losses, n, z2, found, -1.0), _edge(wins, losses, n, z2, found, 1.0))


def _edge(wins: float, losses: float, n: int, z2: float, inside: float, outside: float) -> float:
    """Where the score statistic passes its critical value, between a difference inside and one outside."""
    if _is_inside(wins, losses, n, z2, outside):
        return outside
    while abs(outside - inside) > 1e-12:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if _is_inside(wins, losses, n, z2, middle) else (inside, middle)
    return inside


def _is_inside(wins: float, losses: float, n: int, z2: float, difference: float) -> bool:
    """Whether the score test does not reject this difference; the losses' share is its most likely one under it."""
    half = wins + losses - (2 * n - wins + losses) * difference
    share = (math.sqrt(half**2 + 8 * n * losses * difference * (1 - difference)) + half) / (4 * n)
    variance = n * (2 * share + difference * (1 - difference))
    return (wins - losses - n * difference) ** 2 <= z2 * variance


def mcnemar(wins: int, losses: int) -> float:
    """Two-sided exact McNemar p from the discordant counts: a binomial test with p = 1/2 (McNemar 1947)."""
    return min(1.0, 2 * min(mcnemar_fewer(wins, losses), mcnemar_fewer(losses, wins)))


def mcnemar_fewer(wins: int, losses: int) -> float:
    """One-sided exact McNemar p: how often so few wins, or fewer, come about where wins and losses are equally likely."""
    n = wins + losses
    return sum(math.comb(n, i) for i in range(wins + 1)) / (1 << n)


def power(n: int, wins: float, losses: float, level: float = LEVEL) -> float:
    """The chance that two-sided exact McNemar shows the difference at `level`, where each question is won or lost so often.

    `wins` and `losses` are shares of the n questions. Exact: summed over how many questions differ, and how they do.
    """
    many, few = max(wins, losses), min(wins, losses)
    if n == 0 or many == 0:
        return 0.0
    differing = np.arange(n + 1)
    weights = _binomial(np.full(n + 1, n), differing, min(1.0, many + few))
    kept = weights > 1e-12
    differing, weights = differing[kept], weights[kept]
    critical = _critical(1 << n.bit_length(), level)[differing]
    fewer = np.arange(critical.max() + 1)[:, None]
    tails = np.where(fewer <= critical, _binomial(differing, fewer, few / (many + few)), 0.0).sum(axis=0)
    return float(min(1.0, weights @ tails))


def detectable(n: int, differing: float) -> float | None:
    """The smallest difference of shares that n questions show with 80% power; None where even a difference of 1 is not shown.

    `differing` is the share of questions on which the two differ, as observed; it grows where the difference is larger.
    """
    if _power_of(n, differing, 1.0) < POWER:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if _power_of(n, differing, middle) >= POWER else (middle, high)
    return high


def _power_of(n: int, differing: float, difference: float) -> float:
    share = max(differing, difference)
    return power(n, (share + difference) / 2, (share - difference) / 2)


def questions_needed(wins: int, losses: int, n: int, level: float = LEVEL) -> int | None:
    """About how many questions show the observed difference with 80% power, were its rates true; None for no difference.

    Starts at Connor's formula (Biometrics 43, 1987), which is for a test without discreteness, and goes up in steps of 2%
    until the exact test at `level`, two-sided, has that power.
    """
    if wins == losses:
        return None
    up, down = wins / n, losses / n
    number = _connor(up + down, abs(up - down), level)
    while number <= _EXACT and power(number, up, down, level) < POWER:
        number += max(1, number // 50)
    return number


def _connor(differing: float, difference: float, level: float) -> int:
    root = _Z(1 - level / 2) * math.sqrt(differing) + _Z(POWER) * math.sqrt(differing - difference**2)
    return math.ceil((root / difference) ** 2)


def _binomial(n: NDArray[np.int64], k: NDArray[np.int64], p: float) -> NDArray[np.float64]:
    """The chance of k successes among n, 0 where k > n; broadcast over n and k."""
    factorials = _log_factorials(1 << int(n.max()).bit_length())
    possible = np.minimum(k, n)
    logs = factorials[n] - factorials[possible] - factorials[n - possible]
    yes, no = (math.log(max(share, 1e-300)) for share in (p, 1 - p))
    return np.asarray(np.where(k <= n, np.exp(logs + possible * yes + (n - possible) * no), 0.0))


@lru_cache(maxsize=32)
def _log_factorials(most: int) -> NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


@lru_cache(maxsize=32)
def _critical(most: int, level: float) -> NDArray[np.int64]:
    """For 0, 1, … `most` differing questions the largest smaller count that is significant, two-sided; -1 where none is.

    One question more leaves that count or raises it by one, so that a single pass finds all.
    """
    chance = partial(_even_chance, _log_factorials(most))
    found, count, tail = np.full(most + 1, -1), -1, 0.0
    for n in range(1, most + 1):
        tail -= chance(n - 1, count) / 2
        if 2 * (tail + chance(n, count + 1)) <= level:
            count, tail = count + 1, tail + chance(n, count + 1)
        found[n] = count
    return found


def _even_chance(factorials: NDArray[np.float64], n: int, k: int) -> float:
    """The chance of k heads among n tosses; 0 for k = -1."""
    return math.exp(factorials[n] - factorials[k] - factorials[n - k] - n * math.log(2)) if k >= 0 else 0.0
