"""Strict YAML: what people write is read as it stands, and each mistake is one line with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import UserError
from harness.files import yamls
from harness.files.reading import refuse

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{row}: &a{row} [{', '.join([f'*a{row - 1}'] * 10)}]\n" for row in range(1, 9)
)

BAD = {
    "a list": (b"- a\n- b\n", "", "holds a list where a mapping is needed"),
    "one value": (b"hello\n", "", "holds one value, 'hello', where a mapping"),
    "empty": (b"", "", "the file is empty"),
    "only comments": (b"# nothing\n\n", "", "the file is empty"),
    "duplicate key": (b"a: 1\nb: 2\na: 3\n", ":3", "the key 'a' is written twice, first in line 1"),
    "duplicate key inside": (b"a:\n  b: 1\n  b: 2\n", ":3", "the key 'b' is written twice, first in line 2"),
    "tab to indent": (b"a:\n\tb: 1\n", ":2", "a tab is used to indent"),
    "tab after a block": (b"a:\n  b: 1\n\tc: 2\n", ":3", "a tab is used to indent"),
    "anchor loop": (b"a: 1\nb: &x\n  c: *x\n", ":2", "holds an alias of itself"),
    "alias bomb": (BOMB.encode(), ":6", "more than 500,000 values, aliases unfolded"),
    "unknown alias": (b"a: *x\n", ":1", "undefined alias 'x'"),
    "binary": (b"\x00\x01\x02", ":1", "control character U+0000"),
    "a PDF": (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", ":2", "is not UTF-8"),
    "an escape": (b"a: b\nc: \x1b[31m\n", ":2", "control character U+001B"),
    "latin-1": (b"a: b\nc: caf\xe9\n", ":2", "byte 0xe9 is not UTF-8"),
    "UTF-16": ("a: b".encode("utf-16"), ":1", "is not UTF-8"),
    "python tag": (b"a: !!python/object/apply:os.system [ls]\n", ":1", "the tag 'tag:yaml.org,2002:python"),
    "number as key": (b"2018: x\n", ":1", "the key '2018' is not text; write it in quotes"),
    "list as key": (b"? [a, b]\n: c\n", ":1", "is not text"),
    "two documents": (b"a: 1\n---\nb: 2\n", ":2", "expected a single document"),
    "unclosed bracket": (b"a: [1, 2\nb: 3\n", ":2", "not YAML"),
    "colon in a value": (b"a: b: c\n", ":1", "mapping values are not allowed here"),
    "deep nesting": (b"a: " + b"[" * 50_000, ":1", "nested too deeply"),
    "deep blocks": ("".join(" " * row + "a:\n" for row in range(1500)).encode(), "", "nested too deeply"),
    "huge number": (b"a: " + b"9" * 5000, ":1", "cannot be read as int"),
    "infinite number": (b"a: 1.0e999\n", ":1", "cannot be read as float"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_with_its_place(name: str, tmp_path: Path) -> None:
    data, place, what = BAD[name]
    path = tmp_path / "my config é.yaml"
    path.write_bytes(data)
    with pytest.raises(UserError) as caught:
        yamls.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}{place}: ")
    assert what in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 250


def test_missing_files_folders_and_huge_files_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"no\.yaml: there is no such file\.$"):
        yamls.read(tmp_path / "no.yaml")
    with pytest.raises(UserError, match="this is a folder where a file is needed"):
        yamls.read(tmp_path)
    monkeypatch.setattr(yamls, "LARGEST", 10)
    (tmp_path / "big.yaml").write_text("a: 1\n" * 10)
    with pytest.raises(UserError, match="more than 10 bytes"):
        yamls.read(tmp_path / "big.yaml")


def test_values_stay_what_they_look_like(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    text = "no: no\nday: 2024-01-31\ntime: 12:30\noctal: 010\nn: 7\nx: -1.5\nyes: true\nnil: ~\nempty:\nq: '3'\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert yamls.read(path) == {
        "no": "no", "day": "2024-01-31", "time": "12:30", "octal": "010", "n": 7, "x": -1.5, "yes": True,
        "nil": None, "empty": None, "q": "3",
    }  # fmt: skip


def test_aliases_that_end_are_fine_and_lines_are_known(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("base: &b {use: bm25}\nlist:\n  - x\n  - *b\n")
    loaded = yamls.load(path)
    assert loaded.values["list"] == ["x", {"use": "bm25"}]
    assert loaded.line("list", 0) == 3
    assert loaded.line("list", 0, "deeper") == 3


def test_parse_reads_a_value_by_the_same_rules() -> None:
    assert yamls.parse("{constant: 30, first: no}", "--set") == {"constant": 30, "first": "no"}
    with pytest.raises(UserError, match=r"^--set:1: the key 'a' is written twice"):
        yamls.parse("{a: 1, a: 2}", "--set")


def test_many_faults_are_cut_at_twenty() -> None:
    with pytest.raises(UserError) as caught:
        refuse([f"fault {number}" for number in range(33)])
    assert str(caught.value).splitlines()[-2:] == ["fault 19", "… and 13 more"]
    refuse([])
