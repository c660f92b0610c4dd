"""A judge beside people, for reading: the figures, the table by kind of answer, the rows that differ."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.files.wording import counted
from harness.scoring.judges._agreement import Judged

_NAMES = {
    "agreement": "agreement",
    "kappa": "kappa",
    "sensitivity": "correct ones accepted (sensitivity)",
    "specificity": "others not accepted (specificity)",
    "wrong_accepts": "wrong accepts, of decided",
    "wrong_rejects": "wrong rejects, of decided",
}


def report(name: str, figures: Mapping[str, Any], judged: Sequence[Judged]) -> Iterator[str]:
    """The lines of the report."""
    yield (
        f"judge {name}: {counted(figures['rows'], 'answer')} to {counted(figures['by_question']['questions'], 'question')}; "
        f"{figures['decided']} decided, {figures['undecided']} undecided"
    )
    yield from _figures(figures)
    told = figures["refusals"]
    yield (
        f"refusals: {told['told']} told, {told['taken_for_wrong']} taken as wrong, "
        f"{counted(told['wrong_taken_for_refusal'], 'wrong answer')} taken as refusal"
    )
    yield ""
    yield from _table(figures["by_type"])
    differing = [one for one in judged if one.differs]
    if differing:
        yield from ("", f"{_differ(len(differing))}:", "")
        for one in differing:
            yield from _row(one)


def _differ(rows: int) -> str:
    return f"{counted(rows, 'row')} {'differs' if rows == 1 else 'differ'}"


def _figures(figures: Mapping[str, Any]) -> Iterator[str]:
    for key, label in _NAMES.items():
        low, high = figures["intervals"][key]
        yield f"  {label:<38} {_share(figures[key])}  [{_share(low)}, {_share(high)}]"
    yield f"  {'agreement, mean over questions':<38} {_share(figures['by_question']['agreement'])}"
    yield "  intervals: 95%, questions resampled"
    yield f"  {'words of an answer, median':<38} {figures['words']:.0f}"


def _table(kinds: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    heads = f"{'kind of answer':<16} {'rows':>5} {'decided':>8} {'agreement':>10} {'by question':>12} {'kappa':>7}"
    yield f"{heads} {'wrong accepts':>14} {'wrong rejects':>14} {'words':>6}"
    for kind, row in kinds.items():
        yield (
            f"{kind:<16} {row['rows']:>5} {row['decided']:>8} {_share(row['agreement']):>10} "
            f"{_share(row['by_question']['agreement']):>12} {_share(row['kappa']):>7} "
            f"{_share(row['wrong_accepts']):>14} {_share(row['wrong_rejects']):>14} {row['words']:>6.0f}"
        )


def _row(one: Judged) -> Iterator[str]:
    yield f"{one.row.id}: people say {one.row.label}, the judge {one.word} ({one.verdict.kind})"
    yield f"  question:  {_short(one.row.question)}"
    yield f"  reference: {_short(one.row.reference)}"
    yield f"  answer:    {_short(one.row.answer)}"
    yield f"  because:   {_short(one.verdict.reason)}"
    yield ""


def _short(text: str, width: int = 300) -> str:
    plain = " ".join(text.split())
    return (
        plain
        if len(plain) <= width
        else f"{textwrap.shorten(plain, width // 2, placeholder='')} … {plain[-width // 2 :]}"
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
