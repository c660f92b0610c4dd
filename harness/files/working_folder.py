"""The working directory stays where it is while a component works.

It belongs to the whole process: one component that changes it moves the relative paths of all others and of the run itself, in
the middle of their work. So the change is refused, and what asked for it learns so by an ordinary exception.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_working = 0
"""How many components are at work now; those of abandoned cases stay counted."""
_watched = False


@contextmanager
def fixed() -> Iterator[None]:
    """While it lasts, in any thread, os.chdir raises RuntimeError."""
    global _working
    _watch()
    with _lock:
        _working += 1
    try:
        yield
    finally:
        with _lock:
            _working -= 1


def _watch() -> None:
    """Audit hooks cannot be taken away again, so there is one for the process, which mostly does nothing."""
    global _watched
    with _lock:
        if not _watched:
            sys.addaudithook(_refuse)
            _watched = True


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "os.chdir" and _working:
        raise RuntimeError("the working directory is the whole run's: a component may not change it")
