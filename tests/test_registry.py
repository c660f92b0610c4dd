"""The folder is the registry."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import CONFIG, ROOT, Cli

NEW_PARSER = '''"""Whisper: the page's text in lower case."""
from harness.protocols import Parser
from harness.records import Block, Page, PageRef

class Whisper(Parser):
    """Reads nothing: says the same on each page."""
    pages: int = 4

    def parse(self, pdf, doc, bench):
        text = "revenue usd 1,284 million chairs board"
        return [Page(ref=PageRef(doc, n), blocks=(Block(kind="text", text=text),)) for n in range(1, self.pages + 1)]
'''


NEW_METRIC = '''"""How long an answer is."""
from harness.scoring.metric import Metric

class AnswerWords(Metric):
    """Words of the answer."""
    stage = "generate"
    unit = "words"
    needs_answer = False

    def score(self, case, bench):
        return self.scored(case, len(case.answer.text.split()), "counted")
'''


def test_a_parser_added_by_one_file_is_found_by_its_name(project: Path, cli: Cli) -> None:
    (project / "systems" / "parsers").mkdir(parents=True)
    (project / "systems" / "parsers" / "whisper.py").write_text(NEW_PARSER)
    assert "Whisper: the page's text in lower case." in cli("list", "parsers").stdout
    ran = cli("run", "plain.yaml", "--set", "parser={use: whisper, pages: 3}", "--json")
    assert '"tiny/plain+parser=' in ran.stdout


def test_a_project_beside_the_config_is_found_from_elsewhere(project: Path, cli: Cli, tmp_path: Path) -> None:
    """Components and metrics of a folder systems/ beside the config; from a working directory that has none."""
    beside, elsewhere = project / "mine", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (beside / "systems" / "parsers").mkdir(parents=True)
    (beside / "systems" / "parsers" / "whisper.py").write_text(NEW_PARSER)
    (beside / "systems" / "metrics").mkdir()
    (beside / "systems" / "metrics" / "answer_words.py").write_text(NEW_METRIC)
    (beside / "own.yaml").write_text(CONFIG.replace("liteparse", "whisper"))
    ran = cli("run", str(beside / "own.yaml"), "--goldens", str(project / "tiny"), "--json", cwd=elsewhere)
    assert json.loads(ran.stdout)["tiny/own/dev"]["answer_words"]["scored"] == 4
    said = cli("run", str(project / "plain.yaml"), "--set", "parser.use=whisper", cwd=elsewhere, code=2).stderr
    assert "unknown parser 'whisper'" in said
    assert "Looked in " in said
    assert "here or beside the config" in said


@pytest.mark.parametrize("name", ["liteparse", "_lines"])
def test_a_file_named_like_a_shipped_one_is_refused(project: Path, cli: Cli, name: str) -> None:
    (project / "systems" / "parsers").mkdir(parents=True)
    (project / "systems" / "parsers" / f"{name}.py").write_text(NEW_PARSER)
    (line,) = cli("run", "plain.yaml", code=2).stderr.splitlines()
    assert str(Path("systems", "parsers", f"{name}.py")) in line
    assert "has that name already; rename your file" in line


def test_a_prompt_is_a_file_found_by_its_name(project: Path, cli: Cli) -> None:
    (project / "systems" / "prompts").mkdir(parents=True)
    (project / "systems" / "prompts" / "terse.md").write_text("Answer in one line.\nCite the page.\n")
    assert "terse Answer in one line." in " ".join(cli("list", "prompts").stdout.split())


def test_another_checkout_is_no_project(cli: Cli, tmp_path: Path) -> None:
    """Another clone of this repository further down the path hides nothing and is not refused."""
    other = tmp_path / "clone"
    (other / "systems" / "parsers").mkdir(parents=True)
    (other / "systems" / "parsers" / "liteparse.py").write_text(NEW_PARSER)
    assert "has that name already" in cli("list", "parsers", PYTHONPATH=f"{ROOT}{os.pathsep}{other}", code=2).stderr
    (other / "harness").mkdir()
    (other / "harness" / "__init__.py").touch()
    assert "LiteParse" in cli("list", "parsers", PYTHONPATH=f"{ROOT}{os.pathsep}{other}").stdout
