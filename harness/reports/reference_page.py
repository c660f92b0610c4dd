"""REFERENCE.md: every command with its options, every component with its settings, every metric, from the code itself."""

from __future__ import annotations

import argparse
import html
import inspect
import json
import re
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from harness import registry
from harness.components import Component
from harness.models.limits import Limits
from harness.models.prices import Price
from harness.records import Model
from harness.reports.escaping import table
from harness.runs.config import System
from harness.scoring.metric import Metric

_HEAD = """# Reference

Every command, config key, component and metric, as `harness list --markdown` prints them. Written by
`pytest --write-reference`; a test holds it in step with the code. What the words mean is in [README.md](README.md)."""


def render() -> str:
    """The whole page."""
    parts = [_HEAD, "## Commands", *_commands(), "## Keys of a config", *_config(), "## Components", *_components()]
    parts += ["## Models", *_models(), "## Metrics", *_metrics(), "## Judges", *_named("judge", "how it decides")]
    parts += ["## Exports", *_named("export", "what it writes")]
    return "\n\n".join(parts) + "\n"


# -- commands ---------------------------------------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    for name in registry.files("command"):
        module = registry.module("command", name)
        parser = argparse.ArgumentParser(prog=f"harness {name}")
        module.arguments(parser)
        yield f"### harness {name}"
        yield from _paragraphs(inspect.getdoc(module) or "")
        rows = [[_option(action), _text(action.help or "")] for action in parser._actions if action.dest != "help"]
        yield "\n".join(table(["argument", "what it does"], rows))


def _option(action: argparse.Action) -> str:
    value = "|".join(map(str, action.choices)) if action.choices else str(action.metavar or action.dest.upper())
    if not action.option_strings:
        return f"`{value}`"
    named = f"{action.option_strings[-1]} {value}" if action.nargs != 0 else action.option_strings[-1]
    return "`" + named.strip().replace("|", r"\|") + "`"


def _paragraphs(text: str) -> Iterator[str]:
    """A docstring's paragraphs; one that holds commands only is a block of code."""
    for paragraph in text.split("\n\n"):
        lines = [line.strip() for line in paragraph.splitlines()]
        code = all(line.startswith("harness ") for line in lines)
        yield "```sh\n" + "\n".join(lines) + "\n```" if code else _text(" ".join(lines))


def _text(text: str) -> str:
    """Prose of a docstring: HTML and table marks outside of `code` are escaped."""
    parts = text.split("`")
    return "`".join(part if row % 2 else html.escape(part, quote=False) for row, part in enumerate(parts)).replace(
        "|", r"\|"
    )


# -- components -------------------------------------------------------------------------------------------------------


def _config() -> Iterator[str]:
    rows = [["`extends`", "", "the config whose settings this one replaces where it names them"]]
    fields = {
        name: field for name, field in System.model_fields.items() if name not in ("name", "replaced", "overrides")
    }
    rows += [[f"`{name}`", _default(field), _type(field.annotation)] for name, field in fields.items()]
    yield "\n".join(table(["key", "default", "value"], rows))


def _components() -> Iterator[str]:
    for kind in ("parser", "chunker", "embedder", "retriever", "reranker", "answerer", "checker"):
        for name, path in registry.files(kind).items():
            found = registry.load(kind, name, Component)
            assert issubclass(found, Component)
            yield f"### {kind} {name}"
            yield _text(f"{registry.describe(path)} {inspect.cleandoc(found.__doc__ or '').partition(chr(10))[0]}")
            if found.needs:
                target = f"-e '.[{found.extra}]'" if found.extra else " ".join(found.needs)
                yield f"Needs what is not installed by default: `pip install {target}`."
            rows = list(_settings(found))
            yield "\n".join(table(["setting", "default", "value", "meaning"], rows)) if rows else "It has no settings."


_BLOCKS: dict[str, type[BaseModel]] = {
    "a model": Model,
    "`limits`, by endpoint": Limits,
    "`prices`, by model, in USD for a million tokens": Price,
}
"""What a config says of models."""


def _models() -> Iterator[str]:
    for title, found in _BLOCKS.items():
        yield f"### {title}"
        yield "\n".join(table(["setting", "default", "value", "meaning"], list(_settings(found))))
    yield "### providers"
    yield from _files("client", "provider")


def _files(kind: str, title: str) -> Iterator[str]:
    rows = [[f"`{name}`", _text(registry.describe(path))] for name, path in registry.files(kind).items()]
    yield "\n".join(table([title, "what it is"], rows))


def _settings(found: type[BaseModel]) -> Iterator[list[str]]:
    meanings = _docstrings(found)
    for name, field in found.model_fields.items():
        limits = " ".join(filter(None, map(_limit, field.metadata)))
        meaning = field.description or meanings.get(name, "")
        yield [f"`{name}`", _default(field), ", ".join(filter(None, (_type(field.annotation), limits))), _text(meaning)]


def _docstrings(found: type) -> dict[str, str]:
    """The string below a field, where it says what the field means; those of base classes too."""
    meanings: dict[str, str] = {}
    for cls in reversed(found.__mro__):
        if not cls.__module__.startswith(("harness", "systems")):
            continue
        for match in _FIELD.finditer(inspect.getsource(cls)):
            meanings[match["name"]] = " ".join(match["text"].split())
    return meanings


_FIELD = re.compile(r'^    (?P<name>[a-z]\w*): (?!ClassVar)[^\n]*\n    """(?P<text>.*?)"""', re.MULTILINE | re.DOTALL)
_LIMITS = {
    "ge": "from",
    "gt": "above",
    "le": "to",
    "lt": "below",
    "min_length": "length from",
    "max_length": "length to",
}


def _limit(one: Any) -> str:
    return " ".join(f"{word} {getattr(one, key):,}" for key, word in _LIMITS.items() if hasattr(one, key))


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is PydanticUndefined:
        return "required"
    return f"`{json.dumps(_plain(value))}`"


def _plain(value: Any) -> Any:
    if isinstance(value, Component):
        return value.spec()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.as_posix() if isinstance(value, Path) else value


def _type(annotation: Any) -> str:
    """A type in a user's words."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (typing.Union, types.UnionType):
        return " or ".join("nothing" if part is type(None) else _type(part) for part in inner)
    if origin is typing.Annotated:
        return _type(inner[0])
    if origin in (tuple, list, set, frozenset):
        return f"a list, each {_type(inner[0])}"
    if origin in (dict, Mapping):
        return "a mapping"
    if inspect.isclass(annotation) and issubclass(annotation, Component):
        return f"{'an' if annotation.kind[0] in 'ae' else 'a'} {annotation.kind}"
    return _WORDS.get(annotation, getattr(annotation, "__name__", str(annotation)))


_WORDS = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "`true` or `false`",
    Path: "a path",
    Model: "a model",
}


# -- metrics, judges, exports -----------------------------------------------------------------------------------------


def _metrics() -> Iterator[str]:
    loaded = {name: registry.load("metric", name, Metric) for name in registry.files("metric")}
    found = {name: cls for name, cls in loaded.items() if issubclass(cls, Metric)}
    stages = ("retrieve", "generate", "score")
    order = sorted(found, key=lambda name: (stages.index(found[name].stage), found[name].place, name))
    rows = [_metric(name, found[name]) for name in order]
    yield "\n".join(table(["metric", "stage", "unit", "better", "value for one question"], rows))


def _metric(name: str, found: type[Metric]) -> list[str]:
    cuts = f"`{name}`" + (f" @ {', '.join(map(str, found.at))}" if found.at else "")
    better = {True: "higher", False: "lower", None: "neither"}[found.higher_is_better]
    return [cuts, found.stage, found.unit, better, _text(" ".join((found.__doc__ or "").split()))]


def _named(kind: str, says: str) -> Iterator[str]:
    rows = [[f"`{name}`", _text(registry.describe(path))] for name, path in registry.files(kind).items()]
    yield "\n".join(table([kind, says], rows))
