"""The reference text: what was typed onto a page is in it, and it says where another reader sees something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_documents import one_page
from test_odd_pages import DRAWN, note, turned

from harness.documents import page_text
from harness.documents.pdf import ReferencePage, extract_reference, words
from harness.documents.second_reading import doubt, doubted, texts
from harness.documents.shortfall import shortfall
from harness.records import Page, PageRef

TEXT = "Revenue rose to 1,284 million in the year, and wages were 310.5 million in Alder, Birch and Cedar."


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("appearance", [DRAWN, b""], ids=["drawn", "not drawn"])
def test_a_typed_note_is_reference_text(appearance: bytes, tmp_path: Path) -> None:
    (page,) = extract_reference(written(tmp_path / "a.pdf", note(4, appearance)))
    assert page.text == "Approved budget 4,567 thousand"


def test_a_typed_note_has_boxes(tmp_path: Path) -> None:
    found = words(written(tmp_path / "a.pdf", note(4, DRAWN)), 1)
    assert [word.text for word in found] == ["Approved", "budget", "4,567", "thousand"]
    assert found[0].y0 == pytest.approx(792 - 600 - 27, abs=5)


@pytest.mark.parametrize("flags", [2, 32], ids=["hidden", "not for the screen"])
def test_a_hidden_note_is_not_reference_text(flags: int, tmp_path: Path) -> None:
    (page,) = extract_reference(written(tmp_path / "a.pdf", note(flags, DRAWN)))
    assert page.text == ""


def test_where_a_second_reader_sees_much_more_there_is_doubt() -> None:
    reason = doubt("Revenue rose", TEXT)
    assert reason is not None
    assert "the first lacks 16" in reason
    assert doubt(TEXT, TEXT) is None
    assert doubt(TEXT, "") is None, "the second reader loses more than the first"
    assert doubt(TEXT, " ".join(TEXT)) is None, "set letter by letter"
    assert doubt("", "Alder plc 2025") is None, "too little to say"


def test_where_the_text_cannot_be_read_there_is_doubt() -> None:
    assert doubt(TEXT.replace("e", "\ufffd"), TEXT) == "14% of what stands there cannot be read"
    assert doubt("", "") is None


def test_the_second_reader_is_asked_page_by_page_and_leaves_turned_text_out(tmp_path: Path) -> None:
    plain = written(tmp_path / "a.pdf", one_page(b"BT /F 12 Tf 72 700 Td (%s) Tj ET" % TEXT.encode()))
    assert texts(plain)[1].split() == TEXT.split()
    (page,) = doubted(plain, [ReferencePage("Revenue rose")])
    assert page.doubt
    assert texts(written(tmp_path / "b.pdf", turned(180, rotate=False))) == {}


def test_a_file_that_the_second_reader_cannot_open_is_in_no_doubt(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = written(tmp_path / "a.pdf", b"no PDF")
    assert doubted(broken, [ReferencePage(TEXT)]) == (ReferencePage(TEXT),)
    assert capfd.readouterr().err == ""


def test_the_pages_are_kept_before_the_second_reader_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    pdf = written(tmp_path / "a.pdf", one_page())
    monkeypatch.setattr(page_text.second_reading, "doubted", killed)
    with pytest.raises(KeyboardInterrupt):
        page_text.reference(pdf, "0" * 64, tmp_path)
    (page,) = page_text.reference(pdf, "0" * 64, tmp_path)
    assert page.text == "Revenue was 77 million"


def test_a_page_in_doubt_is_no_shortfall() -> None:
    found = shortfall("doc", [Page(ref=PageRef("doc", 1), status="blank")], [ReferencePage(TEXT, doubt="in doubt")])
    assert (found.words.total, found.pages, found.doubtful) == (0, (), (PageRef("doc", 1),))
