"""configs/*.yaml -> System: `extends`, defaults, and one message for everything that is wrong in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from harness import registry
from harness.components import Component
from harness.errors import UserError, nearest
from harness.files import yamls
from harness.files.reading import shorten
from harness.protocols import Answerer, Chunker, Embedder, Parser, Reranker, Retriever
from harness.records import Record, Scope


class System(Record):
    """A complete RAG variant as its file declares it."""

    name: str
    goldens: Path = Path("goldens/northfield")
    scope: Scope = "golden"
    parser: Parser
    chunker: Chunker
    retriever: Retriever
    reranker: Reranker = Field(default_factory=lambda: Reranker.model_validate({"use": "keep"}))
    answerer: Answerer
    judges: tuple[str, ...] = ()
    replaced: dict[str, Any] = Field(default_factory=dict)
    """What this file, or --set, replaced in the file that it extends."""

    @field_validator("judges")
    @classmethod
    def _judges_are_there(cls, judges: tuple[str, ...]) -> tuple[str, ...]:
        for name in judges:
            if name not in registry.files("judge"):
                raise ValueError(registry.unknown("judge", name))
        return judges

    @property
    def components(self) -> dict[str, Component]:
        """The five components by their place."""
        places = ("parser", "chunker", "retriever", "reranker", "answerer")
        return {place: getattr(self, place) for place in places}

    @property
    def oracle(self) -> bool:
        """True where a component looks at the golden."""
        return any(part.sees_gold for component in self.components.values() for part in component.parts())

    def answering(self) -> dict[str, Any]:
        """What of the config shapes answers, with its defaults: not the golden set, not the judges."""
        blocks = {place: component.spec() for place, component in self.components.items()}
        return {"name": self.name, "scope": self.scope, **blocks}

    def spec(self) -> dict[str, Any]:
        """The whole config with its defaults, without the golden set."""
        return {**self.answering(), "judges": list(self.judges)}


@dataclass
class Merged:
    """A config's settings with those that it extends, and where each of them was written."""

    values: dict[str, Any]
    places: dict[tuple[str | int, ...], str] = field(default_factory=dict)
    """"file:line" or "--set path=value", by the path of a value."""
    replaced: dict[str, Any] = field(default_factory=dict)

    def origin(self, place: Sequence[str | int], default: str) -> str:
        """Where the value at `place` was written, or else the nearest value around it."""
        around = (tuple(place[:length]) for length in range(len(place), 0, -1))
        return next((self.places[one] for one in around if one in self.places), default)


def load(path: Path, settings: Sequence[str] = ()) -> System:
    """The system that `path` declares, with `--set` settings ("retriever.constant=10") applied last.

    Components of a folder `systems/` beside the config, or beside its folder, are found as those that ship.

    Raises UserError with one line for each fault: the file and line or the --set, what was found, what is allowed.
    """
    for folder in (path.resolve().parent, path.resolve().parent.parent):
        registry.add_project(folder)
    merged = _extended(path, ())
    for setting in settings:
        _apply(merged, setting)
    block = {**merged.values, "name": path.stem, "replaced": merged.replaced}
    try:
        return System.model_validate(block)
    except ValidationError as error:
        faults = [(merged.origin(_at(one), str(path)), _fault(one, block)) for one in error.errors()]
        raise UserError("\n".join(f"{where}: {fault}" for where, fault in faults)) from None


def restore(kept: Mapping[str, Any]) -> System:
    """The system of a kept result. Raises UserError where a part of it is not here any more."""
    try:
        return System.model_validate(dict(kept))
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(
            f"the system {kept.get('name')!r} of this result cannot be built: {_fault(first, dict(kept))}"
        ) from None


def _at(error: Any) -> tuple[str | int, ...]:
    """Where an error was written: what a component's block says as a whole, it says of the component's name."""
    return (*error["loc"], "use") if error["type"] == "value_error" else error["loc"]


_OWN = {
    "name": "a system is named by its file",
    "replaced": "it is noted for you",
}
"""What a System has and a file cannot set."""


def _extended(path: Path, seen: tuple[Path, ...]) -> Merged:
    file = yamls.load(path)
    values = dict(file.values)
    for own in _OWN.keys() & values.keys():
        raise UserError(f"{path}:{file.line(own)}: {own!r} is not a setting; {_OWN[own]}.")
    places = {place: f"{path}:{line}" for place, line in file.lines.items()}
    parent = values.pop("extends", None)
    if parent is None:
        return Merged(values, places)
    where = f"{path}:{file.line('extends')}"
    base = _extended(_parent(path, parent, where, seen), (*seen, path.resolve()))
    kept = {place: origin for place, origin in base.places.items() if place and place[0] not in values}
    return Merged({**base.values, **values}, kept | places, values)


def _parent(path: Path, parent: Any, where: str, seen: tuple[Path, ...]) -> Path:
    """The file that is extended. Raises UserError where it is no file, or extends this one in its turn."""
    if not isinstance(parent, str):
        raise UserError(f"{where}: extends takes the path of another config, not {shorten(parent)}.")
    base = path.parent / parent
    circle = (*seen, path.resolve(), base.resolve())
    if circle[-1] in circle[:-1]:
        raise UserError(f"{where}: extends goes in a circle: {' -> '.join(one.name for one in circle)}.")
    if not base.is_file():
        what = "this is a folder where a file is needed" if base.is_dir() else "there is no such file"
        raise UserError(f"{where}: extends {base}: {what}.")
    return base


def _apply(merged: Merged, setting: str) -> None:
    name, equals, text = setting.partition("=")
    if not equals or not name:
        raise UserError(f"--set takes path=value, for example retriever.constant=10, not {setting!r}.")
    where = f"--set {setting}"
    if name in (*_OWN, "extends"):
        raise UserError(f"{where}: {name!r} cannot be set here; {_OWN.get(name, 'write it into the file')}.")
    value = yamls.parse(text, where)
    *places, last = name.split(".")
    block = merged.values
    for place in places:
        inner = block.get(place)
        if not isinstance(inner, dict):
            raise UserError(f"{where}: {place!r} is not a block of this config.{nearest(place, list(block))}")
        block[place] = block = dict(inner)
    block[last] = value
    merged.replaced[name] = value
    merged.places[(*places, last)] = where


def _fault(error: Any, block: dict[str, Any]) -> str:
    """One line for one of pydantic's errors: the place, what was found, what is allowed."""
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = _known(error["loc"][:-1], block)
        return f"unknown key {place!r}.{nearest(str(error['loc'][-1]), known)} Known: {', '.join(known)}."
    if error["type"] == "missing":
        return f"the key {place!r} is missing.{_choice(str(error['loc'][-1]))}"
    if error["type"] == "value_error":
        return f"{place}: {error['ctx']['error']}"
    allowed = error["msg"].replace("Input should be", "it must be").replace("Input is", "it is")
    allowed = allowed.partition(" for <class 'pathlib.")[0]  # the class's name changes with Python
    return f"{place}: found {shorten(error['input'])}; {allowed}."


def _choice(place: str) -> str:
    """What may be written for a part of a system that is missing."""
    kinds = [protocol.kind for protocol in _PROTOCOLS if protocol.kind == place]
    return f" Write {place}: {{use: name}}, with one of {', '.join(registry.files(place))}." if kinds else ""


def _known(loc: Sequence[Any], block: dict[str, Any]) -> list[str]:
    """The keys that are allowed at a place of the config."""
    if not loc:
        return ["extends", *(name for name in System.model_fields if name not in _OWN)]
    inner: Any = block
    for part in loc:
        inner = inner[part]
    name = inner["use"] if isinstance(inner, dict) else inner
    protocol = _protocol(str(loc[-1]), name)
    found = registry.load(protocol.kind, name, protocol) if protocol else Component
    return ["use", *(found.model_fields if issubclass(found, Component) else ())]


_PROTOCOLS: tuple[type[Component], ...] = (Parser, Chunker, Embedder, Retriever, Reranker, Answerer)


def _protocol(place: str, name: str) -> type[Component] | None:
    """Which protocol a block belongs to: by its place, or by the first folder that knows its name."""
    here = [protocol for protocol in _PROTOCOLS if protocol.kind == place]
    return next((p for p in (here or _PROTOCOLS) if name in registry.files(p.kind)), None)
