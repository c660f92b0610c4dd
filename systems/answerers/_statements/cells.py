"""The years of a row's figures, and how surely each is known."""

from __future__ import annotations

import re
from typing import NamedTuple

from systems.answerers._statements import vocabulary
from systems.answerers._statements.periods import years
from systems.answerers._statements.tables import Row

_CHANGE = re.compile(rf"\b(?:{vocabulary.COLUMN_OF_CHANGES})\b|%", re.IGNORECASE)
_PART = re.compile(rf"\b(?:{vocabulary.COLUMN_OF_PART})\b", re.IGNORECASE)


class Dated(NamedTuple):
    """The year of a figure, None where it is not known, and how surely it is that one, 0 to 1."""

    year: int | None
    sure: float


def dates(row: Row) -> list[Dated]:
    """For each figure of the row: by its column, else by the row's own words, else by those above the table."""
    return [_dated(row, over) for over in row.over]


def _dated(row: Row, over: str) -> Dated:
    in_column = years(over)
    if _CHANGE.search(over):
        return Dated(None, 0.3)
    if in_column:
        return Dated(in_column[-1], 1.0)
    for text, sure in ((row.label, 1.0), (row.group, 1.0), (" ".join(row.heads), 0.9), (row.title, 0.8)):
        named = set(years(text))
        if len(named) == 1:
            return Dated(named.pop(), sure)
        if named:
            return Dated(None, 0.5)
    return Dated(None, 0.5)


def of_part(over: str) -> bool:
    """Whether a column is of a part of a year."""
    return bool(_PART.search(over))
