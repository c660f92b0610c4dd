"""Held-out counts and does not leak: what opens it, what is written down of it, what it shows, and what `check` misses."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import HELDOUT, ROOT, Cli, commit, git, hold_out

from harness.goldens import openings
from harness.goldens.openings import Opening

Run = Callable[..., subprocess.CompletedProcess[str]]

MANY: list[dict[str, Any]] = [
    HELDOUT[0],
    *({**HELDOUT[1], "id": f"a{n}", "question": f"{n}: {HELDOUT[1]['question']}"} for n in range(6)),
    {"id": "u1", "question": "What dividend did Alder pay?", "expect": "abstain", "scope": ["alder_2025"]},
]
"""Seven answerable questions, one of them on Birch, and one that cannot be answered."""
RERANKER = '''"""Puts the hits in another order."""
from harness.protocols import Reranker

class Mine(Reranker):
    """Mine."""
    def rerank(self, query, hits, bench):
        return list(hits)
'''
NOTHING = RERANKER.replace("list(hits)", "[]")


@pytest.fixture
def run(project: Path, cli: Cli, installed: Path) -> Run:
    """`harness …` in a committed project with seven answerable held-out questions, by an installed harness."""
    hold_out(project, MANY)
    (project / "mine.yaml").write_text((project / "plain.yaml").read_text() + "reranker: {use: mine}\n")
    (project / "systems" / "rerankers").mkdir(parents=True)
    (project / "systems" / "rerankers" / "mine.py").write_text(RERANKER)
    commit(project)
    return lambda *words, **more: cli(*words, **{"PYTHONPATH": str(installed), **more})


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def record(project: Path) -> list[dict[str, Any]]:
    return rows(project / "results" / "tiny" / "openings.jsonl")


def summary(project: Path, metric: str, split: str = "heldout") -> dict[str, Any]:
    data = rows(project / "findings" / "tiny-plain.data.jsonl")
    return next(row for row in data if row.get("metric") == metric and row["split"] == split)


# -- what opens it ----------------------------------------------------------------------------------------------------


def test_a_run_opens_nothing_of_its_own_accord_and_shows_what_was_opened(project: Path, run: Run) -> None:
    first = run("run", "plain.yaml")
    assert "held-out," not in first.stdout
    assert "`--split heldout` opens it for plain as no. 1" in first.stderr
    assert not (project / "results" / "tiny" / "openings.jsonl").exists()
    assert "held-out, opening no. 1" in run("run", "plain.yaml", "--split", "heldout").stdout
    again = run("run", "plain.yaml", "mine.yaml")
    assert "tiny / plain / held-out, opening no. 1" in again.stdout
    assert "tiny / mine / held-out" not in again.stdout
    assert "opens it for mine as no. 2" in again.stderr
    assert len(record(project)) == 1, "the same numbers again are no news"
    (project / "plain.yaml").write_text((project / "plain.yaml").read_text() + "# changed\n")
    dirty = run("run", "plain.yaml")
    assert "held-out," not in dirty.stdout
    assert "plain.yaml" in dirty.stderr
    assert "for plain as no. 1" in dirty.stderr


def test_single_questions_need_unseal_and_are_recorded(project: Path, run: Run) -> None:
    for words in (("--only", "h1"), ("--limit", "1")):
        assert "--unseal" in run("run", "plain.yaml", "--split", "heldout", *words, code=2).stderr
    assert not (project / "results" / "tiny" / "openings.jsonl").exists()
    shown = run("run", "plain.yaml", "--split", "heldout", "--only", "h1", "--unseal").stdout
    assert "h1 " in shown
    run("run", "plain.yaml", "--split", "heldout", "--only", "a1", "--unseal")
    assert [row["unsealed"] for row in record(project)] == [True, True]
    assert len({row["key"] for row in record(project)}) == 2, "another question is another opening"


# -- what it shows ----------------------------------------------------------------------------------------------------


def test_cells_on_fewer_than_five_questions_stay_empty(project: Path, run: Run) -> None:
    shown = run("run", "plain.yaml", "--split", "heldout").stdout
    assert "sealed: cells on fewer than 5 questions are left empty" in shown
    hit, refused, abstention = (summary(project, name) for name in ("page_hit@5", "refused_unanswerable", "abstention"))
    assert hit["scored"] == 7
    assert hit["mean"] is not None
    assert "by_document" not in hit, "six on Alder are shown by themselves: then the one on Birch follows from the mean"
    assert "document_mean" not in hit
    for one in (refused, abstention):
        assert one["scored"] > 0
        assert one["mean"] is None
        assert not {"low", "high", "by_document", "document_mean", "floors", "worst"} & set(one), one
    page = (project / "findings" / "tiny-plain.md").read_text()
    assert "| `refused_unanswerable` | - | - | 1 |" in page
    (line,) = record(project)
    assert "page_hit@5" in line["aggregates"]
    assert not {"refused_unanswerable", "abstention"} & set(line["aggregates"])
    printed = json.loads(run("run", "plain.yaml", "--split", "heldout", "--json").stdout)["tiny/plain/heldout"]
    assert printed["refused_unanswerable"]["mean"] is None


def test_unseal_shows_every_row_on_screen_and_page(project: Path, run: Run) -> None:
    sealed = run("run", "plain.yaml", "--split", "heldout").stdout
    page = project / "findings" / "tiny-plain.md"
    assert "a3 " not in sealed + page.read_text()
    shown = run("run", "plain.yaml", "--split", "heldout", "--unseal").stdout
    for id in ("h1", "a3", "u1"):
        assert any(line.startswith(f"{id} ") for line in shown.splitlines())
        assert f"| {id} |" in page.read_text()
    assert summary(project, "refused_unanswerable")["mean"] is not None
    assert [row["unsealed"] for row in record(project)] == [False, True]
    run("check", "--goldens", "tiny")


# -- what is written down ---------------------------------------------------------------------------------------------


def test_other_numbers_under_the_same_config_are_recorded_and_shown(project: Path, run: Run) -> None:
    run("run", "mine.yaml", "--split", "heldout")
    (project / "systems" / "rerankers" / "mine.py").write_text(RERANKER + "\nUNUSED = 1\n")
    commit(project)
    same = run("run", "mine.yaml", "--split", "heldout").stdout
    assert "opening no. 1" in same
    assert "codes" not in same, "other code with the same numbers tells nothing new"
    (project / "systems" / "rerankers" / "mine.py").write_text(NOTHING)
    commit(project)
    assert "held-out, opening no. 1, seen with 2 codes" in run("run", "mine.yaml").stdout
    first, second = record(project)
    assert first["key"] == second["key"]
    assert first["commit"] != second["commit"]
    assert first["aggregates"]["page_hit@5"] > second["aggregates"]["page_hit@5"]
    assert second["commits"]["components"] == second["commit"]
    assert "seen with 2 codes" in (project / "findings" / "tiny-mine.md").read_text()
    run("check", "--goldens", "tiny")


METRIC = '''"""The number of words of an answer."""
from harness.scoring.metric import Metric

class Words(Metric):
    """Words."""
    stage = "score"
    unit = "words"
    share = False
    def score(self, case, bench):
        return self.scored(case, float(len(case.answer.text.split())), "counted")
'''


def test_scoring_a_heldout_result_with_other_metrics_is_recorded(project: Path, run: Run) -> None:
    run("run", "plain.yaml", "--split", "heldout")
    run("score", "tiny/plain/heldout")
    assert len(record(project)) == 1
    (project / "systems" / "metrics").mkdir()
    (project / "systems" / "metrics" / "words.py").write_text(METRIC)
    commit(project)
    assert "opening no. 1, seen with 2 codes" in run("score", "tiny/plain/heldout").stdout
    assert "words" in record(project)[1]["aggregates"]


def test_a_claim_is_written_before_the_opening_and_judged_after_it(project: Path, run: Run) -> None:
    run("run", "plain.yaml", "--split", "heldout")
    claim = "plain > mine on page_hit@5"
    held = ("run", "mine.yaml", "--split", "heldout", "--claim")
    for wrong in (
        "plain better than mine",
        "plain > other on page_hit@5",
        "plain > mine on page_hit@4",
        "x > y on cited",
    ):
        assert len(run(*held, wrong, code=2).stderr.splitlines()) == 1
    assert "--split heldout" in run("run", "mine.yaml", "--claim", claim, code=2).stderr
    assert len(record(project)) == 1
    (project / "systems" / "rerankers" / "mine.py").write_text(NOTHING)
    commit(project)
    assert "claim 'plain > mine on page_hit@5': holds (difference +1.000, p = 0.016" in run(*held, claim).stdout
    _, before, opening, after = record(project)
    assert (before["claim"], "verdict" in before, opening.get("claim")) == (claim, False, None)
    assert after["verdict"]["says"] == "holds"
    assert "held-out, opening no. 2" in run("run", "mine.yaml").stdout, "a claim is no opening of its own"
    turned = run(*held, "mine > plain on page_hit@5")
    assert "made after the fact" in turned.stderr
    assert "does not hold" in turned.stdout
    assert "cannot tell" in run(*held, "mine > plain on refused_unanswerable").stdout
    assert "difference" not in record(project)[-1]["verdict"], "one question's value would follow"


# -- what clean means -------------------------------------------------------------------------------------------------


def test_clean_is_asked_of_what_shapes_a_result_wherever_one_stands(
    project: Path, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    words = ("run", str(project / "plain.yaml"), "--split", "heldout")
    assert "opening no. 1" in run(*words, cwd=elsewhere).stdout, "where one stands is no matter"
    git(project, "config", "status.showUntrackedFiles", "no")
    new = project / "systems" / "rerankers" / "other.py"
    new.write_text(RERANKER)
    assert "other.py" in run(*words, code=2, cwd=elsewhere).stderr, "untracked files are seen"
    (project / ".gitignore").write_text("__pycache__/\nother.py\n")
    git(project, "add", ".gitignore")
    git(project, "commit", "-qm", "ignored")
    assert "other.py" in run(*words, code=2, cwd=elsewhere).stderr, "ignored code is not committed"
    new.unlink()
    run(*words, cwd=elsewhere)
    (project / "tiny" / "dev.jsonl").write_text((project / "tiny" / "dev.jsonl").read_text() + "\n")
    assert "dev.jsonl" in run(*words, code=2, cwd=elsewhere).stderr, "the golden set counts"


def test_the_harness_itself_has_to_be_committed(
    project: Path, run: Run, installed: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    checkout = tmp_path_factory.mktemp("checkout") / "harness"
    shutil.copytree(installed, checkout)
    commit(checkout)
    words = ("run", "plain.yaml", "--split", "heldout")
    run(*words, PYTHONPATH=str(checkout))
    assert record(project)[0]["commits"]["harness"] != record(project)[0]["commits"]["configs"]
    file = checkout / "harness" / "bench.py"
    file.write_text(file.read_text() + "# tuned\n")
    assert "bench.py" in run(*words, code=2, PYTHONPATH=str(checkout)).stderr
    assert run(*words).stdout, "an installed harness is told by its version and code"


def test_a_set_in_no_checkout_is_vouched_for_by_its_lock(project: Path, run: Run) -> None:
    outside = project.parent / f"{project.name}-outside"
    shutil.copytree(project / "tiny", outside)
    run("run", "plain.yaml", "--goldens", str(outside), "--split", "heldout")
    assert record(project)[0]["commits"]["set"] == f"lock {record(project)[0]['lock'][:12]}"


# -- what the count holds against -------------------------------------------------------------------------------------


def test_another_results_folder_another_name_or_a_deleted_record_do_not_restart_the_count(
    project: Path, run: Run
) -> None:
    run("run", "plain.yaml", "--split", "heldout")
    out = project.parent / f"{project.name}-results"
    other = run("run", "plain.yaml", "--split", "heldout", "--set", "retriever.k1=0.7", "--results", str(out))
    assert "opening no. 2" in other.stdout
    assert [row["system"] for row in rows(out / "tiny" / "openings.jsonl")] == ["plain", "plain+retriever.k1=0.7"]
    (project / "results" / "tiny" / "openings.jsonl").unlink()
    assert "opening no. 3" in run("run", "plain.yaml", "--split", "heldout", "--set", "retriever.k1=0.8").stdout
    assert len(record(project)) == 3, "what was lost is written again"
    corpus = project / "tiny" / "corpus.yaml"
    corpus.write_text(corpus.read_text().replace("name: tiny", "name: other"))
    commit(project)
    assert "opening no. 4" in run("run", "plain.yaml", "--split", "heldout", "--set", "retriever.k1=0.9").stdout
    (project / "tiny" / "openings.jsonl").unlink()
    assert "as no. 5" in run("run", "plain.yaml", "--set", "retriever.k1=1.0").stderr


def test_check_notices_a_record_that_is_missing(project: Path, run: Run) -> None:
    run("run", "plain.yaml", "--split", "heldout")
    check = ("check", "--goldens", "tiny")
    assert "1 opening recorded in" in run(*check).stdout
    main, copy = project / "results" / "tiny" / "openings.jsonl", project / "tiny" / "openings.jsonl"
    kept = main.read_bytes()
    main.unlink()
    assert "misses 1 line" in run(*check, code=2).stdout, "the record beside the lock tells"
    copy.unlink()
    told = run(*check, code=2).stdout
    assert "holds held-out numbers whose opening" in told, "the result tells"
    assert "shows opening no. 1" in told, "the page tells"
    main.write_bytes(kept)
    run(*check)
    commit(project)
    main.write_text("")
    shutil.rmtree(project / "results" / "tiny" / "plain")
    shutil.rmtree(project / "findings")
    assert "misses 1 line" in run(*check, code=2).stdout, "git tells"


def test_a_set_that_cannot_be_written_keeps_its_record_with_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, lines: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(openings, "_append_missing", refuse)
    ledger = openings.Ledger("a" * 64, tmp_path / "results" / "openings.jsonl", (tmp_path / "set" / "openings.jsonl",))
    line = Opening(when="2026-12-01T12:00:00+00:00", system="s", key="k", lock="a" * 64, aggregates={"mrr": 0.5})
    assert ledger.note(line) == 1
    assert ledger.number("other") == 2
    assert not (tmp_path / "set").exists()


def test_lines_of_another_lock_are_not_counted_and_lines_of_old_are(tmp_path: Path) -> None:
    main, other = tmp_path / "set" / "openings.jsonl", tmp_path / "elsewhere" / "openings.jsonl"
    line = Opening(when="2026-12-01T12:00:00+00:00", system="s", key="k", aggregates={"mrr": 0.5})
    for path, key, lock in ((main, "old", ""), (main, "b", "b" * 64), (other, "a", "a" * 64), (other, "older", "")):
        openings.record(path, line.model_copy(update={"key": key, "lock": lock}))
    ledger = openings.Ledger("a" * 64, main, (), (other,))
    assert {one.key for one in ledger.read()} == {"old", "a"}
    assert ledger.number("new") == 3


def test_the_shipped_record_is_read_and_written_as_it_stands() -> None:
    path = ROOT / "results" / "northfield" / "openings.jsonl"
    assert "".join(openings._line(one) + "\n" for one in openings.read(path)) == path.read_text()
