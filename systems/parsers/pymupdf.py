"""PyMuPDF below 2: text blocks in reading order and ruled tables; AGPL or commercial."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from harness.bench import Bench
from harness.protocols import Parser
from harness.readable import readable
from harness.records import Block, Page, PageRef
from systems.parsers._tables import as_html, as_text
from systems.parsers._turned import shown
from systems.parsers.plain_text import PlainText

Box = tuple[float, float, float, float]


class PyMuPdf(Parser):
    """Tables by their ruled lines, everything else as text. Version 2.0 corrupts numbers in tables and is refused."""

    needs: ClassVar[tuple[str, ...]] = ("pymupdf",)
    extra: ClassVar[str | None] = "pymupdf"

    tables: bool = True
    """Look for tables; without it, their text comes as lines."""

    def parse(self, pdf: Path, doc: str, bench: Bench) -> list[Page]:
        """All pages; one that PyMuPDF cannot read is `failed`. Raises its FileDataError where the file cannot be opened."""
        os.environ.setdefault("PYMUPDF_SUGGEST_LAYOUT_ANALYZER", "0")  # it advertises another package
        import pymupdf

        library: Any = pymupdf  # its own types are not complete
        if int(library.VersionBind.partition(".")[0]) >= 2:
            raise RuntimeError("pymupdf 2 corrupts numbers in tables: pip install 'pymupdf<2'")
        with library.open(pdf) as book:
            return [self._page(book, number, doc) for number in range(len(book))]

    def second(self) -> Parser:
        """PDFium's text."""
        return PlainText()

    def _page(self, book: Any, number: int, doc: str) -> Page:
        ref = PageRef(doc, number + 1)
        try:
            page = book[number]
            label, status = page.get_label() or None, _status(page)
            area = _upright(page)
            blocks = tuple(sorted(self._blocks(page, area), key=lambda block: (block.bbox or (0, 0, 0, 0))[1]))
            return Page(ref=ref, status=status, blocks=blocks, label=label)
        except (RuntimeError, ValueError) as error:
            return Page(ref=ref, status="failed", error=f"{type(error).__name__}: {error}")

    def _blocks(self, page: Any, area: Box) -> Iterator[Block]:
        boxes: list[Box] = []
        for table in page.find_tables(clip=area).tables if self.tables else []:
            boxes.append(tuple(table.bbox))
            rows = [[cell or "" for cell in row] for row in table.extract()]
            yield Block(kind="table", text=as_text([], rows), html=as_html([], rows), bbox=_within(table.bbox, area))
        for left, top, right, bottom, text, _, kind in page.get_text("blocks", sort=True, clip=area):
            middle = ((left + right) / 2, (top + bottom) / 2)
            if kind == 0 and text.strip() and not any(_inside(middle, box) for box in boxes):
                yield Block(kind="text", text=text.strip(), bbox=_within((left, top, right, bottom), area))


def _upright(page: Any) -> Box:
    """Turn the page as it is shown, and give the area of it that is shown.

    PyMuPDF looks for tables and gives boxes in the page as it is written, and turns a page wrongly that is cropped.
    """
    turn, width, height = page.rotation, page.mediabox.width, page.mediabox.height
    if not turn:
        return tuple(page.rect)
    left, top = page.cropbox_position
    area = shown((left, top, left + page.cropbox.width, top + page.cropbox.height), turn, width, height)
    page.set_cropbox(page.mediabox)
    page.remove_rotation()
    return area


def _within(box: Box, area: Box) -> Box:
    """The box from the top left of the area that is shown."""
    return box[0] - area[0], box[1] - area[1], box[2] - area[0], box[3] - area[1]


def _inside(point: tuple[float, float], box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _status(page: Any) -> Literal["ok", "blank", "unreadable"]:
    text = page.get_text()
    if text.strip():
        return "ok" if readable(text) else "unreadable"
    return "unreadable" if page.get_images() or page.get_drawings() else "blank"
