"""configs/*.yaml -> System: `extends`, defaults, and one message for everything that is wrong in the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from harness import yamls
from harness.components import Answerer, Chunker, Component, Parser, Reranker, Retriever
from harness.errors import UserError, nearest
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

    @property
    def components(self) -> dict[str, Component]:
        """The five components by their place."""
        places = ("parser", "chunker", "retriever", "reranker", "answerer")
        return {place: getattr(self, place) for place in places}

    @property
    def oracle(self) -> bool:
        """True where a component looks at the golden."""
        return any(part.sees_gold for component in self.components.values() for part in component.parts())

    def spec(self) -> dict[str, Any]:
        """The whole config with its defaults, without the golden set."""
        blocks = {place: component.spec() for place, component in self.components.items()}
        return {"name": self.name, "scope": self.scope, **blocks, "judges": list(self.judges)}


def load(path: Path, settings: Sequence[str] = ()) -> System:
    """The system that `path` declares, with `--set` settings ("retriever.constant=10") applied last."""
    merged, replaced = _extended(path, ())
    for setting in settings:
        _apply(merged, replaced, setting)
    return validate({**merged, "name": path.stem, "replaced": replaced}, str(path))


def validate(block: dict[str, Any], where: str) -> System:
    """A System from its merged block. Raises UserError with one line for each fault, naming `where`."""
    try:
        return System.model_validate(block)
    except ValidationError as error:
        faults = [_fault(one, block) for one in error.errors()]
        raise UserError("\n".join(f"{where}: {fault}" for fault in faults)) from None


def _extended(path: Path, seen: tuple[Path, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    block = yamls.read(path)
    for own in ("name", "replaced"):
        if own in block:
            raise UserError(f"{path}: {own!r} is not a setting; a system is named by its file")
    parent = block.pop("extends", None)
    if parent is None:
        return block, {}
    if not isinstance(parent, str):
        raise UserError(f"{path}: extends takes the path of another config, not {parent!r}")
    base = (path.parent / parent).resolve()
    if base in (*seen, path.resolve()):
        raise UserError(f"{path}: extends goes in a circle: {' -> '.join(p.name for p in (*seen, path, base))}")
    merged, _ = _extended(base, (*seen, path.resolve()))
    return {**merged, **block}, block


def _apply(merged: dict[str, Any], replaced: dict[str, Any], setting: str) -> None:
    name, equals, text = setting.partition("=")
    if not equals or not name:
        raise UserError(f"--set takes path=value, for example retriever.constant=10, not {setting!r}")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise UserError(f"--set {setting}: the value is not YAML") from None
    *places, last = name.split(".")
    block = merged
    for place in places:
        inner = block.get(place)
        if not isinstance(inner, dict):
            raise UserError(f"--set {setting}: {place!r} is not a block of this config.{nearest(place, list(block))}")
        block[place] = block = dict(inner)
    block[last] = value
    replaced[name] = value


def _fault(error: Any, block: dict[str, Any]) -> str:
    """One line for one of pydantic's errors: the place, what was found, what is allowed."""
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = _known(error["loc"][:-1], block)
        return f"unknown key {place!r}.{nearest(str(error['loc'][-1]), known)} Known: {', '.join(known)}."
    if error["type"] == "missing":
        return f"{place!r} is missing"
    message = error["msg"].removeprefix("Value error, ")
    found = "" if isinstance(error["input"], dict) else f" (found {error['input']!r})"
    return f"{place}: {message}{found}"


def _known(loc: Sequence[Any], block: dict[str, Any]) -> list[str]:
    """The keys that are allowed at a place of the config."""
    if not loc:
        return ["extends", *(name for name in System.model_fields if name not in ("name", "replaced"))]
    from harness import registry

    inner: Any = block
    for part in loc:
        inner = inner[part]
    name = inner["use"] if isinstance(inner, dict) else inner
    protocol = _protocol(str(loc[-1]), name)
    found = registry.load(protocol.kind, name, protocol) if protocol else Component
    return ["use", *(found.model_fields if issubclass(found, Component) else ())]


def _protocol(place: str, name: str) -> type[Component] | None:
    """Which protocol a block belongs to: by its place, or by the first folder that knows its name."""
    from harness import registry
    from harness.components import Embedder

    protocols: list[type[Component]] = [Parser, Chunker, Embedder, Retriever, Reranker, Answerer]
    here = [protocol for protocol in protocols if protocol.kind == place]
    return next((p for p in (here or protocols) if name in registry.files(p.kind)), None)
