"""Exports are what was kept: rows, cases, cells; and a bundle is checked elsewhere by computing every score again."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import CONFIG, HELDOUT, Cli, commit, hold_out, run_config, write_set

from harness.exports import bundle, latex
from harness.exports import csv as csv_export
from harness.exports import junit as junit_export
from harness.runs.kept import open_kept
from harness.runs.options import Options
from harness.runs.results import read_rows


@pytest.fixture(scope="module")
def kept_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with results of two systems on dev."""
    project = tmp_path_factory.mktemp("exported")
    write_set(project / "tiny")
    for name, extra in (("plain", ""), ("under_score", "reranker: {use: lexical}\n")):
        (project / f"{name}.yaml").write_text(CONFIG + extra)
        run_config(project / f"{name}.yaml", options(project, ("dev",)))
    return project


def options(project: Path, splits: tuple[str, ...] | None = None) -> Options:
    results, findings = project / "results", project / "findings"
    return Options(splits=splits, goldens=project / "tiny", results=results, findings=findings)


def test_csv_has_every_score_and_computes_nothing(kept_project: Path, tmp_path: Path) -> None:
    (one,) = open_kept(["plain"], options(kept_project))
    first, *others = one.rows.scores
    formula = first.model_copy(update={"reason": "=cmd|' /C calc'!A0\nand a line"})
    changed = one.__class__(
        one.manifest,
        one.rows.__class__(one.rows.retrieved, one.rows.generated, (formula, *others)),
        one.corpus,
        one.goldens,
        one.folder,
    )
    (path,) = csv_export.export([changed], tmp_path, options(kept_project), ())
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert path.name == "tiny-plain-dev.csv"
    assert [(row["golden"], row["metric"], row["status"]) for row in rows] == [
        (score.golden, score.metric, score.status) for score in one.rows.scores
    ]
    assert [float(row["value"]) if row["value"] else None for row in rows] == [score.value for score in one.rows.scores]
    assert rows[0]["reason"] == "'=cmd|' /C calc'!A0\nand a line"
    assert {row["expect"] for row in rows} == {"answer", "abstain"}


def test_junit_has_a_case_a_golden_and_yes_no_metric(kept_project: Path, tmp_path: Path) -> None:
    (one,) = open_kept(["plain"], options(kept_project))
    (path,) = junit_export.export([one], tmp_path, options(kept_project), ())
    suites = {suite.get("name"): suite for suite in ElementTree.parse(path).iter("testsuite")}
    assert "tiny/plain/dev/mrr@10" not in suites
    for name, suite in suites.items():
        scores = [score for score in one.rows.scores if str(name).endswith(f"/{score.metric}")]
        asked = [score for score in scores if score.status != "not_applicable"]
        assert suite.get("tests") == str(len(asked)) == str(len(suite))
        assert suite.get("failures") == str(sum(score.value == 0 for score in asked))
        failing = [case.get("name") for case in suite if case.find("failure") is not None]
        assert failing == [score.golden for score in asked if score.value == 0]
    assert any(suite.get("failures") != "0" for suite in suites.values())


def test_latex_has_the_means_of_the_table(kept_project: Path, tmp_path: Path) -> None:
    kept = open_kept(["tiny"], options(kept_project))
    (path,) = latex.export(kept, tmp_path, options(kept_project), ())
    text = path.read_text()
    assert path.name == "tiny-dev.tex"
    assert r"under\_score & " in text
    assert r"page\_hit@5" in text
    lines = {line.metric: line for line in kept[0].summaries(options(kept_project))}
    assert f"{lines['page_hit@5'].mean:.3f} [" in text
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert len({line.count("&") for line in rows}) == 1
    assert text.count(r"\begin") == text.count(r"\end")
    assert latex.escaped(r"50% of a_b & \x{y}~") == r"50\% of a\_b \& \textbackslash{}x\{y\}\textasciitilde{}"


def test_a_bundle_is_verified_elsewhere_and_a_changed_one_is_not(kept_project: Path, tmp_path: Path, cli: Cli) -> None:
    kept = open_kept(["tiny"], options(kept_project))
    (made,) = bundle.export(kept, tmp_path / "elsewhere" / "bundle", options(kept_project), ())
    assert not list(made.rglob("*.pdf"))
    assert (made / "goldens" / "tiny" / "dev.jsonl").is_file(), "the set may be passed on"
    here = tmp_path / "elsewhere"
    said = cli("check", "bundle", cwd=here).stdout
    scores = sum(len(one.rows.scores) for one in kept)
    counts = [int(line.split(" scores")[0].split()[-1]) for line in said.splitlines() if " score" in line]
    assert sum(counts) == scores, said
    assert "not verified here (what they read is not here): citation_on_gold_page, figure_on_cited_page" in said, (
        "its documents are not here"
    )
    assert "page_hit@5" not in said
    with_documents = cli("check", "bundle", "--goldens", str(kept_project / "tiny"), cwd=here).stdout
    assert "not verified" not in with_documents
    place = next((made / "results").rglob("scores.jsonl"))
    rows = place.read_text().splitlines()
    number = next(n for n, row in enumerate(rows) if json.loads(row)["metric"] == "page_hit@5" and "value" in row)
    row = json.loads(rows[number])
    rows[number] = json.dumps({**row, "value": 1.0 - row["value"]})
    forge(made, place, "\n".join(rows) + "\n")
    assert "1 score come out otherwise: page_hit@5 1" in cli("check", "bundle", cwd=here, code=2).stdout
    (made / "configs" / "plain.yaml").write_text("a: 1\n")
    (made / "stray.txt").write_text("")
    changed = cli("check", "bundle", cwd=here, code=2).stdout
    assert "configs/plain.yaml is not what was exported" in changed
    assert "stray.txt is not in its list" in changed


def forge(made: Path, place: Path, text: str) -> None:
    """Change rows, and every checksum of them: only computing them again can tell."""
    from hashlib import sha256

    place.write_text(text)
    digest = sha256(text.encode()).hexdigest()
    manifest = place.parent / "manifest.json"
    values = json.loads(manifest.read_text())
    values["files"]["scores.jsonl"] = digest
    manifest.write_text(json.dumps(values))
    listed = json.loads((made / "bundle.json").read_text())
    for path in (place, manifest):
        listed["files"][path.relative_to(made).as_posix()] = sha256(path.read_bytes()).hexdigest()
    (made / "bundle.json").write_text(json.dumps(listed))


def test_goldens_that_may_not_be_passed_on_stay_out_unless_asked_for(kept_project: Path, tmp_path: Path) -> None:
    closed = tmp_path / "project"
    shutil.copytree(kept_project, closed)
    corpus = closed / "tiny" / "corpus.yaml"
    corpus.write_text(corpus.read_text().replace("redistributable: true", "redistributable: false"))
    kept = open_kept(["plain"], options(closed))
    (made,) = bundle.export(kept, tmp_path / "bundle", options(closed), ())
    assert not (made / "goldens").exists()
    assert json.loads((made / "bundle.json").read_text())["may be passed on"] is False
    (again,) = bundle.export(kept, tmp_path / "bundle", options(closed), ("goldens",))
    assert (again / "goldens" / "tiny" / "dev.jsonl").is_file(), "an older bundle is replaced"


MANY = [{**HELDOUT[1], "id": f"a{n}", "question": f"{n}: {HELDOUT[1]['question']}"} for n in range(60)]


def test_a_set_whose_documents_are_not_here_is_gated_from_saved_answers(
    project: Path, cli: Cli, installed: Path, tmp_path: Path
) -> None:
    hold_out(project, MANY)
    (project / "plain.yaml").write_text(CONFIG)
    commit(project)
    own = {"PYTHONPATH": str(installed)}
    cli("gate", "plain.yaml", "--accept", **own)
    cli("export", "tiny/plain/heldout", "--to", "bundle", "--out", str(tmp_path / "bundle"), **own)
    assert "--unseal" in cli("export", "tiny/plain/heldout", "--to", "csv", "--out", "x", code=2, **own).stderr
    for path in (project / "tiny").glob("*.pdf"):
        path.unlink()
    shutil.rmtree(project / "results" / "cache")
    commit(project)
    words = ("gate", "plain.yaml", "--json", "--saved", str(tmp_path / "bundle"))
    found = json.loads(cli(*words, **own).stdout)
    assert (found["verdict"], found["n"]) == ("pass", 60)
    assert "there is no such file" in cli("gate", "plain.yaml", code=2, **own).stderr
    (project / "plain.yaml").write_text(CONFIG.replace("{use: bm25}", "{use: bm25, k1: 0.7}"))
    commit(project)
    other = json.loads(cli(*words, code=3, **own).stdout)
    assert other["verdict"] == "not_comparable"
    assert "retriever: bm25 has other settings, code or packages" in other["reasons"][0]


def test_rows_of_a_bundle_are_read_as_results(kept_project: Path, tmp_path: Path) -> None:
    (one,) = open_kept(["plain"], options(kept_project))
    (made,) = bundle.export([one], tmp_path / "bundle", options(kept_project), ())
    place = made / "results" / "tiny" / "plain" / "dev" / one.manifest.key
    assert read_rows(place, one.goldens.goldens) == one.rows
    assert (made / "packages" / "tiny-plain-dev.txt").read_text().startswith("# Python 3.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "plain", "--to", "csv", "--out", "x"), "no result for 'plain'"),
        (("export", "plain", "--to", "cvs", "--out", "x"), "cvs"),
        (("export", "plain", "--to", "csv", "--out", "plain.yaml"), "a file where a folder is needed"),
        (("export", "plain", "--to", "csv", "--out", "x", "--with", "calls"), "for a bundle"),
        (("check", "tiny"), "this is no bundle"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], said: str, cli: Cli) -> None:
    stderr = cli(*words, code=2).stderr
    assert said in stderr
    assert len(stderr.splitlines()) == 1


def test_a_bundle_replaces_nothing_else(kept_project: Path, tmp_path: Path) -> None:
    from harness.errors import UserError

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "work.txt").write_text("mine")
    with pytest.raises(UserError, match="not replaced"):
        bundle.export(open_kept(["plain"], options(kept_project)), tmp_path / "mine", options(kept_project), ())
    assert (tmp_path / "mine" / "work.txt").read_text() == "mine"
