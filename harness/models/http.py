"""HTTP for the clients' SDKs: nothing follows a redirect, a reply has an end in bytes and in seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from typing import Any

from harness.models.client import Session, Unreached, Wire

LARGEST = 64_000_000
"""Bytes of a reply that are read at most; a batch of 2,048 embeddings of 1,024 numbers has 45 million."""
CONNECTIONS = 256


@cache
def http_client() -> Any:
    """The one client of this process: connections are kept and shared; what is authorised follows no redirect."""
    import httpx2

    limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    return httpx2.Client(follow_redirects=False, limits=limits)


def post(sdk: Any, errors: Any, path: str, body: dict[str, Any], session: Session, headers: Mapping[str, Any]) -> Wire:
    """Post through an SDK of the family of openai and anthropic. `errors` is the SDK's module."""
    import httpx2

    stream, seconds = errors.Stream[object], session.seconds
    options = {"timeout": seconds, "max_retries": 0, "headers": headers}
    begun = time.monotonic()
    try:
        response = sdk.post(path, cast_to=httpx2.Response, body=body, options=options, stream=True, stream_cls=stream)
    except errors.APIStatusError as error:
        return Wire(error.status_code, dict(error.response.headers), _rest(error.response))
    except errors.APITimeoutError:
        raise Unreached(f"no answer within {seconds:g} seconds", late=True) from None
    except errors.APIConnectionError as error:
        raise Unreached(_reason(error)) from None
    with closing(response):
        return Wire(response.status_code, dict(response.headers), _whole(response, begun + seconds))


def lines(response: Any, until: float) -> Iterator[bytes]:
    """The lines of a streamed reply as they come."""
    pending = b""
    for piece in pieces(response, until):
        *whole, pending = (pending + piece).split(b"\n")
        yield from whole
    yield pending


def pieces(response: Any, until: float) -> Iterator[bytes]:
    """A reply's body as it comes, to its end in bytes or in time."""
    import httpx2

    size = 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            yield piece
            if size > LARGEST:
                return
            if time.monotonic() > until:
                raise Unreached("the answer did not end in time", late=True)
    except httpx2.TimeoutException:
        raise Unreached("the answer stopped half-way and the time ran out", late=True) from None
    except httpx2.HTTPError as error:
        raise Unreached(f"the answer broke off: {_reason(error)}") from None


def _whole(response: Any, until: float) -> bytes:
    return b"".join(pieces(response, until))


def _rest(response: Any) -> bytes:
    """The body of a refusal, which SDKs have read already."""
    try:
        return bytes(response.content[:100_000])
    except Exception:
        return b""


def _reason(error: BaseException) -> str:
    """The innermost cause, in the system's words where there are any."""
    one: BaseException = error
    while one.__cause__ is not None:
        one = one.__cause__
    return str(one) or type(one).__name__
