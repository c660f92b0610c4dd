"""The folder is the registry."""

from __future__ import annotations

from pathlib import Path

from conftest import Cli

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


def test_a_parser_added_by_one_file_is_found_by_its_name(project: Path, cli: Cli) -> None:
    (project / "systems" / "parsers").mkdir(parents=True)
    (project / "systems" / "parsers" / "whisper.py").write_text(NEW_PARSER)
    assert "Whisper: the page's text in lower case." in cli("list", "parsers").stdout
    ran = cli("run", "plain.yaml", "--set", "parser={use: whisper, pages: 3}", "--json")
    assert '"tiny/plain/dev"' in ran.stdout
