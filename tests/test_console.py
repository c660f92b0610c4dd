"""What stands on the screen: aligned at every width, readable in every locale, quiet for programs, gone after Ctrl-C."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, ROOT, write_set

from harness.cli import main
from harness.files.wording import counted
from harness.reports import table
from harness.reports.wrapping import wrapped
from harness.runs.results import Manifest
from harness.scoring.scores import Summary

RUN = ("run", "plain.yaml", "--split", "dev")
UNKNOWN = (
    "unknown command 'rum'. Did you mean 'run'? "
    "Commands: check, compare, corpus, explain, export, freeze, gate, judges, list, plan, run, score."
)
LABELS = [{"id": "1", "question": "Wie viel?", "reference": "3 €", "answer": "3 €", "label": "correct"}]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project after a run on dev, so that what is shown is only read back."""
    made = tmp_path_factory.mktemp("ran") / "project"
    write_set(made / "tiny")
    (made / "plain.yaml").write_text(CONFIG)
    (made / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in LABELS))
    with contextlib.chdir(made), contextlib.redirect_stdout(io.StringIO()) as shown:
        assert main([*RUN, "--json"]) == 0
    (made / "undisturbed.json").write_text(shown.getvalue())
    return made


@pytest.fixture
def project(ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "project"
    shutil.copytree(ran, copy)
    monkeypatch.chdir(copy)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("COLUMNS", raising=False)
    return copy


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **variables}


def start(*words: str, **settings: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "harness.cli", *words]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(), **settings}
    return subprocess.Popen(command, **given)  # type: ignore[call-overload,no-any-return]


# -- the table --------------------------------------------------------------------------------------------------------


def summary(metric: str, stage: str, mean: float | None, **fields: object) -> Summary:
    return Summary.model_validate({"metric": metric, "stage": stage, "mean": mean, "scored": 64, **fields})


SUMMARIES = [
    summary("page_hit@5", "retrieve", 0.75, low=0.6, high=0.86, document_mean=0.7, floors={"habit": 0.2}),
    summary("searches", "generate", 1.0, unit="searches", low=1.0, high=1.0, document_mean=1.0),
    summary("tokens", "generate", 123456.0, unit="tokens", low=98765.4, high=234567.8, document_mean=99999.0),
    summary("cost", "generate", 0.0, unit="USD", expense=True, low=0.0, high=0.0, document_mean=0.0),
    summary("capped", "generate", 0.0, expense=True, low=0.0, high=0.05, document_mean=0.0),
    summary("correctness", "score", 0.5, low=0.4, high=0.6, failed=2, worst=0.48, best=0.52, document_mean=0.5),
    summary("accuracy_when_answered", "score", None, scored=0, not_applicable=64),
]


def rows(width: int | None) -> list[str]:
    """Header and rows of the metrics, without titles and footnotes."""
    manifest = Manifest.model_construct(
        set="tiny", system="plain", split="dev", config={"scope": "golden"}, goldens={"asked": 64, "of": 64},
        stamp={"documents": 4, "pages": 141}, corpus={},
    )  # fmt: skip
    lines = [line for line, title in table.lines(manifest, SUMMARIES, width) if not title]
    return lines[2 : 2 + 6]


def test_the_columns_of_all_stages_are_one_alignment() -> None:
    assert rows(None) == [
        "                              value                 95%   n  n/a  failed    by doc  floor",
        "  page_hit@5                  0.750           0.60-0.86  64    0       0     0.700  0.200",
        "  searches                      1.0                      64    0       0       1.0",
        "  tokens                  123,456.0  98,765.4-234,567.8  64    0       0  99,999.0",
        "  correctness                 0.500           0.40-0.60  64    0       2     0.500",
        "  accuracy_when_answered          -                   -   0   64       0         -",
    ]


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (100, "value 95% n n/a failed by doc floor"),
        (80, "value 95% n n/a failed floor"),
        (64, "value 95% n"),
        (40, "value n"),
    ],
)
def test_a_narrow_table_keeps_what_matters_most_and_its_width(width: int, columns: str) -> None:
    shown = rows(width)
    assert shown[0].split() == columns.split()
    assert max(map(len, shown)) <= width


def test_expenses_that_nobody_had_are_named_below_the_table_only() -> None:
    notes = table.footnotes(SUMMARIES)
    assert "not listed, zero for every question: cost, capped" in notes
    assert "correctness: 2 could not be scored; the mean lies between 0.480 and 0.520" in notes
    assert not [line for line in rows(None) if "cost" in line or "capped" in line]


def test_undecided_answers_are_a_count_of_their_own_with_the_bounds_that_they_leave() -> None:
    open_ones = summary("correctness", "score", 0.5, undecided=4, failed=1, worst=0.4, best=0.6)
    manifest = Manifest.model_construct(
        set="tiny", system="plain", split="dev", config={"scope": "golden"}, goldens={"asked": 64, "of": 64},
        stamp={"documents": 4, "pages": 141}, corpus={},
    )  # fmt: skip
    head = [line.split() for line, _ in table.lines(manifest, [open_ones], None)][3]
    assert head == ["value", "95%", "n", "n/a", "undecided", "failed", "by", "doc", "floor"]
    notes = table.footnotes([open_ones])
    assert "correctness: 4 undecided and 1 could not be scored; the mean lies between 0.400 and 0.600" in notes


@pytest.mark.parametrize("columns", ["100", "80", "40"])
def test_no_line_is_wider_than_the_terminal(
    columns: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(list(RUN)) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(("rows: ", "page: "))]
    assert max(map(len, lines)) <= int(columns)
    assert "  page_hit@5" in {line[:12] for line in lines}


def test_without_a_terminal_nothing_is_cut_or_coloured(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(RUN)) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert re.search(r"value +95% +n +n/a +failed +by doc +floor$", said.out, re.MULTILINE)
    assert said.err == ""


@pytest.mark.parametrize("columns", [100, 80, 60])
@pytest.mark.parametrize("words", [("list",), ("list", "retriever"), ("explain", "plain", "t/2")], ids=" ".join)
def test_list_and_explain_hang_below_their_column(
    words: tuple[str, ...], columns: int, project: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(list(words)) == 0
    whole = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(list(words)) == 0
    shown = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) > 80, "a pipe gets each line as it is"
    assert max(map(len, shown.splitlines())) <= columns
    assert shown.split() == whole.split(), "nothing is lost"
    begun = [line for line in shown.splitlines() if not line.startswith(" " * 9) and line]
    assert [line.split()[:2] for line in begun] == [line.split()[:2] for line in whole.splitlines() if line]


def test_a_text_of_several_lines_hangs_and_long_words_stay_whole() -> None:
    assert wrapped("answer  one two three\nrow  9", 8, 15).splitlines() == [
        "answer  one two",
        " " * 7 + "three",
        " " * 7 + "row  9",
    ]
    assert wrapped("page  " + "x" * 30 + " y", 6, 20).splitlines() == ["page", "      " + "x" * 30, "      y"]
    assert wrapped("answer  one two three\nrow", 8, None).splitlines() == ["answer  one two three", "        row"]


@pytest.mark.parametrize(
    ("number", "noun", "says"),
    [
        (0, "page", "0 pages"),
        (1, "page", "1 page"),
        (1284, "page", "1,284 pages"),
        (1, "search", "1 search"),
        (2, "search", "2 searches"),
    ],
)
def test_counts_agree_with_their_noun(number: int, noun: str, says: str) -> None:
    assert counted(number, noun) == says


def test_a_suggested_command_can_be_pasted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tiny" / "heldout.lock").unlink()
    (project / "tiny").rename(project / "my set; $HOME")
    words = [*RUN[:2], "--split", "all", "--dirty", "--goldens", "my set; $HOME"]
    assert main(words) == 2
    (suggested,) = re.findall("`(.*)`", capsys.readouterr().err)
    assert suggested == "harness freeze 'my set; $HOME'"
    assert main(shlex.split(suggested)[1:]) == 0
    assert main(words) == 0


def test_python_m_harness_is_harness(project: Path) -> None:
    """Under the same name, and without a user's file in the place of one of Python's."""
    (project / "json.py").write_text("raise SystemExit('this is the json of the user')")

    def call(*words: str) -> tuple[int, str, str]:
        done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, env=environment())
        return done.returncode, done.stdout, done.stderr

    assert call("harness", "--help")[1].startswith("usage: harness ")
    assert call("harness", "rum") == (2, "", f"harness: {UNKNOWN}\n")
    assert json.loads(call("harness", *RUN, "--json")[1])["tiny/plain/dev"]["page_hit@5"]["mean"] == 1.0


# -- a real terminal --------------------------------------------------------------------------------------------------


def in_a_terminal(columns: int, *words: str, **variables: str) -> str:
    """All that the command writes into a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start(*words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(TERM="xterm", **variables))
    os.close(theirs)
    written = b""
    with contextlib.suppress(OSError):
        while data := os.read(ours, 65536):
            written += data
    os.close(ours)
    assert process.wait(60) == 0
    return written.decode()


def test_a_terminal_of_40_columns(project: Path) -> None:
    shown = in_a_terminal(40, *RUN)
    assert "\x1b[1mtiny / plain / dev\x1b[0m" in shown, "titles are bold"
    table = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown[shown.index("\x1b[1mtiny") :]).splitlines()
    assert max(len(line) for line in table if not line.startswith(("rows: ", "page: "))) <= 40


def test_no_color(project: Path) -> None:
    shown = in_a_terminal(80, *RUN, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*m", shown[shown.index("tiny / plain / dev") :])


# -- locales ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def foreign(project: Path) -> Path:
    """The project with letters of the world in a question, an answer, a title and the system's name."""
    path = project / "tiny" / "dev.jsonl"
    path.write_text(path.read_text().replace("Mara Lindqvist", "Mára Líndqvist 林 😀"), encoding="utf-8")
    listing = project / "tiny" / "corpus.yaml"
    listing.write_text(listing.read_text().replace("title: alder_2025", "title: Älder – 2025"), encoding="utf-8")
    (project / "plain.yaml").rename(project / "plän 林.yaml")
    return project


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_an_encoding_that_lacks_a_letter_costs_the_letter(
    encoding: str, foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(*words: str) -> str:
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(list(words)) == 0
        stream.flush()
        return stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]

    assert "tiny/plän 林/dev" in json.loads(call("run", "plän 林.yaml", "--split", "dev", "--json"))
    assert "tiny / pl" in call("run", "plän 林.yaml", "--split", "dev")
    assert "ndqvist" in call("explain", "plän 林", "t/2")
    assert "tiny/plän 林/dev" in json.loads(call("score", "plän 林", "--json"))
    assert json.loads(call("judges", "--labels", "labels.jsonl", "--json"))["rows"] == 1
    assert "judge program: 1 answer to 1 question;" in call("judges", "--labels", "labels.jsonl")
    assert "parser" in call("list")


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"COLUMNS": "40", "NO_COLOR": "1", "TERM": "dumb"},
    ],
    ids=["ASCII locale", "cp1252", "dumb"],
)
def test_json_is_one_document_and_all_there_is(variables: dict[str, str], foreign: Path) -> None:
    (foreign / "plän 林.yaml").rename(foreign / "plain.yaml")
    process = start(*RUN, "--json", env=environment(**variables))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["tiny/plain/dev"]["page_hit@5"]["mean"] == 1.0


# -- streams that end -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [RUN, ("list",)], ids=["run", "list"])
def test_a_reader_that_goes_away_is_no_error(words: tuple[str, ...], project: Path) -> None:
    process = start(*words)
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_a_full_disk_behind_stdout_is_the_worlds_fault(project: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        process = start(*RUN, stdout=full)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (4, b"harness: output: No space left on device\n")


def test_closed_streams_take_everything(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main([*RUN, "--json"]) == 0
    assert main(["run", "nowhere.yaml"]) == 2
    for stream in (sys.stdout, sys.stderr):
        stream.close()


# -- Ctrl-C -----------------------------------------------------------------------------------------------------------

SLOW = '''"""Waits for the file `go`, then does what its parent does."""
import time
from pathlib import Path
from systems.{folder}.{parent} import {cls}

class Slow({cls}):
    """Slow."""
    def {method}(self, {given}, *rest):
        if not Path("go").exists() and {when}:
            Path("waiting").touch()
            time.sleep(60)
        return super().{method}({given}, *rest)
'''
SLOWLY = {
    "a document": ("parsers", "liteparse", "LiteParseParser", "parse", "pdf, doc", "doc.startswith('birch')"),
    "an answer": ("answerers", "statements", "Statements", "answer", "question", "'Birch' in question"),
}
DEAF = '''"""A library that does not listen."""
import time
from pathlib import Path
from systems.parsers.liteparse import LiteParseParser

class Deaf(LiteParseParser):
    """Deaf."""

Path("waiting").touch()
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
'''


def interrupt(*words: str) -> tuple[float, int, str, str]:
    """Start the command, press Ctrl-C when it waits; seconds, exit code, stdout, stderr."""
    # What runs in the background of a script is started with SIGINT ignored, and passes that on.
    process = start(*words, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.monotonic() + 60
    while not Path("waiting").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    time.sleep(0.2)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return time.monotonic() - begun, process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("where", SLOWLY)
def test_ctrl_c_is_one_line_at_once_and_the_run_goes_on_later(
    where: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree("results")
    folder, parent, cls, method, given, when = SLOWLY[where]
    place = project / "systems" / folder / "slow.py"
    place.parent.mkdir(parents=True)
    text = SLOW.format(folder=folder, parent=parent, cls=cls, method=method, given=given, when=when)
    place.write_text(text)
    words = (*RUN, "--json", "--set", f"{folder[:-1]}.use=slow")

    seconds, code, out, err = interrupt(*words)
    assert (code, out, err) == (130, "", "harness: interrupted; run the same command again to go on\n")
    assert seconds < 2
    assert not list(Path("results").glob("tiny/*/*/*/manifest.json")), "what did not end is no result"

    Path("go").touch()
    capsys.readouterr()
    assert main(list(words)) == 0
    (went_on,), (undisturbed,) = map(
        metrics_of, (capsys.readouterr().out, Path("undisturbed.json").read_text(encoding="utf-8"))
    )
    assert went_on == undisturbed


def metrics_of(document: str) -> Iterator[dict[str, Any]]:
    """Of each result that a run's --json tells of, the metrics."""
    for result in json.loads(document).values():
        yield {name: told for name, told in result.items() if isinstance(told, dict) and "mean" in told}


def test_ctrl_c_ends_what_does_not_listen(project: Path) -> None:
    (project / "systems" / "parsers").mkdir(parents=True)
    (project / "systems" / "parsers" / "deaf.py").write_text(DEAF)
    seconds, code, out, err = interrupt(*RUN, "--json", "--set", "parser.use=deaf")
    assert (code, out, err) == (130, "", "harness: interrupted; run the same command again to go on\n")
    assert seconds < 2


# -- speed ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def cpu() -> Iterator[Callable[..., float]]:
    """Seconds of CPU that a command takes."""

    def measure(*words: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = start(*words)
        process.communicate(timeout=60)
        assert process.returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)

    return measure


@pytest.mark.parametrize("words", [("--help",), ("list",)], ids=["help", "list"])
def test_help_and_list_start_fast(words: tuple[str, ...], cpu: Callable[..., float]) -> None:
    assert min(cpu(*words) for _ in range(2)) < 0.6, "0.14 s where it was measured; a heavy import takes more"
