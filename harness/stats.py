"""Means with intervals, paired tests and per-document values: what a number over a golden set can carry.

Everything is deterministic and does not depend on the order of the scores: values are sorted before they are resampled.
Intervals are for *these documents*; inference over documents starts at fifteen of them (DESIGN.md, section 11).
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

from harness.records import Golden, Score, Summary

Array = NDArray[np.float64]

RESAMPLES = 2000
SEED = 20180401
MIN_DOCUMENTS = 15
TOO_FEW = "too few documents to generalise"
STRATUM = "stratum"
"""The key in a score's detail that names its stratum; a mean over such scores is the mean of the strata's means."""

_Z = NormalDist().inv_cdf(0.975)
_EXACT = 16
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
    return Summary(metric=metric, mean=_mean(values), low=low, high=high, worst=worst, best=best, **counts(scores))


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
        means = [_mean(scored_values(group)) for group in strata(rows).values()]
        known = [mean for mean in means if mean is not None]
        return _mean(known) if len(known) == len(means) > 1 else None
    return _mean(scored_values(rows))


def extremes(scores: Sequence[Score]) -> tuple[float | None, float | None]:
    """The mean with every failed score counted as 0, and as 1; (None, None) where none failed."""
    failed = sum(score.status == "failed" for score in scores)
    if not failed:
        return None, None
    values = scored_values(scores)
    return _mean([*values, *[0.0] * failed]), _mean([*values, *[1.0] * failed])


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
    replicates = _resampled_sums(ordered, resamples) / len(ordered)
    centred = ordered - ordered.mean()
    return _bca(float(ordered.mean()), replicates, centred)


def _bca(estimate: float, replicates: Array, influence: Array) -> Interval:
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


def _resampled_sums(ordered: Array, resamples: int) -> Array:
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


def _mean(values: Sequence[float]) -> float | None:
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
        mean = _mean(scored_values(rows))
        worst.append(low if low is not None else mean)
        best.append(high if high is not None else mean)
    return _mean([v for v in worst if v is not None]), _mean([v for v in best if v is not None])


# -- documents --------------------------------------------------------------------------------------------------------


def home(golden: Golden) -> str:
    """The document that a golden belongs to: of its evidence, else of its scope; several are one home of their own."""
    docs = sorted({ref.doc for ref in golden.gold_pages} or set(golden.scope))
    return " + ".join(docs) if docs else "whole corpus"


def by_document(scores: Iterable[Score], docs: Mapping[str, str]) -> tuple[dict[str, float], float | None]:
    """Each document's mean, and the mean of these means. `docs`: golden id to document, as `home` gives it."""
    means = {doc: mean_of(rows) for doc, rows in _grouped(scores, docs).items()}
    known = {doc: mean for doc, mean in means.items() if mean is not None}
    return known, _mean(list(known.values()))


def with_documents(summary: Summary, scores: Sequence[Score], docs: Mapping[str, str]) -> Summary:
    """The summary with its per-document values, their mean, and in its note what they say about other documents."""
    values, mean = by_document(scores, docs)
    low, high = over_documents(scores, docs)
    if low is None or high is None:
        note = TOO_FEW if 0 < len(values) < MIN_DOCUMENTS else ""
    else:
        note = f"over {len(values)} documents: {low:.3f} to {high:.3f}"
    notes = "; ".join(part for part in (summary.note, note) if part)
    return summary.model_copy(update={"by_document": values, "document_mean": mean, "note": notes})


def over_documents(scores: Sequence[Score], docs: Mapping[str, str]) -> Interval:
    """BCa interval of the mean over questions with whole documents resampled; none under fifteen documents."""
    grouped = [scored_values(rows) for rows in _grouped(scores, docs).values()]
    clusters = sorted((math.fsum(values), len(values)) for values in grouped if values)
    if len(clusters) < MIN_DOCUMENTS or any(STRATUM in score.detail for score in scores):
        return NONE
    table = np.array(clusters, dtype=np.float64)
    total, n = table.sum(axis=0)
    if np.ptp(table[:, 0] / table[:, 1]) == 0:
        return Interval(float(total / n), float(total / n))
    sums = _resampled_sums(table, RESAMPLES)
    without = (total - table[:, 0]) / (n - table[:, 1])
    return _bca(float(total / n), sums[:, 0] / sums[:, 1], without.mean() - without)


def _grouped(scores: Iterable[Score], docs: Mapping[str, str]) -> dict[str, list[Score]]:
    groups: defaultdict[str, list[Score]] = defaultdict(list)
    for score in scores:
        if score.value is not None:
            groups[docs[score.golden]].append(score)
    return dict(sorted(groups.items()))


# -- two systems on the same questions --------------------------------------------------------------------------------


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


def paired(first: Iterable[Score], second: Iterable[Score], *, binary: bool) -> Paired:
    """Paired comparison by question: the mean difference, its 95% interval, and the test that fits the values."""
    differences = paired_differences(first, second)
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    test = "exact McNemar" if binary else "sign-flip"
    if not differences:
        return Paired(None, None, None, None, 0, 0, 0, test)
    low, high = difference_interval(differences, binary=binary)
    p = mcnemar(wins, losses) if binary else sign_flip(differences)
    return Paired(_mean(differences), low, high, p, len(differences), wins, losses, test)


def paired_differences(first: Iterable[Score], second: Iterable[Score]) -> list[float]:
    """First minus second on each golden that both have a value for, ascending."""
    other = {(score.golden, score.sample): score.value for score in second if score.value is not None}
    mine = {(score.golden, score.sample): score.value for score in first if score.value is not None}
    return sorted(mine[key] - other[key] for key in mine.keys() & other.keys())


def mcnemar(wins: int, losses: int) -> float:
    """Two-sided exact McNemar p from the discordant counts: a binomial test with p = 1/2 (McNemar 1947)."""
    n = wins + losses
    tail = sum(math.comb(n, i) for i in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << n))


def sign_flip(differences: Sequence[float], flips: int = 20_000) -> float:
    """Two-sided sign-flip p of a mean difference (Fisher's randomisation): exact to 16 non-zero ones, else sampled.

    Sampled, the observed signs count as one of the samples: (1 + at least as extreme) / (1 + flips).
    """
    sizes = np.sort(np.abs([d for d in differences if d != 0.0]))
    observed = abs(math.fsum(differences)) - 1e-9 * float(sizes.sum())
    if len(sizes) <= _EXACT:
        return float((np.abs(_all_signed_sums(sizes)) >= observed).mean())
    signs = np.random.default_rng(SEED).integers(0, 2, (flips, len(sizes)), dtype=np.int8)
    sums = 2 * (signs @ sizes) - sizes.sum()
    return float((1 + (np.abs(sums) >= observed).sum()) / (1 + flips))


def _all_signed_sums(sizes: Array) -> Array:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def difference_interval(differences: Sequence[float], *, binary: bool) -> Interval:
    """95% interval of a mean paired difference: Bonett and Price (2012) for 0/1 values, BCa bootstrap otherwise."""
    if binary:
        return _bonett_price(sum(d > 0 for d in differences), sum(d < 0 for d in differences), len(differences))
    return interval(differences, binary=False, share=False)


def _bonett_price(wins: int, losses: int, n: int) -> Interval:
    """Adjusted Wald: one is added to each discordant count, two to n."""
    up, down = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = _Z * math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return Interval(max(-1.0, up - down - half), min(1.0, up - down + half))
