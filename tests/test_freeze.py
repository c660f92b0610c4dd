"""harness freeze: the first lock is free, a changed split needs a new reason, nothing changed writes nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import HELDOUT, write_set

from harness.cli import main
from harness.files import jsonl
from harness.goldens import locks


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "my set")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def change(folder: Path, answer: str) -> None:
    jsonl.write(folder / "heldout.jsonl", [{**HELDOUT[0], "answer": answer}, HELDOUT[1]])


def refused(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that freeze refuses with; nothing may be written."""
    before = contents(folder)
    assert main(["freeze", str(folder), *words]) == 2
    message = capsys.readouterr().err.strip()
    assert "\n" not in message
    assert contents(folder) == before
    return message


def test_the_first_lock_is_free_and_the_second_time_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "heldout.lock").unlink()
    assert main(["freeze", str(folder)]) == 0
    lock = json.loads((folder / "heldout.lock").read_text())
    assert list(lock) == ["file", "sha256", "goldens", "locked"]
    assert (lock["file"], lock["goldens"]) == ("heldout.jsonl", 2)
    locks.verify(folder)
    before = contents(folder)
    assert main(["freeze", str(folder)]) == 0
    assert "nothing has changed" in capsys.readouterr().out
    assert contents(folder) == before


def test_a_change_needs_a_new_entry_each_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "Turku")
    assert "Write the reason into" in refused(folder, capsys)
    changes = folder / "CHANGES.md"
    changes.write_text("# Changes\n\n## 2026-12-01\n")
    assert "Write the reason into" in refused(folder, capsys)
    changes.write_text("# Changes\n\n## 2026-12-01\nh1: the plant is in Turku, p. 3 was misread\n")
    assert main(["freeze", str(folder)]) == 0
    locks.verify(folder)
    capsys.readouterr()

    change(folder, "Oulu")
    assert "Write the reason below 'Locked " in refused(folder, capsys)
    changes.write_text(changes.read_text() + "\n- h1: and now Oulu\n")
    assert main(["freeze", str(folder)]) == 0
    locks.verify(folder)


def test_a_reason_on_the_command_line_becomes_the_entry(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "Turku")
    assert "Write the reason" in refused(folder, capsys, "--reason", "  ")
    assert main(["freeze", str(folder), "--reason", "h1 was\nmisread"]) == 0
    locks.verify(folder)
    assert ": h1 was misread\n\nLocked " in (folder / "CHANGES.md").read_text()


def test_a_lock_that_a_crash_left_unwritten_is_finished(folder: Path) -> None:
    old = (folder / "heldout.lock").read_bytes()
    change(folder, "Turku")
    assert main(["freeze", str(folder), "--reason", "misread"]) == 0
    done = contents(folder)
    (folder / "heldout.lock").write_bytes(old)
    assert main(["freeze", str(folder)]) == 0
    assert contents(folder) == done


def test_faults_of_the_split_are_told_before_it_is_locked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "")
    assert "heldout.jsonl:1: 'h1': expect is 'answer' but there is no answer" in refused(
        folder, capsys, "--reason", "x"
    )


def test_no_split_and_no_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "heldout.jsonl").unlink()
    assert "there is nothing to lock" in refused(folder, capsys)
    assert main(["freeze", str(folder / "nowhere")]) == 2
    assert "there is no such golden set" in capsys.readouterr().err


def test_a_read_only_folder_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    change(folder, "Turku")
    folder.chmod(0o555)
    try:
        assert "the lock cannot be written there: Permission denied" in refused(folder, capsys, "--reason", "x")
    finally:
        folder.chmod(0o755)


def test_a_folder_that_refuses_writing_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, text: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    change(folder, "Turku")
    monkeypatch.setattr("harness.files.writing.write_text", refuse)
    assert "the lock cannot be written there: Permission denied" in refused(folder, capsys, "--reason", "x")
