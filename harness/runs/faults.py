"""Whose fault: the system's is a reason that is scored; the world's, the user's and the limits' are raised on."""

from __future__ import annotations

from harness.errors import HarnessError, WorldError
from harness.files import writing


def reason(error: BaseException) -> str:
    """A fault of the system under test as its reason; those of the world, of the user and of the limits are raised on."""
    if isinstance(error, (HarnessError, ModuleNotFoundError, MemoryError, KeyboardInterrupt)):
        raise error
    if isinstance(error, OSError) and error.errno in writing.REFUSALS:
        raise WorldError(f"{error.strerror}: {error.filename}" if error.filename else str(error)) from error
    return f"{type(error).__name__}: {error}"
