"""The folder is the registry: `parser: {use: liteparse}` is `systems/parsers/liteparse.py`, and its one class.

Listing reads file names and docstrings without importing anything, so that the command line starts fast. `systems` is a
namespace package: the folders `systems/<kind>s/` of a project (the working directory, and beside a config) join those that
ship. What stands there is code and runs as code.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from harness.errors import UserError, nearest

FOLDERS: dict[str, tuple[str, ...]] = {
    "parser": ("systems.parsers",),
    "chunker": ("systems.chunkers",),
    "embedder": ("systems.embedders",),
    "retriever": ("systems.retrievers",),
    "reranker": ("systems.rerankers",),
    "answerer": ("systems.answerers",),
    "checker": ("systems.checkers",),
    "prompt": ("systems.prompts",),
    "metric": ("harness.scoring.metrics", "systems.metrics"),
    "judge": ("harness.scoring.judges", "systems.judges"),
    "command": ("harness.commands",),
    "export": ("harness.exports",),
}
"""The packages in which each kind is found; what is in `systems` may be in a project's own folder too."""
SUFFIX = {"prompt": ".md"}
"""How files of a kind end that are not Python."""

_OWN = Path(__file__).resolve().parents[1]
"""Where harness/ and systems/ of this installation lie."""


class Place(NamedTuple):
    """A folder of files of one kind, and the package that it is."""

    folder: Path
    package: str

    @property
    def ships(self) -> bool:
        return self.folder.resolve().is_relative_to(_OWN)


class Module(NamedTuple):
    """A file of a kind."""

    path: Path
    package: str


def add_project(folder: Path) -> None:
    """Let the components of `folder`/systems/ be found, where there is such a folder; those of earlier ones still are."""
    root = str(folder.resolve())
    if (folder / "systems").is_dir() and root not in {str(Path(path).resolve()) for path in sys.path}:
        sys.path.append(root)
        importlib.invalidate_caches()


def projects() -> list[Path]:
    """The folders that hold a systems/ of their own, this installation aside: where the user's components are."""
    return [folder.parent for folder in _folders("systems") if folder.parent.resolve() != _OWN]


def files(kind: str) -> dict[str, Path]:
    """Name to file, for every module of that kind, sorted by name. Raises UserError where a project's file hides another."""
    return {name: module.path for name, module in _modules(kind).items()}


def _modules(kind: str) -> dict[str, Module]:
    found: dict[str, Module] = {}
    for place in _places(kind):
        for path in sorted(place.folder.glob(f"*{SUFFIX.get(kind, '.py')}")):
            other = found.setdefault(path.stem, Module(path, place.package))
            if not _same(other.path, path):
                raise UserError(f"{_shown(path)}: {_shown(other.path)} has that name already; rename your file.")
    return dict(sorted((name, module) for name, module in found.items() if not name.startswith("_")))


def _same(one: Path, other: Path) -> bool:
    """Whether two files are one, or copies: a project that was copied stands beside its config and here alike."""
    return one.resolve() == other.resolve() or one.read_bytes() == other.read_bytes()


def _places(kind: str) -> Iterator[Place]:
    """The folders of a kind, those that ship first."""
    every = [Place(folder, package) for package in FOLDERS[kind] for folder in _folders(package)]
    yield from sorted(every, key=lambda place: not place.ships)


def _folders(package: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(package)
    for folder in map(Path, spec.submodule_search_locations or () if spec else ()):
        root = folder.parents[package.count(".")]
        if root.resolve() == _OWN or not (root / "harness" / "__init__.py").is_file():
            yield folder  # else it belongs to another checkout of this project, which is nobody's own folder


def _shown(path: Path) -> str:
    """A path from here, where that is shorter."""
    try:
        return os.path.relpath(path) if not os.path.relpath(path).startswith("..") else str(path)
    except ValueError:  # another drive
        return str(path)


def unknown(kind: str, name: str) -> str:
    """What to say of a name that no file of that kind has: the nearest one, all of them, and where was looked."""
    known = list(files(kind))
    looked = dict.fromkeys(_shown(place.folder) for place in _places(kind))
    own = os.path.join(FOLDERS[kind][-1].replace(".", os.sep), f"{name}{SUFFIX.get(kind, '.py')}")
    return (
        f"unknown {kind} {name!r}.{nearest(name, known)} Known: {', '.join(known) or 'none'}. "
        f"Looked in {', '.join(looked) or 'no folder'}; one of your own is {own}, here or beside the config."
    )


def describe(path: Path) -> str:
    """The first line of a module's docstring, without importing the module; of another file its first line."""
    text = path.read_text(encoding="utf-8")
    said = (ast.get_docstring(ast.parse(text)) or "") if path.suffix == ".py" else text
    return said.partition("\n")[0].strip()


def module(kind: str, name: str) -> ModuleType:
    """Import the module of that kind and name. Raises UserError for an unknown name or a module that does not import."""
    found = _modules(kind).get(name)
    if found is None:
        raise UserError(unknown(kind, name))
    try:
        return importlib.import_module(f"{found.package}.{name}")
    except Exception as error:
        raise UserError(f"{kind} {name!r} cannot be imported: {type(error).__name__}: {error}") from error


def load(kind: str, name: str, base: type) -> type:
    """The one public class of that module that implements `base`."""
    found = module(kind, name)
    own = [
        value
        for value in vars(found).values()
        if inspect.isclass(value)
        and issubclass(value, base)
        and value.__module__ == found.__name__
        and not value.__name__.startswith("_")
    ]
    if len(own) != 1:
        raise UserError(f"{kind} {name!r} must define exactly one public {base.__name__}; its file defines {len(own)}.")
    return own[0]
