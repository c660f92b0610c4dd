"""How often a 95% interval holds the true mean: those of harness/scoring, and the BCa bootstrap that stood there before.

    python benchmarks/interval_coverage.py [--samples 2000] [--before]

Values are drawn as metrics give them: shares with many 0 and 1, reciprocal ranks, coverage, continuous shares, counts, tokens
with a long tail, paired differences; and documents that differ, uneven, with questions on two of them. A cell is coverage /
mean width (an amount's in units of the true mean). Samples without an interval (equal amounts) are not counted; the bootstrap
had the value itself as both bounds there, or Wilson's where a share was all 0 or all 1.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from harness.scoring import intervals, paired, per_document
from harness.scoring.intervals import Interval
from harness.scoring.scores import Score

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Array]
Kinds = dict[str, tuple[Draw, float]]
"""By name: how values are drawn, and their true mean."""
Method = Callable[[list[float]], Interval]

SIZES = (4, 5, 10, 20, 60, 150)
RESAMPLES = 2000


def points(values: Sequence[float], weights: Sequence[float]) -> tuple[Draw, float]:
    """Draws from a few values, and their true mean."""
    found, shares = np.array(values, float), np.array(weights) / sum(weights)
    return lambda rng, shape: rng.choice(found, shape, p=shares), float(shares @ found)


PARTS = (0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1)
RANKS = (1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6, 1 / 10, 0)


def _ndcg(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    some = np.where(rng.random(shape) < 0.4, 1, rng.beta(3, 2, shape))
    return np.where(rng.random(shape) < 0.15, 0, some)


def _often_nothing(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.where(rng.random(shape) < 0.4, 0, rng.lognormal(0, 0.8, shape))


SHARES: Kinds = {
    "citations, mixed": points(PARTS, (20, 2, 6, 10, 6, 3, 53)),
    "citations, mostly right": points(PARTS, (3, 0, 0, 5, 2, 2, 88)),
    "citations, mostly wrong": points(PARTS, (85, 3, 5, 4, 0, 0, 3)),
    "mrr, good": points(RANKS, (62, 15, 6, 4, 2, 2, 2, 7)),
    "mrr, poor": points(RANKS, (10, 7, 6, 5, 5, 7, 5, 55)),
    "mrr, nearly perfect": points(RANKS, (95, 3, 1, 0, 0, 0, 0, 1)),
    "coverage": points(PARTS, (9, 0, 3, 15, 3, 0, 70)),
    "coverage, rare misses": points((0, 0.5, 1), (2, 3, 95)),
    "rare halves": points((0, 0.5), (95, 5)),
    "rare and small": points((0, 0.1, 0.25), (90, 5, 5)),
    "rare, with a tail": points((0, 0.1, 0.5, 1), (90, 6, 2, 2)),
    "halves, and rarely 1": points((0.5, 1), (90, 10)),
    "figures": points((0, 0.2, 0.25, 0.5, 0.75, 1), (25, 5, 5, 15, 5, 45)),
    "ndcg": (_ndcg, 0.85 * (0.4 + 0.6 * 0.6)),
    "continuous, in the middle": (lambda rng, shape: rng.beta(2, 2, shape), 0.5),
    "continuous, high": (lambda rng, shape: rng.beta(8, 1, shape), 8 / 9),
}
AMOUNTS: Kinds = {
    "searches": points((1, 2, 3, 4), (60, 25, 10, 5)),
    "searches, rarely 8": points((1, 2, 3, 8), (70, 20, 7, 3)),
    "searches of an agent": (lambda rng, shape: rng.geometric(0.4, shape).astype(float), 2.5),
    "rare counts": points((0, 1, 2, 5), (90, 6, 3, 1)),
    "tokens, nearly equal": (lambda rng, shape: rng.normal(2000, 100, shape), 2000),
    "tokens": (lambda rng, shape: rng.gamma(2, 500, shape), 1000),
    "tokens, long tail": (lambda rng, shape: rng.lognormal(8, 0.5, shape), math.exp(8.125)),
    "tokens, very long tail": (lambda rng, shape: rng.lognormal(8, 1, shape), math.exp(8.5)),
    "cost, often 0": (_often_nothing, 0.6 * math.exp(0.32)),
}
DIFFERENCES: Kinds = {
    "rare": points((0, 0.5, 1, -0.5, -1), (85, 6, 3, 4, 2)),
    "rare, one side": points((0, 0.5, 1), (90, 7, 3)),
    "mixed": points((0, 1 / 2, 1 / 3, -1 / 2, -1 / 3, 1), (50, 15, 10, 10, 10, 5)),
    "continuous": (lambda rng, shape: rng.beta(3, 2, shape) - rng.beta(2, 2, shape), 0.1),
}
TOKENS: Kinds = {
    "tokens": (
        lambda rng, shape: rng.lognormal(7, 1, shape) - rng.lognormal(6.5, 1, shape),
        math.exp(7.5) - math.exp(7),
    )
}


# -- as it was --------------------------------------------------------------------------------------------------------


@cache
def resamples(n: int) -> Array:
    """How often each of n values is drawn in each resample."""
    drawn = np.random.default_rng(20180401).integers(0, n, (RESAMPLES, n))
    return np.array([np.bincount(row, minlength=n) for row in drawn], float)


def bca(estimate: float, replicates: Array, influence: Array) -> Interval:
    """The bias-corrected and accelerated bootstrap (Efron 1987)."""
    tie = 1e-10 * max(1e-300, float(np.ptp(replicates)))
    below = (replicates < estimate - tie).mean() / 2 + (replicates <= estimate + tie).mean() / 2
    bias = NormalDist().inv_cdf(min(max(float(below), 0.5 / RESAMPLES), 1 - 0.5 / RESAMPLES))
    square = float((influence**2).sum())
    skew = float((influence**3).sum()) / (6 * square**1.5) if square else 0.0
    sides = [bias - 1.959964, bias + 1.959964]
    at = [NormalDist().cdf(bias + side / max(1e-9, 1 - skew * side)) for side in sides]
    low, high = np.quantile(replicates, at)
    return Interval(float(low), float(high))


def before(values: list[float], *, share: bool) -> Interval:
    if min(values) == max(values):
        yes_no = share and values[0] in (0, 1)
        return intervals.wilson(sum(values), len(values)) if yes_no else Interval(values[0], values[0])
    found = np.array(values)
    return bca(float(found.mean()), resamples(len(values)) @ found / len(values), found - found.mean())


def before_over_documents(scores: Sequence[Score], docs: per_document.Documents) -> Interval:
    sums, counts = np.array(per_document._clusters(scores, docs)).T
    mean = float(sums.sum() / counts.sum())
    if np.ptp(sums / counts) == 0:
        return Interval(mean, mean)
    drawn = resamples(len(sums))
    without = (sums.sum() - sums) / (counts.sum() - counts)
    return bca(mean, (drawn @ sums) / (drawn @ counts), without.mean() - without)


# -- covering ---------------------------------------------------------------------------------------------------------


def covered(found: Sequence[Interval], truth: float) -> tuple[float, float]:
    """How many of the intervals hold the truth, and their mean width."""
    bounds = np.array([(low, high) for low, high in found if low is not None and high is not None])
    if not len(bounds):
        return math.nan, math.nan
    holds = (bounds[:, 0] - 1e-9 <= truth) & (truth <= bounds[:, 1] + 1e-9)
    return float(holds.mean()), float((bounds[:, 1] - bounds[:, 0]).mean())


def by_size(draw: Draw, truth: float, method: Method, samples: int) -> Iterator[tuple[float, float]]:
    for n in SIZES:
        drawn = draw(np.random.default_rng(n), (samples, n))
        yield covered([method(sorted(row)) for row in drawn.tolist()], truth)


def show(title: str, kinds: Kinds, method: Method, samples: int, *, scaled: bool = False) -> None:
    """A line for each kind of value, and below them the mean and the least of each size."""
    print(f"\n{title}\n{'':26}" + "".join(f"n = {n}".rjust(14) for n in SIZES))
    rates = []
    for name, (draw, truth) in kinds.items():
        cells, unit = list(by_size(draw, truth, method, samples)), abs(truth) if scaled else 1.0
        rates.append([rate for rate, _ in cells])
        print(f"{name:26}" + "".join(f"{rate:.3f} /{width / unit:5.2f}".rjust(14) for rate, width in cells))
    for name, worked in (("mean", np.mean(rates, axis=0)), ("least", np.min(rates, axis=0))):
        print(f"{name:26}" + "".join(f"{rate:.3f}       ".rjust(14) for rate in worked))
    print(f"over all: mean {np.mean(rates):.3f}, least {np.min(rates):.3f}")


# -- documents --------------------------------------------------------------------------------------------------------


def documents(
    rng: np.random.Generator, count: int, mean: float, uneven: str, two: float
) -> tuple[list[Score], dict[str, list[str]]]:
    """Yes/no scores on documents of different levels: two answers on one document correlate at .25."""
    levels = rng.beta(3 * mean, 3 * (1 - mean), count)
    sizes = {
        "5 questions each": np.full(count, 5),
        "uneven": rng.geometric(0.15, count),
        "very uneven": (3 * rng.pareto(1.2, count) + 1).astype(int).clip(1, 100),
    }[uneven]
    scores, docs = [], {}
    for name, doc in enumerate(np.repeat(np.arange(count), sizes)):
        homes = sorted({int(doc), int(rng.integers(count))} if rng.random() < two else {int(doc)})
        scores.append(Score(metric="m", golden=str(name), value=float(rng.random() < levels[homes].mean())))
        docs[str(name)] = list(map(str, homes))
    return scores, docs


def show_documents(method: Callable[..., Interval], samples: int) -> None:
    counts, rates = (15, 25, 60), []
    print(f"\nOver documents\n{'':44}" + "".join(f"{n} documents".rjust(14) for n in counts))
    for mean in (0.6, 0.9, 0.98):
        for uneven in ("5 questions each", "uneven", "very uneven"):
            for two in (0.0, 0.3):
                cells = []
                for count in counts:
                    rng = np.random.default_rng(count)
                    drawn = [documents(rng, count, mean, uneven, two) for _ in range(samples)]
                    cells.append(covered([method(*one) for one in drawn], mean))
                rates += [rate for rate, _ in cells]
                name = f"mean {mean}, {uneven}{', 3 in 10 on two' if two else ''}"
                print(f"{name:44}" + "".join(f"{rate:.3f} /{width:5.2f}".rjust(14) for rate, width in cells))
    print(f"over all: mean {np.mean(rates):.3f}, least {np.min(rates):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--before", action="store_true", help="the BCa bootstrap instead, as it was until this change")
    given = parser.parse_args()
    for title, kinds, new, share in (
        ("Shares", SHARES, partial(intervals.interval, binary=False), True),
        ("Amounts (width / true mean)", AMOUNTS, partial(intervals.interval, binary=False, share=False), False),
        ("Paired differences of shares", DIFFERENCES, partial(paired.difference_interval, binary=False), False),
        (
            "Paired differences of amounts",
            TOKENS,
            partial(paired.difference_interval, binary=False, share=False),
            False,
        ),
    ):
        method = partial(before, share=share) if given.before else new
        show(title, kinds, method, given.samples, scaled=kinds in (AMOUNTS, TOKENS))
    show_documents(before_over_documents if given.before else per_document.over_documents, max(1, given.samples // 8))


if __name__ == "__main__":
    main()
