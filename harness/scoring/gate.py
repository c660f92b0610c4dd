"""Whether what was accepted still holds: yes/no values of each question then and now, a verdict for each gated metric.

A drop is told by the one-sided exact McNemar test at .05, Holm over the gated metrics; that there is none beyond the margin, by
Tango's one-sided 95% bound. What neither tells is inconclusive. benchmarks/yes_no_coverage.py gives the false alarms of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from harness.scoring.holm import holm
from harness.scoring.paired_shares import mcnemar_fewer, questions_needed, tango
from harness.scoring.scores import Score

GATED = ("page_hit@5", "correctness", "refused_unanswerable")
"""The metrics that are gated where nothing else is said."""
MARGIN = 0.05
"""The drop that nobody minds where nothing else is said, as a difference of shares."""
LEVEL = 0.05
_BOUND = 0.9
"""The two-sided confidence whose lower bound alone is the 95% bound."""
_MOST = 1_000_000

Values = Mapping[str, float | None]
"""By question 1, 0, or None where no program can tell or the instrument failed; without what the metric does not apply to."""


class Flips(NamedTuple):
    """What became of the questions of one metric."""

    n: int
    accepted: float
    """Share of the questions that were right; what was not decided was not right."""
    now: float
    wins: int
    losses: int

    @property
    def difference(self) -> float:
        """Now minus accepted, by what flipped."""
        return (self.wins - self.losses) / self.n


class Finding(NamedTuple):
    """The verdict on one metric, with what it rests on."""

    flips: Flips
    lower: float
    """The one-sided 95% bound of the difference."""
    p_holm: float
    margin: float
    verdict: str
    """pass | regression | inconclusive"""
    needed: int | None
    """About how many questions would decide, were the rates as observed; None where it is decided or no number would."""


def values_of(scores: Iterable[Score], metric: str) -> dict[str, float | None]:
    """The values of one metric by golden."""
    return {one.golden: one.value for one in scores if one.metric == metric and one.status != "not_applicable"}


def flips(accepted: Values, now: Values) -> Flips:
    """What flipped, of the same questions. What cannot be told counts against the system as it is now.

    A loss is what was right and is not any more, or cannot be told any more; and what could not be told and is wrong now. What
    could not be told is no win.
    """
    pairs = [(accepted[id], now[id]) for id in accepted]
    wins = sum((then, new) == (0, 1) for then, new in pairs)
    losses = sum((then == 1 and new != 1) or (then is None and new == 0) for then, new in pairs)
    right, still = (sum(value == 1 for value in side) / len(pairs) for side in zip(*pairs, strict=True))
    return Flips(len(pairs), right, still, wins, losses)


def findings(found: Mapping[str, Flips], margin: float) -> dict[str, Finding]:
    """A verdict for each gated metric."""
    adjusted = holm([mcnemar_fewer(one.wins, one.losses) for one in found.values()])
    return {name: _finding(one, p, margin, len(found)) for (name, one), p in zip(found.items(), adjusted, strict=True)}


def _finding(one: Flips, p: float, margin: float, tests: int) -> Finding:
    lower = tango(one.wins, one.losses, one.n, _BOUND).low
    assert lower is not None
    if p <= LEVEL:
        verdict = "regression"
    elif one.wins == one.losses == 0 or lower > -margin:
        verdict = "pass"
    else:
        verdict = "inconclusive"
    needed = _needed(one, margin, tests) if verdict == "inconclusive" else None
    return Finding(one, lower, p, margin, verdict, needed)


def _needed(one: Flips, margin: float, tests: int) -> int | None:
    """Questions that would show no drop beyond the margin, or a drop where the observed one is beyond it."""
    if one.difference <= -margin:
        return questions_needed(one.wins, one.losses, one.n, 2 * LEVEL / tests)
    return _least(lambda n: (one.wins * n / one.n, one.losses * n / one.n), margin)


def questions_for(margin: float, losses: int) -> int | None:
    """How many questions decide that there is no drop beyond `margin`, where so many were lost and none was won."""
    return _least(lambda n: (0, losses), margin)


def _least(flipped: Callable[[int], tuple[float, float]], margin: float) -> int | None:
    """The least number of questions whose bound lies above the margin; None beyond a million."""
    low, high = 0, 1
    while not _holds(flipped, high, margin):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _holds(flipped, middle, margin) else (middle, high)
    return high


def _holds(flipped: Callable[[int], tuple[float, float]], n: int, margin: float) -> bool:
    wins, losses = flipped(n)
    bound = tango(wins, losses, n, _BOUND).low if wins + losses <= n else None
    return bound is not None and bound > -margin


def smallest_margin(n: int, losses: int) -> float:
    """The smallest margin that n questions can decide, where so many are lost and none is won."""
    bound = tango(0, min(losses, n), n, _BOUND).low
    assert bound is not None
    return -bound


def majority(repeats: Sequence[Values]) -> tuple[dict[str, float | None], frozenset[str]]:
    """One value for each question that was asked several times: right where it is in more than half; and the flaky ones.

    A question that is not right in more than half is undecided where none of its values is wrong, else wrong.
    """
    found: dict[str, float | None] = {}
    for id in repeats[0]:
        seen = [one[id] for one in repeats]
        right = sum(value == 1 for value in seen)
        found[id] = 1.0 if 2 * right > len(seen) else None if 0 not in seen else 0.0
    flaky = frozenset(id for id in found if len({one[id] for one in repeats}) > 1)
    return found, flaky


def share(values: Values) -> float:
    """The share that is right; what could not be told is not."""
    return sum(value == 1 for value in values.values()) / len(values)


def failing(must_pass: Iterable[str], values: Mapping[str, Values]) -> int:
    """How many questions are not right on every metric that applies to them."""
    return sum(any(rows.get(id, 1.0) != 1 for rows in values.values()) for id in must_pass)
