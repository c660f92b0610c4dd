"""Charts drawn in lines and rectangles. A value stands in a chart only as the label beside its bar or point."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from layout import Facts, Paper, Whole
from reportlab.lib.colors import HexColor
from reportlab.pdfbase.pdfmetrics import stringWidth


@dataclass(frozen=True)
class Point:
    """One bar or point: what stands under it, how long it is, what is printed beside it."""

    name: str
    size: float
    shown: str


@dataclass
class Chart(Whole):
    """A chart with title and caption; subclasses draw the points into a box of `tall` points."""

    title: str
    caption: str
    points: list[Point]
    facts: Facts
    tall: float = 130
    keep_with_next = False

    def height(self, paper: Paper) -> float:
        return self.tall + 52

    def draw(self, paper: Paper) -> None:
        paper.y -= 14
        paper.write(paper.left, paper.y, self.title, paper.style.bold, 9.6, paper.style.colour)
        paper.fill(paper.left, paper.y - 12 - self.tall, paper.width, self.tall + 6, paper.style.pale)
        paper.y -= self.tall + 12
        self.plot(paper, paper.left + 14, paper.y + 20, paper.width - 28, self.tall - 38)
        paper.y -= 12
        paper.write(paper.left, paper.y, self.caption, paper.style.italic, 7.8)
        paper.y -= 14
        paper.record(self.facts)

    @property
    def largest(self) -> float:
        return max(point.size for point in self.points)

    @property
    def lowest(self) -> float:
        return min(point.size for point in self.points)

    def plot(self, paper: Paper, x: float, y: float, width: float, height: float) -> None:
        raise NotImplementedError

    def label(self, paper: Paper, x: float, y: float, text: str, bold: bool = False) -> None:
        font = paper.style.bold if bold else paper.style.body
        paper.write(x - stringWidth(text, font, 8) / 2, y, text, font, 8)


class Bars(Chart):
    """Upright bars from zero."""

    def plot(self, paper: Paper, x: float, y: float, width: float, height: float) -> None:
        step = width / len(self.points)
        paper.rule(y, 0.8, "#404040", x, width)
        for i, point in enumerate(self.points):
            tall, middle = point.size / self.largest * height, x + (i + 0.5) * step
            paper.fill(middle - step * 0.27, y, step * 0.54, tall, paper.style.accent)
            self.label(paper, middle, y + tall + 4, point.shown, bold=True)
            self.label(paper, middle, y - 12, point.name)


class Sideways(Chart):
    """Lying bars, longest names first in line with their bars."""

    def plot(self, paper: Paper, x: float, y: float, width: float, height: float) -> None:
        step, start = (height + 16) / len(self.points), x + width * 0.3
        for i, point in enumerate(self.points):
            base = y + height + 4 - (i + 0.75) * step
            long = point.size / self.largest * width * 0.6
            paper.fill(start, base, long, step * 0.55, paper.style.accent)
            paper.write_right(start - 6, base + step * 0.12, point.name, paper.style.body, 8)
            paper.write(start + long + 5, base + step * 0.12, point.shown, paper.style.bold, 8)


class Line(Chart):
    """A line through the points; the axis is cut so that changes can be seen."""

    def plot(self, paper: Paper, x: float, y: float, width: float, height: float) -> None:
        step, span = width / len(self.points), (self.largest - self.lowest) or 1.0
        spots = [
            (x + (i + 0.5) * step, y + 8 + (p.size - self.lowest) / span * (height - 12))
            for i, p in enumerate(self.points)
        ]
        paper.rule(y, 0.8, "#404040", x, width)
        self._trace(paper, spots)
        for (px, py), point in zip(spots, self.points, strict=True):
            self.label(paper, px, py + 6, point.shown, bold=True)
            self.label(paper, px, y - 12, point.name)

    def _trace(self, paper: Paper, spots: list[tuple[float, float]]) -> None:
        paper.canvas.setStrokeColor(HexColor(paper.style.accent))
        paper.canvas.setFillColor(HexColor(paper.style.accent))
        paper.canvas.setLineWidth(1.6)
        for (ax, ay), (bx, by) in pairwise(spots):
            paper.canvas.line(round(ax, 2), round(ay, 2), round(bx, 2), round(by, 2))
        for px, py in spots:
            paper.canvas.circle(round(px, 2), round(py, 2), 2.6, stroke=0, fill=1)


KINDS: dict[str, type[Chart]] = {"bars": Bars, "sideways": Sideways, "line": Line}
