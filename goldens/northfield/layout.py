"""The paper: where the next block goes, what runs along head and foot, which number is printed, and where each fact landed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from reportlab.lib.colors import Color, HexColor, white
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

NBSP = "\u00a0"
Facts = list[tuple[str, str]]
Placed = dict[str, dict[int, list[str]]]


@dataclass(frozen=True)
class Style:
    """How one company's reports look. Sizes in points; fonts are of the standard 14."""

    width: float
    height: float
    margin: float
    body: str
    bold: str
    italic: str
    accent: str
    pale: str
    size: float = 9.8
    leading: float = 14.2
    centred: bool = False

    @property
    def colour(self) -> Color:
        return HexColor(self.accent)


STYLES = {
    "northfield": Style(612, 792, 68, "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "#12486b", "#e8f0f5"),
    "averholt": Style(
        595, 842, 70, "Times-Roman", "Times-Bold", "Times-Italic", "#6b2d12", "#f6eee8", 11.3, 15.4, True
    ),
}


class Block(Protocol):
    """A piece that is drawn whole on one page. `split` gives (what fits, what is left) where it may be cut."""

    def height(self, paper: Paper) -> float: ...

    def draw(self, paper: Paper) -> None: ...

    def split(self, paper: Paper, room: float) -> tuple[Block, Block] | None: ...


class Whole:
    """Base of the blocks that are never cut."""

    keep_with_next = False

    def split(self, paper: Paper, room: float) -> tuple[Block, Block] | None:
        return None


def roman(number: int) -> str:
    """Lower-case roman numeral, as front matter is numbered."""
    text = ""
    for value, letters in ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while number >= value:
            text, number = text + letters, number - value
    return text


def wrap(text: str, font: str, size: float, width: float) -> list[str]:
    """Lines no wider than `width`; what is joined by no-break spaces stays on one line."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and stringWidth(longer.replace(NBSP, " "), font, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line.replace(NBSP, " ") for line in lines]


@dataclass
class Paper:
    """A report being drawn, top to bottom. `placed`: fact -> PDF page -> strings printed there."""

    file: Path
    style: Style
    title: str
    short: str
    front: int = 999
    page: int = 0
    section: str = ""
    columns: int = 1
    column: int = 0
    top: float = 0
    y: float = 0
    contents: list[tuple[str, str]] = field(default_factory=list)
    placed: Placed = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def __post_init__(self) -> None:
        size = (self.style.width, self.style.height)
        self.canvas = Canvas(str(self.file), pagesize=size, pageCompression=0, invariant=1, pdfVersion=(1, 4))
        self.canvas.setTitle(self.title)
        self.canvas.setAuthor(self.short)
        self.canvas.setSubject("Fictional annual report drawn for testing")

    @property
    def left(self) -> float:
        return self.style.margin + self.column * (self.width + 18)

    @property
    def width(self) -> float:
        whole = self.style.width - 2 * self.style.margin
        return whole if self.columns == 1 else (whole - 18 * (self.columns - 1)) / self.columns

    @property
    def floor(self) -> float:
        return self.style.margin + 4

    @property
    def room(self) -> float:
        return self.y - self.floor

    @property
    def label(self) -> str:
        """The number printed on this page: none on the cover, roman in front matter, then arabic from 1."""
        if self.page == 1:
            return ""
        return roman(self.page) if self.page <= self.front else str(self.page - self.front)

    def turn(self) -> None:
        """Begin a new page with its running head and foot."""
        if self.page:
            self.canvas.showPage()
        self.page, self.column = self.page + 1, 0
        self.y = self.top = self.style.height - self.style.margin - 8
        if self.page > 1:
            self._head()
            self._foot()

    def begin_body(self) -> None:
        """What follows is numbered in arabic from 1."""
        self.front = self.page

    def set_columns(self, count: int) -> None:
        """From here on text runs in `count` columns."""
        self.columns, self.column, self.top = count, 0, self.y

    def place(self, block: Block) -> None:
        """Draw the block here, cutting it or moving on to the next column or page where it does not fit."""
        height = block.height(self)
        if height > self.room:
            parts = block.split(self, self.room)
            if parts:
                parts[0].draw(self)
            self._advance()
            return self.place(parts[1] if parts else block)
        block.draw(self)
        return None

    def _advance(self) -> None:
        if self.column + 1 < self.columns:
            self.column, self.y = self.column + 1, self.top
        elif self.room > self.style.height - 2 * self.style.margin - 30:
            raise ValueError(f"{self.title}, page {self.page}: a block is taller than the page")
        else:
            self.turn()

    def record(self, facts: Facts) -> None:
        """These facts stand on the current page."""
        for key, shown in facts:
            quotes = self.placed[key][self.page]
            if shown not in quotes:
                quotes.append(shown)

    def write(self, x: float, y: float, text: str, font: str, size: float, colour: Color | None = None) -> None:
        self.canvas.setFillColor(colour or HexColor("#1c1c1c"))
        self.canvas.setFont(font, size)
        self.canvas.drawString(round(x, 2), round(y, 2), text)

    def write_right(self, x: float, y: float, text: str, font: str, size: float, colour: Color | None = None) -> None:
        self.write(x - stringWidth(text, font, size), y, text, font, size, colour)

    def rule(
        self,
        y: float,
        weight: float = 0.5,
        colour: str = "#8a8a8a",
        left: float | None = None,
        width: float | None = None,
    ) -> None:
        left, width = self.left if left is None else left, self.width if width is None else width
        self.canvas.setStrokeColor(HexColor(colour))
        self.canvas.setLineWidth(weight)
        self.canvas.line(round(left, 2), round(y, 2), round(left + width, 2), round(y, 2))

    def fill(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self.canvas.setFillColor(HexColor(colour))
        self.canvas.rect(round(x, 2), round(y, 2), round(width, 2), round(height, 2), stroke=0, fill=1)

    def _head(self) -> None:
        style, y = self.style, self.style.height - 40
        self.write(style.margin, y, self.section, style.italic, 8, style.colour)
        self.write_right(style.width - style.margin, y, self.title, style.body, 8, HexColor("#6a6a6a"))
        self.rule(y - 5, 0.4, style.accent, style.margin, style.width - 2 * style.margin)

    def _foot(self) -> None:
        style, y = self.style, 34.0
        if style.centred:
            self.write(style.width / 2 - 6, y, self.label, style.bold, 9)
            return
        self.write(style.margin, y, self.short, style.body, 7.5, HexColor("#6a6a6a"))
        self.write_right(style.width - style.margin, y, self.label, style.bold, 9)

    def cover(self, lines: list[str]) -> None:
        """The first page: a block of colour, the name, the title, a few lines."""
        style = self.style
        self.fill(0, style.height * 0.42, style.width, style.height * 0.58, style.accent)
        self.fill(style.margin, style.height * 0.42 - 8, 120, 8, "#c9a227")
        for i, (line, size) in enumerate(zip(lines, (34, 20, 12, 10, 10, 10), strict=False)):
            y = style.height * 0.6 - i * 38 if i < 2 else style.height * 0.36 - (i - 2) * 18
            self.write(style.margin, y, line, style.bold if i < 2 else style.body, size, white if i < 2 else None)

    def save(self) -> None:
        self.canvas.showPage()
        self.canvas.save()
