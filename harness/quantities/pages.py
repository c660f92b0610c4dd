"""Figures on pages: which quantity of an answer stands on which page, exactly, rounded, or worked out.

A page is read once (`read_page`) and then asked many times. A figure counts as found with three significant digits at
least, or with its label nearby: two digits alone stand on every page of a report. A bare cell has the scale of the last
header above it ("in millions"); on a page without one, scale is left open.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from harness.quantities.answering import with_headers
from harness.quantities.asking import Ask, ask_of
from harness.quantities.comparing import RIGHT, same_value
from harness.quantities.derived import Row, Workings
from harness.quantities.headers import Header, headers_of
from harness.quantities.plain import plain_text
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all
from harness.quantities.row_names import label_words
from harness.quantities.units import BARE, PERCENT, same_dimension
from harness.records import PageRef

DIGITS = 3
"""Significant digits from which a figure speaks for itself."""
_OPEN = tuple(Decimal(10) ** n for n in (3, 6, 9))
_PERCENTS = re.compile(r"%|\bpercent|\bper cent", re.IGNORECASE)
_PROSE = re.compile(r"[A-Z][^.]*(?:\.(?=\d)[^.]*)*\.")
"""A sentence: up to a full stop that no digit follows."""
_LOWER = re.compile(r"\b[a-z]{2,}")
_LONGER = re.compile(r"[A-Za-z]{3,}")
_HEADING_LINES, _OWN_WORDS = 3, 2
"""Lines above that may head a row, and words from which a row needs no heading."""
_SENTENCE_WORDS, _SENTENCE_CELLS, _LINE_WORDS = 8, 8, 4
_AMOUNT = frozenset({"", "currency", "shares", "people"})


@dataclass(frozen=True)
class PageFigures:
    """A page's figures, read once: each reading's magnitude in ascending order, the readings to it, and the page's lines."""

    text: str
    values: list[float]
    readings: list[Quantity]
    figures: list[Quantity]
    headers: list[Header]
    cache: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    def near(self, value: Decimal) -> list[Quantity]:
        """The readings within 1% of a magnitude."""
        size = abs(float(value))
        return self.readings[bisect_left(self.values, size * 0.99) : bisect_right(self.values, size * 1.01)]

    def label(self, figure: Quantity) -> frozenset[str]:
        """The words of the figure's line and of the one above, in stems."""
        if figure.start not in self.cache:
            above = self.text.rfind("\n", 0, max(0, self.text.rfind("\n", 0, figure.start)))
            below = self.text.find("\n", figure.end)
            end = min(below if below > 0 else len(self.text), figure.end + 60)
            self.cache[figure.start] = label_words(self.text[max(above, figure.start - 160) : end])
        label = self.cache[figure.start]
        assert isinstance(label, frozenset)
        return label

    def rows(self, ref: PageRef) -> Sequence[Row]:
        """The page's lines with figures; a line without words takes its label from the line above."""
        if "rows" not in self.cache:
            self.cache["rows"] = _rows(self, ref)
        rows = self.cache["rows"]
        assert isinstance(rows, list)
        return rows


@dataclass(frozen=True, slots=True)
class FigureFound:
    """A quantity of an answer and where it stands: `how` is exact, rounded, derived or None; `working` shows a derivation."""

    quantity: Quantity
    how: str | None = None
    ref: PageRef | None = None
    on_page: str = ""
    working: str = ""


def read_page(text: str) -> PageFigures:
    """Read a page's figures once; the result may be kept and matched against many answers."""
    text = plain_text(text)
    figures = [quantity for quantity in read_all(text, cells=True) if quantity.role == "figure"]
    headers = headers_of(text)
    percents = bool(_PERCENTS.search(text))
    readings = [reading for figure in figures for reading in _page_readings(text, figure, headers, percents)]
    readings.sort(key=lambda reading: abs(float(reading.value)))
    return PageFigures(text, [abs(float(reading.value)) for reading in readings], readings, figures, headers)


def _page_readings(text: str, figure: Quantity, headers: Sequence[Header], percents: bool) -> list[Quantity]:
    """A bare cell as it stands, in the scale above it, and as a percentage where the page has such a column."""
    readings = [figure]
    if figure.scale is None and figure.unit.dimension in _AMOUNT:
        known = _scale_above(text, figure, headers)
        readings += [figure.with_(scale=scale, header=True) for scale in ((known,) if known else _OPEN)]
    if percents and figure.unit is BARE and figure.scale is None and abs(figure.mantissa) < 1000:
        readings.append(figure.with_(unit=PERCENT, header=True))
    return readings


def _scale_above(text: str, figure: Quantity, headers: Sequence[Header]) -> Decimal | None:
    above = [header for header in headers if header.start <= figure.start] or list(headers[:1])
    if not above:
        return None
    return above[-1].scale_of(_row_text(text, figure.start)) if above[-1].exempt else above[-1].scale


def _row_text(text: str, place: int) -> str:
    """The text in front of a figure in its line, with the lines above where it has hardly a word of its own."""
    start = text.rfind("\n", 0, place) + 1
    row = text[start:place]
    for _ in range(_HEADING_LINES):
        if len(_LONGER.findall(row)) >= _OWN_WORDS or start <= 0:
            break
        end, start = start - 1, text.rfind("\n", 0, start - 1) + 1
        row = f"{text[start:end]} {row}"
    return row


def _rows(page: PageFigures, ref: PageRef) -> list[Row]:
    """The lines of a page that hold figures, then the sentences that run over several lines and hold at least two."""
    return [*_lines(page, ref), *_sentences(page, ref)]


def _sentences(page: PageFigures, ref: PageRef) -> Iterator[Row]:
    starts = [figure.start for figure in page.figures]
    for match in _PROSE.finditer(page.text):
        start = _begins(page.text, match.start(), match.end())
        sentence = page.text[start : match.end()]
        if "\n" in sentence and len(_LOWER.findall(sentence)) >= _SENTENCE_WORDS:
            cells = page.figures[bisect_left(starts, start) : bisect_left(starts, match.end())]
            if 1 < len(cells) <= _SENTENCE_CELLS:
                yield Row(ref, label_words(sentence), tuple(cells), None)


def _begins(text: str, start: int, end: int) -> int:
    """Where a sentence begins: behind the lines of a table that stand in front of it without a full stop."""
    while (line := text.find("\n", start, end)) >= 0 and len(_LOWER.findall(text, start, line)) < _LINE_WORDS:
        start = line + 1
    return start


def _lines(page: PageFigures, ref: PageRef) -> list[Row]:
    rows, place, before = [], 0, ""
    starts = [figure.start for figure in page.figures]
    for line in page.text.split("\n"):
        cells = tuple(page.figures[bisect_left(starts, place) : bisect_left(starts, place + len(line))])
        words = label_words(line) or label_words(before)
        if cells:
            rows.append(Row(ref, words, cells, _scale_above(page.text, cells[0], page.headers)))
        before, place = line, place + len(line) + 1
    return rows


def find_on_pages(
    answer_text: str,
    pages: Mapping[PageRef, str | PageFigures],
    question: str = "",
    operands: Iterable[str] = (),
) -> list[FigureFound]:
    """Each quantity of an answer with the page that it stands on; pages may be given as text or as read once.

    `operands`: quoted figures from which the answer is known to be worked out (a golden's quotes). They count where they
    stand on the pages, and so do the answer's own figures that are found there: "912 − 594 = 318".
    """
    answer_text, question = plain_text(answer_text), plain_text(question)
    read = {ref: page if isinstance(page, PageFigures) else read_page(page) for ref, page in pages.items()}
    search = _Search(read, ask_of(question), label_words(f"{question} {answer_text}"))
    found = [search.find(quantity) for quantity in answer_figures(answer_text, search.ask)]
    known = _magnitudes([*operands, *(figure.on_page for figure in found if figure.how)])
    workings = Workings({ref: page.rows(ref) for ref, page in read.items()}, question, known)
    return [figure if figure.how else search.derived(figure.quantity, workings) for figure in found]


def _magnitudes(texts: Iterable[str]) -> frozenset[Decimal]:
    return frozenset(
        abs(quantity.mantissa) for text in texts for quantity in read_all(text) if quantity.role == "figure"
    )


def answer_figures(answer_text: str, ask: Ask) -> list[Quantity]:
    """The quantities of an answer that pages are searched for: not those that the question states itself, nor small numbers
    spelled out beside others ("in two years")."""
    read = with_headers(answer_text, read_all(answer_text))
    figures = [quantity for quantity in read if quantity.role == "figure"]
    alone = len(read) == 1 and read[0].role == "year" and read[0].text == answer_text.strip()
    if alone and not ask.year:
        return [read[0].with_(role="figure")]
    return [figure for figure in figures if not _by_the_way(figure, ask)] or figures


def _by_the_way(figure: Quantity, ask: Ask) -> bool:
    counted = figure.unit.dimension in ("", "months", "days", "hours")
    return (figure.spelled and figure.scale is None and counted) or abs(figure.mantissa) in ask.given


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for the quantities of one answer on some pages."""

    pages: Mapping[PageRef, PageFigures]
    ask: Ask
    words: frozenset[str]

    def find(self, quantity: Quantity) -> FigureFound:
        best = FigureFound(quantity)
        for ref, page in self.pages.items():
            for how, there in self._matches(quantity, page):
                if how == "exact":
                    return FigureFound(quantity, how, ref, there.text)
                best = best if best.how else FigureFound(quantity, how, ref, there.text)
        return best

    def derived(self, quantity: Quantity, workings: Workings) -> FigureFound:
        worked = workings.of(_readings(quantity, self.ask))
        return FigureFound(quantity, "derived", worked.ref, "", worked.working) if worked else FigureFound(quantity)

    def _matches(self, quantity: Quantity, page: PageFigures) -> Iterator[tuple[str, Quantity]]:
        for reading in _readings(quantity, self.ask):
            for there in page.near(reading.value):
                if reading.unit.dimension and there.unit.dimension and not same_dimension(reading.unit, there.unit):
                    continue
                how = same_value(abs(reading.value), reading.precision, abs(there.value), there.precision)
                if how in RIGHT and how and _speaks(quantity, there, page, self.words):
                    yield how, there


def _readings(quantity: Quantity, ask: Ask) -> list[Quantity]:
    readings = [quantity]
    if quantity.scale is None and quantity.unit.dimension in _AMOUNT:
        readings += [quantity.with_(scale=ask.scale)] if ask.scale else []
        readings += [quantity.with_(unit=ask.unit)] if ask.percent and quantity.unit is BARE else []
    return readings


def _speaks(quantity: Quantity, there: Quantity, page: PageFigures, words: frozenset[str]) -> bool:
    """Whether a figure is sure to be meant: three digits, or its label nearby; the more it states itself, the less of that."""
    if quantity.digits >= DIGITS:
        return True
    same_unit = bool(there.unit.dimension) and not there.header and there.unit.dimension == quantity.unit.dimension
    needed = 2 - same_unit - (there.scale is not None and not there.header and quantity.digits > 1)
    return len(page.label(there) & words) >= min(needed, len(words))
