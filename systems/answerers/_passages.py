"""What an extractive answerer may quote: sentences, and rows of tables with the titles and columns above them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.records import Chunk, Hit

CELL = " | "
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"'(•])")
_YEAR = re.compile(r"(?<![\d,.])(?:19|20)\d\d(?![\d,]|\.\d)")
_SCALE = re.compile(r"\b(?:in|\$|usd|eur)?\s*\(?(thousands|millions|billions|crores?|lakhs?)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\(?[$€£]?\(?\d[\d,]*(?:\.\d+)?\)?%?|[—–-]")
_REACH = 60
"""Lines above a row in which its header is looked for."""


class Quote(NamedTuple):
    """A line that may be an answer. `rank` is its hit's, from 0; a sentence has no cells and no header."""

    chunk: Chunk
    rank: int
    text: str
    cells: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    """Lines above the row that name its columns, nearest last."""
    title: str = ""
    """The words above the table: heading, caption, the group of rows that the row stands in."""
    scale: str = ""

    @property
    def label(self) -> str:
        """What a row's figures are; of a sentence, the sentence."""
        return self.cells[0] if self.cells else self.text


def years(text: str) -> list[int]:
    """The years named in `text`, in order."""
    return [int(year) for year in _YEAR.findall(text)]


def quotes(hits: Sequence[Hit], pages: Sequence[Sequence[str]]) -> Iterator[Quote]:
    """Every sentence and every row of the hits. `pages`: for each hit the lines of its page that stand before it."""
    for rank, (hit, before) in enumerate(zip(hits, pages, strict=True)):
        own = [line.strip() for line in hit.chunk.passage.splitlines() if line.strip()]
        lines = [*before[-_REACH:], *own]
        for number in range(len(lines) - len(own), len(lines)):
            yield from _line(hit.chunk, rank, lines, number)


def as_row(line: str) -> str:
    """A label with figures behind it and nothing else is a row, also where the parser saw no table."""
    if len(line) > 300 or not line[:1].isascii():
        return line
    words = [word for word in line.replace("**", "").split() if word not in ("$", "€", "£", "|")]
    figures: list[str] = []
    while words and _FIGURE.fullmatch(words[-1]):
        figures.insert(0, words.pop())
    plain = bool(words) and words[0][:1].isalpha() and not any(years(figure) for figure in figures)
    return CELL.join([" ".join(words), *figures]) if plain and len(figures) >= 2 else line


def _line(chunk: Chunk, rank: int, lines: Sequence[str], number: int) -> Iterator[Quote]:
    line = lines[number] if lines[number].count("|") > 1 else as_row(lines[number])
    if CELL not in line:
        yield from (Quote(chunk, rank, text.strip()) for text in _SENTENCE.split(line) if text.strip())
        return
    cells = tuple(cell.strip() for cell in line.split("|"))
    above = list(lines[max(0, number - _REACH) : number])
    yield Quote(chunk, rank, line, cells, _header(above), _title(above), _scale(above))


def _header(above: Sequence[str]) -> tuple[str, ...]:
    """The nearest lines above, at most three in a row, that name years; what stands between two such is not looked at."""
    found: list[str] = []
    for line in reversed(above):
        if years(line) and len(line) < 300 and not _is_data(line):
            found.insert(0, line)
        elif found:
            break
        if len(found) == 3:
            break
    return tuple(found)


def _is_data(line: str) -> bool:
    """A row with a label and figures, which may hold a year by chance."""
    cells = [cell.strip() for cell in line.split("|")]
    figures = [cell for cell in cells[1:] if re.search(r"\d", cell) and not _YEAR.search(cell)]
    return bool(cells[0]) and len(figures) >= 1 and CELL in line


def _title(above: Sequence[str]) -> str:
    """The nearest two lines of text above the table, and the nearest row without figures."""
    group = next((line for line in reversed(above) if CELL in line and not re.search(r"\d", line)), "")
    text = [line for line in above if CELL not in line and len(line) < 200][-3:]
    alone = [line for line in above[-12:] if line.endswith(":") and len(line) < 80][-1:]
    return " ".join([*text, group.replace("|", " "), *alone])


def _scale(above: Sequence[str]) -> str:
    """ "million", "thousand", "billion" where a line above says so; the nearest counts."""
    for line in reversed(above):
        if (match := _SCALE.search(line)) and len(line) < 300:
            return match[1].lower().rstrip("s")
    return ""
