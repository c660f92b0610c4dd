"""Figures and sentences that may be the answer, each with how well its words and its year fit the question."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from systems._shared.tokens import tokens
from systems.answerers._statements import vocabulary
from systems.answerers._statements.asked import Asked
from systems.answerers._statements.cells import dates, of_part
from systems.answerers._statements.figures import number
from systems.answerers._statements.pages import Page
from systems.answerers._statements.periods import years
from systems.answerers._statements.sentences import Figure, figure_in
from systems.answerers._statements.tables import Row, Sentence

_LEADS = re.compile(rf":$|{vocabulary.TABLE_LEAD}")
_VERB = re.compile(rf"\b(?:{vocabulary.SENTENCE_VERB})\b", re.IGNORECASE)
_NEUTRAL = frozenset(tokens(vocabulary.NEUTRAL_LABEL_WORDS))
CALENDAR = frozenset(tokens(vocabulary.CALENDAR_WORDS))
"""Words that say when, as `tokens` gives them."""
_OPERATION = frozenset(tokens(vocabulary.OPERATION_WORDS))
LIGHT, GROUP, OUTSIDE, PRECISION, NO_FIGURE, NO_YEAR, PER_RANK = 0.3, 0.8, 0.5, 0.5, 0.3, 0.3, 0.05
"""What a word of a date, or of what is to be done, counts against another; what a word of the question counts in the heading
inside the table, and in title and header, instead of the label or column; how much words of label and column that were not
asked for tell against it; a sentence without the figure asked for; one without a year on a page that does not name the year
asked for; each rank of its page."""


class Claim(NamedTuple):
    """A cell of a row, or a sentence (no row), and how well the evidence fits, 0 to 1."""

    page: Page
    text: str
    figure: Figure | None
    fit: float
    row: Row | None = None
    over: str = ""
    year: int | None = None


@dataclass(frozen=True)
class Weigher:
    """Weighs claims by the question's words, rare ones counting more."""

    asked: Asked
    weights: dict[str, float]

    @classmethod
    def over(cls, asked: Asked, rows: Sequence[Row], sentences: Sequence[Sentence]) -> Weigher:
        """With weights from the rows and sentences at hand."""
        held = [_words(row.label) | _words(row.group) | _words(row.title) for row in rows]
        held += [_words(sentence.text) for sentence in sentences]
        counts = {word: sum(word in line for line in held) for word in asked.words}
        return cls(asked, {word: _weight(word, count, len(held)) for word, count in counts.items()})

    def cells(self, rows: Iterable[Row], year: int | None) -> Iterator[Claim]:
        """A claim for each figure of the rows, of `year` where one is given."""
        for row in rows:
            label, group = _words(row.label), _words(row.group)
            around = _words(f"{row.title} {' '.join(row.heads)}")
            dated = dates(row)
            latest = max((date.year for date in dated if date.year), default=None)
            for text, over, date in zip(row.values, row.over, dated, strict=True):
                sure = _sure(date.year, date.sure, year, latest) if number(text) is not None else 0.0
                if sure:
                    fit = self._cell(label, _words(over), group, around) * sure * self._part(over)
                    yield Claim(
                        row.page, row.text, Figure(text, sure), self._ranked(fit, row.page), row, over, date.year
                    )

    def sentence(self, sentence: Sentence) -> Claim:
        """The claim that a sentence makes."""
        figure = figure_in(sentence.text, self.asked.years, counts=self.asked.counts)
        fit = self._share(_words(sentence.text), frozenset(), frozenset())
        if self.asked.figure:
            fit *= (figure.sure if figure else NO_FIGURE) * (1.0 if _VERB.search(sentence.text) else 0.5)
        if not years(sentence.text) and not set(self.asked.years) <= sentence.page.years:
            fit *= NO_YEAR
        fit *= (0.4 if _LEADS.search(sentence.text) else 1.0) * (1.0 if len(sentence.text) < 400 else 0.8)
        return Claim(sentence.page, sentence.text, figure, self._ranked(fit, sentence.page))

    def covered(self, *claims: Claim) -> float:
        """The share of the question's words that the claims' rows hold together."""
        rows = [claim.row for claim in claims if claim.row]
        inside = _words(" ".join([*(row.label for row in rows), *(claim.over for claim in claims)]))
        around = _words(" ".join(f"{row.group} {row.title}" for row in rows))
        return self._ranked(self._share(inside, around, frozenset()), claims[0].page)

    def _cell(
        self, label: frozenset[str], over: frozenset[str], group: frozenset[str], around: frozenset[str]
    ) -> float:
        own = label | {word for word in over - CALENDAR if not word.isdigit()}
        own -= _NEUTRAL - set(self.weights)
        precise = sum(word in self.weights for word in own) / len(own) if own else 0.0
        return self._share(label | over, group, around) * (1 - PRECISION + PRECISION * precise)

    def _share(self, inside: frozenset[str], group: frozenset[str], around: frozenset[str]) -> float:
        total = sum(self.weights.values()) or 1.0
        found = 0.0
        for word, weight in self.weights.items():
            found += weight * (word in inside or (word in group and GROUP) or (word in around and OUTSIDE))
        return found / total

    def _part(self, over: str) -> float:
        """Columns of quarters are meant only where one is asked for."""
        return 1.0 if of_part(over) == self.asked.part else 0.7

    def _ranked(self, fit: float, page: Page) -> float:
        return round(min(1.0, fit) * (1 - PER_RANK * page.rank), 6)


def _weight(word: str, count: int, lines: int) -> float:
    """The rarer, the more; less for dates and for what is to be done, which is nothing where no line names it."""
    light = word in CALENDAR or word in _OPERATION or word.isdigit()
    return math.log(1 + lines / (1 + count)) * (LIGHT if light else 1.0) * (word not in _OPERATION or count > 0)


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(re.sub(r"\(\w\)", " ", text)))


def _sure(year: int | None, sure: float, wanted: int | None, latest: int | None) -> float:
    """How surely a figure is that of the year wanted, the latest where none is; 0 where it is another's."""
    if wanted is None:
        return 0.9 if year == latest else 0.5 if year is None else 0.2
    if year is None:
        return 0.8 * sure
    return sure if year == wanted else 0.0
