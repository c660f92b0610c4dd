"""Whose fault: what the world did is never kept and ends the run, what the system did is kept until somebody asks again."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import urllib.error
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, Cli

from harness.cache.rows import read_rows, write_rows
from harness.errors import UserError, WorldError
from harness.runs import faults


def raised(work: Callable[[], Any]) -> Exception:
    try:
        work()
    except Exception as error:
        return error
    raise AssertionError("it raised nothing")


def fail(error: BaseException) -> Any:
    raise error


def chained(first: BaseException, then: BaseException, *, named: bool) -> Any:
    try:
        raise first
    except BaseException as error:
        if named:
            raise then from error
        raise then  # noqa: B904


def http(code: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError("http://x", code, "said", Message(), None)


class APIConnectionError(Exception):
    """As a client has it, built on nothing of Python's."""


WORLD: dict[str, Callable[[], Any]] = {
    "a connection": lambda: fail(ConnectionRefusedError("refused")),
    "a time-out": lambda: fail(TimeoutError()),
    "no such host": lambda: fail(socket.gaierror(-2, "Name or service not known")),
    "no network": lambda: fail(OSError(101, "Network is unreachable")),
    "a client's own": lambda: fail(APIConnectionError("Connection error.")),
    "urllib": lambda: fail(urllib.error.URLError("no route")),
    "a server that is down": lambda: fail(http(503)),
    "too many requests": lambda: fail(http(429)),
    "a key that is refused": lambda: fail(http(401)),
    "a package": lambda: __import__("no_such_package"),
    "a program": lambda: subprocess.run(["no-such-program"], check=True),
    "a program that hangs": lambda: subprocess.run(["sleep", "9"], timeout=0.01, check=True),
    "a key in the environment": lambda: os.environ["NO_SUCH_KEY"],
    "raised from a connection": lambda: chained(ConnectionError(), RuntimeError("no reply"), named=True),
    "raised while handling one": lambda: chained(ConnectionError(), RuntimeError("no reply"), named=False),
    "in a group": lambda: fail(ExceptionGroup("two", [ValueError(), ConnectionError()])),
    "said so": lambda: fail(WorldError("the endpoint is busy")),
}
SYSTEM: dict[str, Callable[[], Any]] = {
    "a key of a dict": lambda: {}["a"],
    "a file": lambda: Path("no-such-file").read_text(),
    "a value": lambda: int("x"),
    "a request that is wrong": lambda: fail(http(400)),
    "a fallback after a missing package": lambda: chained(ImportError(), ValueError(), named=False),
}


@pytest.mark.parametrize("what", WORLD)
def test_the_worlds_faults_are_raised_on(what: str) -> None:
    with pytest.raises(WorldError):
        faults.reason(raised(WORLD[what]))


@pytest.mark.parametrize("what", SYSTEM)
def test_the_systems_faults_are_its_reason(what: str) -> None:
    error = raised(SYSTEM[what])
    assert faults.reason(error) == f"{type(error).__name__}: {error}"


def test_what_the_user_can_mend_is_raised_as_it_is() -> None:
    with pytest.raises(UserError, match="a path"):
        faults.reason(UserError("a path"))


# -- in a run -------------------------------------------------------------------------------------------------------------

ANSWERER = '''"""Answers where a file says that all is well."""
from pathlib import Path
from systems.answerers.statements import Statements

class Careful(Statements):
    """Raises what the file `fault` holds."""
    def answer(self, question, search, history, bench):
        fault = Path({fault!r})
        if fault.exists() and "dividend" in question:
            exec(fault.read_text())
        return super().answer(question, search, history, bench)
'''
PARSER = '''"""Parses where a file says that all is well."""
from pathlib import Path
from systems.parsers.liteparse import LiteParseParser

class Careful(LiteParseParser):
    """Raises what the file `fault` holds."""
    def parse(self, pdf, doc, bench):
        fault = Path({fault!r})
        if fault.exists() and "birch" in doc:
            exec(fault.read_text())
        return super().parse(pdf, doc, bench)
'''
RETRIEVER = '''"""Searches where a file says that all is well."""
from pathlib import Path
from systems.retrievers.bm25 import Bm25

class Careful(Bm25):
    """Its index raises what the file `fault` holds."""
    def open(self, folder, bench):
        index = super().open(folder, bench)
        search = index.search
        def careful(query, k, docs, bench):
            fault = Path({fault!r})
            if fault.exists() and "again" in query:
                exec(fault.read_text())
            return search(query, k, docs, bench)
        index.search = careful
        return index
'''
DEAF = '''"""Goes on after a search that failed."""
from systems.answerers.statements import Statements

class Deaf(Statements):
    """Catches everything."""
    def answer(self, question, search, history, bench):
        try:
            search(question + " again")
        except Exception:
            pass
        return super().answer(question, search, history, bench)
'''
REQUEST = ("run", "careful.yaml", "--split", "dev", "--json")


@pytest.fixture
def careful(project: Path) -> Callable[..., None]:
    """Writes the config, with components that fail as the file `fault` says."""

    def write(**use: str) -> None:
        texts = {"parser": PARSER, "answerer": ANSWERER, "retriever": RETRIEVER, "deaf": DEAF}
        for kind in ("parser", "answerer", "retriever"):
            (project / "systems" / f"{kind}s").mkdir(parents=True, exist_ok=True)
        for kind, name in use.items():
            text = texts["deaf" if name == "deaf" else kind].format(fault=str(project / "fault"))
            (project / "systems" / f"{kind}s" / f"{name}.py").write_text(text)
        lines = [line for line in CONFIG.splitlines() if line.partition(":")[0] not in use]
        config = [*lines, *(f"{kind}: {{use: {name}}}" for kind, name in use.items())]
        (project / "careful.yaml").write_text("\n".join(config) + "\n")

    return write


@pytest.mark.parametrize(
    ("use", "fault"),
    [
        ({"answerer": "careful_answerer"}, "raise ConnectionError('gone')"),
        ({"parser": "careful_parser"}, "import subprocess; subprocess.run(['no-such-program'])"),
        ({"retriever": "careful_retriever", "answerer": "deaf"}, "raise ConnectionError('gone')"),
    ],
)
def test_a_fault_of_the_world_ends_the_run_and_is_not_kept(
    use: dict[str, str], fault: str, careful: Callable[..., None], project: Path, cli: Cli
) -> None:
    careful(**use)
    sound = cli(*REQUEST, "--results", "sound").stdout.replace("sound/", "results/")
    (project / "fault").write_text(fault)
    said = cli(*REQUEST, code=4).stderr.strip().splitlines()[-1]
    assert "Error" in said
    assert "run again" in said
    (project / "fault").unlink()
    assert cli(*REQUEST).stdout == sound


@pytest.mark.parametrize(
    ("use", "fault"),
    [
        ({"answerer": "careful_answerer"}, "raise ValueError('broken')"),
        ({"parser": "careful_parser"}, "raise KeyError('x')"),
    ],
)
def test_what_the_system_did_wrong_is_kept_until_it_is_asked_again(
    use: dict[str, str], fault: str, careful: Callable[..., None], project: Path, cli: Cli
) -> None:
    careful(**use)
    sound = cli(*REQUEST, "--results", "sound").stdout.replace("sound/", "results/")
    (project / "fault").write_text(fault)
    broken = cli(*REQUEST).stdout
    assert broken != sound
    (project / "fault").unlink()
    assert cli(*REQUEST).stdout == broken
    assert cli(*REQUEST, "--retry-failed").stdout == sound
    assert cli(*REQUEST).stdout == sound


# -- files that are another document's ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["chunks", "pages"])
@pytest.mark.parametrize("how", ["copied", "written"])
def test_a_file_that_names_another_document_is_made_again(kind: str, how: str, project: Path, cli: Cli) -> None:
    words = ("run", "plain.yaml", "--split", "dev", "--json")
    sound = cli(*words).stdout
    cache = project / "results" / "cache"
    one, other = sorted((cache / kind).glob("*.jsonl"))
    rows, data = read_rows(one), other.read_bytes()
    if how == "copied":
        other.write_bytes(one.read_bytes())
    else:
        write_rows(other, rows or [])
    if kind == "pages":
        for path in (cache / "chunks").iterdir():
            path.unlink()
    (cache / "outcomes.sqlite").unlink()
    assert cli(*words).stdout == sound
    assert other.read_bytes() == data


TWINS = '''"""Chunks numbered anew in each document."""
from systems.chunkers.page_windows import PageWindows

class Twins(PageWindows):
    """Ids that repeat across documents."""
    def chunk(self, pages, bench):
        made = super().chunk(pages, bench)
        return [chunk.model_copy(update={"id": f"chunk-{row}"}) for row, chunk in enumerate(made)]
'''
STRANGER = TWINS.replace('{"id": f"chunk-{row}"}', '{"ref": PageRef("birch_2025", 1)}').replace(
    "from systems", "from harness.records import PageRef\nfrom systems"
)


def test_ids_that_repeat_across_documents_are_refused(project: Path, cli: Cli) -> None:
    (project / "systems" / "chunkers").mkdir(parents=True)
    (project / "systems" / "chunkers" / "twins.py").write_text(TWINS)
    said = cli("run", "plain.yaml", "--split", "dev", "--set", "chunker.use=twins", code=2).stderr
    assert "chunker 'twins' gave the id 'chunk-0' to a chunk of alder_2025:p1 and to one of birch_2025:p1" in said


def test_a_chunk_of_another_document_is_the_chunkers_fault(project: Path, cli: Cli) -> None:
    (project / "systems" / "chunkers").mkdir(parents=True)
    (project / "systems" / "chunkers" / "stranger.py").write_text(STRANGER)
    cli("run", "plain.yaml", "--split", "dev", "--set", "chunker.use=stranger")
    (manifest,) = (project / "results" / "tiny").glob("*/dev/*/manifest.json")
    corpus = json.loads(manifest.read_text())["corpus"]
    assert "chunker 'stranger' gave a chunk of birch_2025:p1" in corpus["alder_2025"]["error"]


# -- titles and aliases ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parts",
    [
        ("chunker={use: context_header, inner: page_windows}",),
        ("scope=corpus", "retriever={use: doc_filter, inner: bm25, candidates: 1}"),
    ],
)
def test_a_title_counts_in_search_and_in_the_results_key(parts: tuple[str, ...], project: Path, cli: Cli) -> None:
    words = ["run", "plain.yaml", "--split", "dev", *(word for part in parts for word in ("--set", part))]
    cli(*words)
    listing = project / "tiny" / "corpus.yaml"
    edited = listing.read_text().replace("title: birch_2025", "title: revenue Alder board, aliases: [Alder]")
    listing.write_text(edited.replace("title: alder_2025", "title: dividend Birch sell"))
    cli(*words)
    cli(*words, "--results", "fresh")
    (kept,) = (project / "fresh" / "tiny").glob("*/dev/*/retrieval.jsonl")
    same = project / "results" / kept.relative_to(project / "fresh")
    assert same.read_bytes() == kept.read_bytes()
    first = [path for path in same.parent.parent.glob("*/retrieval.jsonl") if path != same]
    assert [path.read_bytes() != kept.read_bytes() for path in first] == [True]


MAPPING = '''"""Retrievers in a mapping."""
from harness.protocols import Retriever

class Many(Retriever):
    """The first of them."""
    named: dict[str, Retriever]
    def open(self, folder, bench):
        return bench.index(next(iter(self.named.values())))
'''


def test_components_in_a_mapping_run(project: Path, cli: Cli) -> None:
    (project / "systems" / "retrievers").mkdir(parents=True)
    (project / "systems" / "retrievers" / "many.py").write_text(MAPPING)
    words = ("run", "plain.yaml", "--split", "dev", "--json", "--set")
    requests = "retriever={use: many, named: {a: bm25, b: {use: bm25, k1: 2.0}}}", "retriever={use: bm25}"
    (made,), (alone,) = (json.loads(cli(*words, request).stdout).values() for request in requests)
    assert {name: told for name, told in made.items() if isinstance(told, dict) and "mean" in told} == {
        name: told for name, told in alone.items() if isinstance(told, dict) and "mean" in told
    }
