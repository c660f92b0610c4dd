"""Differences of paired shares: published worked values, scipy, and what n questions can show."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from scipy import stats as scipy_stats

from harness.scoring.holm import holm
from harness.scoring.paired_shares import detectable, mcnemar, mcnemar_fewer, power, questions_needed, tango


@pytest.mark.parametrize(
    ("wins", "losses", "n", "low", "high"),
    [
        (
            6,
            16,
            161,
            -0.1240,
            -0.0054,
        ),  # Cavo 2012, in Fagerland, Lydersen and Laake, Contingency Tables (2017), chapter 8
        (1, 7, 21, -0.5172, -0.0260),  # Bentur 2009, the same chapter
    ],
)
def test_tango_gives_the_published_values(wins: int, losses: int, n: int, low: float, high: float) -> None:
    assert tango(wins, losses, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("losses", "n"), [(0, 52), (1, 87), (2, 118)])
def test_a_margin_of_five_points_is_decided_from_this_many_questions_on(losses: int, n: int) -> None:
    now, before = tango(0, losses, n, 0.9).low, tango(0, losses, n - 1, 0.9).low
    assert now is not None
    assert before is not None
    assert before < -0.05 < now


def test_a_bound_of_tango_is_where_the_score_statistic_is_critical() -> None:
    """By the statistic written out, with the losses' share found by trying all, not by the formula."""
    wins, losses, n = 4, 9, 50
    for bound in tango(wins, losses, n):
        assert bound is not None
        shares = np.linspace(max(0.0, -bound) + 1e-9, (1 - bound) / 2 - 1e-9, 2_000_001)
        likelihood = (
            wins * np.log(shares + bound)
            + losses * np.log(shares)
            + (n - wins - losses) * np.log(1 - 2 * shares - bound)
        )
        share = shares[likelihood.argmax()]
        statistic = (wins - losses - n * bound) / np.sqrt(n * (2 * share + bound * (1 - bound)))
        assert abs(statistic) == pytest.approx(scipy_stats.norm.ppf(0.975), abs=1e-4)


def test_tango_mirrors_and_holds_its_difference_and_widens_with_confidence() -> None:
    for wins, losses in itertools.product(range(0, 13, 3), repeat=2):
        (low, high), mirrored, wider = (
            tango(wins, losses, 30),
            tango(losses, wins, 30),
            tango(wins, losses, 30, confidence=0.99),
        )
        assert None not in (low, high, *mirrored, *wider)
        assert (low, high) == pytest.approx((-mirrored.high, -mirrored.low))  # type: ignore[operator]
        assert wider.low < low < (wins - losses) / 30 < high < wider.high  # type: ignore[operator]


def test_tango_at_the_ends() -> None:
    assert tango(0, 0, 0) == (None, None)
    assert tango(10, 0, 10).high == 1.0
    assert tango(0, 10, 10).low == -1.0
    assert tango(0, 0, 1).low == pytest.approx(-0.79345, abs=1e-5), "z² / (1 + z²)"


@pytest.mark.parametrize("n", [20, 60])
def test_tango_covers(n: int) -> None:
    """Exact: the chance of every pair of counts whose interval holds the truth, summed."""
    counts = [(up, down) for up in range(n + 1) for down in range(n + 1 - up)]
    bounds = np.array([tango(*pair, n) for pair in counts], dtype=float)
    rates = []
    for up, down in itertools.product((0.01, 0.05, 0.1, 0.2, 0.3), repeat=2):
        chances = scipy_stats.multinomial.pmf([(*pair, n - sum(pair)) for pair in counts], n, [up, down, 1 - up - down])
        inside = (bounds[:, 0] <= up - down) & (up - down <= bounds[:, 1])
        rates.append(float(chances[inside].sum()))
    assert np.mean(rates) >= 0.94
    assert min(rates) >= 0.90


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (6, 0), (0, 5), (9, 2), (14, 14), (40, 20)])
def test_mcnemar_equals_the_binomial_test(wins: int, losses: int) -> None:
    for ours, side in ((mcnemar, "two-sided"), (mcnemar_fewer, "less")):
        theirs = scipy_stats.binomtest(wins, wins + losses, 0.5, alternative=side).pvalue if wins + losses else 1.0
        assert ours(wins, losses) == pytest.approx(theirs)


def test_five_one_way_flips_are_not_enough_and_six_are() -> None:
    assert mcnemar(5, 0) > 0.05 > mcnemar(6, 0)
    assert mcnemar_fewer(0, 4) > 0.05 > mcnemar_fewer(0, 5)


@pytest.mark.parametrize(("n", "wins", "losses"), [(30, 0.3, 0.05), (80, 0.1, 0.2), (25, 0.4, 0.0), (5, 1.0, 0.0)])
def test_power_is_the_sum_over_all_counts(n: int, wins: float, losses: float) -> None:
    """Counted on the larger side alone: a significant difference the other way is no finding."""
    chance = scipy_stats.multinomial(n, [wins, losses, 1 - wins - losses])
    expected = sum(
        chance.pmf([up, down, n - up - down])
        for up in range(n + 1)
        for down in range(n + 1 - up)
        if mcnemar(up, down) <= 0.05 and (up > down) == (wins > losses)
    )
    assert power(n, wins, losses) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("n", "differing"), [(20, 0.1), (50, 0.2), (129, 0.0)])
def test_the_detectable_difference_has_eighty_percent_power_and_a_smaller_one_has_not(n: int, differing: float) -> None:
    least = detectable(n, differing)
    assert least is not None
    share = max(differing, least)
    assert power(n, (share + least) / 2, (share - least) / 2) >= 0.8
    share, less = max(differing, least - 0.002), least - 0.002
    assert power(n, (share + less) / 2, (share - less) / 2) < 0.8


def test_five_questions_show_nothing() -> None:
    assert detectable(5, 0.2) is None
    assert detectable(0, 0.0) is None
    assert detectable(6, 0.2) is not None


def test_needed_questions_have_the_power_in_a_simulation() -> None:
    needed = questions_needed(9, 4, 60)
    assert needed is not None
    drawn = np.random.default_rng(8).multinomial(needed, [9 / 60, 4 / 60, 47 / 60], 2000)
    shown = [mcnemar(int(up), int(down)) <= 0.05 for up, down, _ in drawn]
    assert 0.77 < np.mean(shown) < 0.86


def test_needed_questions() -> None:
    assert questions_needed(4, 4, 60) is None
    assert questions_needed(36, 0, 60) == next(n for n in range(1, 50) if power(n, 0.6, 0.0) >= 0.8)
    assert questions_needed(4, 9, 60) == questions_needed(9, 4, 60)
    few, many = questions_needed(6, 4, 129), questions_needed(31, 30, 500)
    assert few is not None
    assert many is not None
    assert 2500 < few < 3000, "Connor: 2529, for a test without discreteness"
    assert many > 200_000


def test_these_questions_are_answered_in_milliseconds() -> None:
    start = time.process_time()
    for wins in range(20, 60):
        detectable(500, wins / 500)
        questions_needed(wins + 8, wins, 500)
    assert time.process_time() - start < 3


def test_holm_step_by_step() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([1 / 64, 1.0, 1.0]) == pytest.approx([3 / 64, 1.0, 1.0])
    assert holm([0.02]) == [0.02]
    assert holm([]) == []
