"""The folder is the registry, and imports go one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, Cli

NEW_PARSER = '''"""Whisper: the page's text in lower case."""
from harness.components import Parser
from harness.records import Block, Page, PageRef

class Whisper(Parser):
    """Reads nothing: says the same on each page."""
    pages: int = 4

    def parse(self, pdf, doc, bench):
        text = "revenue usd 1,284 million chairs board"
        return [Page(ref=PageRef(doc, n), blocks=(Block(kind="text", text=text),)) for n in range(1, self.pages + 1)]
'''


def test_a_parser_added_by_one_file_is_found_by_its_name(project: Path, cli: Cli) -> None:
    (project / "systems" / "parsers").mkdir(parents=True)
    (project / "systems" / "parsers" / "whisper.py").write_text(NEW_PARSER)
    assert "Whisper: the page's text in lower case." in cli("list", "parsers").stdout
    ran = cli("run", "plain.yaml", "--set", "parser={use: whisper, pages: 3}", "--json")
    assert '"tiny/plain/dev"' in ran.stdout


def imports(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, also inside functions and under TYPE_CHECKING."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", sorted((ROOT / "harness").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_instrument_imports_no_contestant(path: Path) -> None:
    assert not [name for name in imports(path) if name.split(".")[0] == "systems"]


ALLOWED = ("harness.records", "harness.components", "harness.bench", "harness.errors")


@pytest.mark.parametrize("path", sorted((ROOT / "systems").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_contestant_imports_only_the_border(path: Path) -> None:
    assert not [name for name in imports(path) if name.startswith("harness") and not name.startswith(ALLOWED)]


def test_nothing_imports_notebooks_or_tests() -> None:
    files = [*(ROOT / "harness").rglob("*.py"), *(ROOT / "systems").rglob("*.py")]
    assert not [name for path in files for name in imports(path) if name.split(".")[0] in ("notebooks", "tests")]
