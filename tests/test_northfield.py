"""The set that ships: drawn byte for byte, its statements add up, its goldens say what stands on their pages."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

SET = Path(__file__).resolve().parent.parent / "goldens" / "northfield"
DOCS = ("northfield_2024", "northfield_2025", "averholt_2024", "averholt_2025")
REPORTLAB = importlib.util.find_spec("reportlab") is not None
FIGURE = re.compile(r"\(?[\d,]+(?:\.\d+)?\)?|–")

needs_reportlab = pytest.mark.skipif(not REPORTLAB, reason="reportlab, which draws the set, is not installed")


def texts_of(doc: str) -> list[str]:
    document = pypdfium2.PdfDocument(SET / "pdfs" / f"{doc}.pdf")
    try:
        return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document]
    finally:
        document.close()


@pytest.fixture(scope="module")
def texts() -> dict[str, list[str]]:
    return {doc: texts_of(doc) for doc in DOCS}


def rows(split: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SET / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]


DEV, HELDOUT = rows("dev"), rows("heldout")
ALL = DEV + HELDOUT


def run(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(SET / "draw.py"), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@needs_reportlab
def test_drawing_again_gives_the_same_bytes() -> None:
    done = run("--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_reportlab
def test_no_other_page_holds_an_answer() -> None:
    done = run("--audit")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_harness_loads_it_with_its_lock() -> None:
    goldens = pytest.importorskip("harness.goldens.loading")
    corpus = pytest.importorskip("harness.documents.corpus").Corpus.open(SET)
    assert [len(goldens.load(SET, split, corpus).goldens) for split in ("dev", "heldout")] == [len(DEV), len(HELDOUT)]


def test_size(texts: dict[str, list[str]]) -> None:
    assert 120 <= sum(map(len, texts.values())) <= 150
    assert sum((SET / "pdfs" / f"{doc}.pdf").stat().st_size for doc in DOCS) < 3_000_000
    assert len(DEV) >= 40
    assert len(HELDOUT) >= 25


@pytest.mark.parametrize("split", [DEV, HELDOUT], ids=["dev", "heldout"])
def test_a_quarter_is_to_be_refused(split: list[dict[str, Any]]) -> None:
    refused = [golden for golden in split if golden["expect"] == "abstain"]
    assert 0.2 <= len(refused) / len(split) <= 0.3
    assert {"absent", "other-company", "other-year", "false-premise"} <= {tag for g in refused for tag in g["tags"]}
    assert not any(golden.get("evidence") or golden.get("answer") for golden in refused)


@pytest.mark.parametrize("split", [DEV, HELDOUT], ids=["dev", "heldout"])
def test_every_kind_of_question_is_there(split: list[dict[str, Any]]) -> None:
    tags = {tag for golden in split for tag in golden["tags"]}
    kinds = (
        "figure per-share percentage change ratio sum not-money name date yes-no chart-only two-pages turns restated"
    )
    assert set(kinds.split()) <= tags
    assert {m for golden in split for m in golden["modality"]} == {"text", "table", "chart"}
    assert {g["answer_type"] for g in split} == {"numeric", "short answer", "yes/no", "unanswerable"}


def test_nothing_is_asked_twice() -> None:
    for key in ("id", "question"):
        assert [value for value, n in Counter(golden[key] for golden in ALL).items() if n > 1] == []


def test_each_quote_stands_on_its_page(texts: dict[str, list[str]]) -> None:
    for golden in ALL:
        pages = {page for group in golden.get("evidence", []) for page in group}
        assert set(golden.get("quotes", {})) == pages, golden["id"]
        for page, quotes in golden.get("quotes", {}).items():
            doc, _, number = page.rpartition(":p")
            text = " ".join(texts[doc][int(number) - 1].split())
            assert [quote for quote in quotes if quote not in text] == [], f"{golden['id']} on {page}"


def test_evidence_lies_in_scope_and_no_group_holds_another() -> None:
    for golden in ALL:
        groups = [set(group) for group in golden.get("evidence", [])]
        assert {page.rpartition(":p")[0] for group in groups for page in group} <= set(golden["scope"])
        assert not any(a < b for a in groups for b in groups), golden["id"]


def test_questions_that_name_no_company_hold_for_their_scope_only() -> None:
    for golden in ALL:
        asked = golden.get("standalone") or golden["question"]
        if not re.search("northfield|averholt", asked, re.IGNORECASE):
            assert golden.get("valid_scope") == "golden", golden["id"]


@pytest.mark.parametrize("doc", DOCS)
def test_printed_numbers_are_not_positions(doc: str, texts: dict[str, list[str]]) -> None:
    front = {"northfield_2024": 4, "northfield_2025": 6, "averholt_2024": 5, "averholt_2025": 7}[doc]
    roman = ["", "i", "ii", "iii", "iv", "v", "vi", "vii"]
    for position, text in enumerate(texts[doc][1:], 2):
        label = roman[position] if position <= front else str(position - front)
        lines = text.strip().splitlines()
        assert label in {word for line in lines[:2] + lines[-2:] for word in line.split()}, f"page {position}"


# -- the statements, read back from the drawn pages


def statement(texts: list[str], title: str) -> str:
    return next(text for text in texts[8:] if f"\n{title}\n" in text)


def figures(page: str, label: str) -> list[float]:
    """A row's figures, newest year first."""
    line = next(line for line in page.splitlines() if re.match(re.escape(label) + r" [\d(–]", line))
    return [number(text) for text in FIGURE.findall(line.removeprefix(label))]


def number(text: str) -> float:
    digits = text.strip("()").replace(",", "")
    value = 0.0 if digits == "–" else float(digits)
    return -value if text.startswith("(") else value


def assert_sums(page: str, parts: str, total: str) -> None:
    """Parts, separated by semicolons, add up to the total in each of the three years; a minus subtracts a part."""
    sums = [0.0, 0.0, 0.0]
    for part in parts.split(";"):
        row = figures(page, part.strip().removeprefix("- "))
        sums = [a + (-b if part.strip().startswith("- ") else b) for a, b in zip(sums, row, strict=True)]
    assert sums == pytest.approx(figures(page, total), abs=1e-6), total


@pytest.mark.parametrize("year", [2024, 2025])
def test_northfields_statements_add_up(year: int, texts: dict[str, list[str]]) -> None:
    report = texts[f"northfield_{year}"]
    income = statement(report, "Consolidated statements of income")
    assert_sums(income, "Warehousing; Transport; Refrigeration Services", "Total revenue")
    costs = "- Cost of revenue, excluding depreciation; - Selling, general and administrative; - Technology"
    write_offs = "- Depreciation; - Amortisation; - Restructuring; - Impairment of goodwill"
    assert_sums(income, f"Total revenue; {costs}; {write_offs}", "Operating income")
    assert_sums(income, "Income before income taxes; Income taxes", "Net income")
    balance = statement(report, "Consolidated balance sheets")
    assert_sums(balance, "Total liabilities; Total equity", "Total assets")
    cash = statement(report, "Consolidated statements of cash flows")
    flows = "Net cash from operating activities; Net cash used in investing activities"
    rest = "Net cash from (used in) financing activities; Effect of exchange rates on cash"
    assert_sums(cash, f"{flows}; {rest}", "Change in cash and cash equivalents")
    assert_sums(cash, "Cash at beginning of year; Change in cash and cash equivalents", "Cash at end of year")
    assert figures(balance, "Cash and cash equivalents") == figures(cash, "Cash at end of year")


@pytest.mark.parametrize("year", [2024, 2025])
def test_averholts_statements_add_up(year: int, texts: dict[str, list[str]]) -> None:
    report = texts[f"averholt_{year}"]
    income = statement(report, "Consolidated income statement")
    assert_sums(income, "Signalling; Rolling Stock Components; Digital Services", "Revenue")
    assert_sums(income, "Revenue; Cost of sales", "Gross profit")
    costs = "Selling expenses; Administrative expenses; Research and development expenses"
    rest = "Other operating income; Restructuring; Impairment of goodwill"
    assert_sums(income, f"Gross profit; {costs}; {rest}", "Operating profit")
    balance = statement(report, "Consolidated statement of financial position")
    assert_sums(balance, "Total non-current assets; Total current assets", "Total assets")
    liabilities = "Total non-current liabilities; Total current liabilities"
    assert_sums(balance, f"Total equity; {liabilities}", "Total equity and liabilities")
    assert figures(balance, "Total assets") == figures(balance, "Total equity and liabilities")
    cash = statement(report, "Consolidated cash flow statement")
    assert_sums(cash, "Cash on 1 January; Net change in cash", "Cash on 31 December")


@pytest.mark.parametrize(
    ("company", "title", "same", "restated"),
    [
        ("northfield", "Consolidated statements of income", "Operating income", "Total revenue"),
        ("averholt", "Consolidated income statement", "Revenue", "Signalling"),
    ],
)
def test_the_second_report_carries_the_first_years_figures_save_the_restated(
    company: str, title: str, same: str, restated: str, texts: dict[str, list[str]]
) -> None:
    first, second = (statement(texts[f"{company}_{year}"], title) for year in (2024, 2025))
    assert figures(first, same)[:2] == figures(second, same)[1:]
    assert figures(first, restated)[:2] != figures(second, restated)[1:]
    assert "2025 2024* 2023*" in second
    assert "2024 2023 2022" in first


@pytest.mark.parametrize("doc", DOCS)
def test_a_table_goes_on_over_a_page_break(doc: str, texts: dict[str, list[str]]) -> None:
    assert any("(continued)" in text for text in texts[doc])


def test_no_sentence_is_repeated_over_the_reports(texts: dict[str, list[str]]) -> None:
    pages = Counter[str]()
    for doc in DOCS:
        for text in texts[doc]:
            pages.update({s for s in re.split(r"(?<=[.!?])\s+", " ".join(text.split())) if len(s.split()) > 5})
    assert [sentence for sentence, n in pages.items() if n >= 8] == []


def test_the_lock_fits() -> None:
    lock = json.loads((SET / "heldout.lock").read_text(encoding="utf-8"))
    digest = hashlib.sha256((SET / "heldout.jsonl").read_bytes()).hexdigest()
    assert lock == {"file": "heldout.jsonl", "sha256": digest, "goldens": len(HELDOUT), "locked": "2026-11-29"}
