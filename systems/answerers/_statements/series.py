"""What the figures of one line item over several years make: the change, the sum, a yes or no, or each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from systems.answerers._statements import vocabulary
from systems.answerers._statements.asked import Asked
from systems.answerers._statements.claims import Claim, Weigher
from systems.answerers._statements.figures import amount_of
from systems.answerers._statements.replies import Ground
from systems.answerers._statements.rounding import amount, share
from systems.answerers._statements.sentences import by_year
from systems.answerers._statements.tables import Row, Sentence

_CHANGE = re.compile(vocabulary.DIFFERENCE, re.IGNORECASE)
_AND_HOW = re.compile(rf"\band (?:by )?(?:{vocabulary.AND_HOW})\b", re.IGNORECASE)
_SUM = re.compile(vocabulary.SUM, re.IGNORECASE)
_TOTAL = re.compile(
    rf"\b(?:{vocabulary.TOTAL_ASKED}) (?:the )?total\b.*(?:19|20)\d\d ?(?:,| and\b).*(?:19|20)\d\d", re.IGNORECASE
)
_COMPARE = re.compile(vocabulary.COMPARISON, re.IGNORECASE)
_EACH = re.compile(r"(?:19|20)\d\d(?:,| and| or| ,)+ (?:in )?(?:19|20)\d\d", re.IGNORECASE)
_WHICH = re.compile(rf"\b(?:{vocabulary.WHICH_YEAR}) (?:fiscal )?year\b.*\b({vocabulary.EXTREME})", re.IGNORECASE)
_TURN = re.compile(rf"\b(?:{vocabulary.RISE_OR})\w*,? or (?:\w+ )?(?:{vocabulary.OR_FALL})", re.IGNORECASE)
_UP = re.compile(rf"\b(?:{vocabulary.UP})", re.IGNORECASE)
_DOWN = re.compile(rf"\b(?:{vocabulary.DOWN})", re.IGNORECASE)
_SHARE = re.compile(vocabulary.RATE, re.IGNORECASE)
_SIGNED = re.compile(vocabulary.SIGNED, re.IGNORECASE)


class Point(NamedTuple):
    """A line item's figure in a year; `value` in units, `scale` that of the table."""

    label: str
    text: str
    value: float
    year: int
    scale: str
    ground: Ground
    fit: float

    @property
    def said(self) -> str:
        """The figure as printed, with the scale of its table behind it."""
        return f"{self.text} (in {self.scale}s)" if self.scale else self.text


class Found(NamedTuple):
    """What is said, what it rests on, and how well the evidence fits, 0 to 1."""

    said: str
    grounds: tuple[Ground, ...]
    fit: float


Say = Callable[[Sequence[Point], str], str]


def over_years(weigher: Weigher, rows: Sequence[Row], sentences: Sequence[Sentence], question: str) -> Found | None:
    """The answer to a question on several years; None where it is on one, or where a year's figure is missing."""
    say = _way(weigher.asked)
    if say is None or len(weigher.asked.years) < 2:
        return None
    runs = [_of_rows(weigher, rows), *(_of_sentence(weigher, sentence) for sentence in sentences)]
    points = max((run for run in runs if run), key=lambda run: min(point.fit for point in run), default=None)
    if points is None:
        return None
    return Found(say(points, question), tuple(point.ground for point in points), min(point.fit for point in points))


def _way(asked: Asked) -> Say | None:
    """How to answer: the first kind of question that this is."""
    if asked.yes_no:
        return _verdict if _UP.search(asked.plain) or _DOWN.search(asked.plain) else None
    ways: tuple[tuple[re.Pattern[str], Say], ...] = (
        (_TURN, _turn),
        (_WHICH, _which),
        (_SUM, _sum),
        (_CHANGE, _change),
        (_COMPARE, _each),
        (_TOTAL, _sum),
        (_EACH, _each),
    )
    return next((say for pattern, say in ways if pattern.search(asked.plain)), None)


def _of_rows(weigher: Weigher, rows: Sequence[Row]) -> list[Point]:
    """The figures of the row that fits best, in order of years; empty where a year is missing."""
    years = sorted(weigher.asked.years)
    last = _best(weigher.cells(rows, years[-1]))
    if last is None:
        return []
    others = [_best(claim for claim in weigher.cells(rows, year) if _same(claim, last)) for year in years[:-1]]
    points = [point_of(claim) for claim in (*others, last)]
    return [point for point in points if point] if all(points) else []


def _of_sentence(weigher: Weigher, sentence: Sentence) -> list[Point]:
    """The figures that a sentence lists for these years; empty where it does not."""
    listed, years = by_year(sentence.text), sorted(weigher.asked.years)
    if not set(years) <= set(listed):
        return []
    fit, ground = weigher.sentence(sentence).fit, Ground.of(sentence.page, sentence.text)
    values = {year: value for year in years if (value := amount_of(listed[year])) is not None}
    points = [
        Point(sentence.text.rstrip("."), listed[year], value, year, "", ground, fit) for year, value in values.items()
    ]
    return points if len(points) == len(years) else []


def _best(claims: Iterable[Claim]) -> Claim | None:
    return max((claim for claim in claims if claim.year), key=lambda claim: claim.fit, default=None)


def _same(claim: Claim, other: Claim) -> bool:
    """Whether two cells are of the same line item."""
    one, two = claim.row, other.row
    return one is not None and two is not None and (one.label, one.group) == (two.label, two.group)


def point_of(claim: Claim | None) -> Point | None:
    """The claim with its value, where it is a cell of a known year."""
    if claim is None or claim.row is None or claim.figure is None or claim.year is None:
        return None
    row, text = claim.row, claim.figure.text
    value, ground = row.value(text), Ground.of(claim.page, claim.text, row)
    return None if value is None else Point(row.label, text, value, claim.year, row.scaled(text), ground, claim.fit)


def _each(points: Sequence[Point], question: str) -> str:
    return f"{points[-1].label}: {', '.join(f'{point.said} in {point.year}' for point in reversed(points))}"


def _verdict(points: Sequence[Point], question: str) -> str:
    grown = points[-1].value - points[0].value
    said = "Yes" if grown and (grown < 0) == bool(_DOWN.search(question)) else "No"
    return f"{said}. {_each(points, question)}"


def _turn(points: Sequence[Point], question: str) -> str:
    return f"{'Increase' if points[-1].value > points[0].value else 'Decrease'}. {_change(points, question)}"


def _which(points: Sequence[Point], question: str) -> str:
    match = _WHICH.search(question)
    lowest = match is not None and match[1].lower() in vocabulary.LEAST
    chosen = (min if lowest else max)(points, key=lambda point: point.value)
    return f"{chosen.year}. {_each(points, question)}"


def _sum(points: Sequence[Point], question: str) -> str:
    working = " + ".join(point.text for point in points)
    total = amount(sum(point.value for point in points), question, points[0].scale)
    return f"{points[0].label}, {', '.join(str(point.year) for point in points)}: {total} = {working}"


def _change(points: Sequence[Point], question: str) -> str:
    first, last = points[0], points[-1]
    grown = last.value - first.value
    working = f"{last.text} ({last.year}) - {first.text} ({first.year})"
    beside = f"; {_each(points, question)}" if _AND_HOW.search(question) else ""
    if _SHARE.search(question) and first.value:
        rate = share(grown / abs(first.value), question, percent=True)
        return f"{last.label}: {rate} = ({working}) / {first.text}{beside}"
    value = grown if _SIGNED.search(question) else abs(grown)
    return f"{last.label}: {amount(value, question, last.scale)} = {working}{beside}"
