"""Strict JSON lines: one object a line, each mistake one message with file and line.

A byte order mark, CRLF, blank lines and a last line without newline are accepted. Everything on which two readers could
disagree (NaN, Infinity, a key written twice, half of a surrogate pair) is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from harness.errors import UserError
from harness.files.reading import reading, shorten
from harness.files.writing import write_text

LONGEST = 64_000_000
"""Bytes of one line that are read at most."""


def read(path: Path, longest: int = LONGEST) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each object of the file with its line number, from 1. Raises UserError that names file and line."""
    for number, raw in lines(path, longest):
        try:
            row = parse(raw)
        except ValueError as error:
            raise UserError(f"{path}:{number}: {error}") from None
        if row is not None:
            yield number, row


def lines(path: Path, longest: int = LONGEST) -> Iterator[tuple[int, bytes]]:
    """The lines of a file as they stand, with their numbers.

    Raises UserError where it cannot be read, a line is huge, or the file is one JSON array.
    """
    with reading(path) as file:
        number, begun = 0, False
        while raw := file.readline(longest + 1):
            number += 1
            if not begun:
                begun = _begins(raw, f"{path}:{number}")
            if len(raw) > longest:
                raise UserError(f"{path}:{number}: the line has more than {longest:,} bytes, the most that is read.")
            yield number, raw


def _begins(raw: bytes, place: str) -> bool:
    """Whether the line is the first one that is not blank. Raises UserError where an array begins there."""
    text = raw.removeprefix(b"\xef\xbb\xbf").strip()
    if text.startswith(b"["):
        ways = "without the brackets around them and the commas between them"
        raise UserError(f"{place}: the file is one JSON array; write one object a line, {ways}.")
    return bool(text)


def parse(raw: bytes) -> dict[str, Any] | None:
    """The object of one line, None for a blank one. Raises ValueError that says in one line what is wrong."""
    try:
        text = raw.decode("utf-8-sig").strip(" \t\r\n")
        row = _DECODER.decode(text) if text else None
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x} at column {error.start + 1}"
        raise ValueError(f"{found} is not UTF-8; save the file as UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise ValueError(_explain(error)) from None
    except RecursionError:
        raise ValueError("values are nested too deeply.") from None
    if row is not None or text:
        return _checked(row, raw)
    return None


def _explain(error: json.JSONDecodeError) -> str:
    near = shorten(error.doc[max(0, error.pos - 15) : error.pos + 15])
    return f"not JSON: {error.msg} at column {error.colno}, near {near}; each line must be one JSON object."


def _checked(row: Any, raw: bytes) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise ValueError(f"found {shorten(row)}; each line must be one JSON object, {{…}}.")
    if b"\\ud" in raw.lower():
        try:
            json.dumps(row, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError(
                "half of a surrogate pair (\\ud800 to \\udfff) stands alone; it is no character."
            ) from None
    return row


def _no_constant(name: str) -> NoReturn:
    raise ValueError(
        f"{name} is not a JSON number (spreadsheets write it for an empty cell); leave the key out, or write null."
    )


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{shorten(text)} is too large for a number.")
    return value


def _integer(text: str) -> int:
    if len(text) > 400:
        raise ValueError(f"{shorten(text)} is too large for a number.")
    return int(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {shorten(twice)} is written twice; each key may stand once.")
    return row


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite, parse_int=_integer
)


def dump(row: Mapping[str, Any]) -> str:
    """One row as one line, without its newline. Raises ValueError for NaN, TypeError for what has no JSON."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Replace `path` whole by one line for each row. Raises ValueError or TypeError, and writes nothing, as `dump` does."""
    write_text(path, "".join(dump(row) + "\n" for row in rows))
