"""Finds a line item of the statements: the row whose caption is the item's, and its figure for a year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from harness.bench import Bench
from harness.protocols import SearchCall
from systems._shared.tokens import tokens
from systems.answerers._statements import vocabulary
from systems.answerers._statements.cells import dates, of_part
from systems.answerers._statements.pages import pages_of
from systems.answerers._statements.tables import Row, read_all
from systems.answerers._statements.terms import Term
from systems.answerers._statements.vocabulary import BALANCE, CASH, INCOME, STATEMENTS

_NEUTRAL = frozenset(tokens(vocabulary.NEUTRAL_CAPTION_WORDS))
_ENOUGH = 0.7
"""Below that a row's caption is another item's."""


class Operand(NamedTuple):
    """A figure that is worked with: `value` in units, `text` as printed."""

    term: Term
    row: Row
    year: int
    text: str
    value: float


@dataclass
class Books:
    """The statements of the documents in scope, searched for where they are asked for."""

    search: SearchCall
    bench: Bench
    doc: str
    found: Sequence[Row]
    """The rows of what the question itself found."""
    parts: bool = False
    """Whether the question is of a part of a year."""
    _rows: dict[str, list[Row]] = field(default_factory=dict)

    def find(self, term: Term, year: int) -> Operand | None:
        """The best row for the year: by its caption and statement, then the largest, which the group's is beside a part's."""
        found = [
            (round(fit, 2), abs(operand.value), -number, operand)
            for number, row in enumerate(self._candidates(term))
            if (fit := _fit(term, row)) and (operand := self._operand(term, row, year))
        ]
        return max(found, key=lambda one: one[:3])[3] if found else None

    def _candidates(self, term: Term) -> Iterator[Row]:
        """The rows of one document, that of the first hit: figures of two are not worked with together."""
        asked = f"{self._title()} {STATEMENTS.get(term.statement) or term.name}".strip()
        if asked not in self._rows:
            self._rows[asked] = read_all(pages_of(self.search(asked), self.bench))[0]
        yield from (row for row in (*self.found, *self._rows[asked]) if row.page.ref.doc == self.doc)

    def _title(self) -> str:
        """The document's title, where others are searched beside it."""
        titles = {document.id: document.title for document in self.bench.documents}
        return titles.get(self.doc, "") if len(titles) > 1 else ""

    def _operand(self, term: Term, row: Row, year: int) -> Operand | None:
        for dated, text, over in zip(dates(row), row.values, row.over, strict=True):
            value = row.value(text)
            if dated.year == year and dated.sure >= 0.9 and value is not None and of_part(over) == self.parts:
                return Operand(term, row, year, text, abs(value) if term.cost else value)
        return None


def _fit(term: Term, row: Row) -> float:
    """How well the row's caption is one of the term's, 0 to 1, a little more in the term's own statement."""
    caption = _words(row.label)
    fits = [_alike(_words(label), caption) - 0.01 * place for place, label in enumerate(term.labels or (term.name,))]
    statement = _statement(row.title)
    if term.statement == BALANCE and statement in (INCOME, CASH):
        return 0.0
    fit = max(fits)
    if fit < _ENOUGH:
        return 0.0
    of_group = vocabulary.GROUP_TITLE in row.title.lower()
    return fit + 0.1 * (bool(statement) and statement == term.statement) - 0.1 * (not of_group)


def _statement(title: str) -> str:
    """Which statement a table's title names."""
    names = vocabulary.TITLES.items()
    return next((statement for statement, pattern in names if re.search(pattern, title, re.IGNORECASE)), "")


@lru_cache(maxsize=8192)
def _words(label: str) -> tuple[str, ...]:
    plain = re.sub(r"\([^)]*\)", " ", label.lower()).replace("-", " ")
    for word, other in vocabulary.CAPTION_SYNONYMS.items():
        plain = re.sub(rf"\b{word}\b", other, plain)
    return tuple(tokens(plain))


def _alike(wanted: tuple[str, ...], caption: tuple[str, ...]) -> float:
    if set(wanted) == set(caption):
        return 1.0
    one, other = set(wanted) - _NEUTRAL, set(caption) - _NEUTRAL
    if one == other and one:
        return 0.95
    if not set(wanted) <= set(caption):
        return 0.0
    return max(0.85 if caption[: len(wanted)] == wanted else 0.0, 0.9 * len(wanted) / len(caption))
