"""What share of a whole a part is: two rows of one table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from systems._shared.tokens import tokens
from systems.answerers._statements import vocabulary
from systems.answerers._statements.claims import Claim, Weigher
from systems.answerers._statements.rounding import share
from systems.answerers._statements.series import Found, Point, point_of
from systems.answerers._statements.tables import Row

_PART_OF = re.compile(
    rf"\bwhat (?:{vocabulary.PART_SHARE}) of (?:the |its )*(?P<whole>.+?)\s(?:{vocabulary.PART_VERB})\b(?P<part>.+)",
    re.IGNORECASE,
)


def part_of(weigher: Weigher, rows: Sequence[Row], question: str) -> Found | None:
    """The share that is asked for; None where the question asks for none, or no table holds both part and whole."""
    asked = _PART_OF.search(weigher.asked.plain)
    if not asked:
        return None
    pairs = [pair for table in _tables(rows) for pair in _pairs(weigher, table, asked["part"], asked["whole"])]
    best = max(pairs, key=lambda pair: pair[2], default=None)
    return _found(*best, question) if best else None


def _tables(rows: Sequence[Row]) -> Iterator[list[Row]]:
    for _, table in groupby(rows, key=lambda row: (row.page.ref, row.title, row.heads)):
        yield list(table)


def _pairs(weigher: Weigher, table: list[Row], part: str, whole: str) -> Iterator[tuple[Point, Point, float]]:
    """Each part with its whole, of the same column, and how well both fit."""
    year = weigher.asked.years[0] if weigher.asked.years else None
    claims = list(weigher.cells(table, year))
    for small in (claim for claim in claims if _holds(claim, part)):
        for large in (claim for claim in claims if claim.over == small.over and _is_whole(claim, whole)):
            one, other = point_of(small), point_of(large)
            if one and other and abs(one.value) < abs(other.value):
                yield one, other, weigher.covered(small, large)


def _holds(claim: Claim, part: str) -> bool:
    """Whether a row's label says nothing but what the part is called."""
    label = set(tokens(claim.row.label if claim.row else ""))
    return bool(label) and label <= set(tokens(part))


def _is_whole(claim: Claim, whole: str) -> bool:
    label = set(tokens(claim.row.label if claim.row else ""))
    named = label - {vocabulary.TOTAL} <= set(tokens(whole))
    return bool(label) and named and (vocabulary.TOTAL in label or len(label) > 1)


def _found(part: Point, whole: Point, fit: float, question: str) -> Found:
    value = share(part.value / whole.value, question, percent=True)
    said = f"{part.label}, of {whole.label} ({part.year}): {value} = {part.text} / {whole.text}"
    return Found(said, (part.ground, whole.ground), fit)
