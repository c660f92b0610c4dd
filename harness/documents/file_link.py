"""A PDF in a folder of its own, for parsers: beside the file itself lie the questions with their answers."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.files.writing import writing

_FOLDER = "parsing"
_ABANDONED = 7 * 86_400.0
"""Seconds after which the folder of a process that was killed belongs to nobody any more; no document takes as long."""


@contextmanager
def linked(file: Path, cache: Path) -> Iterator[Path]:
    """The same file under its own name in a new folder below `cache`, a copy where another disk cannot link to it."""
    parent = cache / _FOLDER
    with writing(parent):
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        folder = tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True)
    with folder as place:
        link = Path(place) / file.name
        _link(file, link)
        yield link


def _link(file: Path, link: Path) -> None:
    """A file that is gone is not linked: who opens it says so."""
    try:
        os.link(file.resolve(), link)
    except FileNotFoundError:
        return
    except OSError:
        with writing(link):
            shutil.copyfile(file, link)


def _sweep(parent: Path) -> None:
    for folder in parent.iterdir():
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED:
                shutil.rmtree(folder)
