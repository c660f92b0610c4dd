"""A run from PDF to table: what is kept, what is computed again, and what a held-out set is protected from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

LOGGED = '''"""Logs each call, then does what its parent does."""
from pathlib import Path
from systems.{folder}.{parent} import {cls}

def log(what):
    with open("{log}", "a") as file:
        file.write(what + "\\n")

class Logged({cls}):
    """Logged."""
    {method}
'''
PARSE = """def parse(self, pdf, doc, bench):
        log("parse " + doc)
        return super().parse(pdf, doc, bench)"""
CHUNK = """def chunk(self, pages, bench):
        log("chunk")
        return super().chunk(pages, bench)"""
BUILD = """def build(self, chunks, folder, bench):
        log("build")
        super().build(chunks, folder, bench)
    def open(self, folder, bench):
        log("open")
        return super().open(folder, bench)"""
RERANK = """def rerank(self, query, hits, bench):
        log("rerank")
        return helper(hits)"""
ANSWER = """def answer(self, question, search, history, bench):
        log("answer")
        return super().answer(question, search, history, bench)"""

CONFIG = """\
goldens: tiny
parser: {use: logged_parser}
chunker: {use: logged_chunker}
retriever: {use: logged_retriever}
reranker: {use: logged_reranker}
answerer: {use: logged_answerer}
"""


@pytest.fixture
def logged(project: Path) -> Path:
    """The project with components that write each of their calls into calls.log."""
    parts = {
        "parsers/logged_parser": ("parsers", "liteparse", "LiteParseParser", PARSE),
        "chunkers/logged_chunker": ("chunkers", "page_windows", "PageWindows", CHUNK),
        "retrievers/logged_retriever": ("retrievers", "bm25", "Bm25", BUILD),
        "rerankers/logged_reranker": ("rerankers", "keep", "Keep", RERANK),
        "answerers/logged_answerer": ("answerers", "statements", "Statements", ANSWER),
    }
    for place, (folder, parent, cls, method) in parts.items():
        path = project / "systems" / f"{place}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = LOGGED.format(folder=folder, parent=parent, cls=cls, method=method, log=project / "calls.log")
        if "rerank" in place:
            text = text.replace("from pathlib import Path", "from systems.rerankers._order import helper")
        path.write_text(text)
    (project / "systems" / "rerankers" / "_order.py").write_text("def helper(hits):\n    return list(hits)\n")
    (project / "logged.yaml").write_text(CONFIG)
    return project


def calls(project: Path) -> set[str]:
    """The kinds of calls since the last look."""
    log = project / "calls.log"
    found = set(log.read_text().split("\n")) - {""} if log.exists() else set()
    log.unlink(missing_ok=True)
    return {line.split()[0] for line in found}


def measured(printed: str) -> dict[str, Any]:
    """The metrics of a JSON document: other code gives the same under another key."""
    return {name: {**told, "key": "", "path": ""} for name, told in json.loads(printed).items()}


def test_only_what_follows_a_change_is_computed_again(logged: Path, cli: Cli) -> None:
    run = ("run", "logged.yaml", "--split", "dev", "--json")
    first = measured(cli(*run).stdout)
    assert calls(logged) == {"parse", "chunk", "build", "open", "rerank", "answer"}

    assert measured(cli(*run).stdout) == first
    assert calls(logged) == set()

    helper = logged / "systems" / "rerankers" / "_order.py"
    helper.write_text(helper.read_text() + "# a comment\n")
    assert measured(cli(*run).stdout) == first
    assert calls(logged) == set(), "a comment computes nothing again"

    helper.write_text("def helper(hits):\n    return hits[:]\n")
    assert measured(cli(*run).stdout) == first
    assert calls(logged) == {"rerank", "answer"}, "a helper of the reranker: only what follows it"

    cli(*run, "--set", "reranker.use=keep")
    assert calls(logged) == {"answer"}, "another reranker: only what follows it"

    cli(*run, "--set", "retriever.candidates=2")
    assert calls(logged) == {"open", "rerank", "answer"}, "a query-time setting builds no index"

    cli(*run, "--set", "chunker.size=300")
    assert calls(logged) == {"chunk", "build", "open", "rerank", "answer"}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def result(project: Path, split: str = "dev") -> Path:
    parent = project / "results" / "tiny" / "plain" / split
    return parent / (parent / "latest").read_text().strip()


def test_a_run_keeps_rows_manifest_page_and_data(project: Path, cli: Cli) -> None:
    shown = cli("run", "plain.yaml").stdout
    place = result(project)
    manifest = json.loads((place / "manifest.json").read_text())
    assert [row["golden"] for row in rows(place / "retrieval.jsonl")] == ["t:1", "t/2", "t>3", "t4"]
    assert rows(place / "generation.jsonl")[0]["searches"][0]["hits"][0]["ref"] == "alder_2025:p2"
    assert manifest["goldens"]["asked"] == 4
    assert manifest["corpus"]["birch_2025"]["pages"] == {"ok": 3}
    assert manifest["config"]["retriever"]["k1"]
    assert "page_hit@5" in shown
    page = (project / "findings" / "tiny-plain.md").read_text()
    assert "| `page_hit@5` |" in page
    data = (project / "findings" / "tiny-plain.data.jsonl").read_text()
    assert "Lindqvist" not in data + page, "no text of a document or golden"


def test_the_json_document_is_all_that_is_on_stdout(cli: Cli) -> None:
    found = json.loads(cli("run", "plain.yaml", "--json").stdout)
    told = found["tiny/plain/dev"]
    about = {name: told.pop(name) for name in ("key", "path", "overrides", "opening", "latency")}
    assert about == {"key": about["key"], "path": f"results/tiny/plain/dev/{about['key']}", "overrides": {},
                     "opening": None, "latency": {}}  # fmt: skip
    floors = told["page_hit@5"].pop("floors")
    assert set(floors) == {"shuffled gold", "frequent pages"}
    assert told["page_hit@5"] == {"mean": 1.0, "low": pytest.approx(0.4385, abs=1e-3), "high": 1.0, "stage": "retrieve",
                                  "scored": 3, "not_applicable": 1, "undecided": 0, "failed": 0}  # fmt: skip
    assert all(metric["failed"] == 0 for metric in told.values())


def test_partial_runs_never_become_latest(project: Path, cli: Cli) -> None:
    cli("run", "plain.yaml", "--limit", "2")
    cli("run", "plain.yaml", "--only", "t/2")
    assert not (project / "results" / "tiny" / "plain" / "dev" / "latest").exists()
    assert not (project / "findings").exists()
    assert "'t/2'" in cli("run", "plain.yaml", "--only", "t/22", code=2).stderr


def test_heldout_stays_closed_without_a_clean_tree(project: Path, cli: Cli) -> None:
    assert "held-out is not opened" in cli("run", "plain.yaml").stderr
    refused = cli("run", "plain.yaml", "--split", "heldout", code=2)
    assert "clean working tree" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not (project / "results" / "tiny" / "openings.jsonl").exists()


def test_dirty_is_possible_and_recorded(project: Path, cli: Cli) -> None:
    cli("run", "plain.yaml", "--split", "heldout", "--dirty")
    (opening,) = rows(project / "results" / "tiny" / "openings.jsonl")
    assert opening["dirty"] is True
    assert "--unseal" in cli("explain", "plain", "h1", code=2).stderr
    assert "Tampere" in cli("explain", "plain", "h1", "--unseal").stdout
    assert [row["unsealed"] for row in rows(project / "results" / "tiny" / "openings.jsonl")] == [False, True]


def test_a_changed_heldout_split_is_refused(project: Path, cli: Cli) -> None:
    path = project / "tiny" / "heldout.jsonl"
    path.write_text(path.read_text().replace("Tampere", "Turku"))
    assert "lock" in cli("run", "plain.yaml", "--split", "heldout", "--dirty", code=2).stderr


def test_score_calls_no_system_and_gives_the_same(project: Path, cli: Cli) -> None:
    first = cli("run", "plain.yaml", "--json").stdout
    before = (result(project) / "scores.jsonl").read_bytes()
    for cached in ("pages", "chunks", "indexes"):
        for path in (project / "results" / "cache" / cached).iterdir():
            path.rename(path.with_name("gone-" + path.name))
    (project / "plain.yaml").unlink()
    assert json.loads(cli("score", "plain", "--json").stdout) == json.loads(first)
    assert (result(project) / "scores.jsonl").read_bytes() == before


def test_explain_shows_the_way_from_page_to_verdict(cli: Cli) -> None:
    cli("run", "plain.yaml", "--set", "answerer.use=oracle")
    shown = cli("explain", "plain+answerer.use=oracle", "t:1").stdout
    for part in ("How much revenue", "alder_2025:p2", "* alder_2025:p2", "answer ", "cites ", "correctness"):
        assert part in shown
    assert "'t:1'" in cli("explain", "plain+answerer.use=oracle", "t:11", code=2).stderr
    assert "plain+answerer.use=oracle" in cli("explain", "plain", "t:1", code=2).stderr


def test_check_finds_a_page_or_a_mean_that_was_changed(project: Path, cli: Cli) -> None:
    cli("run", "plain.yaml")
    assert "agrees with" in cli("check", "--goldens", "tiny").stdout
    page = project / "findings" / "tiny-plain.md"
    text = page.read_text()
    page.write_text(text.replace("1.000", "0.999", 1))
    assert "is not what its data gives" in cli("check", "--goldens", "tiny", code=2).stdout
    page.write_text(text)
    data = project / "findings" / "tiny-plain.data.jsonl"
    data.write_text(data.read_text().replace('"mean": 1.0', '"mean": 0.9', 1))
    assert "but its rows give" in cli("check", "--goldens", "tiny", code=2).stdout


def test_a_finding_never_takes_the_place_of_another_with_the_same_name(project: Path, cli: Cli) -> None:
    """System "b-c" of set "a" and system "c" of set "a-b" would both be a-b-c."""
    cli("run", "plain.yaml")
    data = project / "findings" / "tiny-plain.data.jsonl"
    data.write_text(
        data.read_text().replace('"set": "tiny"', '"set": "tin"').replace('"system": "plain"', '"system": "y-plain"')
    )
    before = data.read_bytes()
    said = cli("run", "plain.yaml", code=2).stderr
    assert "dev:" not in said, "nothing is computed first"
    assert "holds the finding of system 'y-plain' on set 'tin'" in said
    assert "--findings DIR" in said
    assert data.read_bytes() == before
    cli("run", "plain.yaml", "--findings", "elsewhere")


def test_a_parser_that_raises_costs_its_document_and_says_so(logged: Path, cli: Cli) -> None:
    parser = logged / "systems" / "parsers" / "logged_parser.py"
    parser.write_text(
        parser.read_text().replace('log("parse " + doc)', 'if doc.startswith("birch"): raise KeyError("xref")')
    )
    found = json.loads(cli("run", "logged.yaml", "--json").stdout)["tiny/logged/dev"]
    assert found["page_hit@5"]["mean"] == pytest.approx(2 / 3)
    assert found["page_hit@5"]["scored"] == 3, "it stays in the denominator"
    shown = cli("explain", "logged", "t>3").stdout
    assert "birch_2025: KeyError: 'xref'" in shown


def test_an_answerer_that_raises_scores_zero_with_its_reason(logged: Path, cli: Cli) -> None:
    answerer = logged / "systems" / "answerers" / "logged_answerer.py"
    answerer.write_text(
        answerer.read_text().replace('log("answer")', 'if "Birch" in question: raise ValueError("no JSON")')
    )
    found = json.loads(cli("run", "logged.yaml", "--json").stdout)["tiny/logged/dev"]
    assert (found["refused_unanswerable"]["mean"], found["refused_unanswerable"]["scored"]) == (0.0, 1)
    assert found["answered_answerable"]["scored"] == 3
    assert found["correctness"]["failed"] == 0
    assert "ValueError: no JSON" in cli("explain", "logged", "t>3").stdout


def test_time_measures_latency_and_only_then(project: Path, cli: Cli) -> None:
    assert "latency" not in cli("run", "plain.yaml").stdout
    shown = cli("run", "plain.yaml", "--time").stdout
    assert "latency, one case at a time, warm" in shown
    manifest = json.loads((result(project) / "manifest.json").read_text())
    assert 0 < manifest["latency"]["retrieve_p50_ms"] <= manifest["latency"]["retrieve_p95_ms"]
    assert set(manifest["latency"]) == {
        f"{what}_{mark}_ms" for what in ("retrieve", "answer") for mark in ("p50", "p95")
    }


READ = '''"""How many characters the answerer read."""
from harness.scoring.metric import Metric

class Read(Metric):
    """Characters of all passages that were shown."""
    stage = "generate"
    unit = "characters"
    share = False
    reads_passages = True

    def score(self, case, bench):
        shown = [hit for search in case.searches for hit in search.hits]
        return self.scored(case, sum(len(bench.passage(hit.chunk)) for hit in shown), "read")
'''


def test_a_metric_reads_the_passages_as_they_were_shown_also_when_no_cache_is_left(project: Path, cli: Cli) -> None:
    """A retriever that widens what is read keeps the ids of the chunks; the text belongs to the search."""
    small = "retriever: {use: small_to_big, inner: {use: bm25}}\nchunker: {use: page_windows, size: 60, overlap: 0}"
    plain = (project / "plain.yaml").read_text()
    config = plain.replace("chunker: {use: page_windows}\n", "").replace("retriever: {use: bm25}", small)
    (project / "wide.yaml").write_text(config)
    (project / "narrow.yaml").write_text(
        config.replace(small, small.replace("small_to_big, inner: {use: bm25}", "bm25"))
    )
    (project / "systems" / "metrics").mkdir(parents=True)
    (project / "systems" / "metrics" / "read.py").write_text(READ)
    means = {
        name: json.loads(cli("run", f"{name}.yaml", "--split", "dev", "--json").stdout)[f"tiny/{name}/dev"]["read"]
        for name in ("wide", "narrow")
    }
    assert means["wide"]["failed"] == 0
    assert means["wide"]["mean"] > means["narrow"]["mean"] > 0
    shutil.rmtree(project / "results" / "cache")
    again = json.loads(cli("score", "tiny/wide/dev", "--json").stdout)["tiny/wide/dev"]["read"]
    assert again == means["wide"]


def test_scoring_again_under_another_metric_keeps_the_key_of_the_answers(project: Path, cli: Cli) -> None:
    cli("run", "plain.yaml", "--split", "dev")
    before = result(project)
    (project / "systems" / "metrics").mkdir(parents=True)
    (project / "systems" / "metrics" / "read.py").write_text(READ)
    assert "read" in json.loads(cli("score", "tiny/plain/dev", "--json").stdout)["tiny/plain/dev"]
    assert result(project) == before
    assert [path.name for path in before.parent.iterdir() if path.is_dir()] == [before.name]


PROBE = '''"""Looks at what it may not see, searches beyond its cap, and raises."""
from pathlib import Path
from harness.protocols import Answerer

class Probe(Answerer):
    max_searches: int = 2

    def answer(self, question, search, history, bench):
        shown = [len(search(question)) for _ in range(4)]
        with open("probe.log", "a") as log:
            log.write(f"{shown[2:]} {question} {bench.gold is not None}\\n")
        raise ValueError("no JSON")
'''


def test_time_measures_the_stages_with_their_cap_their_faults_and_nothing_of_the_golden(
    project: Path, cli: Cli
) -> None:
    """An oracle retriever beside an ordinary answerer that raises."""
    (project / "systems" / "answerers").mkdir(parents=True)
    (project / "systems" / "answerers" / "probe.py").write_text(PROBE)
    probed = "retriever: {use: oracle_pages}\nanswerer: {use: probe}"
    text = (project / "plain.yaml").read_text()
    for old in ("retriever: {use: bm25}\n", "answerer: {use: statements}\n"):
        text = text.replace(old, "")
    (project / "probed.yaml").write_text(text + probed + "\n")
    goldens = (project / "tiny" / "dev.jsonl").read_text().splitlines()
    first = json.loads(goldens[0]) | {
        "turns": [{"question": "And?", "answer": "Yes."}],
        "standalone": "Alder's revenue?",
    }
    (project / "tiny" / "dev.jsonl").write_text("\n".join([json.dumps(first), *goldens[1:]]) + "\n")
    done = cli("run", "probed.yaml", "--split", "dev", "--time")
    assert "latency, one case at a time" in done.stdout
    told = (project / "probe.log").read_text().splitlines()
    assert len(told) == 4 * (1 + 1 + 3), "once for the run, once to warm, three times measured"
    assert {line.partition("]")[0] for line in told} == {"[0, 0"}, "the cap holds"
    assert all(line.endswith("False") for line in told), "an ordinary answerer sees no golden"
