"""Writing files whole: a reader sees the old contents or the new, never half of either.

What the disk refuses is one clear line: the world's fault where it is full or broken, the user's where it is read-only or
where something else stands in the place. Both remain OSErrors, for those who can do without the file.
"""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.errors import HarnessError, UserError, WorldError

WORLD = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.EFBIG, errno.ESTALE, errno.ENOMEM}
"""Errors that pass when the disk or the machine is mended."""
USER = {
    *(errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST),
    *(errno.ENAMETOOLONG, errno.ELOOP),
}
"""Errors that the user can mend by naming another place."""
REFUSALS = (WORLD - {errno.ENOMEM}) | {errno.EROFS}
"""Errors that say that the disk or the system refuses, whatever the work was."""

ABANDONED = 3600.0
"""Seconds after which a temporary file belongs to nobody any more."""


class DiskError(WorldError, OSError):
    """The disk is full or broken."""


class PlaceError(UserError, OSError):
    """The place is read-only, or something else stands there."""


def refused(error: OSError, path: Path) -> HarnessError:
    """What the system said about writing `path`, in one line; libraries that write arrays leave out the error's number."""
    own = Path(str(error.filename or "")).name.startswith(f".{path.name[:40]}.")
    at = f"{error.filename}: " if error.filename and not own else ""
    text = f"{path} cannot be written: {at}{error.strerror or error}."
    if error.errno in USER:
        return PlaceError(f"{text} Name a folder that can be written.")
    return DiskError(f"{text} Run again when that is mended: what is finished is kept.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError in the block into one clear line about `path`."""
    try:
        yield
    except HarnessError:
        raise
    except OSError as error:
        raise refused(error, path) from error


def write_bytes(path: Path, data: bytes) -> None:
    """Replace `path` with `data` by a temporary file in the same folder, fsync and rename.

    Raises DiskError or PlaceError, which are OSErrors too.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Replace `path` with `text` in UTF-8 and with line feeds."""
    write_bytes(path, text.encode("utf-8"))


def sweep(folder: Path, pattern: str = ".*") -> None:
    """Take away what killed processes left half-written in `folder`: temporary names, untouched for an hour."""
    for path in folder.glob(pattern):
        with suppress(OSError):
            if path.is_file() and time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()
