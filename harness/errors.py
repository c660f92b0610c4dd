"""The errors that end a command with one clear line, and the exit code that each stands for."""

from __future__ import annotations

from typing import Any


class HarnessError(Exception):
    """Base of the errors that are shown as one message, without a traceback."""

    exit_code = 70


class UserError(HarnessError):
    """Something that the user can fix: a bad config, a missing file, a lock that does not match."""

    exit_code = 2


class NotComparableError(HarnessError):
    """Inconclusive, or results that must not be set side by side."""

    exit_code = 3


class WorldError(HarnessError):
    """The world outside failed: a full disk, a rate limit, no network, no key. Running again resumes."""

    exit_code = 4


class ReplyError(Exception):
    """A reply of a model that was kept and cannot be used: cut short, filtered, not of the form that was asked for.

    It is no HarnessError: it is the outcome of the system that asked. `reply` is the Reply as far as it could be read.
    """

    def __init__(self, message: str, reply: Any = None) -> None:
        super().__init__(message)
        self.reply = reply


def nearest(name: str, known: list[str]) -> str:
    """`" Did you mean 'x'?"` where a known name is near, else an empty string."""
    import difflib

    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""
