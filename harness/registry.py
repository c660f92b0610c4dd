"""The folder is the registry: `parser: {use: liteparse}` is `systems/parsers/liteparse.py`, and its one class.

Listing reads file names and docstrings without importing anything, so that the command line starts fast. `systems` is a
namespace package: a folder `systems/parsers/` in the working directory joins those that are installed.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
from pathlib import Path
from types import ModuleType

from harness.errors import UserError, nearest

FOLDERS = {
    "parser": "systems.parsers",
    "chunker": "systems.chunkers",
    "embedder": "systems.embedders",
    "retriever": "systems.retrievers",
    "reranker": "systems.rerankers",
    "answerer": "systems.answerers",
    "checker": "systems.checkers",
    "metric": "harness.scoring.metrics",
    "judge": "harness.scoring.judges",
    "command": "harness.commands",
}


def files(kind: str) -> dict[str, Path]:
    """Name to file, for every module of that kind, sorted by name."""
    spec = importlib.util.find_spec(FOLDERS[kind])
    places = list(spec.submodule_search_locations or []) if spec else []
    found = {path.stem: path for place in reversed(places) for path in Path(place).glob("[!_]*.py")}
    return dict(sorted(found.items()))


def describe(path: Path) -> str:
    """The first line of a module's docstring, without importing the module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0].strip()


def module(kind: str, name: str) -> ModuleType:
    """Import the module of that kind and name. Raises UserError for an unknown name or a module that does not import."""
    known = list(files(kind))
    if name not in known:
        raise UserError(f"unknown {kind} {name!r}.{nearest(name, known)} Known: {', '.join(known) or 'none'}.")
    try:
        return importlib.import_module(f"{FOLDERS[kind]}.{name}")
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
