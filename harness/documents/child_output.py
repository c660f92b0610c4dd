"""What a document's process writes that is no reply: lines of Python code are passed on, those of native code are kept back.

A parser's own print or warning goes to the command as a line with the document's name. What a library in C or Rust writes as it
goes down would be a hundred lines in the user's terminal: its first words are kept, for the reason.
"""

from __future__ import annotations

import io
import re
import sys
import threading
from collections.abc import Callable
from typing import IO

_KEPT = 4096
"""Bytes of native output that are kept, the first ones since a job began."""
_READ = 1 << 16
_MOST = 20
"""Lines of Python code that are passed on for each job."""
_STARVED = re.compile(
    rb"memory allocation of \d+ bytes failed|bad_alloc|out of memory|cannot allocate memory", re.IGNORECASE
)


class NativeOutput:
    """The first bytes that a process wrote to a pipe since it was given its job; the rest is read and forgotten."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe, self._kept = pipe, b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with self._pipe as pipe:
            while data := pipe.read1(_READ):  # type: ignore[attr-defined]
                self._kept += data[: _KEPT - len(self._kept)]

    def forget(self) -> None:
        """A new job begins."""
        self._kept = b""

    def of_the_dead(self) -> bytes:
        """What was written by a process that has ended; a child of its own may hold the pipe, and is not waited for."""
        self._thread.join(timeout=1)
        return self._kept


def starved(written: bytes) -> bool:
    """Whether these are the last words of a program that got no memory."""
    return _STARVED.search(written) is not None


def first_line(written: bytes) -> str:
    """The first line with something on it, as text."""
    lines = (line.strip() for line in written.decode("utf-8", "replace").splitlines())
    return next((line for line in lines if line), "")[:200]


class _Lines(io.RawIOBase):
    """Passes whole lines on."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._begun, self.left = say, b"", _MOST

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, data: object) -> int:
        given = bytes(data)  # type: ignore[call-overload]
        *lines, self._begun = (self._begun + given).split(b"\n")
        for line in lines:
            self._pass_on(line.decode("utf-8", "replace").rstrip())
        return len(given)

    def _pass_on(self, line: str) -> None:
        if line and self.left > 0:
            self._say(line)
        self.left -= bool(line)
        if line and self.left == 0:
            self._say(f"further lines, from the {_MOST + 1}st on, are not shown")


class PythonOutput:
    """Takes the place of sys.stdout and sys.stderr in a document's process; `say` is given each line."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._lines = _Lines(say)
        stream = io.TextIOWrapper(io.BufferedWriter(self._lines), "utf-8", "replace", line_buffering=True)
        sys.stdout = sys.stderr = stream

    def begin(self) -> None:
        """A new job begins."""
        self._lines.left = _MOST
