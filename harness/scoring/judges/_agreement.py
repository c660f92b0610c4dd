"""How far a judge agrees with people: correct against not correct, over the rows that it decides.

Intervals resample questions, not rows: answers to one question stand or fall together (clustered percentile bootstrap;
Field and Welsh 2007). Kappa is Cohen's (1960).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.scoring.judges._human_labels import Labelled
from harness.scoring.judges.rules.verdict import Verdict

Array = NDArray[np.float64]

RESAMPLES = 2000
SEED = 1960
_FIELDS = ("agreement", "kappa", "sensitivity", "specificity", "wrong_accepts", "wrong_rejects")


class Judged(NamedTuple):
    """A labelled answer and the judge's verdict on it."""

    row: Labelled
    verdict: Verdict

    @property
    def decided(self) -> bool:
        return self.verdict.value is not None

    @property
    def differs(self) -> bool:
        """Whether the judge decided, and not as people did."""
        return self.decided and self.verdict.value != (self.row.label == "correct")

    @property
    def word(self) -> str:
        """The verdict as a label: correct, incorrect, refusal or undecided."""
        if self.verdict.value is None:
            return "undecided"
        return "correct" if self.verdict.value else "refusal" if self.verdict.kind == "refusal" else "incorrect"


def agreement(judged: Sequence[Judged]) -> dict[str, Any]:
    """Counts and shares over rows: what `harness judges --json` prints, without intervals.

    `agreement`, `wrong_accepts` and `wrong_rejects` are shares of the decided rows; None where there are none. `words` is
    the median length of the answers: one that reads out the source holds the right words somewhere.
    """
    cells = _cells(judged)
    decided = int(cells.sum())
    shares = {name: _rounded(float(value)) for name, value in zip(_FIELDS, _figures(cells), strict=True)}
    words = float(np.median([len(one.row.answer.split()) for one in judged])) if judged else None
    return {"rows": len(judged), "decided": decided, "undecided": len(judged) - decided, **shares, "words": words}


def with_intervals(judged: Sequence[Judged]) -> dict[str, Any]:
    """`agreement` with the 95% interval of each share and its mean over questions."""
    groups = _by_question(judged)
    low, high = _intervals(np.array([_cells(group) for group in groups]))
    intervals = {name: [_rounded(a), _rounded(b)] for name, a, b in zip(_FIELDS, low, high, strict=True)}
    return {**agreement(judged), "intervals": intervals, "by_question": by_question(judged)}


def by_question(judged: Sequence[Judged]) -> dict[str, Any]:
    """How many questions there are, and the mean over them of each one's agreement."""
    groups = _by_question(judged)
    each = [_figures(_cells(group))[0] for group in groups]
    known = [value for value in each if not np.isnan(value)]
    return {"questions": len(groups), "agreement": _rounded(float(np.mean(known))) if known else None}


def refusals(judged: Sequence[Judged]) -> dict[str, int]:
    """Refusals told from wrong answers, over decided rows that are not correct for both people and judge."""
    pairs = Counter(
        (one.row.label, one.word)
        for one in judged
        if one.row.label != "correct" and one.word in ("refusal", "incorrect")
    )
    return {
        "told": pairs["refusal", "refusal"],
        "taken_for_wrong": pairs["refusal", "incorrect"],
        "wrong_taken_for_refusal": pairs["incorrect", "refusal"],
        "wrong_told": pairs["incorrect", "incorrect"],
    }


def by_type(judged: Sequence[Judged], kind: Callable[[Labelled], str]) -> Mapping[str, dict[str, Any]]:
    """`agreement` for each kind of answer, by row and by question, the most frequent first."""
    groups: dict[str, list[Judged]] = {}
    for one in judged:
        groups.setdefault(kind(one.row), []).append(one)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: {**agreement(group), "by_question": by_question(group)} for name, group in ordered}


def _by_question(judged: Sequence[Judged]) -> list[list[Judged]]:
    groups: dict[str, list[Judged]] = {}
    for one in judged:
        groups.setdefault(one.row.question, []).append(one)
    return list(groups.values())


def _cells(judged: Sequence[Judged]) -> Array:
    """[right accepts, wrong accepts, wrong rejects, right rejects] of the decided rows."""
    cells = np.zeros(4)
    for one in judged:
        if one.decided:
            cells[
                {(True, False): 0, (True, True): 1, (False, True): 2, (False, False): 3}[
                    bool(one.verdict.value), one.differs
                ]
            ] += 1
    return cells


def _figures(cells: Array) -> Array:
    """The figures of `_FIELDS` from cells of shape (…, 4); NaN where a share has no denominator."""
    accepts, wrong_accepts, wrong_rejects, rejects = (cells[..., i] for i in range(4))
    n = cells.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (accepts + rejects) / n
        chance = (
            (accepts + wrong_accepts) * (accepts + wrong_rejects)
            + (rejects + wrong_rejects) * (rejects + wrong_accepts)
        ) / n**2
        kappa = np.where(chance < 1, (observed - chance) / (1 - chance), np.nan)
        shares = (
            accepts / (accepts + wrong_rejects),
            rejects / (rejects + wrong_accepts),
            wrong_accepts / n,
            wrong_rejects / n,
        )
    return np.stack([observed, kappa, *shares], axis=-1)


def _intervals(groups: Array) -> tuple[Array, Array]:
    draws = np.random.default_rng(SEED).multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=RESAMPLES)
    figures = _figures(draws @ groups)
    kept = [column[~np.isnan(column)] for column in figures.T]
    bounds = [np.percentile(column, (2.5, 97.5)) if column.size else (np.nan, np.nan) for column in kept]
    return np.array([low for low, _ in bounds]), np.array([high for _, high in bounds])


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 6)
