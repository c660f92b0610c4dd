"""Reading what a user names: each mistake is one line with file and place, and what is quoted in it stays short."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from harness.errors import UserError


def file_sha256(path: Path) -> str:
    """sha256 of a file's contents, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def shorten(value: Any, most: int = 60) -> str:
    """A value as it may stand in a message: on one line, without control characters, and not long."""
    if isinstance(value, str | bytes | list | tuple) and len(value) > 4 * most:
        value = value[: 4 * most]
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def refuse(faults: Sequence[str], most: int = 20) -> None:
    """Raise one UserError with a line for each fault, at most `most` of them; nothing where there is none."""
    shown = [*faults[:most], *([f"… and {len(faults) - most} more"] if len(faults) > most else [])]
    if shown:
        raise UserError("\n".join(shown))


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """The file, open to read. Raises UserError, one line, where it is missing, a folder, or closed to us."""
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise UserError(f"{path}: this is a folder where a file is needed.") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}.") from None
