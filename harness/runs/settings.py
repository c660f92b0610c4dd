"""The settings of a config by their full paths, so that a message about an unknown one can name the one that was meant."""

from __future__ import annotations

import difflib
import inspect
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from harness import registry
from harness.components import Component
from harness.errors import UserError

Place = tuple[str, ...]

_MOST = 3
"""Settings that a message proposes at most."""
_LISTED = 8
"""Settings further in that a message lists at most."""


def paths(model: type[BaseModel], block: dict[str, Any]) -> Iterator[Place]:
    """The place of every setting that `block` has or can have, the outer ones first: `("retriever", "inner", "k1")`.

    Components inside are those that the block names, else a field's default; one that cannot be loaded has none.
    """
    waiting: list[tuple[Place, type[BaseModel], dict[str, Any]]] = [((), model, block)]
    for at, outer, values in waiting:
        for name, field in outer.model_fields.items():
            yield (*at, name)
            inner = _component(field, values.get(name))
            if inner:
                yield (*at, name, "use")
                waiting.append(((*at, name), *inner))


def meant(place: Sequence[str], known: Sequence[Place]) -> str:
    """`" Did you mean 'retriever.inner.weight'?"`: the same name elsewhere, else one like it, the nearest places first."""
    names = _names_like(place, known)
    found = sorted((one for one in known if one[-1] in names), key=lambda one: _distance(place, one))
    nearest = [one for one in found if _distance(place, one) == _distance(place, found[0])][:_MOST]
    return f" Did you mean {' or '.join(repr(dotted(one)) for one in nearest)}?" if nearest else ""


def further_in(block: Sequence[str], known: Sequence[Place]) -> str:
    """The settings of the components inside a block that the block itself does not have, by their full paths."""
    depth = len(block)
    below = [one for one in known if one[:depth] == tuple(block)]
    own = {one[-1] for one in below if len(one) == depth + 1}
    inner = [one for one in below if len(one) > depth + 1 and one[-1] not in own and (*one, "use") not in known]
    more = f" and {len(inner) - _LISTED} more" if len(inner) > _LISTED else ""
    return ", ".join(map(dotted, inner[:_LISTED])) + more


def dotted(place: Sequence[str | int]) -> str:
    """A place as --set and messages write it."""
    return ".".join(map(str, place))


def _component(field: FieldInfo, value: Any) -> tuple[type[Component], dict[str, Any]] | None:
    """The class and the block of the component that a field holds, None where it holds none."""
    types = (field.annotation, *typing.get_args(field.annotation))
    protocol = next((one for one in types if inspect.isclass(one) and issubclass(one, Component)), None)
    if protocol is None:
        return None
    default = field.get_default(call_default_factory=True, validated_data={})
    value = default.spec() if value is None and isinstance(default, Component) else value
    block = {"use": value} if isinstance(value, str) else value
    return _loaded(protocol, block) if isinstance(block, dict) else None


def _loaded(protocol: type[Component], block: dict[str, Any]) -> tuple[type[Component], dict[str, Any]] | None:
    try:
        found = registry.load(protocol.kind, str(block.get("use")), protocol)
    except UserError:
        return None
    assert issubclass(found, Component)
    return found, block


def _names_like(place: Sequence[str], known: Sequence[Place]) -> list[str]:
    """The name itself where it stands anywhere, else what is like it in the block or inside it, else what is very like it."""
    name, block = place[-1], tuple(place[:-1])
    everywhere = list(dict.fromkeys(one[-1] for one in known))
    if name in everywhere:
        return [name]
    here = [one[-1] for one in known if one[:-1] == block]
    inside = [one[-1] for one in known if block and one[: len(block)] == block]
    tries = ((here, 0.5), (inside, 0.5), (everywhere, 0.6))
    return next(filter(None, (difflib.get_close_matches(name, names, 1, cutoff) for names, cutoff in tries)), [])


def _distance(place: Sequence[str], other: Place) -> tuple[int, int]:
    """How far two places are apart: first by the blocks that they share, then by depth."""
    shared = next((row for row, (a, b) in enumerate(zip(place, other, strict=False)) if a != b), len(place))
    return -shared, len(other)
