"""The one loader of golden sets: all faults at once with line and id, nothing held-out without its lock, openings counted."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import DEV, HELDOUT, ROOT, git, real, write_set

from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.files import jsonl
from harness.goldens import loading, locks, openings
from harness.goldens.openings import Opening
from harness.records import PageRef


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "a set, ünïcode")


def load(folder: Path, split: str = "dev") -> loading.GoldenSet:
    return loading.load(folder, split, Corpus.open(folder))


def changed(**values: Any) -> str:
    return json.dumps({**DEV[0], "id": "new", **values})


BAD: dict[str, tuple[str, str]] = {
    "duplicate id": (json.dumps(DEV[0]), "the id stands in line 1 already"),
    "answer expected, none": (changed(answer=None), "expect is 'answer' but there is no answer"),
    "answer expected, blank": (changed(answer="  "), "expect is 'answer' but there is no answer"),
    "beyond the document": (changed(evidence=[["alder_2025:p5"]]), "alder_2025:p5 lies beyond the document's 4 pages"),
    "outside the corpus": (
        changed(evidence=[["aldr_2025:p1"]]),
        "no document of the corpus 'tiny'. Did you mean 'alder",
    ),
    "page 0": (changed(evidence=[["alder_2025:p0"]]), "is not a page: write it as 'document:p12'"),
    "flat evidence": (changed(evidence=["alder_2025:p1"]), "write a list of groups of pages"),
    "an empty group": (changed(evidence=[[]]), "a group of evidence is empty"),
    "quote beyond": (changed(quotes={"alder_2025:p9": ["x"]}), "quotes: alder_2025:p9 lies beyond"),
    "quote of no page": (changed(quotes={"alder_2025": ["x"]}), "'alder_2025' is not a page"),
    "scope outside": (changed(scope=["alder_2025", "cedar"]), "scope: 'cedar' is no document of the corpus"),
    "evidence out of scope": (changed(scope=["birch_2025"]), "no group of pages lies within the scope"),
    "unknown key": (changed(evidnce=[]), "unknown key 'evidnce'. Did you mean 'evidence'?"),
    "wrong type": (changed(question=7), "question: found 7: input should be a valid string"),
    "unknown expectation": (changed(expect="refuse"), "expect: found 'refuse': input should be 'answer', 'abstain'"),
    "unknown modality": (changed(modality=["chartt"]), "modality.0: found 'chartt'"),
    "no question": (json.dumps({"id": "new", "answer": "x"}), "the key 'question' is missing"),
    "empty id": (changed(id=""), "id: found ''"),
    "NaN": (changed(notes=float("nan")), "NaN is not a JSON number"),
    "not JSON": ('{"id": "new"', "not JSON"),
    "a list": ("[]", "each line must be one JSON object"),
    "duplicate key": ('{"id": "new", "id": "new"}', "the key 'id' is written twice"),
    "blank id": (changed(id=" \t"), "id: found ' \\t': it is blank: write what is meant."),
    "blank question": (changed(question="  "), "question: found '  ': it is blank"),
    "blank accept": (changed(accept=["x", ""]), "accept.1: found '': it is blank"),
    "blank standalone": (changed(standalone=" "), "standalone: found ' ': it is blank"),
    "a spreadsheet's empty answer": (
        changed(answer="NaN"),
        "answer: found 'NaN': a spreadsheet writes this for an empty",
    ),
    "a spreadsheet's broken question": (
        changed(question="#REF!"),
        "question: found '#REF!': a spreadsheet writes this",
    ),
    "a spreadsheet's empty accept": (changed(accept=["nan"]), "accept.0: found 'nan': a spreadsheet writes this"),
    "NaN from a spreadsheet": (
        changed(answer=float("nan")),
        "NaN is not a JSON number (spreadsheets write it for an empty",
    ),
    "a document for documents": (
        changed(scope="alder_2025"),
        "scope: found 'alder_2025'; a list is meant, of one too: [\"alder_2025\"].",
    ),
    "a text for accept": (changed(accept="x"), "accept: found 'x'; a list is meant, of one too: [\"x\"]."),
    "a text for quotes": (changed(quotes={"alder_2025:p1": "x"}), "quotes.alder_2025:p1: found 'x'; a list is meant"),
    "a number for scope": (changed(scope=7), 'scope: found 7; a list is meant, of one too: ["…"].'),
    "a page for evidence": (
        changed(evidence="alder_2025:p1"),
        "evidence: found 'alder_2025:p1'; write a list of groups of pages",
    ),
    "escapes": (changed(expect="\x1b[31m"), "expect: found '\\x1b[31m'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_golden_is_one_line_with_its_place(name: str, folder: Path) -> None:
    line, what = BAD[name]
    path = folder / "dev.jsonl"
    path.write_text(path.read_text() + "\n" + line + "\n")
    before = sorted(folder.iterdir())
    with pytest.raises(UserError) as caught:
        load(folder)
    message = str(caught.value)
    assert message.startswith(f"{path}:{len(DEV) + 2}: ")
    assert what in message
    assert "\n" not in message
    assert "\x1b" not in message
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_array_is_one_message(indent: int | None, folder: Path) -> None:
    (folder / "dev.jsonl").write_text("\ufeff\n" + json.dumps(DEV, indent=indent), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(folder)
    assert str(caught.value).startswith(
        f"{folder / 'dev.jsonl'}:2: the file is one JSON array; write one object a line"
    )
    assert "\n" not in str(caught.value)


def test_words_that_only_look_like_nothing_are_answers(folder: Path) -> None:
    rows = [{**DEV[0], "id": f"x{n}", "answer": text} for n, text in enumerate(["None", "n/a", "0", "Nan Goldin"])]
    jsonl.write(folder / "dev.jsonl", rows)
    assert [golden.answer for golden in load(folder).goldens] == ["None", "n/a", "0", "Nan Goldin"]


def test_all_faults_are_told_at_once_and_cut_at_twenty(folder: Path) -> None:
    rows = [{**DEV[0], "id": f"x{number}", "answer": ""} for number in range(33)]
    jsonl.write(folder / "dev.jsonl", rows)
    with pytest.raises(UserError) as caught:
        load(folder)
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[0] == f"{folder / 'dev.jsonl'}:1: 'x0': expect is 'answer' but there is no answer."
    assert lines[-1] == "… and 13 more"


def test_a_set_as_windows_writes_it(folder: Path) -> None:
    path = folder / "dev.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    loaded = load(folder)
    assert [golden.id for golden in loaded.goldens] == [row["id"] for row in DEV]
    assert loaded.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_empty_file_unknown_splits_and_missing_ones(folder: Path) -> None:
    (folder / "dev.jsonl").write_bytes(b"\n")
    with pytest.raises(UserError, match="the file holds no golden"):
        load(folder)
    with pytest.raises(UserError, match=r"no split 'held-out'\. Did you mean 'heldout'\?"):
        load(folder, "held-out")
    (folder / "dev.jsonl").unlink()
    with pytest.raises(UserError, match=r"no such file; splits of this set: heldout\."):
        load(folder)
    assert loading.splits(folder) == ("heldout",)


def test_a_huge_line_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "LONGEST", 400)
    with (folder / "dev.jsonl").open("a") as file:
        file.write(changed(notes="x" * 1000))
    with pytest.raises(UserError, match=rf":{len(DEV) + 1}: the line has more than 400 bytes"):
        load(folder)


def test_find_takes_a_path_or_a_name(folder: Path) -> None:
    assert loading.find(folder) == folder
    assert loading.find(folder.name, base=folder.parent) == folder
    with pytest.raises(UserError, match=r"no such golden set\..* In .*: a set, ünïcode\."):
        loading.find("nowhere", base=folder.parent)
    with pytest.raises(UserError, match=r"no golden set, there is no corpus\.yaml"):
        loading.find(folder.parent)


def test_heldout_with_its_lock(folder: Path) -> None:
    loaded = load(folder, "heldout")
    assert len(loaded.goldens) == len(HELDOUT)
    assert loaded.lock is not None
    assert loaded.lock.sha256 == loaded.sha256


def test_heldout_without_a_lock_names_freeze(folder: Path) -> None:
    (folder / "heldout.lock").unlink()
    with pytest.raises(UserError, match=r"heldout\.jsonl has no lock: `harness freeze ") as caught:
        load(folder, "heldout")
    assert "\n" not in str(caught.value)


LOCKS = {
    "empty": "",
    "not JSON": "sha256: 12",
    "a list": "[]",
    "no sha256": '{"file": "heldout.jsonl", "sha256": "12", "goldens": 2, "locked": "2026-11-29"}',
    "another key": json.dumps(
        {"file": "heldout.jsonl", "sha256": "0" * 64, "goldens": 2, "locked": "2026-11-29", "x": 1}
    ),
    "another file": json.dumps({"file": "dev.jsonl", "sha256": "0" * 64, "goldens": 2, "locked": "2026-11-29"}),
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_that_is_none(name: str, folder: Path) -> None:
    (folder / "heldout.lock").write_text(LOCKS[name])
    with pytest.raises(
        UserError, match=r"heldout\.lock: (this is no lock; one looks like|the lock is for 'dev)"
    ) as caught:
        load(folder, "heldout")
    assert "\n" not in str(caught.value)


def test_a_changed_heldout_says_what_changed(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "locked")
    rows = [{**HELDOUT[0], "answer": "Turku"}, {**HELDOUT[1], "id": "h3"}, {**HELDOUT[1], "id": "h4"}]
    jsonl.write(folder / "heldout.jsonl", rows)
    with pytest.raises(UserError) as caught:
        load(folder, "heldout")
    message = str(caught.value)
    assert "has changed since it was locked on 2026-11-29: 2 goldens then, 3 now, sha256 " in message
    assert "; changed: 'h1'; added: 'h3', 'h4'; removed: 'h2'. Restore it, or run `harness freeze" in message
    assert "\n" not in message


def test_a_changed_heldout_outside_git_says_so_without_names(folder: Path) -> None:
    jsonl.write(folder / "heldout.jsonl", HELDOUT[:1])
    with pytest.raises(UserError, match=r"2 goldens then, 1 now, sha256 \w{12}… then, \w{12}… now\. Restore it"):
        locks.verify(folder)


def test_read_only_folders_work(folder: Path) -> None:
    folder.chmod(0o555)
    try:
        assert len(load(folder, "heldout").goldens) == 2
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize(
    ("name", "dev", "heldout"),
    [("finance", 149, 107), ("analyst", 47, 0), ("filings", 250, 0), ("charts", 26, 0), ("permissive", 48, 0)],
)
def test_real_sets_load(name: str, dev: int, heldout: int) -> None:
    folder = real(f"goldens/{name}")
    corpus = Corpus.open(folder)
    found = {split: len(loading.load(folder, split, corpus).goldens) for split in loading.splits(folder)}
    assert found == {"dev": dev, **({"heldout": heldout} if heldout else {})}
    assert all(ref in corpus for golden in loading.load(folder, "dev", corpus).goldens for ref in golden.gold_pages)


def opening(key: str, *, unsealed: bool = False) -> Opening:
    return Opening(when="2026-11-29T12:00:00Z", system="s", key=key, unsealed=unsealed, aggregates={"mrr": 0.5})


def test_openings_are_counted_by_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "set" / "openings.jsonl"
    assert openings.number(path, "a") == 1
    assert openings.record(path, opening("a")) == 1
    assert openings.record(path, opening("b")) == 2
    assert openings.record(path, opening("a")) == 1
    assert openings.record(path, opening("a", unsealed=True)) == 1
    assert openings.record(path, opening("a", unsealed=True)) == 1
    assert openings.number(path, "b") == 2
    assert openings.number(path, "c") == 3
    assert [(one.key, one.unsealed) for one in openings.read(path)] == [("a", False), ("b", False), ("a", True)]


def test_a_torn_line_is_named_and_nothing_is_written_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "openings.jsonl"
    openings.record(path, opening("a"))
    openings.record(path, opening("b"))
    torn = path.read_bytes()[:-20]
    path.write_bytes(torn)
    ways: list[Callable[[], object]] = [
        lambda: openings.number(path, "a"),
        lambda: openings.record(path, opening("c")),
    ]
    for way in ways:
        with pytest.raises(
            UserError, match=r"openings\.jsonl:2: this line was cut off while it was written: "
        ) as caught:
            way()
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == torn


def test_a_whole_last_line_without_newline_stays_a_line(tmp_path: Path) -> None:
    path = tmp_path / "openings.jsonl"
    openings.record(path, opening("a"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert openings.record(path, opening("b")) == 2
    assert [one.key for one in openings.read(path)] == ["a", "b"]


RECORD_MANY = """
import sys, time
from pathlib import Path
from harness.goldens import openings
parse = openings._parse
openings._parse = lambda *args: (parse(*args), time.sleep(0.02))[0]  # room for the other process to come between
for number in range(8):
    for key in (f"{sys.argv[2]}{number}", f"shared{number}"):
        openings.record(Path(sys.argv[1]), openings.Opening(when="2026-11-29T12:00:00Z", system="s", key=key))
"""


def test_two_processes_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "openings.jsonl"
    command = [sys.executable, "-c", RECORD_MANY, str(path)]
    workers = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("x", "y")]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    keys = [one.key for one in openings.read(path)]
    assert len(keys) == len(set(keys)) == 24


def test_gold_pages_are_pages(folder: Path) -> None:
    assert load(folder).goldens[0].gold_pages == {PageRef("alder_2025", 2)}
