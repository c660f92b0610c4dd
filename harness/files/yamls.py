"""Strict YAML for files that people write: what is read is what stands there, and each mistake is one line with its place.

Plain YAML would take the last of two equal keys, read `no` as false and 12:30 as 750, and unfold an alias bomb. Here keys are
text and unique, only `true` and `false` are booleans, dates stay text, and tags and anchor loops are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.errors import UserError
from harness.files.reading import reading, shorten

Place = tuple[str | int, ...]

LARGEST = 20_000_000
"""Bytes of a file that are read at most."""
MOST_NODES = 500_000
"""Values of a file at most, with its aliases unfolded."""

DEEPEST = 500
"""Brackets that may be open at once."""

_BRACKET = re.compile(r"[\[\]{}]")
_CONTROL = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAG = "tag:yaml.org,2002:"


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _name, _pattern, _first in (
    ("null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)\Z", list("-+0123456789")),
    ("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z", list("-+.0123456789")),
):
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(_pattern), _first)


@dataclass(frozen=True)
class Yaml:
    """What a file holds, and in which line each value stands (`lines[("documents", "x", "pages")]`, counted from 1)."""

    values: dict[str, Any]
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, *place: str | int) -> int:
        """The line of the value at `place`, or of the nearest value around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file. Raises UserError, one line with file and place, for everything else."""
    return load(path).values


def load(path: Path) -> Yaml:
    """The mapping in a YAML file with the line of each of its values. Raises UserError as `read` does."""
    text = _text(path)
    lines: dict[Place, int] = {}
    values = _parse(text, str(path), lines)
    if values is None:
        raise UserError(f"{path}: the file is empty; it must hold lines of the form 'key: value'.")
    if not isinstance(values, dict):
        found = "a list" if isinstance(values, list) else f"one value, {shorten(values)},"
        raise UserError(f"{path}: the file holds {found} where a mapping is needed: lines of the form 'key: value'.")
    return Yaml(values, lines)


def parse(text: str, source: str) -> Any:
    """The value that `text` stands for, by the same rules. Raises UserError that names `source` and the line."""
    return _parse(text, source, {})


def _text(path: Path) -> str:
    with reading(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UserError(f"{path}: the file has more than {LARGEST:,} bytes, the most that is read.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, found = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise UserError(f"{path}:{line}: byte 0x{found:02x} is not UTF-8; save the file as UTF-8 text.") from None
    _refuse_control(text, path)
    return text


def _refuse_control(text: str, path: Path) -> None:
    if control := _CONTROL.search(text):
        line, found = text.count("\n", 0, control.start()) + 1, f"U+{ord(control.group()):04X}"
        raise UserError(f"{path}:{line}: the control character {found} is no text; is this a binary file?")


def _parse(text: str, source: str, lines: dict[Place, int]) -> Any:
    _refuse_depth(text, source)
    try:
        node = yaml.compose(text, Loader=_Loader)
        if node is None:
            return None
        _bounded(node, source)
        return _Reader(source, lines).value(node, ())
    except yaml.MarkedYAMLError as error:
        raise UserError(_explain(error, source, text)) from None
    except yaml.YAMLError as error:
        raise UserError(f"{source}: not YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        raise UserError(f"{source}: values are nested too deeply.") from None


def _refuse_depth(text: str, source: str) -> None:
    """Refuse brackets in brackets beyond sense, which the parser would chew on for minutes."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket.group() in "[{" else -1
        if depth > DEEPEST:
            line = text.count("\n", 0, bracket.start()) + 1
            raise UserError(f"{source}:{line}: values are nested too deeply, more than {DEEPEST} brackets are open.")


def _explain(error: yaml.MarkedYAMLError, source: str, text: str) -> str:
    mark = error.problem_mark or error.context_mark
    row = mark.line if mark else 0
    line = (text.splitlines() or [""])[min(row, len(text.splitlines()) - 1)] if text else ""
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in str(error.problem):
        return f"{source}:{row + 1}: a tab is used to indent or separate; YAML allows only spaces there."
    problem = " ".join(f"{error.context or ''} {error.problem or ''}".split())
    return f"{source}:{row + 1}: not YAML: {problem}. The line is {shorten(line.strip())}."


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _bounded(root: yaml.Node, source: str) -> None:
    """Refuse an anchor that holds itself, and aliases that unfold into too much, before anything is unfolded."""
    sizes: dict[int, int | None] = {}

    def size(node: yaml.Node) -> int:
        if id(node) in sizes:
            known = sizes[id(node)]
            if known is None:
                raise UserError(
                    f"{source}:{_line(node)}: the anchor here holds an alias of itself; write its value out."
                )
            return known
        sizes[id(node)] = None
        total = 1 + sum(size(child) for child in _children(node))
        if total > MOST_NODES:
            raise UserError(
                f"{source}:{_line(node)}: more than {MOST_NODES:,} values, aliases unfolded; write fewer of them."
            )
        sizes[id(node)] = total
        return total

    size(root)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


@dataclass
class _Reader:
    """Turns composed nodes into plain values, noting lines."""

    source: str
    lines: dict[Place, int]

    def value(self, node: yaml.Node, place: Place) -> Any:
        self.lines.setdefault(place, _line(node))
        if isinstance(node, yaml.MappingNode):
            self._expect(node, "map")
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            self._expect(node, "seq")
            return [self.value(item, (*place, row)) for row, item in enumerate(node.value)]
        return self._scalar(node)

    def _expect(self, node: yaml.Node, *tags: str) -> str:
        tag = str(node.tag).removeprefix(_TAG)
        if tag not in tags:
            raise UserError(
                f"{self.source}:{_line(node)}: the tag {shorten(node.tag)} is not allowed; write plain values."
            )
        return tag

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key in found:
                raise UserError(
                    f"{self.source}:{_line(key_node)}: the key {shorten(key)} is written twice, "
                    f"first in line {first[key]}; each key may stand once."
                )
            first[key] = _line(key_node)
            self.lines[(*place, key)] = first[key]
            found[key] = self.value(value_node, (*place, key))
        return found

    def _key(self, node: yaml.Node) -> str:
        key = self._scalar(node) if isinstance(node, yaml.ScalarNode) else None
        if not isinstance(key, str):
            shown = node.value if isinstance(node, yaml.ScalarNode) else "a list or a mapping"
            raise UserError(f"{self.source}:{_line(node)}: the key {shorten(shown)} is not text; write it in quotes.")
        return key

    def _scalar(self, node: yaml.Node) -> Any:
        tag = self._expect(node, "str", "int", "float", "bool", "null")
        text = str(node.value)
        try:
            return _PLAIN[tag](text)
        except ValueError:
            raise UserError(f"{self.source}:{_line(node)}: {shorten(text)} cannot be read as {tag}.") from None


def _number(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise ValueError("not finite")
    return value


_PLAIN: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": _number,
    "bool": lambda text: text.lower() == "true",
    "null": lambda text: None,
}
