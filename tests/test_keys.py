"""Content keys: code that can change a result changes the key, and nothing else does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.cache import keys

MODULE = '''"""A parser."""
from typing import TYPE_CHECKING
import numpy
from systems.parsers._helper import shout
if TYPE_CHECKING:
    from systems.parsers._types import Unused

def parse():
    """Parse."""
    return shout("a")  # loudly
'''
HELPER = "def shout(text):\n    return text.upper()\n"


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "systems" / "parsers"
    folder.mkdir(parents=True)
    (folder / "loud.py").write_text(MODULE)
    (folder / "_helper.py").write_text(HELPER)
    (folder / "_types.py").write_text("class Unused: ...\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in [name for name in sys.modules if name == "systems" or name.startswith("systems.")]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def code() -> str:
    keys.forget()
    return keys.code("systems.parsers.loud")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("loud.py", "# loudly", "# very loudly"),
        ("loud.py", '"""Parse."""', '"""Parse a page, in capitals."""'),
        ("loud.py", '"""A parser."""', ""),
        ("loud.py", "    return shout", "\n\n    return shout"),
        ("_types.py", "class Unused: ...", "class Unused: x = 1"),
    ],
)
def test_what_cannot_change_a_result_keeps_the_key(modules: Path, file: str, old: str, new: str) -> None:
    before = code()
    edit(modules / file, old, new)
    assert code() == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("loud.py", 'shout("a")', 'shout("b")'),
        ("_helper.py", "upper", "lower"),
        ("loud.py", "import numpy", "import numpy, onnxruntime"),
    ],
)
def test_what_can_change_a_result_changes_the_key(modules: Path, file: str, old: str, new: str) -> None:
    before = code()
    edit(modules / file, old, new)
    assert code() != before


def test_a_new_version_of_a_library_changes_the_key(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = code()
    monkeypatch.setattr(keys.importlib.metadata, "version", lambda name: "99.0")
    assert code() != before


@pytest.mark.parametrize(
    ("module", "package"),
    [("parsers.pymupdf", "pymupdf"), ("retrievers.rank_bm25", "rank_bm25"), ("embedders.fastembed", "fastembed")],
)
def test_the_package_of_an_extra_counts_with_its_version(module: str, package: str) -> None:
    assert package in keys._source(f"systems.{module}").packages


def test_what_has_no_canonical_json_is_refused() -> None:
    with pytest.raises(TypeError):
        keys.digest({"path": Path("a")})
    with pytest.raises(ValueError, match="JSON"):
        keys.digest(float("nan"))


def test_the_order_of_keys_does_not_count_and_values_do() -> None:
    assert keys.digest({"a": 1, "b": [2]}) == keys.digest({"b": [2], "a": 1})
    assert keys.digest({"a": 1}) != keys.digest({"a": 1.5}) != keys.digest({"a": "1"})


def test_what_was_read_before_is_found_only_for_the_same_source(modules: Path, tmp_path: Path) -> None:
    before = code()
    keys.PARSED.save(tmp_path / "code.jsonl")
    keys.PARSED._rows.clear()
    keys.PARSED.load(tmp_path / "code.jsonl")
    assert code() == before
    edit(modules / "_helper.py", "upper", "lower")
    assert code() != before
