"""From a script to a PDF: a line is a paragraph, tables and charts in their place, `2025|` before a line of that year only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blocks import Heading, Row, Table, Text
from charts import KINDS, Point
from figures import Figures
from layout import NBSP, STYLES, Block, Facts, Paper, Placed
from words import Speaker, fact

_KEY = re.compile(r"(?P<sign>-?)(?P<key>[a-z_0-9]+%?)(?:@(?P<year>\d{4}))?\Z")


@dataclass(frozen=True)
class Drawn:
    """A finished report: pages, where each fact stands, the printed labels of its sections."""

    doc: str
    title: str
    pages: int
    placed: Placed
    contents: list[tuple[str, str]]


def lines_of(script: Path, year: int) -> Iterator[str]:
    """The script's lines that belong to the report of `year`; one that ends in a backslash goes on in the next."""
    begun = ""
    for line in script.read_text(encoding="utf-8").splitlines():
        match = re.match(r"(\d{4})\|\s?(.*)", line)
        if match and int(match[1]) != year:
            continue
        line = begun + (match[2] if match else line).rstrip()
        begun = line.removesuffix("\\") if line.endswith("\\") else ""
        if line.strip() and not begun and not line.startswith("//"):
            yield line


class Report:
    """Draws one report. Run twice: the second time the contents page knows where the sections begin."""

    def __init__(self, figures: Figures, year: int, script: Path, file: Path, contents: list[tuple[str, str]]) -> None:
        self.speaker, self.year, self.known = Speaker(figures, year), year, contents
        self.lines = list(lines_of(script, year))
        self.title, self.short = self.lines.pop(0), self.lines.pop(0)
        self.title = self.title.replace("{year}", str(year))
        self.paper = Paper(file, STYLES[figures.drivers.code], self.title, self.short)
        self.waiting: list[Block] = []

    def draw(self) -> Drawn:
        while self.lines:
            self._line(self.lines.pop(0))
        self._flush()
        self.paper.save()
        paper = self.paper
        return Drawn(paper.file.stem, self.title, paper.page, paper.placed, paper.contents)

    def _line(self, line: str) -> None:
        if line.startswith("@"):
            name, _, rest = line[1:].partition(" ")
            getattr(self, f"_do_{name}", self._unknown)(rest)
        elif line.startswith("# "):
            self._section(line[2:])
        elif line.startswith("#"):
            level = 2 if line.startswith("## ") else 3
            self._add(Heading(self.speaker.say(line.lstrip("# "))[0], level))
        else:
            text, facts = self.speaker.say(line.removeprefix("- ").removeprefix("~ "))
            self._add(Text(text, facts, bullet=line.startswith("- "), small=line.startswith("~ ")))

    def _plain(self, text: str) -> str:
        return self.speaker.say(text)[0].replace(NBSP, " ")

    def _unknown(self, rest: str) -> None:
        raise ValueError(f"{self.title}: no such directive, with {rest!r}")

    def _section(self, title: str) -> None:
        self._flush()
        self.paper.section = title
        self.paper.set_columns(1)
        self.paper.turn()
        self.paper.contents.append((title, self.paper.label))
        self.paper.place(Heading(title, 1))

    def _add(self, block: Block) -> None:
        """Hold headings back until the block that they stand over is known, so that they stay together."""
        self.waiting.append(block)
        if not getattr(block, "keep_with_next", False):
            self._flush()

    def _flush(self) -> None:
        if len(self.waiting) > 1:
            need = sum(block.height(self.paper) for block in self.waiting[:-1]) + self._least(self.waiting[-1])
            if need > self.paper.room:
                self.paper._advance()
        for block in self.waiting:
            self.paper.place(block)
        self.waiting = []

    def _least(self, block: Block) -> float:
        return min(block.height(self.paper), 110.0) if getattr(block, "breakable", False) else block.height(self.paper)

    def _take(self) -> list[str]:
        """The lines up to @end."""
        taken: list[str] = []
        while self.lines[0] != "@end":
            taken.append(self.lines.pop(0).strip())
        self.lines.pop(0)
        return taken

    def _do_cover(self, rest: str) -> None:
        self.paper.turn()
        taken = [self.speaker.say(line) for line in self._take()]
        self.paper.cover([text.replace(NBSP, " ") for text, _ in taken])
        self.paper.record([fact for _, facts in taken for fact in facts])

    def _do_contents(self, rest: str) -> None:
        for title, label in self.known:
            self.paper.y -= 19
            self.paper.write(self.paper.left, self.paper.y, title, self.paper.style.body, 10.5)
            self.paper.write_right(self.paper.left + self.paper.width, self.paper.y, label, self.paper.style.bold, 10.5)
            self.paper.rule(self.paper.y - 5, 0.25, "#c8c8c8")

    def _do_body(self, rest: str) -> None:
        self._flush()
        self.paper.begin_body()

    def _do_page(self, rest: str) -> None:
        self._flush()
        self.paper.turn()

    def _do_columns(self, rest: str) -> None:
        self._flush()
        self.paper.set_columns(int(rest))

    def _do_gap(self, rest: str) -> None:
        self._flush()
        self.paper.y -= float(rest)

    def _do_table(self, rest: str) -> None:
        """Years side by side: `@table title ; unit ; number of years ; break`, then `label : key` a line."""
        title, unit, count, *flags = [part.strip() for part in (rest + ";;3").split(";")][:4]
        years = [self.year - i for i in range(int(count or 3))]
        lines = self._take()
        head, notes = self._year_heads(lines, years)
        rows = [self._row(line, years) for line in lines]
        wide = [max(3.4, 6.6 - len(years))] + [1.0] * len(years)
        self._add(
            Table(
                self._plain(title),
                self._plain(unit),
                ["", *head],
                rows,
                wide,
                "break" in flags,
                notes,
            )
        )

    def _year_heads(self, lines: list[str], years: list[int]) -> tuple[list[str], list[str]]:
        keys = [line.rpartition(":")[2].strip().lstrip("-") for line in lines]
        changed = {year for year in years for key in keys if self.speaker.figures.recast(key, year, self.year)}
        notes = ["* Restated, see note 2."] if changed else []
        return [f"{year}*" if year in changed else str(year) for year in years], notes

    def _row(self, line: str, years: list[int]) -> Row:
        label, _, key = (part.strip() for part in line.rpartition(":"))
        kind = "total" if label.startswith("= ") else "plain"
        if not key:
            return Row([label, *[""] * len(years)], kind="group")
        cells = [self._cell(key, year) for year in years]
        return Row(
            [label.removeprefix("= "), *[text for _, text in cells]], [c for c in cells if c[1] != "\u2013"], kind
        )

    def _cell(self, key: str, year: int) -> tuple[str, str]:
        match = _KEY.match(key)
        if not match:
            raise ValueError(f"{self.title}: {key!r} is not a key")
        amount = self.speaker.value(match["key"], year)
        return fact(match["key"], year), self.speaker.cell(match["key"], -amount if match["sign"] else amount)

    def _do_grid(self, rest: str) -> None:
        """Any table: `@grid title ; unit ; widths ; flags`, then `cell | cell` a line, the first being the head."""
        title, unit, widths, flags = [part.strip() for part in (rest + ";;;").split(";")][:4]
        said = [self._grid_row(line) for line in self._take()]
        wide = [float(width) for width in widths.split()] or [1.0] * len(said[0].cells)
        unit = self._plain(unit)
        self._add(
            Table(
                self._plain(title), unit, said[0].cells, said[1:], wide, "break" in flags, numeric="words" not in flags
            )
        )

    def _grid_row(self, line: str) -> Row:
        total, facts, cells = line.startswith("= "), list[tuple[str, str]](), list[str]()
        for cell in line.removeprefix("= ").split("||"):
            text, found = self.speaker.say(cell.strip())
            cells.append(text)
            facts += found
        return Row(cells, facts, "total" if total else "plain")

    def _do_bars(self, rest: str) -> None:
        self._chart("bars", rest)

    def _do_line(self, rest: str) -> None:
        self._chart("line", rest)

    def _do_sideways(self, rest: str) -> None:
        self._chart("sideways", rest)

    def _chart(self, kind: str, rest: str) -> None:
        """`@bars title ; caption`, then `name : key@year` or `name : words-key = 87.4%` a line."""
        title, caption = [self._plain(part.strip()) for part in (rest + ";").split(";")][:2]
        facts: Facts = []
        points = [self._point(line, facts) for line in self._take()]
        self._add(KINDS[kind](title, caption, points, facts))

    def _point(self, line: str, facts: Facts) -> Point:
        name, _, source = (part.strip() for part in line.rpartition(":"))
        name = self.speaker.say(name)[0]
        if "=" in source:
            key, shown = (part.strip() for part in source.split("="))
            size = float(re.sub(r"[^\d.]", "", shown))
        else:
            key, size, shown = self._known(source)
        facts.append((key, shown))
        return Point(name, size, shown)

    def _known(self, source: str) -> tuple[str, float, str]:
        back = re.match(r"([a-z_0-9]+%?)(-\d)?\Z", source)
        if not back:
            raise ValueError(f"{self.title}: chart point {source!r}")
        year = self.year + int(back[2] or 0)
        amount = self.speaker.value(back[1], year)
        return fact(back[1], year), float(amount), self.speaker.cell(back[1], amount)


def draw_report(figures: Figures, year: int, script: Path, file: Path) -> Drawn:
    """Draw twice, so that the contents page is right, and give back where everything stands."""
    first = Report(figures, year, script, file, []).draw()
    return Report(figures, year, script, file, first.contents).draw()
