"""Content keys: the name of a unit of work is everything that shaped it, so that a cache can never lie.

A component's key holds its settings, the files it declares, and its code: the syntax tree (docstrings and comments aside)
of its module and of every module of ours that this imports, transitively, packages' `__init__.py` among them, with the
versions of the distributions that those import. Ours is what no installer put into place: `harness` and `systems`, and
whatever else can be imported and lies neither in a site-packages folder nor in Python's own; a user's helper beside the
config and an editable install are read like our own code. What stands under `if TYPE_CHECKING:` never runs and is left out.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import re
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, NamedTuple

from harness.cache.rows import read_rows, write_rows
from harness.components import Component
from harness.files.reading import file_sha256

FIRST_PARTY = ("harness", "systems")
"""Ours wherever they lie: a wheel of this project is in site-packages, and its code is no less read."""


def digest(value: Any) -> str:
    """32 hex digits of the canonical JSON of `value`. What has no canonical JSON is refused with a TypeError."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def component_key(component: Component, *, for_index: bool = False) -> str:
    """The key of a component with all that is inside it."""
    parts = component.parts()
    return digest(
        {
            "spec": component.spec(for_index=for_index, in_order=True),
            "code": sorted({code(type(part).__module__) for part in parts}),
            "files": [[path.name, file_sha256(path)] for part in parts for path in part.files()],
        }
    )


class Source(NamedTuple):
    """What one module's file says: the key of its syntax tree, the modules of ours and the packages that it imports."""

    tree: str
    modules: tuple[str, ...]
    packages: tuple[str, ...]


@cache
def code(module: str) -> str:
    """The key of a module's code with everything of ours that it imports and the versions of the rest."""
    found = {name: _source(name) for name in modules(module)}
    packages = sorted({package for source in found.values() for package in source.packages})
    trees = {name: source.tree for name, source in found.items()}
    return digest({"modules": trees, "versions": {name: _version(name) for name in packages}})


def modules(module: str) -> frozenset[str]:
    """The module and every other of ours that runs where it is imported."""
    found: set[str] = set()
    waiting = _with_packages(module)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _source(name).modules
    return frozenset(found)


def own_modules(module: str, beyond: frozenset[str] = frozenset()) -> str:
    """The key of a module's code with all of ours that it imports but what is `beyond`; whatever the versions of the rest."""
    return digest({name: _source(name).tree for name in modules(module) - beyond})


def forget() -> None:
    """Read all code anew, where modules were changed under a running process."""
    for known in (code, _source, _spec, _file, _ours, _version):
        known.cache_clear()


def own_code(module: str) -> str:
    """The key of one module's syntax tree alone."""
    return _source(module).tree


@cache
def _source(module: str) -> Source:
    path = _file(module)
    if path is None:
        raise ModuleNotFoundError(f"no source file for module {module!r}")
    tree, names = PARSED.read(module, path)
    ours = {name for name in names if _ours(name.partition(".")[0])}
    modules = sorted({one for name in ours for one in _with_packages(name)})
    return Source(tree, tuple(modules), tuple(sorted({name.partition(".")[0] for name in set(names) - ours} - {""})))


_OWN = file_sha256(Path(__file__))
_TYPE_CHECKING = re.compile(r"(?P<not>not )?(\w+\.)?TYPE_CHECKING\Z")


class ParsedSources:
    """What was read from sources before. Parsing a hundred modules takes longer than a run that finds all unchanged.

    A row goes by module, contents, Python and this file, so that nothing but the same can be found.
    """

    def __init__(self) -> None:
        self._rows: dict[str, tuple[str, list[str]]] = {}

    def read(self, module: str, path: Path) -> tuple[str, list[str]]:
        """The key of a source's syntax tree, and every module that it names in an import that can run."""
        source = path.read_bytes()
        contents, package = hashlib.sha256(source).hexdigest(), path.name == "__init__.py"
        same = digest([module, package, sys.version, contents, _OWN])
        if same not in self._rows:
            self._rows[same] = _read(source, f"{module}." if package else module) or (contents, [])
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


def _read(source: bytes, module: str) -> tuple[str, list[str]] | None:
    """None where it is no Python source, as an extension module: then its bytes are its key."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    names = sorted(set(_imports(tree, module)))
    return _tree_digest(tree), names


def _with_packages(module: str) -> list[str]:
    """Of a module and the packages around it, those that have a file of ours: importing it runs them all."""
    steps = module.split(".")
    names = (".".join(steps[:length]) for length in range(1, len(steps) + 1))
    return [name for name in names if _file(name) is not None]


@cache
def _ours(root: str) -> bool:
    """Whether a top-level name belongs to code that no installer put into place."""
    if root in FIRST_PARTY:
        return True
    if root in sys.stdlib_module_names or root in sys.builtin_module_names:
        return False
    found = _spec(root)
    places = [*(found.submodule_search_locations or ()), found.origin] if found else []
    return any(place and Path(place).exists() and not _installed(Path(place)) for place in places)


@cache
def _file(module: str) -> Path | None:
    """The file of a module of ours; None where there is no such module, it is not ours, or it is a bare folder."""
    found = _spec(module)
    if found is None or not found.origin or not Path(found.origin).is_file():
        return None
    path = Path(found.origin)
    return path if module.partition(".")[0] in FIRST_PARTY or not _installed(path) else None


@cache
def _spec(module: str) -> ModuleSpec | None:
    """Where a module would come from. The packages around it are imported for that, modules are not."""
    package = module.rpartition(".")[0]
    around = _spec(package) if package else None
    if package and (around is None or around.submodule_search_locations is None):
        return None
    try:
        return importlib.util.find_spec(module)
    except (Exception, SystemExit):  # a package that cannot be imported gives no module
        return None


@cache
def _library() -> tuple[Path, ...]:
    return tuple({Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})


def _installed(path: Path) -> bool:
    """Whether an installer put a file into place, or Python came with it."""
    if not {"site-packages", "dist-packages"}.isdisjoint(path.parts):
        return True
    return any(path.is_relative_to(folder) for folder in _library())


def _tree_digest(tree: ast.Module) -> str:
    return digest(_plain(tree))


_BLOCKS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _plain(node: Any) -> Any:
    """A syntax tree as lists, without docstrings; and without empty fields, since Pythons differ in which of them there are."""
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = {name: value for name, value in ast.iter_fields(node) if value not in (None, [])}
    if isinstance(node, _BLOCKS):
        fields["body"] = [statement for statement in node.body if not _is_text(statement)]
    return [type(node).__name__, *([name, _plain(value)] for name, value in fields.items())]


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
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)


def _running(tree: ast.Module) -> Iterator[ast.stmt]:
    """Every statement that can run. Imports are statements, so no expression counts."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        never = _never_runs(node)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            if name != never:
                waiting += getattr(node, name, ())


def _never_runs(node: ast.stmt) -> str | None:
    """Which branch of `if TYPE_CHECKING:` or of its opposite is for type checkers alone."""
    if not isinstance(node, ast.If):
        return None
    found = _TYPE_CHECKING.match(ast.unparse(node.test))
    return None if found is None else "orelse" if found["not"] else "body"


def _absolute(node: ast.ImportFrom, module: str) -> str:
    """The module that a `from … import` names; `module` ends in a dot where it is a package's own `__init__.py`."""
    if not node.level:
        return node.module or ""
    package = module.split(".")[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


@cache
def _version(package: str) -> str:
    """The version of the distribution that holds a top-level package; empty for the standard library."""
    if package in sys.stdlib_module_names or package == "__future__":
        return ""
    return _installed_version(package) or next(
        filter(None, map(_installed_version, _distributions().get(package, ()))), "absent"
    )


def _installed_version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())
