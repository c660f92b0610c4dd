"""Odd pages, read by both parsers: turned, letter-spaced, annotated, numbered, and with text that is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_documents import CATALOG, FONT, one_page, pdf

from harness.bench import Bench
from harness.protocols import Parser
from harness.readable import readable
from harness.records import Block, Page
from systems.parsers._lost import lost_lines, put_back, running_items, without_running
from systems.parsers._torn import mended, torn_figures
from systems.parsers.liteparse import LiteParseParser
from systems.parsers.pymupdf import PyMuPdf

Parse = Callable[[bytes], list[Page]]
FIGURES = (("Revenue", "38,742"), ("Costs", "21,408"), ("Profit", "17,334"))
ENGLISH = "Revenue rose in the year and the outlook is sound"
POLISH = "Przychody ze sprzedaży wzrosły w roku obrotowym, a perspektywy na kolejny rok pozostają dobre"
GERMAN = "Die Umsatzerlöse der GmbH nach HGB stiegen im Geschäftsjahr kräftig, MwSt. ausgenommen"
CHINESE = "公司二零二四年度报告主要财务数据一览表 WBC PLT HGB www.szcb.cn 详见公司网站 " * 5
RUSSIAN = "Выручка выросла в отчетном году и прогноз остается положительным"


@pytest.fixture(params=["liteparse", "pymupdf"])
def parse(request: pytest.FixtureRequest, tmp_path: Path) -> Parse:
    """The pages of a PDF as one of the parsers reads them."""
    if request.param == "pymupdf":
        pytest.importorskip("pymupdf", reason="the extra pymupdf is not installed")
    parser: Parser = LiteParseParser() if request.param == "liteparse" else PyMuPdf()
    return lambda data: _parsed(parser, data, tmp_path)


def _parsed(parser: Parser, data: bytes, folder: Path) -> list[Page]:
    (folder / "odd.pdf").write_bytes(data)
    return parser.parse(folder / "odd.pdf", "odd", Bench())


def lite(data: bytes, folder: Path) -> Page:
    return _parsed(LiteParseParser(), data, folder)[0]


def shown_text(left: float, top: float, height: float, text: str, size: int = 11) -> str:
    return f"BT /F {size} Tf {left} {height - top} Td ({text}) Tj ET "


def turned(degrees: int, crop: str = "", rotate: bool = True) -> bytes:
    """A page with a ruled table, written so that it is upright when it is turned clockwise by `degrees`."""
    height = 792 if degrees % 180 == 0 else 612
    matrix = {0: "1 0 0 1 0 0", 90: "0 1 -1 0 612 0", 180: "-1 0 0 -1 612 792", 270: "0 -1 1 0 0 792"}[degrees]
    content = f"q {matrix} cm " + shown_text(72, 72, height, "Figures of the year", 14)
    for row, (name, figure) in enumerate(FIGURES):
        top = 120 + 20 * row
        content += shown_text(76, top - 5, height, name) + shown_text(226, top - 5, height, figure)
        content += f"72 {height - top} 150 20 re S 222 {height - top} 100 20 re S "
    content += shown_text(72, 250, height, "Last line of the page") + "Q"
    page = (
        "<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>> "
        f"{crop} {f'/Rotate {degrees}' if rotate else ''}>>"
    )
    return pdf(
        [CATALOG, b"<</Type /Pages /Kids [3 0 R] /Count 1>>", page.encode(), (b"", content.encode("latin-1")), FONT]
    )


UPRIGHT = "Figures of the year\nRevenue | 38,742\nCosts | 21,408\nProfit | 17,334\nLast line of the page"


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", ["", "/CropBox [20 30 592 762]"])
def test_a_turned_page_reads_from_above_to_below_as_it_is_shown(degrees: int, crop: str, parse: Parse) -> None:
    (page,) = parse(turned(degrees, crop))
    assert page.text == UPRIGHT
    left, top = {"": (72, 100), "/CropBox [20 30 592 762]": (52, 70) if degrees % 180 == 0 else (42, 80)}[crop]
    table = next(block for block in page.blocks if block.kind == "table")
    assert table.bbox == pytest.approx((left, top, left + 250, top + 60), abs=3)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_text_that_is_set_turned_keeps_its_figures_whole_and_its_words_forward(degrees: int, tmp_path: Path) -> None:
    page = lite(turned(degrees, rotate=False), tmp_path)
    assert page.text == UPRIGHT
    table = next(block for block in page.blocks if block.kind == "table")
    where = {90: (100, 470, 160, 720), 180: (290, 632, 540, 692), 270: (452, 72, 512, 322)}[degrees]
    assert table.bbox == pytest.approx(where, abs=3), "boxes are those of the page as it is shown"


@pytest.mark.parametrize("space", [1, 1.5, 2, 3, 4])
def test_figures_that_are_set_letter_by_letter_stay_whole(space: float, tmp_path: Path) -> None:
    rows = [("Revenue", "38,742", "36,115"), ("Cost of sales", "21,408", "20,117"), ("Profit", "17,334", "15,998")]
    content = f"{space} Tc "
    for row, cells in enumerate(rows):
        content += "".join(
            shown_text(72 + 140 * column, 100 + 20 * row, 792, cell) for column, cell in enumerate(cells)
        )
    text = lite(one_page(content.encode()), tmp_path).text
    assert [cell for row in rows for cell in row[1:] if cell not in text] == []


def note(flags: int, appearance: bytes) -> bytes:
    """A page that holds a line, and a typed note."""
    page = (
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>"
        b" /Annots [6 0 R]>>"
    )
    annotation = (
        b"<</Type /Annot /Subtype /FreeText /Rect [72 600 472 640] /Contents (Approved budget 4,567 thousand)"
        b" /DA (/F 12 Tf 0 g) /F %d %s>>"
    ) % (flags, appearance)
    drawn = b"/Type /XObject /Subtype /Form /BBox [0 0 400 40] /Resources <</Font <</F 5 0 R>>>>"
    text = b"BT /F 12 Tf 5 15 Td (Approved budget 4,567 thousand) Tj ET"
    objects = [CATALOG, b"<</Type /Pages /Kids [3 0 R] /Count 1>>", page, (b"", b" "), FONT, annotation, (drawn, text)]
    return pdf(objects)


DRAWN = b"/AP <</N 7 0 R>>"


@pytest.mark.parametrize("appearance", [DRAWN, b""])
def test_a_note_typed_onto_a_page_is_text_of_the_page(appearance: bytes, parse: Parse) -> None:
    (page,) = parse(note(4, appearance))
    assert page.status == "ok"
    assert page.text == "Approved budget 4,567 thousand"


@pytest.mark.parametrize("flags", [2, 32])
def test_a_hidden_note_is_not_there(flags: int, parse: Parse) -> None:
    (page,) = parse(note(flags, DRAWN))
    assert page.text == ""


def test_the_number_of_a_lists_item_is_part_of_it(tmp_path: Path) -> None:
    content = "".join(
        shown_text(72, 100 + 16 * row, 792, f"{row + 1}. The {name} of the year are stated below in full.")
        for row, name in enumerate(("costs", "sales", "taxes"))
    )
    text = lite(one_page(content.encode()), tmp_path).text
    assert [number for number in ("1.", "2.", "3.") if number not in text] == []


def item(text: str, x: float, y: float, width: float | None = None, height: float = 8.0) -> Any:
    return SimpleNamespace(text=text, x=x, y=y, width=4.0 * len(text) if width is None else width, height=height)


def block(text: str, *box: float) -> Block:
    return Block(kind="text", text=text, bbox=(box[0], box[1], box[2], box[3]))


def test_a_row_that_no_block_holds_is_put_back_where_it_stood() -> None:
    items = [item("Form of warrant", 70, 60), item("4.7", 40, 80), item("Agreement", 70, 80), item("8-K", 300, 80),
             item("Note of May", 70, 100)]  # fmt: skip
    blocks = [block("Form of warrant", 70, 60, 300, 68), block("Note of May", 70, 100, 300, 108)]
    found = put_back(blocks, lost_lines(items, blocks))
    assert [one.text for one in found] == ["Form of warrant", "4.7 | Agreement | 8-K", "Note of May"]
    assert found[1].kind == "table"
    assert found[1].bbox == (40, 80, 312, 88)


def test_what_stands_twice_and_was_read_once_is_lost_once() -> None:
    items = [item("Total 1,284", 70, 60), item("Total 1,284", 70, 80)]
    blocks = [block("Total 1,284", 70, 60, 120, 68)]
    assert [line.text for line in lost_lines(items, blocks)] == ["Total 1,284"]
    assert lost_lines(items, [*blocks, block("Total 1,284", 70, 80, 120, 88)]) == []


YEARS = (item("2024", 300, 60), item("2023", 400, 60))


def test_running_lines_and_page_numbers_stay_away_and_a_row_of_years_does_not() -> None:
    pages = [
        SimpleNamespace(
            text_items=[item(f"Alder plc report {n}", 40, 20), item(str(n), 300, 760), *YEARS],
            height=792.0,
        )
        for n in range(3)
    ]  # fmt: skip
    lost = lost_lines(pages[0].text_items, [])
    assert [line.text for line in without_running(lost, running_items(pages), 792.0)] == ["2024 2023"]
    assert len(without_running(lost, running_items(pages[:2]), 792.0)) == 2, "on two pages it does not run"


def test_a_figure_in_two_pieces_without_a_gap_is_joined() -> None:
    joins = torn_figures([item("15", 324, 604, 7), item("8,382", 331, 604, 15), item("94", 449, 604, 7)])
    assert mended("total | 15 8,382 | 94", joins) == "total | 158,382 | 94"
    assert mended("215 8,382", joins) == "215 8,382", "another figure ends like it"
    assert torn_figures([item("15", 324, 604, 7), item("8,382", 334, 604, 15)]) == {}, "there is a gap"
    assert torn_figures([item("2023", 324, 604, 14), item("1", 338, 602, 3, 5)]) == {}, "the mark of a footnote"


@pytest.mark.parametrize(
    "text", [ENGLISH, POLISH, GERMAN, CHINESE, RUSSIAN, "NA NA NA 12", "WBC PLT HGB GRI TCFD SASB ESRS"]
)
def test_what_people_write_is_readable(text: str) -> None:
    assert readable(text)


@pytest.mark.parametrize(
    "text",
    [
        "".join(chr(ord(sign) - 29) if sign > "=" else sign for sign in ENGLISH),
        "".join(chr(ord(sign) + 1) if sign.isalpha() else sign for sign in ENGLISH),
        " ".join("a" * (1 + n % 7) for n in range(30)),
        RUSSIAN.encode("cp1251").decode("latin-1"),
    ],
    ids=["shifted by 29", "shifted by 1", "every letter an a", "Cyrillic as Latin-1"],
)  # fmt: skip
def test_what_nobody_can_read_is_unreadable(text: str) -> None:
    assert not readable(text)
