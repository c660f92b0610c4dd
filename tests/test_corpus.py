"""The corpus: corpus.yaml told whole, reference text, words, printed labels and images of pages, and harness corpus."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
import yaml
from conftest import PAGES, draw, real, write_set
from PIL import Image

from harness.cache import keys
from harness.cli import main
from harness.documents import page_text, pdf
from harness.documents.corpus import Corpus
from harness.documents.pdf import count_pages, extract_reference
from harness.errors import UserError
from harness.records import PageRef

canvas_module = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab draws the test PDFs")

REVENUE = PageRef("alder_2025", 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "a set, ünïcode")


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "corpus.yaml"
    values = yaml.safe_load(path.read_text())
    change(values)
    path.write_text(yaml.safe_dump(values, sort_keys=False))


def alder(**values: object) -> Callable[[dict[str, Any]], object]:
    return lambda file: file["documents"]["alder_2025"].update(values)


BAD: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "unknown key": (lambda file: file.update(documnts={}), "documnts: unknown key. Did you mean 'documents'?"),
    "unknown key of a document": (alder(page=3), "documents.alder_2025.page: unknown key. Did you mean 'pages'?"),
    "no name": (lambda file: file.pop("name"), "the key 'name' is missing; it must be text"),
    "a number as name": (lambda file: file.update(name=7), "name: found 7; it must be text"),
    "yes for true": (lambda file: file.update(redistributable="yes"), "found 'yes'; it must be true or false"),
    "no documents": (lambda file: file.update(documents={}), "no document is listed"),
    "a list of documents": (lambda file: file.update(documents=[]), "documents: found []; it must be a mapping"),
    "a document that is text": (lambda file: file["documents"].update(x="x.pdf"), "found 'x.pdf'; write {file: x.pdf"),
    "a bad id": (lambda file: file["documents"].update({"a b": file["documents"].pop("birch_2025")}), "'a b' is no id"),
    "an id with a colon": (
        lambda file: file["documents"].update({"a:p1": file["documents"].pop("birch_2025")}),
        "'a:p1' is no id",
    ),
    "text as pages": (alder(pages="4"), "pages: found '4'; it must be a whole number"),
    "true as pages": (alder(pages=True), "pages: found True; it must be a whole number"),
    "no pages": (alder(pages=0), "found 0; a document has at least one page"),
    "a short sha256": (alder(sha256="abc"), "found 'abc'; a sha256 is 64 digits"),
    "aliases that are text": (alder(aliases="Alder"), "aliases: found 'Alder'; it must be a list"),
    "a number as alias": (alder(aliases=[7]), "found [7]; aliases are texts"),
    "a missing file": (alder(file="no.pdf"), "no.pdf: there is no such file"),
    "a folder as file": (alder(file="."), "this is a folder or a device, not a PDF"),
    "a wrong sha256": (alder(sha256="0" * 64), f"listed is {'0' * 64}: it is another file, or the list is old"),
    "a wrong page count": (alder(pages=5), "alder_2025.pdf has 4 pages, listed are 5"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_listing_is_one_line_with_its_place(name: str, folder: Path, tmp_path: Path) -> None:
    change, what = BAD[name]
    edit(folder, change)
    with pytest.raises(UserError) as caught:
        Corpus.open(folder, tmp_path / "cache")
    message = str(caught.value)
    assert message.startswith(f"{folder / 'corpus.yaml'}:")
    assert message.removeprefix(f"{folder / 'corpus.yaml'}:").partition(":")[0].isdigit()
    assert what in message
    assert "\n" not in message


def test_all_faults_are_told_at_once(folder: Path) -> None:
    edit(folder, alder(sha256="0" * 64))
    (folder / "birch_2025.pdf").unlink()
    with pytest.raises(UserError) as caught:
        Corpus.open(folder)
    assert len(str(caught.value).splitlines()) == 2


def test_two_documents_of_one_id_and_no_file(folder: Path) -> None:
    path = folder / "corpus.yaml"
    path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")
    with pytest.raises(UserError, match=r"corpus\.yaml:6: the key 'birch_2025' is written twice"):
        Corpus.open(folder)
    path.unlink()
    with pytest.raises(UserError) as caught:
        Corpus.open(folder)
    assert f"`harness corpus '{folder}'` writes one" in str(caught.value), "to be pasted into a shell as it stands"
    shutil.rmtree(folder)
    with pytest.raises(UserError, match="there is no such file and no such folder"):
        Corpus.open(folder)


def encrypted(path: Path) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption

    canvas = canvas_module.Canvas(str(path), encrypt=StandardEncryption("secret", ownerPassword="owner"))
    canvas.drawString(72, 700, "secret")
    canvas.save()


def no_pages(path: Path) -> None:
    with contextlib.closing(pypdfium2.PdfDocument.new()) as document:
        document.save(path)


def cut_off(path: Path) -> None:
    draw(path, PAGES["alder_2025"])
    path.write_bytes(path.read_bytes()[:300])


DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "encrypted": (encrypted, "is encrypted and needs a password"),
    "zero pages": (no_pages, "the PDF has no pages"),
    "truncated": (cut_off, "is damaged, perhaps cut short"),
    "not a PDF": (lambda path: path.write_text("<html>404</html>"), "this is not a PDF"),
    "empty": (lambda path: path.write_bytes(b""), "the file is empty"),
    "zeros": (lambda path: path.write_bytes(bytes(1_000_000)), "this is not a PDF"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_pdf_that_cannot_be_opened_is_noted_with_its_reason(name: str, folder: Path) -> None:
    make, what = DAMAGED[name]
    path = folder / "alder_2025.pdf"
    make(path)
    edit(folder, alder(sha256=hashlib.sha256(path.read_bytes()).hexdigest()))
    corpus = Corpus.open(folder)
    assert corpus.damaged.keys() == {"alder_2025"}
    message = corpus.damaged["alder_2025"]
    assert message.startswith(f"{path}: ")
    assert what in message
    assert "\n" not in message
    with pytest.raises(UserError, match=what.partition(",")[0]):
        corpus.text(REVENUE)
    assert corpus.label(REVENUE) is None
    unchecked = Corpus.open(folder, verify=False)
    with pytest.raises(UserError, match=what.partition(",")[0]):
        unchecked.text(REVENUE)


def test_a_file_with_an_owner_password_only_opens(tmp_path: Path) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption

    path = tmp_path / "a.pdf"
    canvas = canvas_module.Canvas(str(path), encrypt=StandardEncryption("", ownerPassword="owner", canCopy=0))
    canvas.drawString(72, 700, "readable")
    canvas.save()
    assert extract_reference(path)[0].text == "readable"


def test_pages_of_the_corpus(folder: Path) -> None:
    corpus = Corpus.open(folder)
    assert (corpus.name, corpus.redistributable, list(corpus.documents)) == ("tiny", True, list(PAGES))
    assert corpus.documents["alder_2025"].path == folder / "alder_2025.pdf"
    assert REVENUE in corpus
    assert PageRef("alder_2025", 5) not in corpus
    assert PageRef("alder_2025", 0) not in corpus
    assert PageRef("cedar", 1) not in corpus
    assert "alder_2025:p2" not in corpus
    assert corpus.refs("birch_2025")[-1] == PageRef("birch_2025", 3)
    assert corpus.text(REVENUE) == "Revenue\nRevenue rose to USD 1,284 million in 2025.\nWages were USD 310 million."
    assert corpus.size(REVENUE) == pytest.approx((595.3, 841.9), abs=0.1)
    for read in (corpus.text, corpus.label, corpus.words, corpus.image):
        with pytest.raises(KeyError, match="alder_2025:p5 is not a page of the corpus 'tiny'"):
            read(PageRef("alder_2025", 5))


def test_words_stand_where_they_are_shown(folder: Path) -> None:
    words = Corpus.open(folder).words(REVENUE)
    assert [word.text for word in words[:4]] == ["Revenue", "Revenue", "rose", "to"]
    first = words[0]
    assert first.x0 == pytest.approx(72, abs=3)
    assert first.y1 == pytest.approx(841.9 - 760, abs=3)
    assert first.y0 < first.y1 < words[1].y0


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_turned_pages_are_measured_as_they_are_shown(turn: int, tmp_path: Path) -> None:
    path = tmp_path / "turned.pdf"
    canvas = canvas_module.Canvas(str(path), pagesize=(600, 800))
    canvas.setPageRotation(turn)
    canvas.drawString(20, 30, "corner")
    canvas.save()
    (word,) = pdf.words(path, 1)
    width, height = (read := pdf.extract_reference(path)[0]).width, read.height
    middle = ((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2)
    corners = {0: (37, 767), 90: (33, 37), 180: (563, 33), 270: (567, 763)}
    assert (width, height) == (600, 800)  # reportlab turns the sheet against the rotation
    assert middle == pytest.approx(corners[turn], abs=5)


def test_images_have_the_resolution_asked_for_and_an_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.open(folder)
    picture = Image.open(io.BytesIO(corpus.image(REVENUE, dpi=72)))
    assert (picture.format, picture.size) == ("PNG", (596, 842))
    monkeypatch.setattr(pdf, "LARGEST_IMAGE", 10_000)
    small = Image.open(io.BytesIO(corpus.image(REVENUE)))
    assert small.size[0] * small.size[1] < 11_000


def test_reference_is_cached_and_a_garbled_cache_is_made_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    text = Corpus.open(folder, cache).text(REVENUE)
    kept = {path: path.read_bytes() for path in (cache / "reference").iterdir()}
    assert len(kept) == 2
    for path, data in kept.items():
        for garbled in (data[:-5], b"", data.replace(b"2", b"3"), b"\xff" * 50):
            path.write_bytes(garbled)
            assert Corpus.open(folder, cache).text(REVENUE) == text
            assert path.read_bytes() == data

    def never(pdf: Path) -> None:
        raise AssertionError(f"{pdf} was opened though all is cached")

    monkeypatch.setattr(pdf, "_opened", never)
    assert Corpus.open(folder, cache).text(REVENUE) == text


def test_a_cache_of_other_code_is_made_again(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Corpus.open(folder, tmp_path / "cache").text(REVENUE)
    monkeypatch.setattr(keys, "own_code", lambda module: "other")
    monkeypatch.setattr(page_text, "extract_reference", lambda _: (pdf.ReferencePage("new"),) * 4)
    assert Corpus.open(folder, tmp_path / "cache", verify=False).text(REVENUE) == "new"


def test_a_page_that_cannot_be_read_is_no_blank_page(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = (pdf.ReferencePage(""), pdf.ReferencePage("", error="page 2 cannot be read: damaged"))
    monkeypatch.setattr(page_text, "extract_reference", lambda _: pages * 2)
    corpus = Corpus.open(folder, tmp_path / "cache", verify=False)
    assert corpus.text(PageRef("alder_2025", 1)) == ""
    with pytest.raises(UserError, match="alder_2025:p2: page 2 cannot be read: damaged"):
        corpus.text(PageRef("alder_2025", 2))


def test_a_cache_that_cannot_be_written_only_costs_time(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert Corpus.open(folder, tmp_path / "cache").text(REVENUE).startswith("Revenue")


def test_threads_share_a_corpus(folder: Path) -> None:
    corpus = Corpus.open(folder)
    refs = [ref for doc in PAGES for ref in corpus.refs(doc)] * 4
    results: list[tuple[str, int]] = []

    def work(ref: PageRef) -> None:
        results.append((corpus.text(ref), len(corpus.words(ref)) + len(corpus.image(ref, dpi=20)) * 0))

    threads = [threading.Thread(target=work, args=(ref,)) for ref in refs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == len(refs)
    assert all(len(text.split()) == words for text, words in results)


def test_the_corpus_sha256_is_what_it_holds_not_where(folder: Path, tmp_path: Path) -> None:
    first = Corpus.open(folder).sha256
    folder.rename(tmp_path / "moved")
    assert Corpus.open(tmp_path / "moved").sha256 == first
    edit(tmp_path / "moved", alder(title="Alder"))
    assert Corpus.open(tmp_path / "moved").sha256 != first


def test_control_characters_never_leave_the_reference() -> None:
    class Text:
        """A page as PDFium gives it."""

        def __init__(self, bounded: str, whole: str) -> None:
            self.bounded, self.whole = bounded, whole

        def get_text_bounded(self) -> str:
            return self.bounded

        def get_text_range(self) -> str:
            return self.whole

    assert (
        pdf._text(Text("one\x02time\r\nﬁrst\u00ad \x1b[31m\x85", "one\ufffetime"))
        == "one-time\nﬁrst\u00ad \ufffd[31m\ufffd"
    )
    assert pdf._text(Text("a\x02b", "a\x02b")) == "a\ufffdb"


def label_pages(path: Path, footers: Sequence[str | tuple[str, str]], height: int = 792) -> list[str | None]:
    """The labels found on a PDF whose pages carry a heading, some text with numbers, and these footers."""
    canvas = canvas_module.Canvas(str(path), pagesize=(612, height))
    for row, footer in enumerate(footers):
        canvas.drawString(72, height - 50, "Form 10-K 2025")
        for line in range(12):
            canvas.drawString(
                72, height - 120 - 30 * line, f"Item {line} came to {row * 37 % 101 + line} in 2025 and {line * 7}"
            )
        left, right = footer if isinstance(footer, tuple) else ("", footer)
        canvas.drawString(40, 30, left)
        canvas.drawRightString(572, 30, right)
        canvas.showPage()
    canvas.save()
    return [page.label for page in extract_reference(path)]


NUMBERS = [str(number) for number in range(1, 9)]
LABELS: dict[str, tuple[Sequence[str | tuple[str, str]], Sequence[str | None]]] = {
    "front matter in roman": (["", "ii", "iii", "iv", *NUMBERS], [None, "ii", "iii", "iv", *NUMBERS]),
    "counted from the third page": (["", "", *NUMBERS], [None, None, *NUMBERS]),
    "a restart": ([*NUMBERS, "1", "2", "3", "4"], [*NUMBERS, "1", "2", "3", "4"]),
    "pages left out": (["1", "2", "", "4", "5", "", "7"], ["1", "2", None, "4", "5", None, "7"]),
    "words around": ([f"Northfield 2025 | {n}" for n in NUMBERS], NUMBERS),
    "page of pages": ([f"Page {n} of 8" for n in NUMBERS], NUMBERS),
    "between dashes": ([f"– {n} –" for n in NUMBERS], NUMBERS),
    "an annex": ([*NUMBERS[:4], "F-1", "F-2", "F-3", "F-4"], [*NUMBERS[:4], "F-1", "F-2", "F-3", "F-4"]),
    "leading zeros": ([f"0{n}" for n in NUMBERS], NUMBERS),
    "left and right by turns": ([(n, "") if int(n) % 2 else n for n in NUMBERS], NUMBERS),
    "spreads": (
        [(str(2 * n), str(2 * n + 1)) for n in range(1, 7)],
        [f"{2 * n}-{2 * n + 1}" for n in range(1, 7)],
    ),
    "numbers that do not go on": (["17", "3", "94", "41", "8", "63"], [None] * 6),
    "the same number": (["2025"] * 6, [None] * 6),
    "three pages": (["1", "2", "3"], ["1", "2", "3"]),
    "nothing": ([""] * 5, [None] * 5),
    "a printed page over two of the file": (
        ["1", "", "2", "3", "", "4", "", "5", "", "6"],
        ["1", None, "2", "3", None, "4", None, "5", None, "6"],
    ),
}


@pytest.mark.parametrize("name", LABELS)
def test_printed_labels(name: str, tmp_path: Path) -> None:
    footers, expected = LABELS[name]
    assert label_pages(tmp_path / "a.pdf", footers) == list(expected)


REAL = {
    # file: (first position, first label) of each series as read on the pages, and pages that show a number
    "NETFLIX_2015_10K.pdf": ({3: "1", 40: "38", 67: "65"}, 65),
    "itc_2007_f86d073b.pdf": ({1: "8", 8: "20", 13: "30", 20: "37"}, 20),
    "SUEZ_SD_Progress_report_2023.pdf": ({2: "2-3", 6: "10-11", 10: "18-19"}, 9),
    "ABMD_2012.pdf": ({3: "1", 57: "41", 59: "F-1", 81: "F-23"}, 73),
    "PH_2016.06.08_Economy-Final.pdf": ({2: "1", 23: "22"}, 22),
    "lifeway_2019.pdf": ({8: "1", 10: "2", 11: "3", 38: "19", 85: "F-24"}, 61),
}


@pytest.mark.parametrize("name", REAL)
def test_printed_labels_of_real_documents(name: str) -> None:
    path = real(f"pack/finance/pdfs/{name}")
    known, shown = REAL[name]
    labels = {number: page.label for number, page in enumerate(extract_reference(path), start=1)}
    assert {number: labels[number] for number in known} == known
    assert sum(label is not None for label in labels.values()) == shown


def test_a_page_of_very_many_characters_and_one_of_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    canvas = canvas_module.Canvas(str(path), pagesize=(612, 792))
    canvas.setFont("Helvetica", 1)
    for row in range(300):
        canvas.drawString(5, 785 - row, "word " * 250)
    canvas.showPage()
    canvas.drawString(300, 400, "word")
    canvas.save()
    pages = extract_reference(path)
    assert len(pages[0].text) > 300_000
    assert pages[1].text == "word"


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["corpus", *words])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def pdfs(tmp_path: Path) -> Path:
    folder = tmp_path / "Berichte für 2025"
    (folder / "more").mkdir(parents=True)
    draw(folder / "Alder Geschäftsbericht (2025).pdf", PAGES["alder_2025"])
    draw(folder / "more" / "alder-geschaftsbericht-2025.PDF", PAGES["birch_2025"])
    draw(folder / "more" / "Alder_Geschäftsbericht_2025.pdf", PAGES["birch_2025"][:2])
    return folder


def test_harness_corpus_writes_a_listing_that_opens(pdfs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, str(pdfs), "--name", "berichte")
    assert (code, err) == (0, "")
    assert "3 documents, 9 pages." in out
    corpus = Corpus.open(pdfs)
    assert corpus.name == "berichte"
    assert list(corpus.documents) == [
        "alder_geschaftsbericht_2025", "alder_geschaftsbericht_2025_2", "alder-geschaftsbericht-2025",
    ]  # fmt: skip
    assert [file.title for file in corpus.documents.values()] == ["Alder plc", "Birch AG", "Birch AG"]
    assert corpus.text(PageRef("alder-geschaftsbericht-2025", 3)).startswith("Outlook")


def test_harness_corpus_takes_the_title_of_the_pdf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, title in (("a", "Annual: report — 2025"), ("b", "Microsoft Word - x.doc"), ("c_d", "")):
        canvas = canvas_module.Canvas(str(tmp_path / f"{name}.pdf"))
        canvas.setTitle(title)
        canvas.line(1, 1, 2, 2)
        canvas.showPage()
        canvas.save()
    assert call(capsys, str(tmp_path))[0] == 0
    assert [file.title for file in Corpus.open(tmp_path).documents.values()] == ["Annual: report — 2025", "b", "c d"]


def test_harness_corpus_keeps_what_was_edited(pdfs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, str(pdfs))
    path = pdfs / "corpus.yaml"
    before = path.read_bytes()
    code, _, err = call(capsys, str(pdfs))
    assert code == 2
    assert "the file is there already; --force replaces it" in err
    assert path.read_bytes() == before
    edit(pdfs, lambda file: file["documents"]["alder_geschaftsbericht_2025"].update(title="Alder", aliases=["ALD"]))
    draw(pdfs / "A new one.pdf", PAGES["alder_2025"][:2])
    assert call(capsys, str(pdfs), "--force")[0] == 0
    documents = Corpus.open(pdfs).documents
    assert len(documents) == 4
    assert documents["alder_geschaftsbericht_2025"].title == "Alder"
    assert documents["alder_geschaftsbericht_2025"].aliases == ("ALD",)


def test_harness_corpus_names_what_it_leaves_out(pdfs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    encrypted(pdfs / "locked.pdf")
    (pdfs / "page.pdf").write_text("<html>")
    (pdfs / "twin.pdf").write_bytes((pdfs / "Alder Geschäftsbericht (2025).pdf").read_bytes())
    code, out, err = call(capsys, str(pdfs))
    assert code == 0
    assert out.endswith(": 3 documents, 9 pages; 3 left out.\n")
    assert [line.partition(":")[0] for line in err.splitlines()] == ["left out"] * 3
    assert "needs a password" in err
    assert "twin.pdf: the same file as Alder Geschäftsbericht (2025).pdf" in err
    assert len(Corpus.open(pdfs).documents) == 3


def test_harness_corpus_elsewhere_and_into_nothing(
    pdfs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sets" / "berichte" / "corpus.yaml"
    assert call(capsys, str(pdfs), "--out", str(out))[0] == 0
    assert Corpus.open(out.parent).name == "berichte_fur_2025"
    assert not (pdfs / "corpus.yaml").exists()
    for words, what in (
        ((str(tmp_path / "no"),), "there is no such folder"),
        ((str(out.parent),), "there is no PDF in this folder"),
        ((str(pdfs), "--out", str(tmp_path)), "this is a folder; --out names a file"),
    ):
        code, _, err = call(capsys, *words)
        assert code == 2
        assert what in err
        assert len(err.splitlines()) == 1


def test_harness_corpus_of_broken_files_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pdf").write_text("no")
    code, out, err = call(capsys, str(tmp_path))
    assert (code, out) == (2, "")
    assert "the one PDF in it cannot be opened; nothing was written" in err
    assert os.listdir(tmp_path) == ["a.pdf"]


def test_count_pages(folder: Path) -> None:
    assert count_pages(folder / "alder_2025.pdf") == 4
    with pytest.raises(UserError, match="there is no such file"):
        count_pages(folder / "no.pdf")
