"""Folders that are written whole: built aside, listed with checksums, then renamed into place."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.files.reading import file_sha256
from harness.files.writing import write_text, writing

_LIST = "files.json"


@contextmanager
def keep_folder(folder: Path) -> Iterator[Path]:
    """A scratch folder to fill; when the block ends without an error it becomes `folder`, with a list of its files."""
    with writing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".making-"))
    try:
        yield scratch
        listed = {str(path.relative_to(scratch)): file_sha256(path) for path in _files(scratch)}
        write_text(scratch / _LIST, json.dumps(listed, sort_keys=True))
        _put(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _LIST)


def _put(scratch: Path, folder: Path) -> None:
    """Rename into place; where another process was first and its folder is whole, theirs stays."""
    if folder.is_dir():
        if whole(folder):
            return
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)
    try:
        scratch.rename(folder)
    except OSError:
        if not whole(folder):
            raise


def whole(folder: Path) -> bool:
    """True where the folder holds exactly the files on its list, unchanged."""
    try:
        listed = json.loads((folder / _LIST).read_text(encoding="utf-8"))
        found = {str(path.relative_to(folder)): file_sha256(path) for path in _files(folder)}
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError):
        return False
    return bool(listed == found)
