"""How often the 95% intervals of yes/no values hold the truth: Wilson's for one system, Tango's for two on the same questions.

    python benchmarks/yes_no_coverage.py

Nothing is drawn: the chances of all counts whose interval holds the truth are added up, over true shares .05, .10 … .95;
for two systems over all pairs of them, agreeing by chance, half-way, and as much as their shares allow. The same for Tango's
one-sided 95% bound, by which `harness gate` passes; and the error of Holm over three one-sided McNemar tests where nothing
changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, multinomial

from harness.scoring.intervals import wilson
from harness.scoring.paired_shares import mcnemar_fewer, tango

Array = NDArray[np.float64]

SIZES = (20, 60, 150)
SHARES = np.arange(1, 20) / 20


def one_system(n: int) -> list[float]:
    """Coverage at each share."""
    bounds = np.array([wilson(count, n) for count in range(n + 1)], dtype=float)
    inside = [(bounds[:, 0] <= share) & (share <= bounds[:, 1]) for share in SHARES]
    return [
        float(binom.pmf(np.arange(n + 1), n, share)[held].sum()) for share, held in zip(SHARES, inside, strict=True)
    ]


def agreements() -> Iterator[tuple[float, float]]:
    """How often only the first and only the second is right, for all pairs of shares and three agreements."""
    for first, second in itertools.combinations_with_replacement(SHARES, 2):
        by_chance, most = first * second, min(first, second)
        for both in (by_chance, (by_chance + most) / 2, most):
            yield first - both, second - both


def two_systems(n: int) -> tuple[list[float], list[float]]:
    """Coverage of the interval and of its lower bound alone, at each pair of shares and agreement."""
    counts = np.array([(up, down, n - up - down) for up in range(n + 1) for down in range(n + 1 - up)])
    bounds = np.array([tango(int(up), int(down), n) for up, down, _ in counts], dtype=float)
    lower = np.array([tango(int(up), int(down), n, 0.9).low for up, down, _ in counts], dtype=float)
    both, below = [], []
    for up, down in agreements():
        chances = multinomial.pmf(counts, n, [up, down, 1 - up - down])
        truth = up - down
        both.append(float(chances[(bounds[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= bounds[:, 1])].sum()))
        below.append(float(chances[lower <= truth + 1e-9].sum()))
    return both, below


def false_alarm(n: int) -> float:
    """The largest chance that one of three gated metrics is a significant drop where none changed, over shares that differ."""
    worst = 0.0
    for differing in SHARES:
        pairs = [(losses, m) for m in range(n + 1) for losses in range(m + 1)]
        chance = sum(
            binom.pmf(m, n, differing) * binom.pmf(losses, m, 0.5)
            for losses, m in pairs
            if 3 * mcnemar_fewer(m - losses, losses) <= 0.05
        )
        worst = max(worst, float(1 - (1 - chance) ** 3))
    return worst


def main() -> None:
    print(f"{'':34}{'mean':>8}{'least':>8}")
    for n in SIZES:
        both, below = two_systems(n)
        for name, rates in (("Wilson", one_system(n)), ("Tango", both), ("Tango, lower bound alone", below)):
            print(f"{f'{name}, n = {n}':34}{np.mean(rates):8.4f}{min(rates):8.4f}")
    for n in SIZES[:2]:
        print(f"false alarm of three metrics, n = {n}: {false_alarm(n):.4f} at most")


if __name__ == "__main__":
    main()
