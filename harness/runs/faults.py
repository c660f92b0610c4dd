"""Whose fault: the system's is a reason that is scored; the world's, the user's and the limits' are raised on.

A component says "the world" by raising WorldError. For those that do not, a connection that fails, a time that runs out, a
package or program that is not installed, and a variable that is missing from the environment are taken for it: what comes
of them is never kept, since the same command gives something else once they are mended.
"""

from __future__ import annotations

import errno
import socket
import traceback
from collections.abc import Iterator

from harness.errors import HarnessError, WorldError
from harness.files import writing

_UNREACHABLE = {errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTDOWN, errno.EHOSTUNREACH}
_CLIENTS = {
    *(
        "ConnectionError",
        "ConnectError",
        "ConnectTimeout",
        "ReadTimeout",
        "Timeout",
        "TimeoutException",
        "TimeoutExpired",
    ),
    *("NetworkError", "MaxRetryError", "HTTPException", "URLError", "SSLError", "EndpointConnectionError"),
    *("APIConnectionError", "APITimeoutError", "RateLimitError", "InternalServerError", "ServiceUnavailableError"),
    *("AuthenticationError", "NoCredentialsError"),
}
"""Errors of clients, by the names of their classes and bases: to import them all would take longer than a warm run."""
_REFUSED = frozenset({401, 402, 403, 407, 408, 409, 425, 429})
"""What a server answers to a missing key or too many requests; what it answers from 500 on is its own fault."""


def reason(error: BaseException) -> str:
    """A fault of the system under test as its reason; those of the world, of the user and of the limits are raised on."""
    stop = stops(error)
    if stop is error:
        raise error
    if stop is not None:
        raise stop from error
    return f"{type(error).__name__}: {error}"


def stops(error: BaseException) -> BaseException | None:
    """What ends the run because of an error: the error itself, or the WorldError that it amounts to. None: the system's."""
    if isinstance(error, (HarnessError, MemoryError, KeyboardInterrupt)):
        return error
    if isinstance(error, OSError) and error.errno in writing.REFUSALS:
        return WorldError(f"{error.strerror}: {error.filename}" if error.filename else str(error))
    if any(_is_lacking(one) for one in _causes(error)) or any(_is_network(one) for one in _around(error)):
        return WorldError(f"{type(error).__name__}: {error}. Nothing of it is kept: run again when that is mended.")
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and those that it was raised from."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__


def _around(error: BaseException) -> Iterator[BaseException]:
    """An error, those that it was raised from or while handling, and the members of groups."""
    waiting, seen = [error], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [inner for inner in (one.__cause__, None if one.__suppress_context__ else one.__context__) if inner]
        waiting += one.exceptions if isinstance(one, BaseExceptionGroup) else ()


def _is_network(error: BaseException) -> bool:
    names = {kind.__name__ for kind in type(error).__mro__}
    if "HTTPError" in names:  # the server was reached, and says what is wrong
        return _refuses(error)
    if isinstance(error, (ConnectionError, TimeoutError, socket.gaierror, socket.herror)):
        return True
    return (isinstance(error, OSError) and error.errno in _UNREACHABLE) or not _CLIENTS.isdisjoint(names)


def _refuses(error: BaseException) -> bool:
    """Whether a server's answer says that it, the key or the pace is at fault, and not the request."""
    status = getattr(error, "code", None) or getattr(getattr(error, "response", None), "status_code", None)
    return isinstance(status, int) and (status in _REFUSED or status >= 500)


def _is_lacking(error: BaseException) -> bool:
    """A package, a program, or a variable of the environment that is not there."""
    if isinstance(error, ImportError):
        return True
    raised_in = [frame.f_globals.get("__name__") for frame, _ in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, FileNotFoundError):
        return "subprocess" in raised_in
    return isinstance(error, KeyError) and raised_in[-1:] == ["os"]
