"""Figures that stand on no page but can be worked out from ones that do: sums, differences, ratios, growth, averages.

Any two figures of a page give some third one, so only rows whose label the question names are combined, and only as it asks:
a difference where it asks for a change, a ratio where it asks for a share. A derivation carries its working.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

from harness.quantities.comparing import rounds_to
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_quantities
from harness.quantities.row_names import label_words, names_in
from harness.records import PageRef

ROWS = 6
"""Rows that are combined at most, those first whose label fits the question best."""
CELLS = 5
"""Cells of a row that are combined at most, from the left."""
_FITS = 0.5
_DIGITS = 2
_KNOWN = 4
"""What a figure that the question itself states adds to a row's fit."""
_FEW = 2
"""Rows at most that hold a name which picks them out."""

_CHANGE = re.compile(
    r"\b(?:chang\w+|differen\w+|increas\w+|decreas\w+|declin\w+|grow\w*|grew|rose|rise|fell|fall|drop\w*|reduc\w+|"
    r"more|less|higher|lower|"
    r"greater|compare\w*|net|year[- ]over[- ]year|yoy|added|lost|gained|impact)\b",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"\b(?:total|sum|combined|together|aggregate|altogether|overall|both|cumulative|over the years|in all)\b",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"\b(?:ratio|percent\w*|share|proportion|margin|rate|divided|per|turnover|return|yield|times|multiple|fraction|"
    r"portion|part)\b|%|\bto\b",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)


class Row(NamedTuple):
    """A line of a page: its label's words, its figures from the left, the scale of the header above."""

    ref: PageRef
    label: frozenset[str]
    cells: tuple[Quantity, ...]
    scale: Decimal | None


class Derivation(NamedTuple):
    """A worked-out value: `plain` where it has no unit (a ratio), else in the units of the page."""

    value: Decimal
    working: str
    ref: PageRef
    plain: bool
    scale: Decimal | None


@dataclass(frozen=True, slots=True)
class Wants:
    """What a question asks to be worked out."""

    change: bool
    total: bool
    ratio: bool
    average: bool

    @classmethod
    def of(cls, question: str) -> Wants:
        return cls(*(bool(cue.search(question)) for cue in (_CHANGE, _SUM, _RATIO, _AVERAGE)))


_ANYTHING = Wants(change=True, total=True, ratio=True, average=True)


class Workings:
    """All that can be worked out, on some pages, from rows that a question names; made at the first look."""

    def __init__(
        self, rows: Mapping[PageRef, Sequence[Row]], question: str, operands: frozenset[Decimal] = frozenset()
    ) -> None:
        """`operands`: magnitudes that are known to be the working's; rows of them alone are combined too."""
        self._rows, self._question, self._operands = rows, question, operands

    def of(self, readings: Sequence[Quantity]) -> Derivation | None:
        """How a claimed figure can be worked out, in any of its readings; None where it cannot."""
        if readings[0].digits < _DIGITS:
            return None
        fits = (one for one in self._every if any(_meets(reading, one) for reading in readings))
        return next(fits, None)

    @cached_property
    def _every(self) -> tuple[Derivation, ...]:
        every = [row for page in self._rows.values() for row in page]
        wanted = fitting(every, self._question)
        operands = self._operands
        known = [kept for row in every if (kept := _only(row, operands)).cells] if operands else []
        asked = derivations(wanted, Wants.of(self._question))
        return (*asked, *derivations(known[:ROWS], _ANYTHING))


def fitting(rows: Sequence[Row], question: str) -> list[Row]:
    """The rows that the question names, the best first: half of the label's words, or a name that few rows hold."""
    words, names = label_words(question), names_in(question)
    given = {abs(quantity.mantissa) for quantity in read_quantities(question) if quantity.digits >= _DIGITS}
    often = Counter(word for row in rows for word in row.label & names)
    scored = []
    for place, row in enumerate(rows):
        share = len(row.label & words) / max(1, len(row.label))
        named = any(often[word] <= _FEW for word in row.label & names)
        if row.label and (share >= _FITS or named):
            known = any(abs(cell.mantissa) in given for cell in row.cells)
            scored.append((-max(share, _FITS * named) * min(len(row.label & words), 3) - _KNOWN * known, place))
    return [rows[place] for _, place in sorted(scored)[:ROWS]]


def _only(row: Row, operands: frozenset[Decimal]) -> Row:
    return row._replace(cells=tuple(cell for cell in row.cells if abs(cell.mantissa) in operands))


def derivations(rows: Sequence[Row], wants: Wants) -> Iterator[Derivation]:
    """Everything that may be worked out of some rows, as far as it is asked for."""
    for row in rows:
        yield from _within(row, wants)
    for one, other in permutations(rows, 2):
        yield from _across(one, other, wants)


def _within(row: Row, wants: Wants) -> Iterator[Derivation]:
    cells = row.cells[:CELLS]
    for one, other in permutations(cells, 2):
        if wants.change and one.value > other.value:
            yield _worked(row, one.value - other.value, f"{one.text} − {other.text}")
        if wants.change and other.value:
            growth = (one.value - other.value) / abs(other.value)
            yield _worked(row, growth, f"({one.text} − {other.text}) / {other.text}", plain=True)
    if wants.total or wants.average:
        for some in (group for size in range(2, len(cells) + 1) for group in combinations(cells, size)):
            total, working = sum((cell.value for cell in some), Decimal(0)), " + ".join(cell.text for cell in some)
            yield _worked(row, total, working)
            if wants.average:
                yield _worked(row, total / len(some), f"({working}) / {len(some)}")


def _across(one: Row, other: Row, wants: Wants) -> Iterator[Derivation]:
    for a, b in zip(one.cells[:CELLS], other.cells[:CELLS], strict=False):
        if wants.ratio and b.value:
            yield _worked(one, _scaled(a, one) / _scaled(b, other), f"{a.text} / {b.text}", plain=True, other=other)
        if wants.change and a.value > b.value:
            yield _worked(one, a.value - b.value, f"{a.text} − {b.text}", other=other)
        if wants.total and [cell.value for cell in one.cells] != [cell.value for cell in other.cells]:
            yield _worked(one, a.value + b.value, f"{a.text} + {b.text}", other=other)
    if wants.average and wants.ratio:
        yield from _over_averages(one, other)


def _over_averages(one: Row, other: Row) -> Iterator[Derivation]:
    """A figure over the average of two years' of another row, the two beside each other."""
    for a in one.cells[:CELLS]:
        for b, c in pairwise(other.cells[:CELLS]):
            base = (_scaled(b, other) + _scaled(c, other)) / 2
            if base:
                working = f"{a.text} / average of {b.text} and {c.text}"
                yield _worked(one, _scaled(a, one) / base, working, plain=True, other=other)


def _scaled(cell: Quantity, row: Row) -> Decimal:
    """A cell's value in the scale of its header, where it states none itself."""
    return cell.value * row.scale if row.scale and cell.scale is None else cell.value


def _worked(row: Row, value: Decimal, working: str, *, plain: bool = False, other: Row | None = None) -> Derivation:
    places = f"{row.ref}" if other is None or other.ref == row.ref else f"{row.ref} and {other.ref}"
    return Derivation(value, f"{working} on {places}", row.ref, plain, row.scale)


def _meets(claim: Quantity, derivation: Derivation) -> bool:
    """Whether a claim is the correct rounding of a derivation, its sign aside: a fall may be told as a positive number."""
    if derivation.plain != (
        claim.unit.dimension in ("ratio", "times", "points")
        or (claim.step < 1 and claim.scale is None and not claim.unit.name)
    ):
        return False
    scales = (Decimal(1),) if derivation.plain else (Decimal(1), derivation.scale or claim.scale or Decimal(1))
    value = abs(claim.value)
    return any(value and rounds_to(abs(derivation.value) * scale, claim.precision, value) for scale in scales)
