"""Content keys: code that can change a result changes the key, and nothing else does."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from harness.cache import keys
from harness.components import Component
from harness.runs.stages import INSTRUMENT

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
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "systems" / "parsers"
    folder.mkdir(parents=True)
    (folder / "loud.py").write_text(MODULE)
    (folder / "_helper.py").write_text(HELPER)
    (folder / "_types.py").write_text("class Unused: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    own = ("systems", "keys_helper", "keys_package", "keys_mine", "keys_theirs", "keys_loud")
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        monkeypatch.delitem(sys.modules, name)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        sys.modules.pop(name)
    keys.forget()


def code() -> str:
    keys.forget()
    importlib.invalidate_caches()
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


LAYOUTS = {
    "a package's own file": ("systems.parsers._many", {"systems/parsers/_many/__init__.py": "X = 1\n"}),
    "what a package re-exports": (
        "systems.parsers._many",
        {"systems/parsers/_many/__init__.py": "from .impl import X\n", "systems/parsers/_many/impl.py": "X = 1\n"},
    ),
    "a package around": (
        "systems.parsers._many.inner",
        {"systems/parsers/_many/__init__.py": "X = 1\n", "systems/parsers/_many/inner.py": "Y = 1\n"},
    ),
    "a module beside the config": ("keys_helper", {"keys_helper.py": "X = 1\n"}),
    "a module of such a package": (
        "keys_package.deep",
        {"keys_package/__init__.py": "", "keys_package/deep.py": "X = 1\n"},
    ),
    "what is only not for type checkers": (None, {"systems/parsers/_real.py": "X = 1\n"}),
    "what stands under the opposite of a condition": (None, {"systems/parsers/_other.py": "X = 1\n"}),
}
CONDITIONS = """
from typing import TYPE_CHECKING
if not TYPE_CHECKING:
    from systems.parsers import _real
if not TYPE_CHECKING and True:
    pass
else:
    from systems.parsers import _other
"""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_code_counts_wherever_it_lies(layout: str, modules: Path, tmp_path: Path) -> None:
    imported, files = LAYOUTS[layout]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (modules / "loud.py").write_text(f"import {imported}\n" if imported else CONDITIONS)
    before = code()
    name = next(name for name, text in files.items() if "X = 1" in text)
    edit(tmp_path / name, "X = 1", "X = 2")
    assert code() != before
    edit(tmp_path / name, "X = 2", "X = 1")
    assert code() == before


def test_an_editable_install_counts_and_an_installed_package_does_by_version(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("checkout/src", "venv/site-packages"):
        (tmp_path / folder).mkdir(parents=True)
        monkeypatch.syspath_prepend(tmp_path / folder)
    mine, theirs = tmp_path / "checkout/src/keys_mine.py", tmp_path / "venv/site-packages/keys_theirs.py"
    for path in (mine, theirs):
        path.write_text("X = 1\n")
    (modules / "loud.py").write_text("import keys_mine, keys_theirs\n")
    before = code()
    edit(theirs, "X = 1", "X = 2")
    assert code() == before
    edit(mine, "X = 1", "X = 2")
    assert code() != before


def test_only_packages_are_imported_to_find_code(modules: Path, tmp_path: Path) -> None:
    """A module that a component may never import must not run for a key."""
    (tmp_path / "keys_loud.py").write_text("raise SystemExit('ran')\n")
    (modules / "loud.py").write_text("def f():\n    from keys_loud import x\n")
    assert code()


class Inner(Component):
    path: Path | None = None

    def files(self) -> tuple[Path, ...]:
        return (self.path,) if self.path else ()


class Record(BaseModel):
    part: Inner | None = None


class Outer(Component):
    pairs: tuple[tuple[str, Inner], ...] = ()
    named: dict[str, Inner] = Field(default_factory=dict)
    nested: dict[str, list[Record]] = Field(default_factory=dict)
    weights: dict[str, float] = Field(default_factory=dict)
    several: frozenset[str] = frozenset()


@pytest.mark.parametrize("place", ["pairs", "named", "nested"])
def test_a_component_counts_however_deep_a_setting_holds_it(place: str, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("1")
    inner = Inner(path=path)
    value = {"pairs": (("a", inner),), "named": {"a": inner}, "nested": {"a": [Record(part=inner)]}}[place]
    outer = Outer.model_validate({place: value})
    assert inner in outer.parts()
    before = keys.component_key(outer)
    path.write_text("2")
    assert keys.component_key(outer) != before


def test_two_files_of_one_name_count_both(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "words.txt" for folder in "ab"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.parent.name)
    outer = Outer(pairs=(("a", Inner(path=paths[0])), ("b", Inner(path=paths[1]))))
    seen = {keys.component_key(outer)}
    for texts in (("x", "b"), ("a", "x"), ("b", "a")):
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        seen.add(keys.component_key(outer))
    assert len(seen) == 4


def test_the_order_of_a_mapping_counts_since_a_component_can_read_it() -> None:
    one, other = Outer(weights={"a": 1, "b": 2}), Outer(weights={"b": 2, "a": 1})
    assert keys.component_key(one) != keys.component_key(other)
    assert one.spec() == other.spec()
    assert keys.component_key(Outer(several=frozenset("abc"))) == keys.component_key(Outer(several=frozenset("cba")))


class Undeclared(Component):
    path: Path | None = None
    several: dict[str, Path] = Field(default_factory=dict)


def test_a_path_that_files_does_not_declare_is_refused(tmp_path: Path) -> None:
    assert Undeclared()
    for settings in ({"path": tmp_path / "x"}, {"several": {"a": tmp_path / "x"}}):
        with pytest.raises(ValueError, match=r"does not declare .*x \(its setting '(path|several)'\)"):
            Undeclared.model_validate(settings)


READERS = [
    "harness.bench",
    "harness.documents.corpus",
    "harness.documents.pdf",
    "harness.documents.page_numbers",
    "harness.documents.page_text",
]


@pytest.mark.parametrize("module", READERS)
@pytest.mark.parametrize("keyed", ["harness.runs.ingest", INSTRUMENT[0]])
def test_the_instruments_own_code_counts(module: str, keyed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keys.forget()
    before = keys.code(keyed)
    read = keys.PARSED.read
    path = keys._file(module)
    monkeypatch.setattr(
        keys.PARSED, "read", lambda name, at: ("other", read(name, at)[1]) if at == path else read(name, at)
    )
    keys.forget()
    assert keys.code(keyed) != before
    monkeypatch.undo()
    keys.forget()
