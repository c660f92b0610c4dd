"""How often one of equal systems is left out of the best tie group, and how often a better one is told from the rest.

python benchmarks/tie_groups.py [--families 2000]

A family is eight systems on the same questions. Which questions are hard is shared among them (a latent normal value with
correlation rho). Equal systems have one true rate; with one that is better by some points, power is how often the seven
others are all left out. The bound is Wilson's lower one of the family error: at most .05 is what is promised.
"""

from __future__ import annotations

import argparse
from statistics import NormalDist

import numpy as np

from harness.scoring.compare import Arena, Contestant
from harness.scoring.intervals import wilson
from harness.scoring.metrics.page_hit import PageHit
from harness.scoring.scores import Score

SYSTEMS = 8
METRIC = PageHit(k=5)


def family(rng: np.random.Generator, n: int, rates: list[float], rho: float) -> list[Contestant]:
    """Eight systems' yes/no values on n questions."""
    shared, own = rng.standard_normal((n, 1)), rng.standard_normal((n, len(rates)))
    values = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own < [NormalDist().inv_cdf(rate) for rate in rates]
    return [
        Contestant(
            f"s{at}", [Score(metric=METRIC.label, golden=str(row), value=float(one)) for row, one in enumerate(column)]
        )
        for at, column in enumerate(values.T)
    ]


def best_groups(rng: np.random.Generator, families: int, n: int, rates: list[float], rho: float) -> list[list[str]]:
    """The best tie group of each family."""
    return [Arena(family(rng, n, rates, rho), []).tie_groups(METRIC)[0] for _ in range(families)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", type=int, default=2000)
    families = parser.parse_args().families
    rng = np.random.default_rng(20180401)
    print(
        f"{'n':>5}{'rate':>6}{'rho':>5}{'family error':>14}{'at least':>10}   {families} families of {SYSTEMS} equal systems"
    )
    for n, rate, rho in ((60, 0.5, 0.0), (150, 0.5, 0.5), (150, 0.8, 0.5), (150, 0.95, 0.5), (500, 0.8, 0.5)):
        split = sum(len(group) < SYSTEMS for group in best_groups(rng, families, n, [rate] * SYSTEMS, rho))
        print(f"{n:>5}{rate:>6}{rho:>5}{split / families:>14.3f}{wilson(split, families).low:>10.3f}")
    print(f"\n{'n':>5}{'rate':>6}{'rho':>5}{'better by':>11}{'power':>8}   the seven others all left out")
    for n, rate, rho, more in (
        (150, 0.7, 0.5, 0.15),
        (150, 0.7, 0.5, 0.2),
        (500, 0.7, 0.5, 0.1),
        (500, 0.7, 0.5, 0.15),
    ):
        rates = [rate + more, *[rate] * (SYSTEMS - 1)]
        alone = sum(group == ["s0"] for group in best_groups(rng, families // 10, n, rates, rho))
        print(f"{n:>5}{rate:>6}{rho:>5}{more:>11.2f}{alone / (families // 10):>8.2f}")


if __name__ == "__main__":
    main()
