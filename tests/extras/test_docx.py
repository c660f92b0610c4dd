"""docx: a paragraph and a table come back as they were written."""

from __future__ import annotations

from pathlib import Path

import pytest

docx = pytest.importorskip("docx", reason="comes with the extra docx")


def test_a_paragraph_and_a_table_come_back(tmp_path: Path) -> None:
    written = docx.Document()
    written.add_paragraph("Revenue rose.")
    written.add_table(rows=1, cols=2).cell(0, 1).text = "1,284"
    written.save(tmp_path / "note.docx")
    read = docx.Document(tmp_path / "note.docx")
    assert [paragraph.text for paragraph in read.paragraphs] == ["Revenue rose."]
    assert [cell.text for cell in read.tables[0].rows[0].cells] == ["", "1,284"]
