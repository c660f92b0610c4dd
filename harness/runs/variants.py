"""Names of variants: a config with settings of its own is another system, and never takes the other's place."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from harness.records import Json

_LONGEST = 40
"""Characters of a value in a name at most."""
_LONGEST_NAME = 200
"""Bytes of a name at most: file systems end at 255."""
_UNSAFE = re.compile(r"[^\w.,{}\[\]-]+")


def variant_name(system: str, overrides: Mapping[str, Json]) -> str:
    """ "hybrid_rerank+answerer.keep=4": the system's name with what `--set` changed, by path; its own name for nothing.

    It names a folder too. A value that cannot stand there, or is long, is cut down and told apart by digits of its hash.
    """
    name = "".join([system, *(f"+{path}={_short(overrides[path])}" for path in sorted(overrides))])
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    return f"{system}+{len(overrides)}-settings~{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def base_name(variant: str) -> str:
    """The name of the system that a variant is made of."""
    return variant.partition("+")[0]


def _short(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    safe = _UNSAFE.sub("-", text)[:_LONGEST].rstrip("-.")
    return safe if safe == text else f"{safe}~{hashlib.sha256(text.encode()).hexdigest()[:6]}"
