"""stdout under --json: one document and nothing else, whatever components and their libraries print.

What they print goes to stderr. That is done to the process's stream, below Python, since a library in C or a program that a
component calls writes to it too, from any thread.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

_STDOUT, _STDERR = 1, 2
_reserved: TextIO | None = None
"""Where the document goes while stdout is reserved for it."""


def reserve() -> None:
    """From now on stdout takes what `document` prints and nothing else."""
    global _reserved
    stream = sys.stdout
    stream.flush()
    if _number(stream) == _STDOUT and _number(sys.stderr) == _STDERR:
        stream = os.fdopen(os.dup(_STDOUT), "w", encoding=stream.encoding, errors="replace")
        os.dup2(_STDERR, _STDOUT)
    _reserved, sys.stdout = stream, sys.stderr


def release(stdout: TextIO) -> None:
    """Undo `reserve` for a caller that goes on; `stdout` is the stream as it was."""
    global _reserved
    if _reserved is None:
        return
    if _reserved is not stdout:
        stdout.flush()
        os.dup2(_reserved.fileno(), _STDOUT)
        _reserved.close()
    _reserved, sys.stdout = None, stdout


def document(text: str) -> None:
    """Print a command's one document on stdout."""
    print(text, file=_reserved or sys.stdout, flush=True)


def drop() -> None:
    """Nobody reads any more, or nothing can be written: what is still to come goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), (_reserved or sys.stdout).fileno())


def _number(stream: TextIO) -> int | None:
    """The stream's file descriptor; None for one that only looks like a file."""
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None
