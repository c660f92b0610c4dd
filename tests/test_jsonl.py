"""Strict JSON lines: BOM, CRLF and blank lines pass; whatever two readers could read differently does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import UserError
from harness.files import jsonl

GOOD = b'{"a": 1}\n'

BAD = {
    "broken": (b'{"a": 1\n', "not JSON"),
    "cut off": (b'{"a": "x', "not JSON"),
    "two objects": (b'{"a": 1} {"b": 2}\n', "not JSON: Extra data"),
    "a list": (b"[1, 2]\n", "found [1, 2]; each line must be one JSON object"),
    "null": (b"null\n", "found None"),
    "a number": (b"7\n", "found 7"),
    "NaN": (b'{"a": NaN}\n', "NaN is not a JSON number"),
    "Infinity": (b'{"a": -Infinity}\n', "-Infinity is not a JSON number"),
    "too large": (b'{"a": 1e999}\n', "is too large"),
    "too long": (b'{"a": ' + b"9" * 5000 + b"}\n", "is too large"),
    "duplicate key": (b'{"a": 1, "a": 2}\n', "the key 'a' is written twice"),
    "duplicate key inside": (b'{"x": {"a": 1, "a": 2}}\n', "the key 'a' is written twice"),
    "latin-1": (b'{"a": "caf\xe9"}\n', "byte 0xe9 at column 11 is not UTF-8"),
    "half a pair": (b'{"a": "\\ud83d"}\n', "half of a surrogate pair"),
    "deep nesting": (b'{"a": ' + b"[" * 100_000 + b"\n", "nested too deeply"),
    "control character": (b'{"a": "\x1b[31m"}\n', "Invalid control character"),
    "single quotes": (b"{'a': 1}\n", "Expecting property name"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_one_message_with_its_number(name: str, tmp_path: Path) -> None:
    data, what = BAD[name]
    path = tmp_path / "rows ü.jsonl"
    path.write_bytes(GOOD + b"\n" + data)
    with pytest.raises(UserError) as caught:
        list(jsonl.read(path))
    message = str(caught.value)
    assert message.startswith(f"{path}:3: ")
    assert what in message
    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < len(str(path)) + 250


@pytest.mark.parametrize("data", [b'[{"a": 1}, {"a": 2}]', b'\xef\xbb\xbf[\r\n  {"a": 1}\r\n]', b"[]"])
def test_a_json_array_is_named_once(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    with pytest.raises(
        UserError, match=r"rows\.jsonl:1: the file is one JSON array; write one object a line, without the"
    ):
        list(jsonl.read(path))


def test_what_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": "\xe2\x80\xa8\\ud83d\\ude00"}\r\n\r\n  {"b": 1.5e3}  \r\n{"c": null}')
    assert list(jsonl.read(path)) == [(1, {"a": "\u2028😀"}), (3, {"b": 1500.0}), (4, {"c": None})]
    path.write_bytes(b"")
    assert list(jsonl.read(path)) == []


def test_a_huge_line_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(GOOD + b'{"a": "' + b"x" * 1000 + b'"}\n')
    with pytest.raises(UserError, match=r"rows\.jsonl:2: the line has more than 500 bytes"):
        list(jsonl.read(path, longest=500))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        list(jsonl.read(tmp_path / "no.jsonl"))
    with pytest.raises(UserError, match="this is a folder"):
        list(jsonl.read(tmp_path))


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    path, rows = tmp_path / "rows.jsonl", [{"a": "é\u2028\n😀", "b": [1, 2.5, None]}, {}]
    jsonl.write(path, rows)
    assert [row for _, row in jsonl.read(path)] == rows
    assert path.read_bytes().count(b"\n") == 2


def test_a_row_without_json_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with pytest.raises(ValueError, match="not JSON compliant"):
        jsonl.write(path, [{"a": 1}, {"a": float("nan")}])
    with pytest.raises(TypeError):
        jsonl.write(path, [{"a": path}])
    assert list(tmp_path.iterdir()) == []
