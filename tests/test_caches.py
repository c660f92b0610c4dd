"""Caches: what was kept comes back, what is damaged is made again, and two processes do not harm each other."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from harness.cache.folders import keep_folder, whole
from harness.cache.outcomes import Outcomes
from harness.cache.rows import first_row, read_rows, write_rows
from harness.cache.vectors import ArrayMemo, Memos


def silent(what: str, done: int, total: int) -> None:
    pass


def test_rows_come_back_and_a_changed_byte_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a" / "rows.jsonl"
    write_rows(path, [{"a": "é\u2028x"}, 2])
    assert read_rows(path) == [{"a": "é\u2028x"}, 2]
    assert first_row(path) == {"a": "é\u2028x"}
    path.write_bytes(path.read_bytes().replace(b"2\n", b"3\n"))
    assert read_rows(path) is None


@pytest.mark.parametrize("kept", [0, 10, 70, -1])
def test_truncated_rows_are_none(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows(path, [{"a": 1}, {"b": 2}])
    path.write_bytes(path.read_bytes()[:kept])
    assert read_rows(path) is None


def test_units_come_back_in_another_connection(tmp_path: Path) -> None:
    Outcomes(tmp_path / "outcomes.sqlite").put_many({"k": {"v": [1, None]}, "l": "ü"})
    other = Outcomes(tmp_path / "outcomes.sqlite")
    assert other.get("k") == {"v": [1, None]}
    assert other.get_many(["k", "l", "m"]) == {"k": {"v": [1, None]}, "l": "ü"}


def test_a_damaged_unit_is_no_unit(tmp_path: Path) -> None:
    outcomes = Outcomes(tmp_path / "outcomes.sqlite")
    outcomes.put("k", 0.5)
    with sqlite3.connect(tmp_path / "outcomes.sqlite") as connection:
        connection.execute("UPDATE unit SET value = '0.9'")
    connection.close()
    assert Outcomes(tmp_path / "outcomes.sqlite").get("k") is None


@pytest.mark.parametrize("garbage", [b"not a database at all", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file_is_put_aside_and_begun_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], garbage: bytes
) -> None:
    path = tmp_path / "outcomes.sqlite"
    path.write_bytes(garbage)
    outcomes = Outcomes(path)
    outcomes.put("k", 1)
    assert outcomes.get("k") == 1
    assert "damaged" in capsys.readouterr().err
    assert path.with_suffix(".damaged").exists()


def test_two_connections_write_at_once(tmp_path: Path) -> None:
    one, two = Outcomes(tmp_path / "outcomes.sqlite"), Outcomes(tmp_path / "outcomes.sqlite")
    for i in range(20):
        one.put(f"a{i}", i)
        two.put(f"b{i}", i)
    assert len(Outcomes(tmp_path / "outcomes.sqlite").get_many(f"{x}{i}" for x in "ab" for i in range(20))) == 40


def lengths(asked: list[list[str]]):  # type: ignore[no-untyped-def]
    def compute(texts: list[str]):  # type: ignore[no-untyped-def]
        asked.append(texts)
        return [np.full((len(text), 2), len(text), dtype=np.float32) for text in texts]

    return compute


def test_a_text_is_computed_once_and_comes_back_in_its_place(tmp_path: Path) -> None:
    asked: list[list[str]] = []
    memo = ArrayMemo(tmp_path / "m", silent, "m")
    first = memo.fetch(["ccc", "a", "ccc", "bb"], lengths(asked))
    assert [len(array) for array in first] == [3, 1, 3, 2]
    assert asked == [["a", "bb", "ccc"]]
    memo.flush()
    again = ArrayMemo(tmp_path / "m", silent, "m").fetch(["bb", "ccc"], lengths(asked))
    assert [array[0, 0] for array in again] == [2, 3]
    assert len(asked) == 1


def test_a_damaged_segment_is_computed_again(tmp_path: Path) -> None:
    asked: list[list[str]] = []
    memo = ArrayMemo(tmp_path / "m", silent, "m")
    memo.fetch(["a"], lengths(asked))
    memo.flush()
    (segment,) = (tmp_path / "m").glob("*.npy")
    segment.write_bytes(segment.read_bytes()[:-4])
    assert len(ArrayMemo(tmp_path / "m", silent, "m").fetch(["a"], lengths(asked))[0]) == 1
    assert len(asked) == 2


def test_namespaces_do_not_share(tmp_path: Path) -> None:
    asked: list[list[str]] = []
    memos = Memos(tmp_path, silent)
    memos.open("model-a", "").fetch(["x"], lengths(asked))
    memos.open("model-b", "").fetch(["x"], lengths(asked))
    assert len(asked) == 2


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    def half() -> None:
        with keep_folder(tmp_path / "index") as scratch:
            (scratch / "half.npy").write_bytes(b"1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert list(tmp_path.iterdir()) == []
    with keep_folder(tmp_path / "index") as scratch:
        (scratch / "a.npy").write_bytes(b"1")
    assert whole(tmp_path / "index")


@pytest.mark.parametrize("harm", ["truncate", "remove", "add", "unlist"])
def test_a_harmed_folder_is_not_whole(tmp_path: Path, harm: str) -> None:
    with keep_folder(tmp_path / "index") as scratch:
        (scratch / "a.npy").write_bytes(b"12")
    file = tmp_path / "index" / "a.npy"
    {"truncate": lambda: file.write_bytes(b"1"), "remove": file.unlink,
     "add": lambda: file.with_name("b").write_bytes(b""),
     "unlist": (tmp_path / "index" / "files.json").unlink}[harm]()  # fmt: skip
    assert not whole(tmp_path / "index")
    with keep_folder(tmp_path / "index") as scratch:
        (scratch / "a.npy").write_bytes(b"12")
    assert whole(tmp_path / "index")
