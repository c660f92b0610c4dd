"""A tiny golden set drawn on the spot, and ways to run the command line on it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from harness.bench import Silent
from harness.runs.jobs import open_jobs
from harness.runs.options import Options
from harness.runs.run import Result, run

# What hypothesis draws does not change from run to run; `pytest --hypothesis-profile=default` looks further.
settings.register_profile("same-each-time", derandomize=True, deadline=None)
settings.load_profile("same-each-time")

ROOT = Path(__file__).parents[1]
REAL_SETS = Path(os.environ.get("HARNESS_REAL_SETS") or ROOT.parent / "shared" / "data")
"""Where the sets lie that may not be passed on: goldens/<set>/, pack/ and labels/."""

PAGES = {
    "alder_2025": [
        ["Alder plc", "Annual report 2025"],
        ["Revenue", "Revenue rose to USD 1,284 million in 2025.", "Wages were USD 310 million."],
        ["Emissions", "Alder emitted 42.5 thousand tonnes of carbon dioxide in 2025."],
        ["Board", "Mara Lindqvist chairs the board of Alder."],
    ],
    "birch_2025": [
        ["Birch AG", "Annual report 2025"],
        ["Revenue", "Sales came to EUR 77 million in 2025, after EUR 81 million in 2024."],
        ["Outlook", "Birch expects to open a plant in Tampere in 2027."],
    ],
}

DEV: list[dict[str, Any]] = [
    {"id": "t:1", "question": "How much revenue did Alder make in 2025?", "answer": "USD 1,284 million",
     "evidence": [["alder_2025:p2"]], "scope": ["alder_2025"], "modality": ["text"]},
    {"id": "t/2", "question": "Who chairs Alder's board?", "answer": "Mara Lindqvist",
     "evidence": [["alder_2025:p4"]], "scope": ["alder_2025"], "modality": ["text"]},
    {"id": "t>3", "question": "What did Birch sell in 2025?", "answer": "EUR 77 million",
     "evidence": [["birch_2025:p2"]], "scope": ["birch_2025"], "modality": ["text"]},
    {"id": "t4", "question": "What dividend did Birch pay?", "expect": "abstain", "scope": ["birch_2025"]},
]  # fmt: skip

HELDOUT: list[dict[str, Any]] = [
    {"id": "h1", "question": "Where will Birch open a plant?", "answer": "Tampere",
     "evidence": [["birch_2025:p3"]], "scope": ["birch_2025"], "modality": ["text"]},
    {"id": "h2", "question": "How many tonnes of carbon dioxide did Alder emit?", "answer": "42.5 thousand tonnes",
     "evidence": [["alder_2025:p3"]], "scope": ["alder_2025"], "modality": ["text"]},
]  # fmt: skip

CONFIG = """\
goldens: tiny
scope: golden
parser: {use: liteparse}
chunker: {use: page_windows}
retriever: {use: bm25}
answerer: {use: statements}
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-reference", action="store_true", help="write REFERENCE.md anew from the code; no test is run"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --write-reference, only the test that holds REFERENCE.md in step is called, and writes it."""
    if config.getoption("--write-reference"):
        items[:] = [item for item in items if item.name == "test_the_reference_is_what_the_code_gives"]


@pytest.fixture(autouse=True)
def _own_path() -> Iterator[None]:
    """The projects of a test are found no longer after it: a run in this process adds their folders to sys.path."""
    before = list(sys.path)
    yield
    sys.path[:] = before


def real(path: str) -> Path:
    """A file or folder of the real sets; where it is not on this machine, the test that asks is skipped in one line."""
    found = REAL_SETS / path
    if not found.exists():
        pytest.skip(f"{path} is not in {REAL_SETS}; HARNESS_REAL_SETS names the folder of the real sets")
    return found


def draw(path: Path, pages: Sequence[Sequence[str]]) -> None:
    """A PDF with these lines on its pages."""
    canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab draws the test PDFs").Canvas(
        str(path), invariant=True
    )
    for lines in pages:
        for row, line in enumerate(lines):
            canvas.setFont("Helvetica-Bold" if row == 0 else "Helvetica", 18 if row == 0 else 11)
            canvas.drawString(72, 760 - 30 * row, line)
        canvas.showPage()
    canvas.save()


def write_set(folder: Path, pages: dict[str, list[list[str]]] = PAGES) -> Path:
    """The tiny set in `folder`, with a lock. Returns the folder."""
    folder.mkdir(parents=True)
    rows = []
    for doc, lines in pages.items():
        draw(folder / f"{doc}.pdf", lines)
        sha = hashlib.sha256((folder / f"{doc}.pdf").read_bytes()).hexdigest()
        rows.append(f"  {doc}: {{file: {doc}.pdf, sha256: {sha}, pages: {len(lines)}, title: {doc}}}")
    (folder / "corpus.yaml").write_text("name: tiny\nredistributable: true\ndocuments:\n" + "\n".join(rows) + "\n")
    for name, goldens in (("dev", DEV), ("heldout", HELDOUT)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens))
    data = (folder / "heldout.jsonl").read_bytes()
    lock = {"file": "heldout.jsonl", "sha256": hashlib.sha256(data).hexdigest(), "goldens": 2, "locked": "2026-11-29"}
    (folder / "heldout.lock").write_text(json.dumps(lock))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder as a user has one: a golden set and a config; nothing was run yet."""
    write_set(tmp_path / "tiny")
    (tmp_path / "plain.yaml").write_text(CONFIG)
    return tmp_path


Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(project: Path) -> Cli:
    """Run `harness …` in the project, as a process of its own."""

    def call(
        *words: str, code: int | None = 0, cwd: Path = project, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        quick = {"PYTHONDONTWRITEBYTECODE": ""}  # else each process compiles the harness again
        environment = {**os.environ, **quick, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **variables}
        command = [sys.executable, "-m", "harness.cli", *words]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
        assert code is None or done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return call


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harness as it is where it was installed: in no checkout."""
    place = tmp_path_factory.mktemp("installed")
    for room in ("harness", "systems"):
        shutil.copytree(ROOT / room, place / room, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def commit(project: Path) -> None:
    """Commit all that is in the project, in a checkout of its own."""
    if not (project / ".git").exists():
        (project / ".gitignore").write_text("__pycache__/\n")
        git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "all")


def hold_out(project: Path, goldens: list[dict[str, Any]], name: str = "tiny") -> None:
    """Lock these as the held-out split of a set of the project."""
    data = "".join(json.dumps(golden) + "\n" for golden in goldens).encode()
    (project / name / "heldout.jsonl").write_bytes(data)
    lock = {"file": "heldout.jsonl", "sha256": hashlib.sha256(data).hexdigest(), "goldens": len(goldens)}
    (project / name / "heldout.lock").write_text(json.dumps({**lock, "locked": "2026-11-29"}))


def run_config(config: Path, options: Options) -> Result:
    """A run of one config on one split, in this process."""
    (job,) = open_jobs([config], options)
    (result,) = run(job, options, Silent())
    return result


def git(folder: Path, *words: str) -> None:
    """git in `folder`, with an identity of its own."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """No workers for named files or `-k`: to start them would take longer than the tests. None: one a core."""
    named = config.option.keyword or any(Path(word.partition("::")[0]).suffix for word in config.args)
    return 0 if named else None
