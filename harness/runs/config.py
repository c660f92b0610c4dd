"""configs/*.yaml -> System: `extends`, defaults, and one message for everything that is wrong in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from harness import registry
from harness.components import Component
from harness.errors import UserError
from harness.files import yamls
from harness.files.reading import shorten
from harness.models.limits import Limits
from harness.models.prices import Price
from harness.protocols import Answerer, Chunker, Embedder, Parser, Reranker, Retriever
from harness.records import Model, Record, Scope
from harness.runs.settings import dotted, further_in, meant, paths
from harness.runs.variants import variant_name


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
    models: dict[str, Model] = Field(default_factory=dict)
    """Models by the names that components use for them."""
    limits: dict[str, Limits] = Field(default_factory=dict)
    """What each endpoint allows, by its name."""
    prices: dict[str, Price] = Field(default_factory=dict)
    """USD for a million tokens, by the name of a model, where genai-prices does not know it or is wrong."""
    judges: tuple[str, ...] = ()
    seconds: float = Field(600.0, description="seconds that a question may take", gt=0, le=86_400)
    """It shapes nothing that is kept: a question that took too long counts 0 in this run and is asked again in the next."""
    replaced: dict[str, Any] = Field(default_factory=dict)
    """What this file replaced in the file that it extends."""
    overrides: dict[str, Any] = Field(default_factory=dict)
    """What --set changed, by path; its name says so too."""

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
        prices = {"prices": _dumped(self.prices)} if self.prices else {}
        return {"name": self.name, "scope": self.scope, **blocks, **prices}

    def spec(self) -> dict[str, Any]:
        """The whole config with its defaults, without the golden set and the time limit; models stand in what uses them."""
        limits = {"limits": _dumped(self.limits)} if self.limits else {}
        return {**self.answering(), "judges": list(self.judges), **limits}


def _dumped(records: Mapping[str, Record]) -> dict[str, Any]:
    return {name: record.model_dump(mode="json") for name, record in records.items()}


@dataclass
class Merged:
    """A config's settings with those that it extends, and where each of them was written."""

    values: dict[str, Any]
    places: dict[tuple[str | int, ...], str] = field(default_factory=dict)
    """"file:line" or "--set path=value", by the path of a value."""
    replaced: dict[str, Any] = field(default_factory=dict)
    overrides: dict[str, Any] = field(default_factory=dict)

    def origin(self, place: Sequence[str | int], default: str) -> str:
        """Where the value at `place` was written, or else the nearest value around it."""
        around = (tuple(place[:length]) for length in range(len(place), 0, -1))
        return next((self.places[one] for one in around if one in self.places), default)


def load(path: Path, settings: Sequence[str] = ()) -> System:
    """The system that `path` declares, with `--set` settings ("answerer.keep=4") applied last.

    Components of a folder `systems/` beside the config, or beside its folder, are found as those that ship.

    Raises UserError with one line for each fault: the file and line or the --set, what was found, what is allowed.
    """
    for folder in (path.resolve().parent, path.resolve().parent.parent):
        registry.add_project(folder)
    merged = _extended(path, ())
    for setting in settings:
        _apply(merged, setting)
    name = variant_name(path.stem, merged.overrides)
    block = {**merged.values, "name": name, "replaced": merged.replaced, "overrides": merged.overrides}
    try:
        return System.model_validate(block, context={"models": block.get("models")})
    except ValidationError as error:
        faults = [(merged.origin(_at(one), str(path)), _fault(one, block)) for one in error.errors()]
        raise UserError("\n".join(f"{where}: {fault}" for where, fault in faults)) from None


def chain(path: Path) -> list[Path]:
    """A config's file and those that it extends, which `load` has read without a fault."""
    parent = yamls.load(path).values.get("extends")
    return [path, *(chain(path.parent / parent) if parent is not None else [])]


def restore(saved: Mapping[str, Any]) -> System:
    """The system of a kept result. Raises UserError where a part of it is not here any more."""
    try:
        return System.model_validate(dict(saved))
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(
            f"the system {saved.get('name')!r} of this result cannot be built: {_fault(first, dict(saved))}"
        ) from None


def _at(error: Any) -> tuple[str | int, ...]:
    """Where an error was written: what a component's block says as a whole, it says of the component's name."""
    return (*error["loc"], "use") if error["type"] == "value_error" else error["loc"]


_OWN = {
    "name": "a system is named by its file",
    "replaced": "it is noted for you",
    "overrides": "it is noted for you",
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
        raise UserError(f"--set takes path=value, for example answerer.keep=4, not {setting!r}.")
    where = f"--set {setting}"
    if name in (*_OWN, "extends"):
        raise UserError(f"{where}: {name!r} cannot be set here; {_OWN.get(name, 'write it into the file')}.")
    value = yamls.parse(text, where)
    *places, last = name.split(".")
    block, known = merged.values, list(_paths(merged.values))
    for depth, place in enumerate(places, start=1):
        inner = _as_block(block.get(place), (*places[:depth], "use") in known)
        if inner is None:
            hint = meant((*places, last), known)
            raise UserError(f"{where}: {dotted(places[:depth])!r} is not a block of this config.{hint}")
        block[place] = block = inner
        merged.places.setdefault(tuple(places[:depth]), where)
    block[last] = value
    merged.overrides[name] = value
    merged.places[(*places, last)] = where


def _as_block(value: Any, component: bool) -> dict[str, Any] | None:
    """A copy of a block; a component that is written by its name alone, or left at its default, becomes one."""
    if component and (value is None or isinstance(value, str)):
        return {} if value is None else {"use": value}
    return dict(value) if isinstance(value, dict) else None


def _paths(block: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    return (place for place in paths(System, block) if place[0] not in _OWN)


def _fault(error: Any, block: dict[str, Any]) -> str:
    """One line for one of pydantic's errors: the place, what was found, what is allowed."""
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"unknown key {place!r}.{_instead([str(part) for part in error['loc']], block)}"
    if error["type"] == "missing":
        return f"the key {place!r} is missing.{_choice(str(error['loc'][-1]))}"
    if error["type"] == "value_error":
        return f"{place}: {error['ctx']['error']}"
    allowed = error["msg"].replace("Input should be", "it must be").replace("Input is", "it is")
    allowed = allowed.partition(" for <class 'pathlib.")[0]  # the class's name changes with Python
    return f"{place}: found {shorten(error['input'])}; {allowed}."


def _instead(place: Sequence[str], block: dict[str, Any]) -> str:
    """What may be written in the place of an unknown key: the one that was meant, those of the block, those inside it."""
    known = list(_paths(block))
    hint = meant(place, known)
    own = [*([] if place[:-1] else ["extends"]), *(one[-1] for one in known if one[:-1] == tuple(place[:-1]))]
    inside = "" if hint or not place[:-1] else further_in(place[:-1], known)
    return f"{hint} Known: {', '.join(own)}{f'; further in: {inside}' if inside else ''}."


def _choice(place: str) -> str:
    """What may be written for a part of a system that is missing."""
    kinds = [protocol.kind for protocol in _PROTOCOLS if protocol.kind == place]
    return f" Write {place}: {{use: name}}, with one of {', '.join(registry.files(place))}." if kinds else ""


_PROTOCOLS: tuple[type[Component], ...] = (Parser, Chunker, Embedder, Retriever, Reranker, Answerer)
