"""What is placed on the paper: headings, paragraphs, tables. Each records the facts that it prints, where it prints them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from layout import Block, Facts, Paper, Whole, wrap
from reportlab.pdfbase.pdfmetrics import stringWidth


@dataclass
class Heading(Whole):
    """A heading of level 1 (section) to 3 (lead of a paragraph)."""

    text: str
    level: int
    keep_with_next = True

    @property
    def size(self) -> float:
        return {1: 19.0, 2: 12.5, 3: 9.8}[self.level]

    def lines(self, paper: Paper) -> list[str]:
        return wrap(self.text, paper.style.bold, self.size, paper.width)

    def height(self, paper: Paper) -> float:
        return len(self.lines(paper)) * self.size * 1.2 + {1: 20, 2: 12, 3: 5}[self.level]

    def draw(self, paper: Paper) -> None:
        paper.y -= {1: 6, 2: 8, 3: 3}[self.level]
        for line in self.lines(paper):
            paper.y -= self.size * 1.2
            paper.write(paper.left, paper.y, line, paper.style.bold, self.size, paper.style.colour)
        paper.y -= {1: 14, 2: 4, 3: 2}[self.level]


@dataclass
class Text(Whole):
    """A paragraph or a list item, never cut, so that its facts stand on one page."""

    text: str
    facts: Facts
    bullet: bool = False
    small: bool = False

    def lines(self, paper: Paper) -> list[str]:
        return wrap(self.text, self.font(paper), self.size(paper), paper.width - (12 if self.bullet else 0))

    def font(self, paper: Paper) -> str:
        return paper.style.italic if self.small else paper.style.body

    def size(self, paper: Paper) -> float:
        return 7.8 if self.small else paper.style.size

    def leading(self, paper: Paper) -> float:
        return 10.0 if self.small else paper.style.leading

    def height(self, paper: Paper) -> float:
        return len(self.lines(paper)) * self.leading(paper) + (3 if self.bullet else 7)

    def draw(self, paper: Paper) -> None:
        if self.bullet:
            paper.write(paper.left + 1, paper.y - self.leading(paper), "\u2022", paper.style.body, self.size(paper))
        for line in self.lines(paper):
            paper.y -= self.leading(paper)
            paper.write(paper.left + (12 if self.bullet else 0), paper.y, line, self.font(paper), self.size(paper))
        paper.y -= 3 if self.bullet else 7
        paper.record(self.facts)


@dataclass
class Row:
    """A table row: cells as printed and the facts that they hold. kind: plain, total, group."""

    cells: list[str]
    facts: Facts = field(default_factory=list)
    kind: str = "plain"


@dataclass
class Table:
    """A table with title, unit line, header row; cut between rows only where `breakable`, with its head repeated."""

    title: str
    unit: str
    head: list[str]
    rows: list[Row]
    widths: list[float]
    breakable: bool = False
    notes: list[str] = field(default_factory=list)
    numeric: bool = True
    keep_with_next = False

    SIZE = 8.6
    STEP = 13.0

    def height(self, paper: Paper) -> float:
        return (
            self._head_height(paper)
            + sum(self._row_height(paper, row) for row in self.rows)
            + 12
            + 11 * len(self.notes)
        )

    def _head_height(self, paper: Paper) -> float:
        deepest = max(len(self._lines(paper, text, i, True)) for i, text in enumerate(self.head))
        return (14 if self.title else 0) + (11 if self.unit else 0) + deepest * 11 + 8

    def _row_height(self, paper: Paper, row: Row) -> float:
        deepest = max(len(self._lines(paper, cell, i, row.kind != "plain")) for i, cell in enumerate(row.cells))
        return self.STEP + (deepest - 1) * 10.5

    def _width(self, paper: Paper, column: int) -> float:
        return self.widths[column] / sum(self.widths) * paper.width

    def _lines(self, paper: Paper, text: str, column: int, bold: bool) -> list[str]:
        font = paper.style.bold if bold else paper.style.body
        return wrap(text, font, self.SIZE, self._width(paper, column) - 6)

    def split(self, paper: Paper, room: float) -> tuple[Block, Block] | None:
        if not self.breakable:
            return None
        used, count = self._head_height(paper) + 12, 0
        while count < len(self.rows) and used + self._row_height(paper, self.rows[count]) <= room:
            used, count = used + self._row_height(paper, self.rows[count]), count + 1
        if count < 4:
            return None
        title = self.title.removesuffix(" (continued)") + " (continued)"
        return replace(self, rows=self.rows[:count], notes=[]), replace(self, title=title, rows=self.rows[count:])

    def draw(self, paper: Paper) -> None:
        self._draw_title(paper)
        self._draw_line(paper, self.head, bold=True, step=11)
        paper.rule(paper.y - 3.5, 0.9, paper.style.accent)
        paper.y -= 5
        for row in self.rows:
            self._draw_row(paper, row)
        paper.rule(paper.y - 4, 0.5)
        paper.y -= 6
        for note in self.notes:
            paper.y -= 10
            paper.write(paper.left, paper.y, note, paper.style.italic, 7.4)
        paper.y -= 6 + len(self.notes)

    def _draw_title(self, paper: Paper) -> None:
        if self.title:
            paper.y -= 13
            paper.write(paper.left, paper.y, self.title, paper.style.bold, 9.6, paper.style.colour)
        if self.unit:
            paper.y -= 11
            paper.write(paper.left, paper.y, self.unit, paper.style.italic, 7.8)
        paper.y -= 1

    def _draw_row(self, paper: Paper, row: Row) -> None:
        if row.kind == "total":
            paper.rule(
                paper.y - 2.2, 0.35, left=paper.left + self._width(paper, 0), width=paper.width - self._width(paper, 0)
            )
        self._draw_line(paper, row.cells, bold=row.kind != "plain", step=self.STEP)
        paper.record(row.facts)

    def _draw_line(self, paper: Paper, cells: list[str], bold: bool, step: float) -> None:
        font, x, deepest = (paper.style.bold if bold else paper.style.body), paper.left, 1
        for i, cell in enumerate(cells):
            lines = self._lines(paper, cell, i, bold)
            deepest = max(deepest, len(lines))
            for j, line in enumerate(lines):
                self._draw_cell(paper, line, i, x, paper.y - step - j * 10.5, font)
            x += self._width(paper, i)
        paper.y -= step + (deepest - 1) * 10.5

    def _draw_cell(self, paper: Paper, text: str, column: int, x: float, y: float, font: str) -> None:
        if column == 0 or not self.numeric:
            paper.write(x, y, text, font, self.SIZE)
            return
        hang = stringWidth(")", font, self.SIZE) if text.endswith(")") else 0
        paper.write_right(x + self._width(paper, column) - 4 + hang, y, text, font, self.SIZE)
