"""Content keys: the name of a unit of work is everything that shaped it, so that a cache can never lie.

A component's key holds its settings, the files it declares, and its code: the syntax tree (docstrings and comments aside)
of its module and of every first-party module that this imports, transitively, with the versions of the distributions that
those import. Imports under `if TYPE_CHECKING:` cannot change what runs and are left out.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from harness.cache.rows import read_rows, write_rows
from harness.components import Component
from harness.files.reading import file_sha256

FIRST_PARTY = ("harness", "systems")


def digest(value: Any) -> str:
    """32 hex digits of the canonical JSON of `value`. What has no canonical JSON is refused with a TypeError."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def component_key(component: Component, *, for_index: bool = False) -> str:
    """The key of a component with all that is inside it."""
    parts = component.parts()
    return digest(
        {
            "spec": component.spec(for_index=for_index),
            "code": sorted({code(type(part).__module__) for part in parts}),
            "files": {path.name: file_sha256(path) for part in parts for path in part.files()},
        }
    )


class Source(NamedTuple):
    """What one module's file says: the key of its syntax tree, first-party modules and packages that it imports."""

    tree: str
    modules: tuple[str, ...]
    packages: tuple[str, ...]


@cache
def code(module: str) -> str:
    """The key of a module's code with everything first-party that it imports and the versions of the rest."""
    found: dict[str, Source] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _source(name)
            waiting += found[name].modules
    packages = sorted({package for source in found.values() for package in source.packages})
    trees = {name: source.tree for name, source in found.items()}
    return digest({"modules": trees, "versions": {name: _version(name) for name in packages}})


def own_code(module: str) -> str:
    """The key of one module's syntax tree alone."""
    return _source(module).tree


@cache
def _source(module: str) -> Source:
    path = _file(module)
    if path is None:
        raise ModuleNotFoundError(f"no source file for module {module!r}")
    tree, names = PARSED.read(module, path.read_bytes())
    ours = {name for name in names if name.partition(".")[0] in FIRST_PARTY}
    modules = sorted(name for name in ours if _file(name) is not None)
    return Source(tree, tuple(modules), tuple(sorted({name.partition(".")[0] for name in set(names) - ours})))


_OWN = file_sha256(Path(__file__))


class ParsedSources:
    """What was read from sources before. Parsing a hundred modules takes longer than a run that finds all unchanged.

    A row goes by module, contents, Python and this file, so that nothing but the same can be found.
    """

    def __init__(self) -> None:
        self._rows: dict[str, tuple[str, list[str]]] = {}

    def read(self, module: str, source: bytes) -> tuple[str, list[str]]:
        """The key of a source's syntax tree, and every module that it names in an import that can run."""
        same = digest([module, sys.version, hashlib.sha256(source).hexdigest(), _OWN])
        if same not in self._rows:
            tree = ast.parse(source)
            names = sorted(set(_imports(tree, module)))
            self._rows[same] = (_tree_digest(tree), names)
        return self._rows[same]

    def load(self, path: Path) -> None:
        """Read back what `save` wrote."""
        self._rows.update({same: (tree, names) for same, tree, names in read_rows(path) or []})

    def save(self, path: Path) -> None:
        """Write what was read from sources, where it is not there yet."""
        if {row[0] for row in read_rows(path) or []} != set(self._rows):
            write_rows(path, [[same, tree, names] for same, (tree, names) in sorted(self._rows.items())])


PARSED = ParsedSources()
"""One for the process: modules do not change while it runs."""


@cache
def _file(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _tree_digest(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [statement for statement in node.body if not _is_text(statement)]
    return digest(ast.dump(tree))


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _imports(tree: ast.Module, module: str) -> Iterator[str]:
    for node in _running(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, module)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if base.partition(".")[0] in FIRST_PARTY)


def _running(tree: ast.Module) -> Iterator[ast.stmt]:
    """Every statement that can run: not the body of `if TYPE_CHECKING:`. Imports are statements, so no expression counts."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            if not (name == "body" and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
                waiting += getattr(node, name, ())


def _absolute(node: ast.ImportFrom, module: str) -> str:
    if not node.level:
        return node.module or ""
    package = module.split(".")[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


@cache
def _version(package: str) -> str:
    """The version of the distribution that holds a top-level package; empty for the standard library."""
    if package in sys.stdlib_module_names or package == "__future__":
        return ""
    for distribution in (package, *_distributions().get(package, ())):
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "absent"


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())
