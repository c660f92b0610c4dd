"""A page's tables and text: rows with the words over their columns and above their table, and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from systems._shared.tokens import STOP_WORDS
from systems.answerers._statements import vocabulary
from systems.answerers._statements.columns import columns
from systems.answerers._statements.detached import joined
from systems.answerers._statements.figures import closes, factor, is_figure, is_sign, number, scale_of
from systems.answerers._statements.pages import Page
from systems.answerers._statements.periods import years

_SCALE = re.compile(rf"\b(?:{vocabulary.BEFORE_TABLE_SCALE})?\s*\(?({vocabulary.TABLE_SCALE})\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"'(•])")
_ENDS = re.compile(r"[.:;!?”\"]\Z")
_DAY = re.compile(rf"\b(?:{vocabulary.MONTH})[a-z]*\.?\s+\d{{1,2}}\b|\b\d{{1,2}}\s+months\b", re.IGNORECASE)
_STOP = re.compile(r"[a-z]\.(?:\s|\Z)")
_NOT_JOINED = "".join(rf"(?<!\b{word})" for word in vocabulary.JOINING_WORDS.split())
_CAPITAL = re.compile(rf"(?<=[a-z)]){_NOT_JOINED}\s+(?=[A-Z][a-z.])")
"""Where a label ends and the next begins, in a cell that holds several."""
_QUARTERS = re.compile(vocabulary.QUARTERS, re.IGNORECASE)
_LONG = 200
"""Characters from which a line is prose."""
_LONGEST = 1000
"""Characters that a sentence has at most."""
_WRAPPED = 60
"""Characters from which a line of text without an end goes on in the next line."""


class Row(NamedTuple):
    """A row of a table with what is known of its figures, in order."""

    page: Page
    text: str
    label: str
    values: tuple[str, ...]
    over: tuple[str, ...]
    """The words over each figure's column."""
    heads: tuple[str, ...]
    """The lines that these come from."""
    group: str
    """The heading inside the table that the row stands under."""
    title: str
    scale: str
    """"million", "thousand", "billion" where a line above says so, else empty."""

    def scaled(self, figure: str) -> str:
        """The scale of one of the row's figures."""
        return scale_of(figure, f"{self.label} {self.group}", self.scale)

    def value(self, figure: str) -> float | None:
        """One of the row's figures in units; None for "NM"."""
        value = number(figure)
        return None if value is None else value * factor(self.scaled(figure))

    def said(self, figure: str) -> str:
        """One of the row's figures as printed, with the scale of its table behind it."""
        scale = self.scaled(figure)
        return f"{figure} (in {scale}s)" if scale else figure


class Sentence(NamedTuple):
    """A sentence of a page."""

    page: Page
    text: str


class Parsed(NamedTuple):
    """A line with figures: its label, its figures and the number of the cell of each, and how many cells it has."""

    label: str
    values: tuple[str, ...]
    places: tuple[int, ...]
    width: int


def parsed(line: str) -> Parsed | None:
    """A label with figures behind it and nothing else is a row, also where the parser saw no table."""
    cells = [cell.strip() for cell in line.replace("**", "").split("|")]
    words = [(word, number) for number, cell in enumerate(cells) for word in cell.split()]
    figures: list[tuple[str, int]] = []
    in_label = len(cells) > 1 and not any(_figures(cell) for cell in cells[1:])
    while words and (is_figure(words[-1][0]) or is_sign(words[-1][0])):
        if words[-1][1] == 0 and len(cells) > 1 and not in_label:
            break
        figures.insert(0, words.pop())
    label = " ".join(word for word, _ in words)
    values = _without_note(_merged(figures), bare=len(cells) == 1 or in_label)
    if not _is_row(label, values, 2 if len(cells) == 1 or in_label else 1):
        return None
    return Parsed(label, tuple(value for value, _ in values), tuple(place for _, place in values), len(cells))


def _figures(cell: str) -> list[str]:
    return [word for word in cell.split() if is_figure(word)]


def _merged(figures: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Signs joined to their figures: "$", "(5", ")", "%" is one."""
    found: list[tuple[str, int]] = []
    before = ""
    for word, place in figures:
        if closes(word) and found:
            found[-1] = (found[-1][0] + word, found[-1][1])
        elif is_sign(word):
            before += word
        else:
            found.append((before + word, place))
            before = ""
    return found


def _without_note(values: list[tuple[str, int]], *, bare: bool) -> list[tuple[str, int]]:
    """Behind a label a single digit in brackets is a note's number."""
    return values[1:] if bare and len(values) > 1 and re.fullmatch(r"\(\d\)", values[0][0]) else values


def _is_row(label: str, values: Sequence[tuple[str, int]], least: int) -> bool:
    numbers = [value for value, _ in values if re.search(r"\d", value)]
    named = bool(re.match(r"[\"“'(]*[^\W\d_]|(?:19|20)\d\d\b", label)) and len(label) < _LONG
    plain = not any(years(value) for value in numbers) if least > 1 else not all(years(value) for value in numbers)
    whole = len(re.findall(r"\d[\d,.]+", label)) <= 2
    return named and plain and whole and len(values) >= least and bool(numbers)


@dataclass
class _Reader:
    """Goes down a page. `waiting`: the lines since the last row, of which the next row shows what they are; `last`: the
    line right above that row."""

    page: Page
    heads: list[str] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    group: str = ""
    scale: str = ""
    waiting: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    last: str = ""

    def rows(self) -> Iterator[Row]:
        """The rows, top to bottom."""
        for shown, line in ((one.shown, part) for one in joined(self.page.lines) for part in _parted(one.read)):
            row = parsed(line)
            if row is None:
                self.waiting.append(line)
                continue
            self._settle(len(row.values))
            label, following = _without_heading(self._wrapped(row.label))
            yield self._row(shown, row._replace(label=label))
            self.group = following or ("" if label.lower().startswith(vocabulary.TOTAL) else self.group)
        self._settle(0)

    def _wrapped(self, label: str) -> str:
        """A label that goes on from the line above."""
        above = self.text[-1] if self.text and label[0].islower() else ""
        goes_on = above == self.last and len(above) < _LONG and not _ENDS.search(above)
        return f"{above} {label}" if above and goes_on else label

    def _row(self, line: str, row: Parsed) -> Row:
        over = columns(self.heads, row.places, row.width)
        title = " ".join([*self.page.lines[:1], *self.title])[: 3 * _LONG]
        return Row(
            self.page, line, row.label, row.values, tuple(over), tuple(self.heads), self.group, title, self.scale
        )

    def _settle(self, count: int) -> None:
        """Tell the title, the heads and the groups among the lines that stand above a row of `count` figures."""
        waiting, self.waiting = self.waiting, []
        groups = [line for line in waiting if _is_group(line)]
        rest = [line for line in waiting if line not in groups]
        heads = [head for line in rest for head in [_tail(line)] if _is_head(head)][-3:]
        if not heads and not self.heads and rest and _is_names(rest[-1], count):
            heads = rest[-1:]
        self.text += [line for line in rest if line not in heads and "|" not in line]
        self.last = waiting[-1] if waiting else ""
        if heads or any(_parts_tables(line) for line in rest):
            self.title = [line for line in rest if line not in heads and "|" not in line and len(line) < _LONG][-3:]
            self.heads, self.group = heads, ""
            self.scale = _scale(waiting[-8:]) or self.scale
        self.group = groups[-1].replace("|", " ").strip() if groups else self.group


def read_all(pages: Sequence[Page]) -> tuple[list[Row], list[Sentence]]:
    """The rows and the sentences of several pages."""
    parts = [read(page) for page in pages]
    return [row for rows, _ in parts for row in rows], [sentence for _, part in parts for sentence in part]


def read(page: Page) -> tuple[list[Row], list[Sentence]]:
    """The page's rows, and its sentences, a wrapped one put together."""
    rows, sentences = _read(page._replace(rank=0))
    return [row._replace(page=page) for row in rows], [sentence._replace(page=page) for sentence in sentences]


@lru_cache(maxsize=1024)
def _read(page: Page) -> tuple[list[Row], list[Sentence]]:
    reader = _Reader(page)
    rows = list(reader.rows())
    return rows, [Sentence(page, text.strip()) for text in _sentences(reader.text) if len(text.strip()) > 2]


def _sentences(lines: Sequence[str]) -> Iterator[str]:
    paragraph = ""
    for line in lines:
        paragraph = f"{paragraph} {line}".strip()
        if _ENDS.search(line) or len(line) < _WRAPPED or not _is_prose(line) or len(paragraph) > _LONGEST:
            yield from _parts_of(paragraph)
            paragraph = ""
    yield from _parts_of(paragraph)


def _parts_of(paragraph: str) -> Iterator[str]:
    """Its sentences; of text that never stops, parts that end at a space."""
    for sentence in _SENTENCE.split(paragraph):
        left = sentence
        while len(left) > _LONGEST:
            end = max(left.rfind(" ", 0, _LONGEST), 0) or _LONGEST
            yield left[:end]
            left = left[end:].lstrip()
        yield left


def _parted(line: str) -> list[str]:
    """Rows that the parser put into one line, one by one."""
    return _unstacked(line) or _in_turn(line) or [line]


def _unstacked(line: str) -> list[str]:
    """Rows whose labels share a cell, and their figures another for each column: "Rent Other costs | 5 6 | 7 8"."""
    first, *others = line.replace("**", "").split("|")
    columns = [_merged([(word, 0) for word in cell.split()]) for cell in others if _figures(cell)]
    counts = {len(column) for column in columns}
    if (
        len(columns) < 2
        or len(counts) != 1
        or (count := counts.pop()) < 2
        or not all(is_figure(v) for c in columns for v, _ in c)
    ):
        return []
    labels = _CAPITAL.split(first.strip())
    if len(labels) not in (count, count + 1):
        return []
    rows = [" | ".join([label, *(c[n][0] for c in columns)]) for n, label in enumerate(labels[-count:])]
    return [f"{label}:" for label in labels[:-count]] + rows


def _in_turn(line: str) -> list[str]:
    """Rows one after the other: "Total equity 5 4 Total liabilities and equity 9 8"."""
    parts: list[list[str]] = [[]]
    run = 0
    for word in line.replace("|", " ").split():
        if run > 1 and not is_figure(word) and not is_sign(word):
            parts.append([])
            run = 0
        run = run + 1 if is_figure(word) else run * is_sign(word)
        parts[-1].append(word)
    rows = [parsed(" ".join(part)) for part in parts] if len(parts) > 1 else []
    alike = len({len(row.values) if row and row.label[0].isupper() else 0 for row in rows}) == 1 and rows[0]
    return [" ".join(part) for part in parts] if alike else []


def _without_heading(label: str) -> tuple[str, str]:
    """A label, and the heading of the rows that follow where the parser ran it on: "Total current assets Other assets:"."""
    parts = _CAPITAL.split(label)
    if label.endswith(":") and len(parts) > 1:
        return label.removesuffix(parts[-1]).strip(), parts[-1]
    return label, ""


def _is_prose(line: str) -> bool:
    """Whether enough of its words are those that join others: labels that the parser ran together hold few."""
    words = line.lower().split()
    return sum(word in STOP_WORDS for word in words) >= 0.2 * len(words)


def _parts_tables(line: str) -> bool:
    """Prose, or a garbled line that names years: what the lines above it say of columns does not hold below it."""
    return bool(len(line) > _LONG and _STOP.search(line)) or ("|" in line and bool(years(line)))


def _tail(line: str) -> str:
    """What follows a sentence that ends in the line: there the parser ran text and a table's head together."""
    return line if "|" in line else re.split(r"[a-z\d]\.\s+", line)[-1]


def _is_group(line: str) -> bool:
    """A label alone: no head, which fills several cells or names years for columns."""
    cells = [cell for cell in line.split("|") if cell.strip()]
    single = "|" in line and len(cells) == 1 and bool(line.split("|")[0].strip())
    leads = bool(_SCALE.search(line)) or vocabulary.GROUP_LEAD in line
    named = not re.search(r"\d", line) or len(years(line)) == 1
    return (single or (line.endswith(":") and len(line) < 80 and not leads)) and named


def _is_head(line: str) -> bool:
    """Names years, or fills cells with words, and holds no other figure."""
    bare = _DAY.sub(" ", line)
    figures = [word for word in bare.replace("|", " ").split() if re.search(r"\d", word) and not years(word)]
    figures = [word for word in figures if not re.fullmatch(r"\(\w\)|\w*Q\d\w*|31,?|30,?|\d\)", word)]
    cells = [cell for cell in line.split("|")[1:] if cell.strip()]
    short = len(bare.split()) <= 60 if "|" in line else len(bare.split()) <= 20 and not line.endswith(".")
    return short and not figures and bool(years(line) or len(cells) > 1 or _QUARTERS.search(line))


def _is_names(line: str, count: int) -> bool:
    """A line right above a table with a capital word for each column: "High Low"."""
    words = line.split()
    return len(words) == count > 1 and all(re.fullmatch(r"[A-Z][a-z]+", word) for word in words)


def _scale(lines: Sequence[str]) -> str:
    for line in reversed(lines):
        if match := _SCALE.search(line):
            return match[1].lower().rstrip("s")
    return ""
