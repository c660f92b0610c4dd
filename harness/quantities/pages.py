"""Figures on pages: which quantity of an answer stands on which page, exactly or rounded.

A page is read once (`read_page`) and then asked many times. A figure counts as found with three significant digits at
least, or with its label nearby: two digits alone stand on every page of a report. A bare cell has the scale of the last
header above it ("in millions"); on a page without one, scale is left open.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from harness.quantities.answering import with_headers
from harness.quantities.asking import Ask, ask_of
from harness.quantities.comparing import RIGHT, same_value
from harness.quantities.headers import headers_of
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all
from harness.quantities.units import BARE, same_dimension
from harness.records import PageRef

DIGITS = 3
"""Significant digits from which a figure speaks for itself."""
_OPEN = tuple(Decimal(10) ** n for n in (3, 6, 9))
_WORD = re.compile(r"[A-Za-z][a-z]{2,}|[A-Z]{2,}")
_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "was",
        "were",
        "are",
        "what",
        "how",
        "much",
        "many",
        "did",
        "does",
        "with",
        "from",
        "that",
        "this",
        "its",
        "has",
        "have",
        "had",
        "which",
        "who",
        "whom",
        "when",
        "where",
        "why",
        "per",
        "answer",
        "round",
        "percent",
        "percentage",
        "million",
        "millions",
        "billion",
        "thousand",
        "usd",
        "year",
        "years",
        "fiscal",
        "company",
        "total",
        "amount",
        "according",
        "report",
        "ended",
        "december",
        "january",
        "march",
        "june",
        "september",
        "between",
        "during",
        "compared",
        "only",
        "into",
        "than",
        "then",
        "them",
        "their",
        "there",
        "been",
        "being",
        "not",
        "one",
        "two",
    ]
)


@dataclass(frozen=True)
class PageFigures:
    """A page's figures, read once. `values` holds each reading's magnitude in order, `readings` the readings to it."""

    text: str
    values: list[float]
    readings: list[Quantity]
    labels: dict[int, frozenset[str]] = field(default_factory=dict)

    def near(self, value: Decimal) -> list[Quantity]:
        """The readings within 1% of a magnitude."""
        size = abs(float(value))
        return self.readings[bisect_left(self.values, size * 0.99) : bisect_right(self.values, size * 1.01)]


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
    figures = [quantity for quantity in read_all(text, cells=True) if quantity.role == "figure"]
    headers = headers_of(text)
    readings: list[Quantity] = []
    for figure in figures:
        readings.append(figure)
        if figure.scale is None and figure.unit.dimension in ("", "currency"):
            above = [header for header in headers if header.start <= figure.start]
            known = above[-1] if above else headers[0] if headers else None
            scales = (known.scale,) if known else _OPEN
            readings += [figure.with_(scale=scale, header=True) for scale in scales]
    readings.sort(key=lambda reading: abs(float(reading.value)))
    return PageFigures(text, [abs(float(reading.value)) for reading in readings], readings)


def find_on_pages(
    answer_text: str, pages: Mapping[PageRef, str | PageFigures], question: str = ""
) -> list[FigureFound]:
    """Each quantity of an answer with the page that it stands on; pages may be given as text or as read once."""
    read = {ref: page if isinstance(page, PageFigures) else read_page(page) for ref, page in pages.items()}
    ask = ask_of(question)
    words = label_words(question) | label_words(answer_text)
    return [_find(quantity, read, ask, words) for quantity in answer_figures(answer_text, ask)]


def answer_figures(answer_text: str, ask: Ask) -> list[Quantity]:
    """The quantities of an answer that pages are searched for; one that the question itself states is none of them."""
    read = with_headers(answer_text, read_all(answer_text))
    figures = [quantity for quantity in read if quantity.role == "figure"]
    if (
        not figures
        and len(read) == 1
        and read[0].role == "year"
        and not ask.year
        and read[0].text == answer_text.strip()
    ):
        figures = [read[0].with_(role="figure")]
    return figures


def label_words(text: str) -> frozenset[str]:
    """The words of a text that may name a figure, in a plain stem."""
    return frozenset(_stem(word) for word in _WORD.findall(text) if word.lower() not in _STOP)


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|s|ing|ed)\Z", "", word.lower())


def _find(quantity: Quantity, pages: Mapping[PageRef, PageFigures], ask: Ask, words: frozenset[str]) -> FigureFound:
    best = FigureFound(quantity)
    for ref, page in pages.items():
        for how, there in _matches(quantity, page, ask):
            if quantity.digits < DIGITS and not _labelled(page, there, words):
                continue
            if how == "exact":
                return FigureFound(quantity, how, ref, there.text)
            best = best if best.how else FigureFound(quantity, how, ref, there.text)
    return best


def _matches(quantity: Quantity, page: PageFigures, ask: Ask) -> list[tuple[str, Quantity]]:
    found = []
    for reading in _readings(quantity, ask):
        for there in page.near(reading.value):
            if reading.unit.dimension and there.unit.dimension and not same_dimension(reading.unit, there.unit):
                continue
            how = same_value(abs(reading.value), reading.precision, abs(there.value), there.precision)
            if how in RIGHT and how:
                found.append((how, there))
    return found


def _readings(quantity: Quantity, ask: Ask) -> list[Quantity]:
    readings = [quantity]
    if quantity.scale is None and quantity.unit.dimension in ("", "currency"):
        readings += [quantity.with_(scale=ask.scale)] if ask.scale else []
        readings += [quantity.with_(unit=ask.unit)] if ask.percent and quantity.unit is BARE else []
    return readings


def _labelled(page: PageFigures, there: Quantity, words: frozenset[str]) -> bool:
    label = page.labels.get(there.start)
    if label is None:
        low = page.text.rfind("\n", 0, max(0, page.text.rfind("\n", 0, there.start)))
        high = page.text.find("\n", there.end)
        label = label_words(
            page.text[max(low, there.start - 160) : min(high if high > 0 else there.end + 60, there.end + 60)]
        )
        page.labels[there.start] = label
    return len(label & words) >= min(2, max(1, len(words)))
