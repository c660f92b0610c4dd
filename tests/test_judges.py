"""`harness judges`: a judge beside labels that people gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import real

from harness import cli, registry
from harness.scoring.judges._agreement import Judged, agreement, refusals, with_intervals
from harness.scoring.judges._human_labels import Labelled
from harness.scoring.judges._judge import Judge
from harness.scoring.judges.rules.verdict import Verdict

Row = dict[str, Any]

ROWS: list[Row] = [
    {
        "id": "q1/a",
        "question": "What was revenue?",
        "reference": "$1,284 million",
        "answer": "$1.284 billion",
        "label": "correct",
    },
    {
        "id": "q1/b",
        "question": "What was revenue?",
        "reference": "$1,284 million",
        "answer": "$1,284 billion",
        "label": "incorrect",
    },
    {
        "id": "q1/c",
        "question": "What was revenue?",
        "reference": "$1,284 million",
        "answer": "I cannot find it.",
        "label": "refusal",
    },
    {
        "id": "q2/a",
        "question": "Why did costs rise?",
        "reference": "Dearer freight.",
        "answer": "The strike.",
        "label": "incorrect",
    },
    {"id": "q3/a", "question": "Did sales fall?", "reference": "No", "answer": "Yes, sales fell.", "label": "correct"},
]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def judges(*words: object) -> int:
    return cli.main(["judges", *map(str, words)])


def as_json(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert judges(*words, "--json") == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_json_holds_counts_and_shares_of_the_decided_rows(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = as_json(capsys, "--labels", labels)
    assert {key: figures[key] for key in ("rows", "decided", "undecided")} == {"rows": 5, "decided": 4, "undecided": 1}
    assert figures["agreement"] == 0.75
    assert (figures["wrong_accepts"], figures["wrong_rejects"]) == (0.0, 0.25)
    assert figures["kappa"] == 0.5  # observed 3/4; by chance (1/4 · 2/4) + (3/4 · 2/4) = 1/2
    assert (figures["sensitivity"], figures["specificity"]) == (0.5, 1.0)
    assert figures["refusals"]["told"] == 1


def test_the_report_shows_the_rows_that_differ(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert judges("--labels", labels) == 0
    shown = capsys.readouterr().out
    assert "5 answers to 3 questions; 4 decided, 1 undecided" in shown
    assert "q3/a: people say correct, the judge incorrect (yes/no)" in shown
    assert "q1/a" not in shown


def test_the_table_shows_how_long_the_answers_are(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert judges("--labels", labels) == 0
    shown = capsys.readouterr().out.splitlines()
    number = next(line for line in shown if line.startswith("number"))
    assert number.split()[-1] == "2"  # "$1.284 billion", "$1,284 billion", "I cannot find it."
    assert as_json(capsys, "--labels", labels)["words"] == 2


def test_out_holds_every_verdict_and_its_reason(
    labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "verdicts.jsonl"
    assert judges("--labels", labels, "--out", out) == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["verdict"] for row in rows] == ["correct", "incorrect", "refusal", "undecided", "incorrect"]
    assert [row["kind"] for row in rows][:3] == ["exact", "scale slip", "refusal"]
    assert all(row["reason"] for row in rows)


def test_byte_order_mark_crlf_and_blank_lines_are_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(json.dumps(row).encode() + b"\r\n\r\n" for row in ROWS))
    assert as_json(capsys, "--labels", path)["rows"] == 5


BROKEN = {
    "not JSON": ('{"id": "a"', ":1:"),
    "not an object": ("[1, 2]", ":1:"),
    "unknown label": (json.dumps({**ROWS[0], "label": "corect"}), "Did you mean 'correct'?"),
    "missing key": (
        json.dumps({key: value for key, value in ROWS[0].items() if key != "reference"}),
        "'reference' is missing",
    ),
    "a number for text": (json.dumps({**ROWS[0], "answer": 5}), "'answer' must be text"),
    "an empty question": (json.dumps({**ROWS[0], "question": " "}), "'question' must be text"),
    "accept is text": (json.dumps({**ROWS[0], "accept": "x"}), "'accept' must be a list"),
    "the same row twice": (json.dumps(ROWS[0]) + "\n" + json.dumps(ROWS[0]), "stands on line 1 already"),
    "empty": ("", "holds no rows"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_bad_labels_are_one_line_and_write_nothing(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, told = BROKEN[fault]
    path, out = tmp_path / "labels.jsonl", tmp_path / "out.jsonl"
    path.write_text(text, encoding="utf-8")
    assert judges("--labels", path, "--out", out, "--json") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.strip().splitlines()) == 1
    assert str(path) in shown.err
    assert told in shown.err
    assert not out.exists()


def test_a_broken_line_is_named_by_its_number(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels.write_text(labels.read_text(encoding="utf-8") + '{"id": \n', encoding="utf-8")
    assert judges("--labels", labels) == 2
    assert f"{labels}:6:" in capsys.readouterr().err


def test_a_missing_file_and_an_unknown_judge_are_one_line(
    labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judges("--labels", tmp_path / "none.jsonl") == 2
    assert "none.jsonl" in capsys.readouterr().err
    assert judges("--labels", labels, "--judge", "progam") == 2
    assert "Did you mean 'program'?" in capsys.readouterr().err


def test_an_out_that_cannot_be_written_is_one_line(
    labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert judges("--labels", labels, "--out", tmp_path / "file" / "out.jsonl") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_out_never_replaces_the_labels(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = labels.read_bytes()
    assert judges("--labels", labels, "--out", labels) == 2
    assert "name another" in capsys.readouterr().err
    assert labels.read_bytes() == before


def test_ids_may_be_numbers_and_answers_may_be_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({**ROWS[0], "id": 7, "answer": "", "label": "refusal"}), encoding="utf-8")
    figures = as_json(capsys, "--labels", path)
    assert (figures["agreement"], figures["refusals"]["told"]) == (1.0, 1)


def test_a_judge_is_found_by_its_files_name() -> None:
    assert "program" in registry.files("judge")
    judge = registry.load("judge", "program", Judge)()
    assert judge.verdict("What was revenue?", "$5 million", (), "$5 million").value is True


# -- the figures themselves ---------------------------------------------------------------------------------------------


def judged(label: str, value: bool | None, question: str = "q", kind: str = "other") -> Judged:
    return Judged(Labelled(f"{question}/{label}", question, "r", "a", label), Verdict(value, kind, ""))


def test_kappa_is_cohens() -> None:
    rows = [judged("correct", True)] * 20 + [judged("incorrect", True)] * 5 + [judged("correct", False)] * 10
    rows += [judged("refusal", False)] * 15  # Cohen's textbook table: observed .7, by chance .5
    figures = agreement(rows)
    assert (figures["agreement"], figures["kappa"]) == (0.7, 0.4)
    assert (figures["wrong_accepts"], figures["wrong_rejects"]) == (0.1, 0.2)


def test_without_decided_rows_there_are_no_shares() -> None:
    figures = with_intervals([judged("correct", None)])
    assert figures["decided"] == 0
    assert figures["agreement"] is figures["kappa"] is figures["wrong_accepts"] is None
    json.dumps(figures, allow_nan=False)


def test_kappa_is_none_where_everything_is_of_one_kind() -> None:
    figures = agreement([judged("correct", True)] * 3)
    assert (figures["agreement"], figures["kappa"]) == (1.0, None)


def test_intervals_resample_questions_not_rows() -> None:
    few = [judged("correct", question == "q1", question) for question in ("q1", "q2", "q3", "q4") for _ in range(50)]
    many = [judged("correct", i % 4 == 0, f"q{i}") for i in range(200)]
    low, high = with_intervals(few)["intervals"]["agreement"]
    near, far = with_intervals(many)["intervals"]["agreement"]
    assert high - low > 3 * (far - near)
    assert with_intervals(few) == with_intervals(few)


def test_refusals_are_told_from_wrong_answers() -> None:
    rows = [judged("refusal", False, kind="refusal"), judged("refusal", False), judged("incorrect", False, kind="refusal"),
            judged("incorrect", False), judged("refusal", None), judged("correct", False, kind="refusal")]  # fmt: skip
    assert refusals(rows) == {"told": 1, "taken_for_wrong": 1, "wrong_taken_for_refusal": 1, "wrong_told": 1}


def test_program_agrees_with_people(capsys: pytest.CaptureFixture[str]) -> None:
    figures = as_json(capsys, "--labels", real("labels/financebench_half.jsonl"))
    assert figures["decided"] >= figures["rows"] / 2
    assert figures["agreement"] >= 0.98
    assert figures["undecided"] <= figures["rows"] / 3
    numbers = figures["by_type"]["number"]
    assert numbers["rows"] == 480
    assert numbers["undecided"] <= 0.05 * numbers["rows"]
    assert numbers["agreement"] >= 0.985
    assert numbers["kappa"] >= 0.97
    assert numbers["wrong_accepts"] < 0.02
