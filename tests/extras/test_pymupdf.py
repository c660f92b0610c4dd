"""pymupdf: the release whose tables are right, and the markdown writer that fits it."""

from __future__ import annotations

from pathlib import Path

import pytest

pymupdf = pytest.importorskip("pymupdf", reason="comes with the extra pymupdf")
pymupdf4llm = pytest.importorskip("pymupdf4llm", reason="comes with the extra pymupdf")

pytestmark = pytest.mark.filterwarnings("default")


def test_a_page_becomes_markdown(report_pdf: Path) -> None:
    shown = pymupdf4llm.to_markdown(str(report_pdf), use_ocr=False)
    heading, sentence = shown.split("\n\n")[:2]
    assert heading.strip("#* ") == "Annual report"
    assert sentence.strip() == "Revenue rose to USD 1,284 million in the year."


def test_a_figure_in_a_table_keeps_its_digits(tmp_path: Path) -> None:
    """PyMuPDF 2.0 gives `5145` and a stray comma; so does 1.28 with what importing pymupdf4llm sets for the whole process."""
    pymupdf4llm.use_layout(False)
    pymupdf.TOOLS.unset_quad_corrections(False)
    with pymupdf.open() as document:
        page = document.new_page()
        for x in (72, 172, 272):
            page.draw_line((x, 72), (x, 132))
        for row, (name, value) in enumerate([("Revenue", "5,145"), ("Wages", "1,284")]):
            page.draw_line((72, 72 + 30 * row), (272, 72 + 30 * row))
            page.insert_text((80, 92 + 30 * row), name)
            page.insert_text((180, 92 + 30 * row), value)
        page.draw_line((72, 132), (272, 132))
        (table,) = page.find_tables().tables
        assert table.extract() == [["Revenue", "5,145"], ["Wages", "1,284"]]
