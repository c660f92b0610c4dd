"""Storage that fails: full, read-only, damaged, of an older version, shared, moved. The right result or one clear line; never a
wrong table, never silently fewer candidates."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import CONFIG, ROOT, Cli, run_config, write_set

from harness.errors import HarnessError, UserError, WorldError
from harness.runs import results
from harness.runs.options import Options
from harness.runs.rescore import rescore

LETTERS = '''"""Counts of letters as vectors: an embedder without a model."""
import numpy as np
from harness.protocols import Embedder

class Letters(Embedder):
    """Counts of letters."""
    def encode(self, texts, kind, bench):
        counts = np.array([[text.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts], np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)
'''
BOTH = "retriever: {use: rrf, first: {use: dense, embedder: {use: storage_letters}}, second: {use: bm25}}"
REQUEST = Options(splits=("dev",), workers=2)
NAME = "tiny/both/dev"

Rows = dict[str, bytes]


def rows_of(place: Path) -> Rows:
    """The rows of a run folder as they stand on disk."""
    rows = results.RETRIEVAL, results.GENERATION, results.SCORES, results.TRACES, results.TRAILS
    return {name: (place / name).read_bytes() for name in rows}


def go(options: Options = REQUEST, config: str = "both.yaml") -> Rows:
    """A run in this process; its rows."""
    result = run_config(Path(config), options)
    assert results.read_manifest(result.folder).files.keys() == rows_of(result.folder).keys()
    return rows_of(result.folder)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Rows]]:
    """A project with a run in it, and the rows of that run."""
    project = tmp_path_factory.mktemp("finished")
    write_set(project / "tiny")
    (project / "both.yaml").write_text(CONFIG.replace("retriever: {use: bm25}", BOTH))
    (project / "plain.yaml").write_text(CONFIG)
    (project / "systems" / "embedders").mkdir(parents=True)
    (project / "systems" / "embedders" / "storage_letters.py").write_text(LETTERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(project)
        patch.chdir(project)
        yield project, go()


@pytest.fixture
def here(finished: tuple[Path, Rows], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rows:
    """A copy of the project to do harm in, as the working folder; the rows of its run.

    Its components stay where they are, on the path: two files of one name are refused.
    """
    shutil.copytree(finished[0], tmp_path / "copy", ignore=shutil.ignore_patterns("systems"))
    monkeypatch.chdir(tmp_path / "copy")
    return finished[1]


def garble(path: Path) -> None:
    """Change a few bytes here and there, the length stays."""
    data = bytearray(path.read_bytes())
    for place in range(len(data) // 7, len(data), max(1, len(data) // 5)):
        data[place] ^= 0x15
    path.write_bytes(data)


HARMS: dict[str, Callable[[Path], object]] = {
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "emptied": lambda path: os.truncate(path, 0),
    "garbled": garble,
    "another file": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe\x00"),
}
CACHES = {
    "pages": "cache/pages/*.jsonl",
    "chunks": "cache/chunks/*.jsonl",
    "reference": "cache/reference/*.jsonl",
    "index files": "cache/indexes/*/*[!s].*",
    "lists of index files": "cache/indexes/*/files.json",
    "vectors": "cache/memo/*/*.npy",
    "lists of vectors": "cache/memo/*/*.rows",
    "outcomes": "cache/outcomes.sqlite",
}


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("kind", CACHES)
def test_a_damaged_cache_is_made_again(kind: str, harm: str, here: Rows) -> None:
    files = sorted(Path("results").glob(CACHES[kind]))
    assert files
    if kind != "outcomes":
        Path("results/cache/outcomes.sqlite").unlink()
    if kind == "pages":
        shutil.rmtree("results/cache/chunks")
    for path in files:
        HARMS[harm](path)
    shutil.rmtree("results/tiny")
    assert go() == here
    assert go() == here


def read_and_score(place: Path) -> None:
    results.read_scores(place)
    rescore(results.latest(Path("results"), NAME), REQUEST)


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("file", ["retrieval.jsonl", "scores.jsonl", "traces.jsonl", "trails.jsonl", "manifest.json"])
def test_a_damaged_result_is_one_line_and_a_run_mends_it(file: str, harm: str, here: Rows) -> None:
    place = results.latest(Path("results"), NAME)
    HARMS[harm](place / file)
    with pytest.raises(UserError) as caught:
        read_and_score(place)
    assert str(place / file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert go() == here
    rescore(results.latest(Path("results"), NAME), REQUEST)
    assert rows_of(place) == here


def test_a_score_that_was_changed_by_hand_is_never_shown(here: Rows) -> None:
    path = results.latest(Path("results"), NAME) / results.SCORES
    path.write_bytes(path.read_bytes().replace(b'"value": 1.0', b'"value": 0.5', 1))
    with pytest.raises(UserError, match="is not what the run wrote"):
        results.read_scores(path.parent)


LATEST = {
    "empty": (b"", "is damaged"),
    "binary": (b"\xff\x00\xfe", "is damaged"),
    "a path": (b"../../../tiny", "is damaged"),
    "half": (b"12ab", "is damaged"),
    "a result that is gone": (b"0123abcd\n", "there is no such folder"),
}


@pytest.mark.parametrize("name", LATEST)
def test_a_latest_that_names_nothing_is_one_line(name: str, here: Rows) -> None:
    data, what = LATEST[name]
    path = Path("results") / NAME / "latest"
    path.write_bytes(data)
    with pytest.raises(UserError, match=what) as caught:
        rescore(results.latest(Path("results"), NAME), REQUEST)
    assert "\n" not in str(caught.value)
    assert go() == here
    rescore(results.latest(Path("results"), NAME), REQUEST)


def test_a_result_without_manifest_is_no_result(here: Rows) -> None:
    (results.latest(Path("results"), NAME) / "manifest.json").unlink()
    with pytest.raises(UserError, match="the run did not end"):
        rescore(results.latest(Path("results"), NAME), REQUEST)


OLDER = {
    "other columns": "DROP TABLE unit; CREATE TABLE unit (key TEXT PRIMARY KEY, value TEXT)",
    "other types": "UPDATE unit SET value = 7.5",
    "no text": "UPDATE unit SET value = CAST(x'fffe' AS TEXT)",
    "no keys": "UPDATE unit SET key = CAST(x'ff' || CAST(key AS BLOB) AS TEXT)",
    "a view": "DROP TABLE unit; CREATE VIEW unit AS SELECT 1 AS key",
    "values of each other": "UPDATE unit SET value = (SELECT value FROM unit AS other ORDER BY key LIMIT 1)",
}


@pytest.mark.parametrize("name", OLDER)
def test_units_of_another_version_are_made_again(name: str, here: Rows) -> None:
    with closing(sqlite3.connect("results/cache/outcomes.sqlite")) as connection:
        connection.executescript(OLDER[name])
    assert go() == here


def test_a_journal_of_a_damaged_file_is_not_played_into_the_new_one(here: Rows) -> None:
    path = Path("results/cache/outcomes.sqlite")
    path.with_name("outcomes.sqlite-journal").write_bytes(path.read_bytes())
    path.write_bytes(b"no database")
    assert go() == here
    assert go() == here


OTHERWISE = '''"""The second time that it is asked, its first page is blank."""
from pathlib import Path
from systems.parsers.liteparse import LiteParseParser

class Otherwise(LiteParseParser):
    """Not the same twice."""
    def parse(self, pdf, doc, bench):
        pages = super().parse(pdf, doc, bench)
        again = Path(doc + ".seen")
        if again.exists():
            pages[0] = pages[0].model_copy(update={"blocks": (), "status": "blank"})
        again.touch()
        return pages
'''


def test_an_index_belongs_to_the_chunks_it_was_built_from(here: Rows) -> None:
    """A parser may give other pages for the same file; an index of the old chunks would then point to wrong pages."""
    Path("systems/parsers").mkdir(parents=True)
    Path("systems/parsers/storage_otherwise.py").write_text(OTHERWISE)
    sys.path.insert(0, os.getcwd())
    try:
        options = Options(splits=("dev",), workers=2, settings=("parser.use=storage_otherwise",))
        first = go(options, "plain.yaml")
        for path in (*Path("results/cache/chunks").iterdir(), *Path("results/cache/pages").iterdir()):
            path.unlink()
        second = go(options, "plain.yaml")
        fresh = go(replace(options, results=Path("fresh")), "plain.yaml")
    finally:
        sys.path.remove(os.getcwd())
    assert second != first
    assert second == fresh


def test_results_may_be_moved(here: Rows) -> None:
    before = sorted(path for path in Path("results/cache").rglob("*") if path.is_file())
    Path("results").rename("other place ü")
    moved = Options(splits=("dev",), results=Path("other place ü"))
    assert rows_of(rescore(results.latest(moved.results, NAME), moved).folder) == here
    assert go(moved) == here
    after = sorted(path for path in Path("other place ü/cache").rglob("*") if path.is_file())
    assert len(after) == len(before), "nothing is made again"


def test_runs_at_once_on_one_results_folder(finished: tuple[Path, Rows], here: Rows) -> None:
    """Twice the same system and once another, from nothing."""
    shutil.rmtree("results")
    configs = ("both.yaml", "both.yaml", "plain.yaml")
    words = ("--split", "dev", "--json", "--findings")
    runs = [start(finished[0], "run", config, *words, f"f{n}") for n, config in enumerate(configs)]
    said = [process.communicate(timeout=200) for process in runs]
    assert [process.returncode for process in runs] == [0, 0, 0], said
    assert said[0][0] == said[1][0]
    assert rows_of(results.latest(Path("results"), NAME)) == here
    plain = rows_of(results.latest(Path("results"), "tiny/plain/dev"))
    shutil.rmtree("results")
    assert go(config="plain.yaml") == plain


def start(project: Path, *words: str) -> subprocess.Popen[str]:
    """The command, with the components of `project`."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{project}"}
    command = [sys.executable, "-m", "harness.cli", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """A mount at `folder`, skipped where this user may not mount."""
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder, read-only even for root."""
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux has them")
@pytest.mark.parametrize("kibibytes", [32, 112])
def test_a_full_disk_is_one_line_and_the_next_run_goes_on(kibibytes: int, here: Rows) -> None:
    small = Path("small")
    small.mkdir()
    with mounted(small, "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs"):
        options = Options(splits=("dev",), workers=2, results=small)
        with pytest.raises(WorldError) as caught:
            go(options)
        assert "\n" not in str(caught.value)
        assert "small" in str(caught.value)
        assert not list(small.glob("tiny/*/*/*/manifest.json"))
        subprocess.run(["mount", "-o", "remount,size=50m", str(small)], check=True)
        assert go(options) == here


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux has them")
def test_a_full_disk_on_the_command_line(here: Rows, cli: Cli) -> None:
    Path("small").mkdir()
    with mounted(Path("small"), "-t", "tmpfs", "-o", "size=64k", "tmpfs"):
        done = cli("run", "plain.yaml", "--split", "dev", "--results", "small", cwd=Path.cwd(), code=4)
    assert len(done.stderr.splitlines()) == 1
    assert "No space left on device" in done.stderr or "disk is full" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux has them")
@pytest.mark.parametrize("state", ["empty", "whole", "without outcomes", "without caches"])
def test_a_read_only_results_folder_is_one_line(state: str, here: Rows) -> None:
    if state == "empty":
        shutil.rmtree("results")
        Path("results").mkdir()
    elif state == "without outcomes":
        Path("results/cache/outcomes.sqlite").unlink()
    elif state == "without caches":
        shutil.rmtree("results/cache")
    with read_only(Path("results")), pytest.raises(HarnessError) as caught:
        go()
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert "ead-only" in str(caught.value) or "readonly" in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux has them")
def test_read_only_goldens_are_enough(here: Rows) -> None:
    shutil.rmtree("results")
    with read_only(Path("tiny")):
        assert go() == here


def test_a_file_in_the_place_of_the_results(here: Rows) -> None:
    Path("a file").write_text("")
    with pytest.raises(UserError, match="a file"):
        go(Options(splits=("dev",), results=Path("a file")))
