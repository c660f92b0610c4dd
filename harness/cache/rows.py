"""Cache files of JSON rows that know whether they are whole and their own: the first line carries the checksum of the rest.

The checksum begins with the file's name, which is its key: a file that was copied or renamed to another key is no file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.files.writing import write_bytes


def write_rows(path: Path, rows: Iterable[Any]) -> None:
    """Replace `path` with a header and one JSON document a line."""
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False) for row in rows]
    body = "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")
    write_bytes(path, f"{_sealed(path, body)} {len(lines)}\n".encode() + body)


def read_rows(path: Path) -> list[Any] | None:
    """The rows, or None where the file is missing or damaged: then it is made again."""
    body = _body(path)
    return (
        None if body is None else [json.loads(line) for line in body.decode("utf-8", "surrogatepass").split("\n")[:-1]]
    )


def checksum(path: Path) -> str | None:
    """sha256 of the rows, 64 hex digits; None where the file is missing or damaged."""
    body = _body(path)
    return None if body is None else hashlib.sha256(body).hexdigest()


def _body(path: Path) -> bytes | None:
    """What stands below the header, where it is what the header says."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    found = f"{_sealed(path, body)} {body.count(bytes([10]))}"
    return body if head == found.encode() else None


def _sealed(path: Path, body: bytes) -> str:
    return hashlib.sha256(path.name.encode("utf-8", "surrogatepass") + b"\n" + body).hexdigest()


def first_row(path: Path) -> Any | None:
    """The first row without reading the rest; None where it is missing or damaged. The checksum is not checked."""
    try:
        with path.open("rb") as file:
            file.readline()
            return json.loads(file.readline())
    except (FileNotFoundError, ValueError):
        return None
