"""Parsers: every page of the file comes back, typed, and what cannot be read says so."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

from harness.bench import Bench
from harness.cache.blobs import Blobs
from harness.readable import readable
from harness.records import Page, PageRef
from systems.parsers._tables import as_html, as_text, split_prose, tidy
from systems.parsers.liteparse import LiteParseParser

ROWS = [["", "2025", "2024"], ["Revenue", "1,284", "1,101"], ["Loss", "(35)", "(12)"], ["Assets", "9,310", "8,822"]]
PROSE = "The directors report that revenue rose in the year and that the outlook for the coming year is sound. " * 4


def bench(folder: Path) -> Bench:
    return Bench(corpus=None, blobs=Blobs(folder / "blobs"))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Page 1: heading and prose. Page 2: a ruled table. Page 3: blank. Page 4: a drawing without text."""
    path = tmp_path_factory.mktemp("pdf") / "report.pdf"
    styles = getSampleStyleSheet()
    table = Table(ROWS, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)], colWidths=[200, 80, 80])
    story = [Paragraph("Review of the year", styles["h1"]), Paragraph(PROSE, styles["Normal"]), PageBreak(), table]
    SimpleDocTemplate(str(path.with_suffix(".1.pdf")), pagesize=A4, invariant=1).build(story)
    return _with_odd_pages(path.with_suffix(".1.pdf"), path)


def _with_odd_pages(source: Path, target: Path) -> Path:
    import pypdfium2

    odd = target.with_suffix(".2.pdf")
    canvas = Canvas(str(odd), pagesize=A4, invariant=1)
    canvas.showPage()
    canvas.rect(100, 100, 300, 300, fill=1)
    canvas.showPage()
    canvas.save()
    with pypdfium2.PdfDocument(source) as book, pypdfium2.PdfDocument(odd) as more:
        book.import_pages(more)
        book.save(target)
    return target


def parse(path: Path, folder: Path) -> list[Page]:
    return LiteParseParser().parse(path, "report", bench(folder))


def test_a_page_for_every_page_with_its_status(report: Path, tmp_path: Path) -> None:
    pages = parse(report, tmp_path)
    assert [page.ref for page in pages] == [PageRef("report", number) for number in (1, 2, 3, 4)]
    assert [page.status for page in pages] == ["ok", "ok", "blank", "unreadable"]


def test_headings_and_tables_are_typed(report: Path, tmp_path: Path) -> None:
    first, second, *_ = parse(report, tmp_path)
    heading = next(block for block in first.blocks if block.kind == "heading")
    assert heading.text == "Review of the year"
    assert heading.level == 1
    table = next(block for block in second.blocks if block.kind == "table")
    assert "Loss | (35) | (12)" in table.text.splitlines()
    assert table.html
    assert "<td>(35)</td>" in table.html


def test_the_same_in_a_spawned_process_and_twice(report: Path, tmp_path: Path) -> None:
    here = parse(report, tmp_path)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(parse, report, tmp_path).result() == here
    assert parse(report, tmp_path) == here


def test_a_page_that_the_parser_left_out_is_failed(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = LiteParseParser()._read(report)
    whole.pages = [page for page in whole.pages if page.page_num != 2]
    monkeypatch.setattr(LiteParseParser, "_read", lambda self, pdf: whole)
    pages = parse(report, tmp_path)
    assert [page.status for page in pages] == ["ok", "failed", "blank", "unreadable"]
    assert pages[1].error


def test_what_cannot_be_opened_raises(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"not a PDF")
    with pytest.raises(Exception, match=r"(?i)pdf|format|parse"):
        parse(broken, tmp_path)


def test_text_of_shifted_fonts_and_control_characters_is_unreadable() -> None:
    shifted = "".join(chr(ord(sign) - 29) if sign.isalpha() else sign for sign in PROSE)
    consonants = PROSE.translate(str.maketrans("aeiouAEIOU", "bcdfgBCDFG"))
    control = "".join(chr(ord(sign) % 31 + 1) for sign in PROSE)
    assert readable(PROSE)
    assert readable("")
    assert readable("1,284 9,310 (35) " * 40), "a page of figures is not broken"
    assert not readable(shifted)
    assert not readable(consonants), "letters in places of others"
    assert not readable(control)
    assert not readable("\ue001\ue002 " * 50)


def test_lone_signs_join_their_figures_and_empty_columns_go() -> None:
    rows = [["Sales", "$", "79", "$ 94", ""], ["Growth", "", "23", "31", "%"], ["Cost", "", "(5", "6", ""]]
    assert tidy(rows) == [["Sales", "$79", "$ 94"], ["Growth", "23", "31%"], ["Cost", "(5", "6"]]
    assert (
        as_text(["", "2025", "2024"], [["Sales", "1", ""], ["Cost", "", "2"]])
        == " | 2025 | 2024\nSales | 1 |\nCost |  | 2"
    )
    assert as_html(["A<B"], [["1"]]) == "<table><tr><th>A&lt;B</th></tr><tr><td>1</td></tr></table>"


def test_prose_that_was_taken_for_a_row_is_given_back() -> None:
    rows, prose = split_prose([["Sales", "1"], [PROSE + PROSE, "and more"]])
    assert rows == [["Sales", "1"]]
    assert len(prose) == 1
    assert prose[0].endswith("and more")
