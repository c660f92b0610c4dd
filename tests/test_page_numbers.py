"""What is no printed page number: text in the trim, numbered lines, a contents list, a chart's scale, the day of a date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.documents.pdf import extract_reference

canvas_module = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab draws the test PDFs")

Draw = Callable[[Any, int], None]


def labels(path: Path, pages: int, *parts: Draw, crop: Sequence[float] | None = None) -> list[str | None]:
    """The labels found on a PDF of so many pages; each part draws on the canvas what it has for a page, counted from 0."""
    canvas = canvas_module.Canvas(str(path), pagesize=(612, 792), invariant=True)
    if crop:
        canvas.setCropBox(tuple(crop))
    for row in range(pages):
        for line in range(20):
            canvas.drawString(120, 700 - 24 * line, "the parties agree upon this clause of the deed")
        for part in parts:
            part(canvas, row)
        canvas.showPage()
    canvas.save()
    return [page.label for page in extract_reference(path)]


def numbered_lines(first: Callable[[int], int], left: float = 40) -> Draw:
    def draw(canvas: Any, row: int) -> None:
        for line in range(20):
            canvas.drawString(left, 700 - 24 * line, str(first(row) + line))

    return draw


def footer(start: int, blank: Sequence[int] = ()) -> Draw:
    """Numbers at the foot, `start` on the first page; none on the pages `blank`."""
    return lambda canvas, row: None if row in blank else canvas.drawString(300, 40, str(start + row))


def contents(numbers: Sequence[int], page: int) -> Draw:
    def draw(canvas: Any, row: int) -> None:
        for line, number in enumerate(numbers if row == page else ()):
            canvas.drawRightString(570, 680 - 24 * line, str(number))

    return draw


def test_numbers_in_the_trim_are_seen_by_nobody(tmp_path: Path) -> None:
    trim = numbered_lines(lambda row: 1 + row, left=40)
    crop = (72, 36, 576, 756)
    assert labels(tmp_path / "a.pdf", 8, trim, crop=crop) == [None] * 8
    assert labels(tmp_path / "b.pdf", 8, trim, footer(7), crop=crop) == [str(7 + row) for row in range(8)]


def test_numbered_lines_are_no_page_numbers(tmp_path: Path) -> None:
    assert labels(tmp_path / "a.pdf", 8, numbered_lines(lambda row: 1)) == [None] * 8
    assert labels(tmp_path / "b.pdf", 8, numbered_lines(lambda row: 1), footer(3)) == [str(3 + row) for row in range(8)]


def test_a_front_page_does_not_take_its_number_from_the_contents_that_it_lists(tmp_path: Path) -> None:
    found = labels(tmp_path / "a.pdf", 8, contents([3, 5, 6, 9], 0), footer(3, blank=[0]))
    assert found == [None, *[str(3 + row) for row in range(1, 8)]]


def test_the_days_of_dates_are_no_page_numbers(tmp_path: Path) -> None:
    def dates(canvas: Any, row: int) -> None:
        for line in range(4):
            canvas.drawString(60, 780 - 14 * line, f"07/{10 + row + line}/2015")

    assert labels(tmp_path / "a.pdf", 8, dates) == [None] * 8


def test_a_table_of_numbers_at_the_edge_outweighs_no_page_number(tmp_path: Path) -> None:
    def table(canvas: Any, row: int) -> None:
        for line in range(6):
            canvas.drawString(60, 110 - 11 * line, f"Plant {line} closed with {(row * 37 + line * 11) % 50}")

    assert labels(tmp_path / "a.pdf", 14, table) == [None] * 14
    assert labels(tmp_path / "b.pdf", 14, table, footer(1)) == [str(1 + row) for row in range(14)]
