"""Holding a file or a folder for one process, where the system can."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(place: int | Path) -> Iterator[None]:
    """Hold an open file (by its descriptor) or a folder for this process. The lock ends with the process, however it ends.

    Without fcntl, as on Windows, nothing is held: whole-file writes and appends of one line have to do there.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = place if isinstance(place, int) else os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
        fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        if handle is not place:
            os.close(handle)
