"""What so many questions can show of two systems, and how many would show a difference: quick enough for hundreds of pairs.

Up to 150 questions the exact power of McNemar's test is used (paired_shares.py), since it is discrete; beyond, Connor's formula
(Biometrics 43, 1987), which is within 6% of it there.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

from harness.scoring import paired_shares
from harness.scoring.paired_shares import LEVEL, POWER

EXACT = 150
_ALPHA, _BETA = NormalDist().inv_cdf(1 - LEVEL / 2), NormalDist().inv_cdf(POWER)


@lru_cache(maxsize=4096)
def detectable(n: int, differing: int) -> float | None:
    """The smallest difference of yes/no values that n questions show with 80% power; None where they show none.

    `differing` is the number of questions on which the two differ; it grows where the difference is larger.
    """
    if n <= EXACT:
        return paired_shares.detectable(n, differing / n)
    low, high = 0.0, 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if _connor(max(differing / n, middle), middle) <= n else (middle, high)
    return high


@lru_cache(maxsize=4096)
def needed(wins: int, losses: int, n: int) -> int | None:
    """About how many questions show the observed difference of yes/no values with 80% power; None where there is none."""
    if wins == losses:
        return None
    about = math.ceil(_connor((wins + losses) / n, abs(wins - losses) / n))
    return about if about > EXACT else paired_shares.questions_needed(wins, losses, n)


def detectable_amount(spread: float, n: int) -> float:
    """The smallest mean difference that n questions show with 80% power, where single ones vary by `spread`."""
    return (_ALPHA + _BETA) * spread / math.sqrt(n)


def needed_amount(spread: float, difference: float) -> int | None:
    """About how many questions show a mean difference with 80% power; None for no difference."""
    return math.ceil(((_ALPHA + _BETA) * spread / difference) ** 2) if difference else None


def _connor(differing: float, difference: float) -> float:
    root = _ALPHA * math.sqrt(differing) + _BETA * math.sqrt(max(0.0, differing - difference**2))
    return (root / difference) ** 2
