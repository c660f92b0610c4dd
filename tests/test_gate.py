"""The gate: what passes, what is stopped, what cannot be told, what is not compared; and what it counts and shows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
import yaml
from conftest import CONFIG, HELDOUT, ROOT, commit, hold_out, write_set

from harness.goldens import accepted
from harness.scoring import gate
from harness.scoring.gate import Flips
from harness.scoring.paired_shares import questions_needed

SIXTY: list[dict[str, Any]] = [
    *({**HELDOUT[1], "id": f"secret-{n}", "question": f"{n}: {HELDOUT[1]['question']}"} for n in range(60)),
    *(
        {
            "id": f"none-{n}",
            "question": f"{n}: What dividend did Alder pay?",
            "expect": "abstain",
            "scope": ["alder_2025"],
        }
        for n in range(4)
    ),
]
LOSING = '''"""Finds nothing for the first questions; every second time for those that are flaky."""
from collections import Counter
from harness.protocols import Reranker

ASKED = Counter()

class Losing(Reranker):
    """Loses."""
    lose: int = 0
    flaky: int = 0
    def rerank(self, query, hits, bench):
        number = int(query.partition(":")[0])
        ASKED[number] += 1
        late = number >= 60 - self.flaky and ASKED[number] % 2 == 0
        return [] if number < self.lose or late else list(hits)
'''
PLAIN = CONFIG.replace("answerer: {use: statements}", "answerer: {use: always_abstain}")


# -- the rule ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("losses", "verdict"),
    [
        (0, "pass"),
        (1, "inconclusive"),
        (3, "inconclusive"),
        (5, "inconclusive"),
        (6, "regression"),
        (10, "regression"),
        (20, "regression"),
    ],
)
def test_losses_in_sixty_on_one_of_three(losses: int, verdict: str) -> None:
    still = Flips(60, 0.5, 0.5, 0, 0)
    found = gate.findings({"a": still, "b": Flips(60, 0.9, 0.9 - losses / 60, 0, losses), "c": still}, 0.05)
    assert found["b"].verdict == verdict
    assert (found["a"].verdict, found["c"].verdict) == ("pass", "pass")


def test_what_decides_where_nothing_does() -> None:
    within = gate.findings({"a": Flips(60, 0.9, 0.9 - 1 / 60, 0, 1)}, 0.05)["a"]
    assert within.needed is not None
    assert within.needed in range(110, 121)
    assert gate.findings({"a": Flips(120, 0.9, 0.9 - 2 / 120, 0, 2)}, 0.05)["a"].verdict == "pass", "the same rate"
    still = Flips(60, 0.5, 0.5, 0, 0)
    beyond = gate.findings({"a": Flips(60, 0.9, 0.85, 0, 3), "b": still, "c": still}, 0.05)["a"]
    assert beyond.needed == questions_needed(0, 3, 60, 2 * 0.05 / 3), "one-sided, and Holm's first of three"
    assert beyond.needed != questions_needed(0, 3, 60)
    assert [gate.questions_for(0.05, losses) for losses in range(3)] == [52, 87, 118]
    assert gate.smallest_margin(52, 0) < 0.05 < gate.smallest_margin(51, 0)


def test_what_cannot_be_told_counts_against_the_system() -> None:
    then = {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": None, "f": None, "g": None}
    now = {"a": 1.0, "b": None, "c": 1.0, "d": None, "e": 1.0, "f": 0.0, "g": None}
    assert gate.flips(then, now) == Flips(7, 2 / 7, 3 / 7, wins=1, losses=2)
    assert gate.failing(["a", "b", "x"], {"m": now}) == 1


def test_the_majority_of_repeats() -> None:
    times = [{"a": 1.0, "b": 1.0, "c": None, "d": 0.0}, {"a": 1.0, "b": 0.0, "c": None, "d": 1.0}]
    found, flaky = gate.majority([*times, {"a": 1.0, "b": 1.0, "c": None, "d": None}])
    assert found == {"a": 1.0, "b": 1.0, "c": None, "d": 0.0}
    assert flaky == {"b", "d"}
    assert gate.majority(times)[0]["b"] == 0.0, "half is no majority"


def test_a_baseline_stands_in_this_project_where_the_set_lies_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "sets" / "tiny"
    for place in (project / "tiny", project / "bundle" / "goldens" / "tiny", elsewhere):
        place.mkdir(parents=True)
    monkeypatch.chdir(project)
    own = Path("goldens") / "tiny" / "accepted"
    assert accepted.folder(Path("tiny"), "tiny") == Path("tiny") / "accepted"
    assert accepted.folder(elsewhere, "tiny") == own
    own.mkdir(parents=True)
    assert accepted.folder(Path("bundle/goldens/tiny"), "tiny") == own, "a bundle's goldens bring no baseline"


# -- the command ------------------------------------------------------------------------------------------------------

DRIVER = """
import contextlib, io, json, sys
from harness import cli

def call(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(["gate", *words])
    return [code, out.getvalue(), err.getvalue()]

print(json.dumps([call(words) for words in json.load(sys.stdin)]))
"""


class Done(NamedTuple):
    """How a call of `harness gate` ended."""

    code: int
    out: str
    err: str

    @property
    def found(self) -> dict[str, Any]:
        """The JSON document, whose exit code is that of the process."""
        found: dict[str, Any] = json.loads(self.out)
        assert found["exit"] == self.code
        return found


def gates(project: Path, harness: Path, *calls: Sequence[str]) -> list[Done]:
    """Several calls of `harness gate` in one process, as that takes a second to start."""
    environment = {**os.environ, "PYTHONPATH": str(harness), "GITHUB_STEP_SUMMARY": "", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(calls),
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [Done(*one) for one in json.loads(done.stdout)]


def write_config(project: Path, folder: str = ".", name: str = "plain", **changes: Any) -> str:
    """A config of that name in a folder of its own; systems go by their files' names."""
    block = {**yaml.safe_load(PLAIN), "reranker": {"use": "losing"}, **changes}
    (project / folder).mkdir(exist_ok=True)
    (project / folder / f"{name}.yaml").write_text(yaml.safe_dump(block))
    return f"{folder}/{name}.yaml"


def write_variant(project: Path, name: str, **changes: Any) -> str:
    """A copy of the set whose baseline says something else."""
    shutil.copytree(project / "tiny", project / name)
    path = project / name / "accepted" / "plain.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return name


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, installed: Path) -> Path:
    """A committed project whose system is accepted, with sixty answerable held-out questions and four others."""
    project = tmp_path_factory.mktemp("gated")
    write_set(project / "tiny")
    hold_out(project, SIXTY)
    (project / "systems" / "rerankers").mkdir(parents=True)
    (project / "systems" / "rerankers" / "losing.py").write_text(LOSING)
    write_config(project)
    write_config(project, name="new")
    for lose in (1, 6, 51):
        write_config(project, f"lose{lose}", reranker={"use": "losing", "lose": lose})
    write_config(project, "flaky", reranker={"use": "losing", "flaky": 2})
    write_config(project, "scope", scope="corpus")
    write_config(project, "judge", judges=["program"])
    write_config(project, "oracle", retriever={"use": "oracle_pages"})
    commit(project)
    words = ("plain.yaml", "--accept", "--must-pass", "none-1", "--threshold", "page_hit@5=0.6")
    (done,) = gates(project, installed, words)
    assert done.code == 0, done.err
    scores = json.loads((project / "tiny" / "accepted" / "plain.json").read_text())["scores"]
    hits = scores["page_hit@5"]
    fewer = dict(list(hits.items())[1:])
    write_variant(project, "missing_now", scores={**scores, "page_hit@5": {**fewer, "0" * 16: 1.0}})
    write_variant(project, "missing_then", scores={**scores, "page_hit@5": fewer})
    write_variant(project, "must", thresholds={}, must_pass=[next(iter(scores["correctness"]))])
    write_variant(project, "goldens")
    hold_out(project, [{**SIXTY[0], "answer": "43 thousand tonnes"}, *SIXTY[1:]], "goldens")
    commit(project)
    return project


def test_the_baseline_names_no_question_and_is_the_same_bytes_again(
    project: Path, installed: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    path = copy / "tiny" / "accepted" / "plain.json"
    text = path.read_text()
    assert "secret" not in text
    assert "none-" not in text
    kept = json.loads(text)
    numbers = {name: len(rows) for name, rows in kept["scores"].items()}
    assert numbers == {"page_hit@5": 60, "correctness": 60, "refused_unanswerable": 4}
    assert (kept["margin"], kept["thresholds"], len(kept["must_pass"])) == (0.05, {"page_hit@5": 0.6}, 1)
    again, other = gates(copy, installed, ("plain.yaml", "--accept"), ("plain.yaml", "--accept", "--margin", "0.1"))
    assert "the margin of 5.0 points takes 52, 87, 118 questions with 0, 1, 2 losses" in again.out
    assert "refused_unanswerable: - on 4 questions" in again.out
    assert other.code == 0, "what accepting wrote does not make the tree unclean"
    now = json.loads(path.read_text())
    assert now == {**kept, "margin": 0.1, "commit": now["commit"]}, "terms that are not given stay"


def test_planted_drops(project: Path, installed: Path, tmp_path: Path) -> None:
    places = {lose: (tmp_path / f"{lose}.xml", tmp_path / f"{lose}.md") for lose in (0, 1, 6)}
    calls = [
        (f"lose{lose}/plain.yaml" if lose else "plain.yaml", "--json", "--junit", str(xml), "--summary", str(summary))
        for lose, (xml, summary) in places.items()
    ]
    for (lose, (xml, summary)), done in zip(places.items(), gates(project, installed, *calls), strict=True):
        found = done.found
        assert found["exit"] == {0: 0, 1: 3, 6: 1}[lose]
        hit, refused = found["metrics"]["page_hit@5"], found["metrics"]["refused_unanswerable"]
        assert (hit["accepted"], hit["now"]) == (1.0, pytest.approx((60 - lose) / 60, abs=1e-6))
        assert (hit["needed"] is not None) == (lose == 1)
        assert refused["accepted"] is refused["lower"] is None, "four questions show no number"
        shown = done.out + xml.read_text() + summary.read_text()
        assert "secret" not in shown
        cases = {case.get("name"): [one.tag for one in case] for case in ElementTree.parse(xml).iter("testcase")}
        assert cases["page_hit@5"] == {0: [], 1: ["skipped"], 6: ["failure"]}[lose]
        assert cases["correctness"] == []
        assert summary.read_text().splitlines()[0].endswith(f": {found['verdict']}")


def test_a_threshold_and_a_must_pass_question_stop_by_themselves(project: Path, installed: Path) -> None:
    low, alone = gates(
        project, installed, ("lose51/plain.yaml", "--json"), ("plain.yaml", "--json", "--goldens", "must")
    )
    assert low.found["must_pass"] == {"asked": 1, "failed": 0}
    assert low.found["thresholds"]["page_hit@5"] == {"least": 0.6, "now": 0.15}
    assert "page_hit@5 0.150: below its threshold of 0.6" in low.found["reasons"]
    assert {metric["verdict"] for metric in alone.found["metrics"].values()} == {"pass"}
    assert (alone.code, alone.found["must_pass"]["failed"]) == (1, 1), "it is never answered, so correctness is 0"


def test_what_was_not_made_alike_is_not_compared(project: Path, installed: Path) -> None:
    expected = {
        ("scope/plain.yaml",): "the scope changed (golden accepted, corpus now)",
        ("judge/plain.yaml",): "the judge program is new",
        ("plain.yaml", "--goldens", "goldens"): "the held-out goldens changed",
        (
            "plain.yaml",
            "--goldens",
            "missing_now",
        ): "page_hit@5: 1 accepted question without a value now, 1 with one that",
        ("plain.yaml", "--goldens", "missing_then"): "page_hit@5: 0 accepted questions without a value now, 1 with one",
    }
    made = gates(project, installed, *[(*words, "--json") for words in expected])
    for reason, done in zip(expected.values(), made, strict=True):
        assert (done.found["verdict"], done.code) == ("not_comparable", 3)
        assert [one for one in done.found["reasons"] if reason in one], done.found["reasons"]


def test_a_judge_with_other_code_is_not_compared_and_a_remark_is_no_code(
    project: Path, installed: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(installed, other)
    rule = other / "harness" / "scoring" / "judges" / "rules" / "judging.py"
    rule.write_text(rule.read_text() + "\n# a remark\n")
    (same,) = gates(project, other, ("plain.yaml", "--json"))
    assert same.found["verdict"] == "pass"
    rule.write_text(rule.read_text() + "\nSTRICT = True\n")
    (changed,) = gates(project, other, ("plain.yaml", "--json"))
    assert changed.found["verdict"] == "not_comparable"
    assert changed.found["reasons"] == ["the metric correctness has other code than when it was accepted"]


def test_checks_are_counted_apart_from_openings(project: Path, installed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    for place in ("results/tiny", "tiny"):
        record = copy / place / "openings.jsonl"
        record.write_text(record.read_text().partition("\n")[0] + "\n")
    calls = [("plain.yaml", "--json"), ("plain.yaml", "--json"), ("lose1/plain.yaml", "--json"), ("plain.yaml",)]
    first, again, other, shown = gates(copy, installed, *calls)
    assert (first.found["opening"], first.found["checks"]) == (1, 1)
    assert again.found["checks"] == 1, "the same numbers again tell nothing new"
    assert (other.found["opening"], other.found["checks"]) == (None, 2), "a check opens nothing"
    assert "opening 1, 2 gate checks" in shown.out
    lines = [json.loads(line) for line in (copy / "results" / "tiny" / "openings.jsonl").read_text().splitlines()]
    assert [line.get("gate") for line in lines] == [None, "pass", "inconclusive"]
    assert "page_hit@5" not in json.dumps(lines[1:]), "the record of a check holds a verdict and no mean"
    assert len(list((copy / "results" / "tiny" / "plain" / "heldout").glob("*/"))) == 1, "a check keeps no result"


def test_repeats_go_by_majority_and_flaky_questions_are_counted(project: Path, installed: Path) -> None:
    words = ("flaky/plain.yaml", "--repeat")
    three, two, named = gates(
        project, installed, (*words, "3", "--json"), (*words, "2", "--json"), (*words, "3", "--unseal")
    )
    assert three.found["verdict"] == "pass", "right twice of three times"
    assert three.found["flaky"] == {"page_hit@5": 2}
    assert two.code == 3, "right once of two times is not right"
    assert "flaky on page_hit@5: secret-58, secret-59" in named.out


def test_what_is_refused(project: Path, installed: Path) -> None:
    accept = ("plain.yaml", "--accept")
    expected = {
        ("plain.yaml", "--margin", "0.1"): "add --accept",
        ("plain.yaml", "new.yaml"): "new.json: nothing is accepted yet",
        ("oracle/plain.yaml",): "oracle",
        (*accept, "--metric", "mrr@10"): "say yes or no",
        (*accept, "--threshold", "cited=0.5"): "it is not gated",
        (*accept, "--threshold", "correctness=0.5"): "it is 0.000 as it is",
        (*accept, "--threshold", "correctness=5"): "not a share",
        (*accept, "--must-pass", "secret-99"): "no held-out golden",
        (*accept, "--must-pass", "secret-1"): "1 of 1 questions fail",
        (*accept, "--dirty"): "clean tree",
    }
    kept = (project / "tiny" / "accepted" / "plain.json").read_bytes()
    for said, (words, done) in zip(
        expected.values(), zip(expected, gates(project, installed, *expected), strict=True), strict=True
    ):
        assert (done.code, len(done.err.splitlines())) == (2, 1), (words, done)
        assert said in done.err, words
    (project / "stray.yaml").write_text("a: 1\n")
    accepting, checking, dirty = gates(project, installed, accept, ("plain.yaml",), ("plain.yaml", "--dirty"))
    (project / "stray.yaml").unlink()
    assert "Commit first" in accepting.err
    assert "--dirty" in checking.err
    assert dirty.code == 0
    assert (project / "tiny" / "accepted" / "plain.json").read_bytes() == kept


# -- the shipped workflow ---------------------------------------------------------------------------------------------


def shipped(clone: Path, scratch: Path, configs: str) -> subprocess.CompletedProcess[str]:
    """The command of the shipped action as the shipped workflow calls it, on these configs."""
    workflow = yaml.safe_load((clone / ".github" / "workflows" / "gate.yml").read_text())
    (step,) = [step for step in workflow["jobs"]["gate"]["steps"] if str(step.get("uses", "")).startswith("./")]
    folder = clone / step["uses"]
    (inner,) = yaml.safe_load((folder / "action.yml").read_text())["runs"]["steps"]
    scratch.mkdir(exist_ok=True)
    harness = scratch / "harness"
    harness.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m harness.cli "$@"\n')
    harness.chmod(0o755)
    (scratch / "python").unlink(missing_ok=True)
    (scratch / "python").symlink_to(sys.executable)
    environment = {
        **os.environ,
        "PATH": f"{scratch}:{os.environ['PATH']}",
        "PYTHONPATH": str(clone),
        "CONFIGS": configs,
        "SAVED": "",
        "GOLDENS": "",
        "GITHUB_ACTION_PATH": str(folder),
        "GITHUB_STEP_SUMMARY": str(scratch / "summary.md"),
        "RUNNER_TEMP": str(scratch),
    }
    command = ["bash", "-eo", "pipefail", "-c", inner["run"]]
    return subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, timeout=300)


def test_a_pull_request_that_breaks_the_retriever_is_stopped_and_an_unchanged_one_passes(
    tmp_path: Path, installed: Path
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(installed, clone)
    for name in (".github", "configs", "goldens/northfield"):
        shutil.copytree(ROOT / name, clone / name)
    shutil.rmtree(clone / "goldens" / "northfield" / "accepted", ignore_errors=True)
    commit(clone)
    (first,) = gates(clone, clone, ("configs/bm25_only.yaml", "--accept"))
    assert first.code == 0, first.err
    commit(clone)
    unchanged = shipped(clone, tmp_path / "first", "configs/bm25_only.yaml")
    assert unchanged.returncode == 0, unchanged.stderr
    assert json.loads((tmp_path / "first" / "gate.json").read_text())["verdict"] == "pass"
    retriever = clone / "systems" / "retrievers" / "bm25.py"
    source = retriever.read_text()
    retriever.write_text(source.replace("+= times * weight * gains", "-= times * weight * gains"))
    assert retriever.read_text() != source
    commit(clone)
    broken = shipped(clone, tmp_path / "second", "configs/bm25_only.yaml")
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert ": regression" in (tmp_path / "second" / "summary.md").read_text()
    assert not (clone / "gate.json").exists(), "nothing is written into the checkout"


def test_what_cannot_be_told_warns_and_stops_where_the_drop_exceeds_the_margin(tmp_path: Path) -> None:
    script = ROOT / ".github" / "actions" / "gate" / "undecided.py"
    check = {"system": "s", "reasons": ["page_hit@5: 1 lost"], "metrics": {"page_hit@5": {"beyond": False}}}
    for beyond, code, said in ((False, 0, "::warning::s: page_hit@5"), (True, 3, "::error::s: page_hit@5")):
        check["metrics"] = {"page_hit@5": {"beyond": beyond}}
        (tmp_path / "gate.json").write_text(json.dumps(check))
        done = subprocess.run([sys.executable, script, tmp_path / "gate.json"], capture_output=True, text=True)
        assert (done.returncode, said in done.stdout) == (code, True)


def test_the_workflow_gets_no_secrets_and_publishes_no_results() -> None:
    text = (ROOT / ".github" / "workflows" / "gate.yml").read_text()
    workflow = yaml.safe_load(text)
    assert workflow[True] == "pull_request", "YAML reads `on` as true; pull_request_target would bring secrets"
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    (kept,) = [step for step in workflow["jobs"]["gate"]["steps"] if "upload-artifact" in str(step.get("uses"))]
    assert "results" not in kept["with"]["path"]
