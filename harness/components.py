"""Component: what a YAML block can name, with typed settings, components inside it, and what of it counts into a key.

Settings are typed fields; the YAML block of a component validates straight into it. A field that holds another component
takes a block of its own (`embedder: {use: minilm}`), so that variants are composed instead of switched.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationInfo, model_validator
from pydantic_core import to_jsonable_python

from harness import registry
from harness.errors import UserError
from harness.records import Model

Kind = TypeVar("Kind")


def query_time(default: Any, description: str = "", **limits: Any) -> Any:
    """A setting that acts at query time only: it stays out of the index's key."""
    return Field(default, description=description, json_schema_extra={"query_time": True}, **limits)


class Component(BaseModel):
    """Base of everything that a YAML block can name. Frozen; unknown settings are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    kind: ClassVar[str] = ""
    """Which folder it lives in; set by the protocol."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Import names of packages outside the default set."""
    extra: ClassVar[str | None] = None
    """The extra of this project that installs them."""
    sees_gold: ClassVar[bool] = False
    """True for oracles: bench.golden is set for them, and their results are stamped."""

    @model_validator(mode="wrap")
    @classmethod
    def _by_name(cls, value: Any, handler: ModelWrapValidatorHandler[Component], info: ValidationInfo) -> Component:
        is_protocol = "kind" in cls.__dict__ and bool(cls.kind)
        if not is_protocol or isinstance(value, cls):
            return handler(value)
        return build(cls, value, info.context)

    @model_validator(mode="after")
    def _declares_its_paths(self) -> Self:
        """What is read from a path that `files()` does not name would be in no key."""
        paths = {(name, path) for name, value, _ in self.settings() for path in _inside(value, Path)}
        declared = [file.resolve() for file in self.files()] if paths else []
        for name, path in sorted(paths):
            if not any(file.is_relative_to(path.resolve()) for file in declared):
                raise ValueError(
                    f"{self.kind} {self.name()!r} does not declare {path} (its setting {name!r}): let files() return every "
                    "file that it reads, else what is kept would not change with them"
                )
        return self

    @classmethod
    def name(cls) -> str:
        """Its name in YAML: the name of its file."""
        return cls.__module__.rpartition(".")[2]

    def settings(self) -> Iterator[tuple[str, Any, bool]]:
        """Each field as (name, value, whether it acts at query time only)."""
        for name, field in type(self).model_fields.items():
            extra = field.json_schema_extra
            yield name, getattr(self, name), isinstance(extra, dict) and bool(extra.get("query_time"))

    def spec(self, *, for_index: bool = False, in_order: bool = False) -> dict[str, Any]:
        """The whole block with its defaults, as JSON; without query-time settings where it is for an index's key.

        `in_order` writes a mapping among the settings as a list of pairs: a component can read their order.
        """
        block: dict[str, Any] = {"use": self.name()}
        for name, value, late in self.settings():
            if not (late and for_index):
                block[name] = _plain(value, for_index, in_order)
        return block

    def parts(self) -> list[Component]:
        """This component and every component inside it, outermost first, however deep its settings hold them."""
        inner = [child for _, value, _ in self.settings() for child in _inside(value, Component)]
        return [self, *(part for child in inner for part in child.parts())]

    def models(self) -> list[Model]:
        """The models that its settings name, and those of the components inside it."""
        return [model for part in self.parts() for _, value, _ in part.settings() for model in _inside(value, Model)]

    def files(self) -> tuple[Path, ...]:
        """Files that shape what it does (a prompt, a model): their contents count into its key."""
        return ()


def _inside(value: Any, kind: type[Kind]) -> Iterator[Kind]:
    """Every value of a kind in a setting: in lists, pairs, mappings and records, but not in the components inside."""
    if isinstance(value, kind):
        yield value
    elif not isinstance(value, Component):
        for item in _items(value):
            yield from _inside(item, kind)


def _items(value: Any) -> Iterator[Any]:
    """What a value holds; a set in an order that does not change from run to run."""
    if isinstance(value, Mapping):
        yield from (part for pair in value.items() for part in pair)
    elif isinstance(value, BaseModel):
        yield from (getattr(value, name) for name in type(value).model_fields)
    elif isinstance(value, (set, frozenset)):
        yield from sorted(value, key=repr)
    elif isinstance(value, (list, tuple)):
        yield from value


def _plain(value: Any, for_index: bool, in_order: bool) -> Any:
    """A setting as JSON. Raises ValueError for one that has none: nothing could be kept under it."""
    if isinstance(value, Component):
        return value.spec(for_index=for_index, in_order=in_order)
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        pairs = [(_name(key), _plain(item, for_index, in_order)) for key, item in value.items()]
        return pairs if in_order else dict(pairs)
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item, for_index, in_order) for item in value), key=json.dumps)
    if isinstance(value, (list, tuple)):
        return [_plain(item, for_index, in_order) for item in value]
    return to_jsonable_python(value)


def _name(key: Any) -> str:
    """A mapping's key as JSON has it."""
    return key if isinstance(key, str) else str(to_jsonable_python(key))


def build(protocol: type[Component], block: Any, context: Any = None) -> Component:
    """The component that a YAML block names. Raises ValueError, or pydantic's own error, for what is wrong in it.

    `context` is handed on to validators: under "models" it holds what a config's `models:` names.
    """
    block = {"use": block} if isinstance(block, str) else block
    if not isinstance(block, dict) or not isinstance(block.get("use"), str):
        raise ValueError(f"write a {protocol.kind} as {{use: name, setting: value}}, not {block!r}")
    try:
        found = registry.load(protocol.kind, block["use"], protocol)
    except UserError as error:
        raise ValueError(str(error)) from None
    assert issubclass(found, Component)
    _require(found)
    return found.model_validate({key: value for key, value in block.items() if key != "use"}, context=context)


def _require(found: type[Component]) -> None:
    """Say what to install before a run starts, not in the middle of it."""
    for package in found.needs:
        if importlib.util.find_spec(package) is None:
            target = f"-e '.[{found.extra}]'" if found.extra else package
            raise ValueError(
                f"{found.kind} {found.name()!r} needs the package {package!r}. Install it with: pip install {target}"
            )
