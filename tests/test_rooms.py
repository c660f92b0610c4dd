"""The rooms of harness/, and the one way in which they may import: downwards in this list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

CONTRACT = ("errors", "readable", "records", "registry", "components", "bench", "protocols")
"""In this order too: each may import those before it."""
FLOORS = (
    CONTRACT, ("files",), ("cache",), ("documents", "models", "quantities"), ("scoring",), ("goldens",),
    ("runs", "parsing"), ("reports",), ("view", "exports"), ("commands",), ("cli", "__main__"),
)  # fmt: skip
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
FILES = sorted((ROOT / "harness").rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, also inside functions and under TYPE_CHECKING."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(path: Path) -> str:
    return path.relative_to(ROOT / "harness").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_import_downwards(path: Path) -> None:
    if path == ROOT / "harness" / "__init__.py":
        return
    rooms = {name.split(".")[1] for name in imports(path) if name.startswith("harness.")} & FLOOR.keys()
    own = room(path)
    assert {other for other in rooms - {own} if FLOOR[other] > FLOOR[own]} == set()
    if own in CONTRACT:
        assert {other for other in rooms - {own} if CONTRACT.index(other) > CONTRACT.index(own)} == set()


def test_the_root_holds_the_contract_and_the_command_line() -> None:
    here = {path.stem for path in (ROOT / "harness").glob("*.py")}
    assert here <= {*CONTRACT, "cli", "__main__", "__init__"}
    assert {path.parent.name for path in FILES if path.parent.parent == ROOT / "harness"} <= FLOOR.keys()


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name == "__init__.py"], ids=lambda path: path.parent.name
)
def test_rooms_have_no_code_in_their_init(path: Path) -> None:
    """What stands there would be in no key."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [node for node in tree.body if not isinstance(node, ast.Expr)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_instrument_imports_no_contestant(path: Path) -> None:
    assert not [name for name in imports(path) if name.split(".")[0] == "systems"]


@pytest.mark.parametrize("path", sorted((ROOT / "systems").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_contestant_imports_only_the_contract(path: Path) -> None:
    allowed = {f"harness.{name}" for name in CONTRACT if name != "registry"}
    named = {".".join(name.split(".")[:2]) for name in imports(path) if name.startswith("harness.")}
    assert named <= allowed


def test_nothing_imports_notebooks_or_tests() -> None:
    files = [*FILES, *(ROOT / "systems").rglob("*.py")]
    assert not [name for path in files for name in imports(path) if name.split(".")[0] in ("notebooks", "tests")]
