"""Pages that nobody could read are seen: in corpus, check, run, findings and explain, and where a question asks for them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, ROOT
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from test_documents import listing, one_page

from harness.documents.pdf import count_pages, describe, unread_pages
from harness.errors import UserError
from harness.reports import unread

SENTENCE = "the revenue of the company rose in every region of the northern market during the year"
SHIFTED = "".join(chr((ord(sign) - 97 + 3) % 26 + 97) if sign.isalpha() else sign for sign in SENTENCE)


def scan(canvas: Canvas) -> None:
    picture = io.BytesIO()
    Image.linear_gradient("L").save(picture, "PNG")
    canvas.drawImage(ImageReader(picture), 72, 72, 400, 600)


def written(canvas: Canvas, text: str) -> None:
    for row in range(8):
        canvas.drawString(72, 700 - 20 * row, f"{text} {row}")


PAGES: dict[str, list[Any]] = {
    "scan": [scan, scan],
    "mixed": ["Alder made 77 million of revenue", SHIFTED, None, scan],
}


def draw(folder: Path) -> None:
    for name, pages in PAGES.items():
        canvas = Canvas(str(folder / f"{name}.pdf"), invariant=True)
        for page in pages:
            page(canvas) if callable(page) else written(canvas, page or "") if page else None
            canvas.showPage()
        canvas.save()


def golden(id: str, question: str, **values: Any) -> dict[str, Any]:
    return {"id": id, "question": question, "answer": "77 million", **values}


GOLDENS = [
    golden("found", "How much revenue did Alder make?", evidence=[["mixed:p1"]]),
    golden("picture", "zeppelin", evidence=[["scan:p2"]]),
    golden("shifted", "zeppelin", evidence=[["mixed:p2"]]),
    golden("blank", "zeppelin", evidence=[["mixed:p3"]]),
    golden("lost", "zeppelin", evidence=[["lost:p1"]]),
    golden("nowhere", "zeppelin", evidence=[["mixed:p1"]]),
    {"id": "refused", "question": "zeppelin", "expect": "abstain", "scope": ["scan"]},
]


def harness(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    command = [sys.executable, "-m", "harness.cli", *words]
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A run on the whole of a set with scans, pages of shifted letters, and a file that is no PDF."""
    project = tmp_path_factory.mktemp("unread")
    (project / "tiny").mkdir()
    draw(project / "tiny")
    (project / "tiny" / "lost.pdf").write_text("no PDF")
    listing(project / "tiny", {"scan": 2, "mixed": 4, "lost": 1})
    (project / "tiny" / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GOLDENS))
    (project / "plain.yaml").write_text(CONFIG.replace("scope: golden", "scope: corpus"))
    done = harness(project, "run", "plain.yaml", "--split", "dev")
    assert done.returncode == 0, done.stderr
    return project, done


Run = tuple[Path, subprocess.CompletedProcess[str]]
SCAN = "scan: 2 of 2 pages are pictures; an OCR parser would read them"
MIXED = (
    "mixed: 1 of 4 pages holds text that nobody can read (p2); an OCR parser would read it",
    "mixed: 1 of 4 pages is a picture (p4); an OCR parser would read it",
)


def test_the_pages_that_need_another_reader_are_told_from_blank_ones(project: Run) -> None:
    assert unread_pages(project[0] / "tiny" / "scan.pdf") == {"picture": [1, 2]}
    assert unread_pages(project[0] / "tiny" / "mixed.pdf") == {"unreadable": [2], "picture": [4]}


def test_a_run_and_its_page_name_them_and_the_questions_that_ask_for_them(project: Run) -> None:
    folder, done = project
    shown = " ".join(done.stdout.split())
    for line in (SCAN, *MIXED):
        assert f"not read: {line}" in shown
        assert f"- {line}" in (folder / "findings" / "tiny-plain.md").read_text()
    assert "5 questions of 7 on pages that were not read: picture, shifted, blank, lost, refused" in shown
    page = (folder / "findings" / "tiny-plain.md").read_text()
    assert "| picture | scan:p2 is a picture, which the parser did not read |" in page


def rows(project: Path, name: str) -> dict[str, dict[str, Any]]:
    (place,) = (project / "results" / "tiny" / "plain" / "dev").glob("*/manifest.json")
    lines = (place.parent / name).read_text().splitlines()
    return {row["golden"] + row.get("metric", ""): row for row in map(json.loads, lines)}


def test_a_score_says_what_could_not_be_read_and_praises_no_refusal_without(project: Run) -> None:
    scores = rows(project[0], "scores.jsonl")
    assert scores["refusedrefused_unanswerable"]["reason"] == "refused, rightly; but no page of scan was read"
    assert scores["picturepage_hit@5"]["reason"].endswith("; but scan:p2 is a picture, which the parser did not read")
    assert scores["foundpage_hit@5"]["reason"].endswith("rank 1"), "nothing is said of what was read"
    assert rows(project[0], "generation.jsonl")["blank"]["unread"] == ["mixed:p3 is blank to the parser"]


def test_only_a_question_on_a_lost_document_is_blamed_on_it(project: Run) -> None:
    found = rows(project[0], "retrieval.jsonl")
    assert found["lost"]["error"].startswith("lost: ParseError")
    assert {id for id, row in found.items() if "error" in row} == {"lost"}


def test_explain_says_of_each_gold_page_why_nothing_was_read(project: Run) -> None:
    said = {id: harness(project[0], "explain", "plain", id).stdout for id in ("picture", "blank")}
    assert "not read     scan:p2 is a picture, which the parser did not read" in said["picture"]
    assert "not read     mixed:p3 is blank to the parser" in said["blank"]


def test_check_and_corpus_say_it_before_anything_is_run(project: Run) -> None:
    checked = harness(project[0], "check", "--goldens", "tiny")
    listed = harness(project[0], "corpus", "tiny", "--out", "other.yaml")
    for line in (SCAN, *MIXED):
        assert f"ok    tiny: {line}\n" in checked.stdout
        assert f"not text: {line}\n" in listed.stderr


def test_what_a_parse_lacks_is_told_worst_first() -> None:
    def block(words: list[int], pages: list[list[int]]) -> dict[str, Any]:
        return {"pages": {"ok": 9}, "error": None, "lacking": {"words": words, "figures": [0, 50], "pages": pages}}

    corpus = {
        "good": block([1, 900], []),
        "half": block([60, 900], [[4, 50, 100, 0, 0], [7, 10, 100, 0, 9]]),
        "worse": block([80, 900], [[2, 80, 100, 0, 0]]),
    }
    assert unread.lines(corpus) == [
        "the parse lacks: worse: 8.9% of its words, 0.0% of its figures; worst p2 (80%)",
        "the parse lacks: half: 6.7% of its words, 0.0% of its figures; worst p4 (50%), p7 (10%)",
    ]
    assert unread.of_page(corpus, "half", 4) == "the parse lacks 50 of 100 words and 0 of 0 figures"
    assert unread.of_page(corpus, "half", 5) == ""


def test_a_title_that_nobody_can_read_is_not_taken(tmp_path: Path) -> None:
    for title in ("\ue001\ue002\ue003\ue004 \ue005\ue006", SHIFTED):
        canvas = Canvas(str(tmp_path / "a.pdf"), invariant=True)
        canvas.setTitle(title)
        canvas.setFont("Helvetica-Bold", 24)
        canvas.drawString(72, 700, "Annual report of Alder")
        canvas.save()
        assert describe(tmp_path / "a.pdf") == (1, "Annual report of Alder")


def test_a_file_that_is_packed_with_brotli_is_not_called_damaged(tmp_path: Path) -> None:
    packed = one_page().replace(b"/Root 1 0 R", b"/Root 9 0 R") + b"% /Filter /BrotliDecode"
    (tmp_path / "a.pdf").write_bytes(packed.replace(b"/Catalog", b"/Cat"))
    with pytest.raises(UserError, match="compressed with Brotli") as raised:
        count_pages(tmp_path / "a.pdf")
    assert "damaged" not in str(raised.value)
