"""Systems on the same questions: pairs against a baseline, and groups that cannot be told apart.

A pair is tested question by question. Over several systems p is Holm's; for groups it is taken as if every pair of systems
had been tested, since which one is best was seen in the same data (benchmarks/tie_groups.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from harness.records import Record
from harness.scoring import paired_shares, sample_sizes
from harness.scoring.holm import holm
from harness.scoring.intervals import Interval, plain_mean
from harness.scoring.metric import Metric
from harness.scoring.paired import difference_interval, sign_flip
from harness.scoring.paired_documents import over_documents
from harness.scoring.per_document import Documents
from harness.scoring.scores import Score

LEVEL = 0.05


class Flip(Record):
    """A question on which two systems differ."""

    golden: str
    a: float
    b: float


class Pair(Record):
    """System b against system a on one metric, over the questions that both have a value for; differences are b - a."""

    a: str
    b: str
    metric: str
    n: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    test: str = ""
    wins: int = 0
    """Questions on which b is better."""
    losses: int = 0
    flips: tuple[Flip, ...] | None = None
    """None where questions may not be shown."""
    detectable: float | None = None
    """The smallest difference that so many questions show with 80% power; None where they show none."""
    needed: int | None = None
    """About how many questions would show the observed difference with 80% power."""
    worst: float | None = None
    """The difference with what is undecided or failed counted against b, where there is any."""
    best: float | None = None

    @property
    def is_significant(self) -> bool:
        return self.p_holm is not None and self.p_holm < LEVEL

    @property
    def is_blind(self) -> bool:
        """Whether no result at all could have been significant."""
        return self.p is not None and self.detectable is None

    @property
    def disagrees(self) -> bool:
        """Whether the interval leaves 0 out and p does not, or the other way round."""
        if self.p is None or self.low is None or self.high is None:
            return False
        return (self.p < LEVEL) == (self.low <= 0 <= self.high)


@dataclass(frozen=True)
class Contestant:
    """A system's scores."""

    name: str
    scores: Sequence[Score]
    oracle: bool = False
    answers: Mapping[str, object] = field(default_factory=dict)
    """What it answered, by golden: the same answer is judged the same."""

    @cached_property
    def by_metric(self) -> dict[str, dict[str, Score]]:
        """Scores by metric and golden."""
        found: dict[str, dict[str, Score]] = {}
        for score in self.scores:
            found.setdefault(score.metric, {})[score.golden] = score
        return found

    @cached_property
    def _values(self) -> dict[str, dict[str, float]]:
        return {metric: {golden: score.value for golden, score in own.items() if score.value is not None}
                for metric, own in self.by_metric.items()}  # fmt: skip

    def values(self, metric: str) -> dict[str, float]:
        """Values by golden, of those that have one."""
        return self._values.get(metric, {})


@dataclass(frozen=True)
class Arena:
    """Systems that may be compared, the baseline first, with the documents of the questions."""

    contestants: Sequence[Contestant]
    metrics: Sequence[Metric]
    docs: Documents = field(default_factory=dict)
    """Documents by golden; where they are fifteen or more, whole documents are drawn."""

    def pairs(self, baseline: Contestant, only: frozenset[str] | None = None) -> list[Pair]:
        """Each other system against the baseline on each metric that can be tested, p adjusted over a metric's pairs."""
        others = [one for one in self.contestants if one is not baseline and not one.oracle]
        found = []
        for metric in self.metrics:
            if metric.can_be_tested:
                found += adjusted([self.pair(baseline, other, metric, only) for other in others])
        return found

    def pair(self, a: Contestant, b: Contestant, metric: Metric, only: frozenset[str] | None = None) -> Pair:
        """b against a on one metric, `only` on these questions where they are given."""
        mine, other = a.values(metric.label), b.values(metric.label)
        common = [golden for golden in mine if golden in other and (only is None or golden in only)]
        differences = {golden: other[golden] - mine[golden] for golden in common}
        made = Pair(a=a.name, b=b.name, metric=metric.label, n=len(common))
        if not common:
            return made
        flips = tuple(Flip(golden=one, a=mine[one], b=other[one]) for one in common if differences[one])
        worst, best = _bounds(a, b, metric, only)
        return made.model_copy(
            update={**self._tested(differences, metric), "flips": flips, "worst": worst, "best": best}
        )

    def _tested(self, differences: Mapping[str, float], metric: Metric) -> dict[str, object]:
        values = sorted(differences.values())
        side = 1 if metric.higher_is_better else -1
        wins, losses = sum(side * one > 0 for one in values), sum(side * one < 0 for one in values)
        interval, p, test = self._inference(differences, metric)
        detectable, needed = _sizes(values, wins, losses, metric)
        return {
            "difference": plain_mean(values),
            "low": interval.low,
            "high": interval.high,
            "p": p,
            "test": test,
            "wins": wins,
            "losses": losses,
            "detectable": detectable,
            "needed": needed,
        }

    def _inference(self, differences: Mapping[str, float], metric: Metric) -> tuple[Interval, float, str]:
        clustered = over_documents(differences, self.docs) if self.docs and metric.share else None
        if clustered:
            return clustered.interval, clustered.p, f"sign-flip by {clustered.documents} documents"
        values = sorted(differences.values())
        interval = difference_interval(values, binary=metric.binary, share=metric.share)
        if metric.binary:
            up = sum(one > 0 for one in values)
            return interval, paired_shares.mcnemar(up, sum(one < 0 for one in values)), "exact McNemar"
        return interval, sign_flip(values), "sign-flip"

    def tie_groups(self, metric: Metric) -> list[list[str]]:
        """Systems in groups that cannot be told apart from the group's best, the best group first; oracles stay out.

        Each round: every other system against the one with the best mean, Holm's p as over all pairs of those that are left.
        """
        left = [one for one in self.contestants if not one.oracle and one.values(metric.label)]
        groups = []
        while left and metric.can_be_tested:
            group = self._best_group(left, metric)
            groups.append([one.name for one in group])
            left = [one for one in left if one not in group]
        return groups

    def _best_group(self, left: Sequence[Contestant], metric: Metric) -> list[Contestant]:
        side = 1 if metric.higher_is_better else -1
        means = {one.name: side * (plain_mean(list(one.values(metric.label).values())) or 0.0) for one in left}
        best = max(left, key=lambda one: means[one.name])
        others = [one for one in left if one is not best]
        tests = [self._p(best, one, metric) for one in others]
        told = holm([min(1.0, p * len(left) / 2) for p in tests])
        tied = {one.name for one, p in zip(others, told, strict=True) if p >= LEVEL}
        return [one for one in left if one is best or one.name in tied]

    def _p(self, a: Contestant, b: Contestant, metric: Metric) -> float:
        mine, other = a.values(metric.label), b.values(metric.label)
        common = {golden: other[golden] - mine[golden] for golden in mine.keys() & other.keys()}
        return self._inference(dict(sorted(common.items())), metric)[1] if common else 1.0


def adjusted(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with p adjusted over all of them."""
    known = [pair for pair in pairs if pair.p is not None]
    told = dict(zip((pair.b for pair in known), holm([pair.p for pair in known if pair.p is not None]), strict=True))
    return [pair.model_copy(update={"p_holm": told.get(pair.b)}) for pair in pairs]


def _sizes(values: Sequence[float], wins: int, losses: int, metric: Metric) -> tuple[float | None, int | None]:
    """The smallest difference that so many questions show, and how many would show the observed one."""
    n = len(values)
    if metric.binary:
        return sample_sizes.detectable(n, wins + losses), sample_sizes.needed(wins, losses, n)
    if n < 2:
        return None, None
    mean = math.fsum(values) / n
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in values) / (n - 1))
    return sample_sizes.detectable_amount(spread, n) or None, sample_sizes.needed_amount(spread, mean)


def _bounds(
    a: Contestant, b: Contestant, metric: Metric, only: frozenset[str] | None
) -> tuple[float | None, float | None]:
    """The difference of shares with what is open counted against b, and for it; none where nothing is open."""
    mine, other = a.by_metric.get(metric.label, {}), b.by_metric.get(metric.label, {})
    common = [one for one in mine if one in other and (only is None or one in only)]
    common = [one for one in common if "not_applicable" not in (mine[one].status, other[one].status)]
    pairs = [(mine[one].value, other[one].value) for one in common]
    if not metric.share or all(None not in pair for pair in pairs):
        return None, None
    same = [one in a.answers and a.answers[one] == b.answers.get(one) for one in common]
    found = [
        (0.0, 0.0) if alike and pair == (None, None) else _between(*pair)
        for alike, pair in zip(same, pairs, strict=True)
    ]
    return plain_mean([low for low, _ in found]), plain_mean([high for _, high in found])


def _between(mine: float | None, other: float | None) -> tuple[float, float]:
    """Between what the difference of two shares lies, where one that is not known may be 0 or 1."""
    low = (0.0 if other is None else other) - (1.0 if mine is None else mine)
    return low, (1.0 if other is None else other) - (0.0 if mine is None else mine)
