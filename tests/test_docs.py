"""Documentation that cannot rot: what it names is there, what is there is named, and what it shows works as it stands."""

from __future__ import annotations

import argparse
import ast
import glob
import importlib.util
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from conftest import ROOT, draw, write_set

from harness import registry
from harness.cli import main
from harness.documents.corpus import Corpus
from harness.goldens import loading
from harness.records import Golden, PageRef
from harness.reports import reference_page
from harness.runs import config

README, REFERENCE = ROOT / "README.md", ROOT / "REFERENCE.md"
CONTRIBUTING, CHANGELOG = ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"
CHANGES = sorted((ROOT / "changes").glob("[!R]*.md"))
PAGES = [README, REFERENCE, CONTRIBUTING, CHANGELOG, ROOT / "changes" / "README.md", *CHANGES]


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(path: Path, language: str) -> Iterator[str]:
    """The fenced blocks of a page in that language."""
    yield from re.findall(rf"^```{language}\n(.*?)^```$", text(path), re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


# -- what is there is named -------------------------------------------------------------------------------------------


def arguments_of(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    registry.module("command", command).arguments(parser)
    return parser


def options(command: str) -> list[str]:
    actions = arguments_of(command)._actions
    return [action.option_strings[-1] for action in actions if action.option_strings and action.dest != "help"]


def test_the_reference_is_what_the_code_gives(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--write-reference"):
        REFERENCE.write_text(reference_page.render(), encoding="utf-8")
    assert text(REFERENCE) == reference_page.render(), "`pytest --write-reference` writes it again"


@pytest.mark.parametrize("kind", [kind for kind in registry.FOLDERS if kind != "command"])
def test_every_component_metric_and_judge_is_in_the_reference(kind: str) -> None:
    named = text(README) + text(REFERENCE)
    missing = [name for name in registry.files(kind) if f"`{name}`" not in named and f"{kind} {name}\n" not in named]
    assert missing == []


def test_every_command_is_in_the_readme_and_every_option_in_the_reference() -> None:
    for command in registry.files("command"):
        assert f"`harness {command}" in text(README)
        section = text(REFERENCE).partition(f"### harness {command}\n")[2].partition("\n##")[0]
        assert [option for option in options(command) if f"`{option}" not in section] == []


def test_every_setting_says_what_it_means() -> None:
    """In its description, or in a string below the field; nested components and a formula's letters speak for themselves."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$", text(REFERENCE), re.MULTILINE)
    silent = {name for name, _, value, meaning in rows if not meaning and not re.match(r"an? \w+$", value)}
    assert silent <= {"variant", "model", "k1", "b"}, "give the field a description"


def test_every_metric_is_explained_in_the_readme() -> None:
    named = text(README)
    missing = [name for name in registry.files("metric") if not re.search(rf"`{name}(@\w+)?`", named)]
    assert missing == []


# -- what is named is there -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    for command in re.findall(r"(?<![\w-])harness ([a-z]+)\b(?= [A-Z<\[.`\"'/-]|`|$)", text(page), re.MULTILINE):
        assert command in registry.files("command"), f"harness {command}"
    known = {"--version", "--help", "--check", "--audit", *(o for c in registry.files("command") for o in options(c))}
    assert set(re.findall(r"`(--[a-z-]+)", text(page))) - known <= {"--lim"}
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text(page)):
        assert (page.parent / link).exists(), link


def test_the_examples_of_the_readme_load() -> None:
    for line in blocks(README, "json"):
        Golden.model_validate_json(line)


def test_the_config_of_the_readme_loads(tmp_path: Path) -> None:
    for number, block in enumerate(blocks(README, "yaml")):
        path = tmp_path / f"{number}.yaml"
        path.write_text(block, encoding="utf-8")
        config.load(path)


def test_contributing_is_one_page() -> None:
    assert len(text(CONTRIBUTING).splitlines()) <= 150


# -- changes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", CHANGES, ids=lambda path: path.stem)
def test_an_entry_says_below_a_known_heading_what_a_user_can_do(path: Path) -> None:
    headings = set(re.findall(r"^\*\*(.+)\*\*$", text(CHANGELOG), re.MULTILINE))
    before, *parts = re.split(r"^\*\*(.+)\*\*\n", text(path), flags=re.MULTILINE)
    assert before == ""
    assert set(parts[::2]) <= headings
    for lines in parts[1::2]:
        for line in re.split(r"^- ", lines.strip(), flags=re.MULTILINE)[1:]:
            assert line.rstrip().endswith("."), line
            assert not re.search(r"\b(harness|tests)/\S+\.py|\btest_\w+|\b[Rr]efactor", line), f"not for a user: {line}"
        assert all(line.startswith(("- ", "  ")) for line in lines.strip().splitlines())


def join() -> ModuleType:
    spec = importlib.util.spec_from_file_location("join", ROOT / "changes" / "join.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OLD = "# Changelog\n\nAbout.\n\n## 0.1.0 (unreleased)\n\nFirst.\n\n**Run**\n- Runs.\n\n**Trust**\n- One\n  line.\n"


def test_entries_are_joined_under_the_headings_of_their_version() -> None:
    entries = ["**Trust**\n- Two.\n\n**Run**\n- Stops.\n", "**Trust**\n- Three.\n"]
    added = OLD.replace("- Runs.\n", "- Runs.\n- Stops.\n").replace("  line.\n", "  line.\n- Two.\n- Three.\n")
    assert join().joined(OLD, "0.1.0", entries) == added
    new = "## 0.2.0\n\n**Run**\n- Stops.\n\n**Trust**\n- Two.\n- Three.\n\n"
    assert join().joined(OLD, "0.2.0", entries) == OLD.replace("## 0.1.0", new + "## 0.1.0")
    assert join().joined(OLD, "0.1.0", []) == OLD


@pytest.mark.parametrize(
    ("entry", "says"), [("**Tests**\n- X.\n", "no heading 'Tests'"), ("- X.\n", "begins with a heading")]
)
def test_an_entry_without_a_known_heading_is_refused(entry: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        join().joined(OLD, "0.1.0", [entry])


def test_what_was_joined_is_taken_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(ROOT / "changes", tmp_path / "changes")
    shutil.copy(CHANGELOG, tmp_path)
    (tmp_path / "changes" / "mine.md").write_text("**Trust**\n- Mine.\n")
    assert join().main(["9.9"], tmp_path / "changes") == 0
    assert sorted(path.name for path in (tmp_path / "changes").glob("*.md")) == ["README.md"]
    written = text(tmp_path / "CHANGELOG.md")
    assert "## 9.9\n" in written
    assert "- Mine.\n" in written
    assert written.endswith(text(CHANGELOG).partition("\n## ")[2])
    assert "mine" in capsys.readouterr().out


# -- what CONTRIBUTING.md shows works as it stands ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code as a contributor has it, with the two files of CONTRIBUTING.md and a tiny golden set."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("harness", "systems", "configs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    write_set(folder / "goldens" / "northfield")
    names = re.findall(r"^`(\S+\.py)`(?:, in .*)?:$", text(CONTRIBUTING), re.MULTILINE)
    assert names == ["systems/parsers/pdfium_text.py", "harness/scoring/metrics/answer_words.py"]
    for name, block in zip(names, blocks(CONTRIBUTING, "python"), strict=True):
        assert not (folder / name).exists()
        (folder / name).write_text(block, encoding="utf-8")
    return folder


def call(folder: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "harness.cli", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_parser_and_the_metric_of_contributing_work(clone: Path) -> None:
    shown = [line.split() for block in blocks(CONTRIBUTING, "sh") for line in block.splitlines()]
    commands = [words[1:] for words in shown if words[0] == "harness"]
    assert commands[0] == ["run", "configs/bm25_only.yaml", "--split", "dev", "--set", "parser.use=pdfium_text"]
    found = json.loads(call(clone, *commands[0], "--json"))["tiny/bm25_only+parser.use=pdfium_text/dev"]
    assert found["page_hit@5"]["mean"] == 1.0
    assert found["answer_words"]["scored"] == 4
    manifest = json.loads(next(clone.glob("results/tiny/bm25_only+parser*/dev/*/manifest.json")).read_text())
    assert manifest["config"]["parser"] == {"use": "pdfium_text", "most": 1_000_000}
    assert commands[1] == ["score", "bm25_only+parser.use=pdfium_text"]
    assert "answer_words" in call(clone, *commands[1])


def test_the_code_of_contributing_is_as_clean_as_ours(clone: Path) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("ruff is not installed here")
    files = ["systems/parsers/pdfium_text.py", "harness/scoring/metrics/answer_words.py"]
    for words in (["check"], ["format", "--check"]):
        command = [str(ruff), *words, "--quiet", "--config", str(ROOT / "pyproject.toml"), *files]
        done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_the_golden_of_contributing_fits_the_set_that_ships(tmp_path: Path) -> None:
    (line,) = blocks(CONTRIBUTING, "json")
    path = tmp_path / "dev.jsonl"
    path.write_bytes((ROOT / "goldens" / "northfield" / "dev.jsonl").read_bytes() + line.encode())
    corpus = Corpus.open(ROOT / "goldens" / "northfield", verify=False)
    golden = loading.read(path, "dev", corpus).goldens[-1]
    assert golden.id == "mine-1"
    for page, quotes in golden.quotes.items():
        assert all(quote in corpus.text(PageRef.parse(page)) for quote in quotes)


# -- every example runs -------------------------------------------------------------------------------------------------

NOT_OURS = {"python3", "pip", "python", "$EDITOR", "ruff", "mypy"}
"""First words of lines that install, edit, or are what runs this test."""
LABEL = {"id": "1", "question": "How many?", "reference": "3", "answer": "3", "label": "correct"}
MY_SET = Path("path/to/my_set")


def pasted(script: str) -> Iterator[list[str]]:
    """The words of each command of ours in lines of shell, as a shell in the working directory gives them."""
    for line in script.splitlines():
        for part in line.split("&&"):
            words = shlex.split(part, comments=True)
            program = words[0].removeprefix(".venv/bin/") if words else ""
            assert program in {"harness", "", *NOT_OURS}, f"neither an example of ours nor known: {line}"
            if program == "harness":
                yield [name for word in words[1:] for name in (sorted(glob.glob(word)) or [word])]


def examples() -> Iterator[str]:
    """README.md, then the description of each --help, then CONTRIBUTING.md: the order in which a reader comes to them."""
    yield from blocks(README, "sh")
    for path in registry.files("command").values():
        told = ast.get_docstring(ast.parse(text(path))) or ""
        yield from (line for line in inspect.cleandoc(told).splitlines() if line.strip().startswith("harness "))
    yield from blocks(CONTRIBUTING, "sh")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the examples speak of: the set that ships, a reader's own PDF, labels, the new parser and golden."""
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    one_report_of_northfield(tmp_path / "goldens" / "northfield")
    (tmp_path / MY_SET).mkdir(parents=True)
    draw(tmp_path / MY_SET / "report_2025.pdf", [["Revenue", f"Page {number}"] for number in range(1, 42)])
    (tmp_path / MY_SET / "dev.jsonl").write_text("".join(blocks(README, "json")), encoding="utf-8")
    (tmp_path / "labels.jsonl").write_text(json.dumps(LABEL))
    (tmp_path / "systems" / "parsers").mkdir(parents=True)
    (tmp_path / "systems" / "parsers" / "pdfium_text.py").write_text(next(blocks(CONTRIBUTING, "python")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def one_report_of_northfield(folder: Path) -> None:
    """The set that ships, with one of its reports only, which saves ten seconds; and the golden of CONTRIBUTING.md."""
    shipped = ROOT / "goldens" / "northfield"
    listing = yaml.safe_load(text(shipped / "corpus.yaml"))
    listing["documents"] = {"northfield_2025": listing["documents"]["northfield_2025"]}
    file = Path(listing["documents"]["northfield_2025"]["file"])
    (folder / file).parent.mkdir(parents=True)
    shutil.copy(shipped / file, folder / file)
    (folder / "corpus.yaml").write_text(yaml.safe_dump(listing), encoding="utf-8")
    lines = [*text(shipped / "dev.jsonl").splitlines(), *blocks(CONTRIBUTING, "json")]
    kept = [line.strip() for line in lines if json.loads(line)["scope"] == ["northfield_2025"]]
    (folder / "dev.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")


def ran_on_finance(folder: Path) -> list[str]:
    """A set of the name that some examples speak of, and the run that they look back on."""
    finance = write_set(folder / "goldens" / "finance")
    for path, old, new in (("corpus.yaml", "name: tiny", "name: finance"), ("dev.jsonl", '"t:1"', '"some:id"')):
        (finance / path).write_text((finance / path).read_text().replace(old, new))
    return ["run", "configs/hybrid_rerank.yaml", "--goldens", "goldens/finance", "--split", "dev"]


def test_every_example_runs(reader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ran_on_finance(reader)) == 0
    count, key = 0, Path("results/finance/hybrid_rerank/dev/latest").read_text().strip()
    free = [script for script in examples() if "OPENAI_API_KEY" not in script]  # the others pay for a model
    for words in (words for script in free for words in pasted(script.replace("1a2b3c4d", key))):
        if words[0] == "gate":  # it wants a committed tree, which tests/test_gate.py has
            arguments_of("gate").parse_args(words[1:])
            continue
        if words[0] == "corpus":
            (MY_SET / "corpus.yaml").unlink(missing_ok=True)
        capsys.readouterr()
        assert main(words) == 0, f"harness {shlex.join(words)}\n{capsys.readouterr().err}"
        count += 1
    assert count >= 15
