"""Which figure of a row, or of a sentence, a question asks for: by its year, with the scale and the sign that are printed."""

from __future__ import annotations

import re
from typing import NamedTuple

from systems.answerers._passages import CELL, Quote, years

_FIGURE = re.compile(r"\(?[-−–]?\s*(?:[$€£¥₹]|US\$|Rs\.?)?\s*\(?\d[\d,]*(?:\.\d+)?\)?\s*%?")
_MONEY = re.compile(
    r"(?:US)?[$€£¥₹]\s?\d[\d,.]*\d?(?:\s+(?:thousand|million|billion|trillion|crores?|lakhs?))?|\d[\d,]*(?:\.\d+)?%|"
    r"\d[\d,]*(?:\.\d+)?\s+(?:thousand|million|billion|crores?|lakhs?)\b"
)
_PLAIN = re.compile(r"(?<![\w$.,(])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w,.]?\d|\w)")

_DATE = re.compile(
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+\d{1,2}(?:,\s*\d{4})?|"
    r"\b(?:Note|Item|Section|Part|Rule|Exhibit|Topic|ASU)\s+[\d.()-]+"
)

_ASIDE = re.compile(r"\((?:including|excluding|of which|net of|after)[^)]*\)")


class Figure(NamedTuple):
    """A figure as printed, and how surely it is that of the year asked: 1 by its column, less where the year is unknown."""

    text: str
    sure: float


def of_row(quote: Quote, asked: tuple[int, ...]) -> Figure | None:
    """The row's figure for the year asked (the latest where none is); None where the row holds no figure."""
    cells = [(number, cell) for number, cell in enumerate(quote.cells) if number and _FIGURE.fullmatch(cell)]
    if not cells:
        return None
    wanted = asked[0] if asked else None
    columns = _columns(quote, [number for number, _ in cells])
    if columns is None:
        return Figure(cells[0][1], 0.7 if wanted is None or len(cells) == 1 else 0.4)
    by_year = {year: cell for (_, cell), year in reversed(list(zip(cells, columns, strict=True)))}
    if wanted is None:
        return Figure(by_year[max(by_year)], 0.9)
    return Figure(by_year[wanted], 1.0) if wanted in by_year else None


def _columns(quote: Quote, places: list[int]) -> list[int] | None:
    """The year of each figure's column: by the header row with as many cells, else by the years' order above the table."""
    for line in reversed(quote.header):
        cells = [cell.strip() for cell in line.split("|")]
        if CELL in line and len(cells) == len(quote.cells):
            named = [years(cells[place]) for place in places]
            if all(named):
                return [found[-1] for found in named]
    listed = [year for line in quote.header for year in years(line)]
    for run in (listed, *[years(line) for line in reversed(quote.header)]):
        if len(run) == len(places):
            return run
    return None


def of_sentence(quote: Quote, asked: tuple[int, ...]) -> Figure | None:
    """The sentence's figure: of several in a list, that which stands where the year stands ("… in 2015, 2016, and 2017")."""
    text = _ASIDE.sub(" ", _DATE.sub(" ", quote.text))
    found = _MONEY.findall(text) or [figure for figure in _PLAIN.findall(text) if not years(figure)]
    if not found:
        return None
    named = list(dict.fromkeys(years(quote.text)))
    if asked and asked[0] in named and len(found) == len(named) > 1:
        return Figure(found[named.index(asked[0])], 1.0)
    if asked and named and asked[0] not in named:
        return Figure(found[0], 0.4)
    return Figure(found[0], 1.0 if len(found) == 1 else 0.6)


def with_scale(figure: str, scale: str) -> str:
    """The figure as printed with the scale of its table's header behind it; shares, and figures per share, have none."""
    small = "%" in figure or ("." in figure and "," not in figure)
    return figure if small or not scale else f"{figure} (in {scale}s)"


def change(quote: Quote, asked: tuple[int, ...]) -> float | None:
    """How much the row's figure grew from the earlier to the later of two years asked; None where one is missing."""
    ordered = sorted(asked)
    ends = [of_row(quote, (year,)) for year in (ordered[0], ordered[-1])] if len(ordered) > 1 else []
    values = [number(figure.text) for figure in ends if figure and figure.sure == 1.0]
    if len(values) != 2 or None in values:
        return None
    return (values[1] or 0.0) - (values[0] or 0.0)


def number(figure: str) -> float | None:
    """The number that is printed; brackets and a leading minus are its sign."""
    digits = re.sub(r"[^\d.]", "", figure)
    try:
        value = float(digits)
    except ValueError:
        return None
    return -value if re.search(r"\(\s*[$€£¥₹]?\s*\d|^[-−–]", figure.strip()) else value
