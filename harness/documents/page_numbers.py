"""Printed page numbers: what a reader sees at the edge of a page, which is often not the page's position in the file.

A number at the edge of one page may be anything. A number that goes up by one from page to page is a page number. So each page
offers candidates (numbers that begin or end a line at its edges), and they vote: a candidate counts as many pages nearby as
continue its series. Series may begin anew (annexes, exhibits), be roman, carry a prefix (F-12), or go up by two (spreads).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Edge = Literal["top", "bottom", "side"]

WINDOW = 12
"""Pages to either side whose numbers may support a candidate."""
SUPPORT = 2.5
"""Weight that a series needs around a page, the page's own candidate included."""
CHAIN, GAP = 5, 3
"""Length that a chain needs where the file has more pages than are numbered, and pages from one number to the next at most."""


BAND, MARGIN = 0.12, 0.08
"""Where page numbers are looked for: shares of height and of width."""
COLUMN, SAME_X = 4, 0.01
ROW, SAME_Y = 3, 0.003
"""Numbers below or beside each other that are a list, and the shares of width and height within which they stand so."""
FEW = 3
"""Candidates of a page that count in full."""
OUTER_LINES, OUTER_HEIGHT, MOST_LINES = 3, 60.0, 100
"""Also in the outermost lines, if they stand in so many points; lines of a page that are read at most."""


class Box(NamedTuple):
    """Where a piece of text stands, in points from the top left of the page as it is shown."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def __or__(self, other: Box) -> Box:
        """The box around both."""
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


Read = Callable[[Box], str]
"""Gives the text inside a box."""


class Line(NamedTuple):
    """A line of text at an edge of a page; `x` and `y` are its middle, from 0 (left, top) to 1 (right, bottom)."""

    text: str
    edge: Edge
    x: float
    y: float


class Candidate(NamedTuple):
    """A number that may be a page number. `series` says with which others it can go on (style, prefix, edge)."""

    value: int
    label: str
    series: tuple[str, str]
    weight: float
    x: float


_NUMBER = r"(?P<n>\d{1,4})"
_OF = re.compile(r"(?:(?i:page|seite|p\.)\s*)?(?<![\d.,/])" + _NUMBER + r"\s*(?:of|/|von|sur|de)\s*\d{1,4}\Z")
_PAGE = re.compile(r"(?i:\b(?:page|seite|p\.))\s*" + _NUMBER + r"\Z")
_PREFIXED = re.compile(r"(?P<prefix>[A-Z]{1,2}|\d{1,2})\s?[-–—]\s?" + _NUMBER + r"\Z")
_ALONE = re.compile(_NUMBER + r"\Z")
_STARTS = re.compile(_NUMBER + r"(?![\d.,%/)\]:]|\s*%)")
_ENDS = re.compile(r"(?<![\d.,$€£/(\-–])" + _NUMBER + r"\Z")
_ROMAN = re.compile(r"(?=[ivxl])(?P<n>(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3}))\Z", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_DECORATION = " \t\n\r-–—|•·[]<>_~*"


def edge_lines(boxes: NDArray[np.float64], width: float, height: float, read: Read) -> list[Line]:
    """The lines at the edges of a page: in the bands, the three outermost wherever they stand, and what stands in a margin.

    `boxes` are rows of (x0, y0, x1, y1), one for each piece of text on the page.
    """
    rows = _rows(boxes[_outer(boxes, width, height)])
    found: list[tuple[Box, Edge]] = []
    for place, row in enumerate(rows):
        edge = _edge(place, len(rows), row[0].middle / max(height, 1.0))
        found += [(part, edge or "side") for part in _parts(row) if edge or _in_margin(part, width)]
    half = MOST_LINES // 2
    kept = found if len(found) <= MOST_LINES else [*found[:half], *found[-half:]]
    return [
        Line(
            " ".join(read(part).split()),
            edge,
            (part.x0 + part.x1) / 2 / max(width, 1.0),
            part.middle / max(height, 1.0),
        )
        for part, edge in kept
    ]


def largest(boxes: NDArray[np.float64], read: Read) -> str:
    """The line that is set largest, with those of the same size below it (three at most): a title, on a title page.

    Empty where no line stands out.
    """
    parts = [(max(box.height for box in row), part) for row in _rows(boxes) for part in _parts(row)]
    sizes = [(size, -place) for place, (size, part) in enumerate(parts) if len(_LETTER.findall(read(part))) > 3]
    if not sizes:
        return ""
    size, first = max(sizes)
    if len(sizes) > 5 and size < 1.25 * sorted(sizes)[len(sizes) // 2][0]:
        return ""
    title = [read(part) for found, part in parts[-first : 3 - first] if found > 0.85 * size]
    return " ".join(" ".join(title).split())


def _outer(boxes: NDArray[np.float64], width: float, height: float) -> NDArray[np.bool_]:
    """Which pieces can stand in an outer line or a margin; some files have thousands of pieces, one a character."""
    middle = boxes[:, 1::2].mean(axis=1)
    high, low = (middle.min(), middle.max()) if len(boxes) else (0.0, 0.0)
    beyond = (middle < max(BAND * height, high + OUTER_HEIGHT)) | (
        middle > min((1 - BAND) * height, low - OUTER_HEIGHT)
    )
    mask: NDArray[np.bool_] = beyond | (boxes[:, 2] < MARGIN * width) | (boxes[:, 0] > (1 - MARGIN) * width)
    return mask


def _rows(boxes: NDArray[np.float64]) -> list[list[Box]]:
    """Pieces that stand beside each other, from above to below, each row from left to right."""
    order = np.lexsort((boxes[:, 0], boxes[:, 1] + boxes[:, 3]))
    rows: list[list[Box]] = []
    for piece in (Box(*row) for row in boxes[order].tolist()):
        if rows and piece.middle - rows[-1][-1].middle < 0.4 * min(piece.height, rows[-1][-1].height):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row) for row in rows]


def _edge(place: int, rows: int, share: float) -> Edge | None:
    if share < BAND or (place < OUTER_LINES and share < 0.5):
        return "top"
    return "bottom" if share > 1 - BAND or place >= rows - OUTER_LINES else None


def _in_margin(part: Box, width: float) -> bool:
    return part.x1 < MARGIN * width or part.x0 > (1 - MARGIN) * width


def _parts(row: Sequence[Box]) -> list[Box]:
    """A row as the boxes of its parts, which wide gaps keep apart."""
    parts = [row[0]]
    for piece in row[1:]:
        if piece.x0 - parts[-1].x1 < 1.5 * max(piece.height, 1.0):
            parts[-1] |= piece
        else:
            parts.append(piece)
    return parts


def visible(boxes: NDArray[np.float64], width: float, height: float) -> NDArray[np.float64]:
    """The pieces whose middle stands on the page as it is shown: what lies in the trim is seen by nobody."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    return boxes[(x >= 0) & (x <= width) & (y >= 0) & (y <= height)]


def candidates(lines: Sequence[Line]) -> list[Candidate]:
    """The numbers at the edges of one page that may be its page number, or the two of a spread.

    A page with many of them is one of figures: there each counts for less.
    """
    found = list(dict.fromkeys(one for line in _unlisted(lines) for one in _of_line(line)))
    many = Counter(one.series for one in found)
    return [one._replace(weight=one.weight * min(1.0, FEW / many[one.series])) for one in found]


def _unlisted(lines: Sequence[Line]) -> list[Line]:
    """The lines without numbers that stand in columns or rows: numbered lines, a contents list, the scale of a chart.

    The outermost line of the page stays, though it stands where a column ends.
    """
    numbers = [line for line in lines if _ALONE.match(line.text.strip(_DECORATION))]
    inner = [min(line.y for line in lines) + SAME_Y, max(line.y for line in lines) - SAME_Y] if lines else [0.0, 0.0]
    rows, columns = _near(numbers, lambda line: line.y, SAME_Y), _near(numbers, lambda line: line.x, SAME_X)
    listed = {line for row in rows if len(row) >= ROW for line in row}
    for column in columns:
        if len(column) >= COLUMN:
            listed |= {line for line in column if inner[0] < line.y < inner[1]}
    return [line for line in lines if line not in listed]


def _near(lines: Sequence[Line], where: Callable[[Line], float], same: float) -> list[list[Line]]:
    """The lines in groups of those that stand no further from the one before than `same`."""
    groups: list[list[Line]] = []
    for line in sorted(lines, key=where):
        if groups and where(line) - where(groups[-1][-1]) <= same:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _of_line(line: Line) -> Iterator[Candidate]:
    text = line.text.strip(_DECORATION)
    if match := _PREFIXED.match(text):
        prefix = match["prefix"] + "-"
        yield Candidate(int(match["n"]), f"{prefix}{int(match['n'])}", (line.edge, prefix), 1.0, line.x)
    elif match := _OF.match(text) or _PAGE.match(text):
        yield _arabic(match, line, 1.5)
    elif match := _ALONE.match(text):
        yield _arabic(match, line, 1.0)
    elif match := _ROMAN.match(text):
        yield Candidate(_from_roman(match["n"]), match["n"], (line.edge, "roman"), 1.0, line.x)
    elif line.edge != "side":
        yield from _in_text(text, line)


def _in_text(text: str, line: Line) -> Iterator[Candidate]:
    """Numbers that begin or end a line of other words, as in `Annual report 2016 | 45`."""
    if match := _STARTS.match(text):
        yield _arabic(match, line._replace(x=0.0), 0.7)
    if match := _OF.search(text) or _PAGE.search(text):
        yield _arabic(match, line._replace(x=1.0), 1.2)
    elif match := _ENDS.search(text):
        yield _arabic(match, line._replace(x=1.0), 0.7)


def _arabic(match: re.Match[str], line: Line, weight: float) -> Candidate:
    value = int(match["n"])
    return Candidate(value, str(value), (line.edge, ""), weight, line.x)


def _from_roman(text: str) -> int:
    digits = [{"i": 1, "v": 5, "x": 10, "l": 50}[letter] for letter in text.lower()]
    return sum(-one if one < after else one for one, after in zip(digits, [*digits[1:], 0], strict=True))


def printed(pages: Sequence[Sequence[Candidate]]) -> list[str | None]:
    """The printed label of each page, None where none is printed or none can be told.

    A page that shows two numbers of a spread is labelled with both, `"12-13"`. Leading zeros are dropped.
    """
    single, double = _Votes(pages, 1), _Votes(pages, 2)
    voted = [_voted(row, page, single, double) for row, page in enumerate(pages)]
    chain = _Chain(pages, voted)
    return [label or chain.label(row) for row, label in enumerate(voted)]


def _voted(row: int, page: Sequence[Candidate], single: _Votes, double: _Votes) -> str | None:
    votes = [(single.support(row, one), -place, one.label) for place, one in enumerate(page)]
    for left in page:
        for right in page:
            if right.value == left.value + 1 and right.series == left.series and left.x < right.x:
                support = min(double.support(row, left), double.support(row, right))
                votes.append((1.01 * support, 0, f"{left.label}-{right.label}"))
    best = max(votes, default=(0.0, 0, ""))
    return best[2] if best[0] >= min(SUPPORT, 0.9 * len(single.pages)) else None


class _Chain:
    """Numbers that stand alone and go on by one over pages that show none: one printed page spread over several in the file.

    A page that was labelled by vote takes part with that label only, and is not stepped over.
    """

    def __init__(self, pages: Sequence[Sequence[Candidate]], voted: Sequence[str | None]) -> None:
        self.lone = [
            {(one.value, one.series[1]): one.label for one in page if one.weight >= 1 and label in (None, one.label)}
            for page, label in zip(pages, voted, strict=True)
        ]
        self.voted = voted

    def label(self, row: int) -> str | None:
        """The label of the longest chain through the page; None where it is too short to be trusted."""
        lengths = [
            (1 + self._run(row, value, style, 1) + self._run(row, value, style, -1), label)
            for (value, style), label in self.lone[row].items()
        ]
        length, label = max(lengths, default=(0, ""))
        return label if length >= CHAIN else None

    def _run(self, row: int, value: int, style: str, step: int) -> int:
        """How many numbers of the chain follow in one direction."""
        for length in range(WINDOW):
            value += step
            following = self._following(row, value, style, step)
            if following is None:
                return length
            row = following
        return WINDOW

    def _following(self, row: int, value: int, style: str, step: int) -> int | None:
        """The next page that shows that number, if pages up to it show none."""
        for other in range(row + step, row + step * (GAP + 1), step):
            if not 0 <= other < len(self.lone):
                return None
            if (value, style) in self.lone[other]:
                return other
            if self.voted[other] is not None:
                return None
        return None


class _Votes:
    """How far the candidates of other pages continue a series that goes up by `step` from page to page."""

    def __init__(self, pages: Sequence[Sequence[Candidate]], step: int) -> None:
        self.pages, self.step = pages, step
        self.rows: dict[tuple[tuple[str, str], int], dict[int, float]] = defaultdict(dict)
        for row, page in enumerate(pages):
            for one in page:
                votes = self.rows[one.series, one.value - step * row]
                votes[row] = max(votes.get(row, 0.0), one.weight)

    def support(self, row: int, one: Candidate) -> float:
        """The weight of the pages at most WINDOW away that carry on the series of `one`."""
        votes = self.rows[one.series, one.value - self.step * row]
        return sum(weight for other, weight in votes.items() if abs(other - row) <= WINDOW)
