"""HTTP for the clients' SDKs: nothing follows a redirect, a reply has an end in bytes and in seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cache
from typing import Any

from harness.models.client import Session, Unreached, Wire

LARGEST = 64_000_000
"""Bytes of a reply that are read at most; a batch of 2,048 embeddings of 1,024 numbers has 45 million."""
CONNECTIONS = 1024
_CONNECT_SECONDS = 10.0


@cache
def http_client() -> Any:
    """The one client of this process: connections are kept and shared; what is authorised follows no redirect."""
    import httpx2

    limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    return httpx2.Client(follow_redirects=False, limits=limits)


class Sdk:
    """An SDK of the family of openai and anthropic: its client for one endpoint, and its module with the errors."""

    def __init__(self, client: Any, module: Any, headers: Mapping[str, Any]) -> None:
        self.client, self.module, self.headers = client, module, headers
        client._custom_headers = {}  # what *_CUSTOM_HEADERS in the environment holds is for one host, and this may be another

    def post(self, session: Session, path: str, body: dict[str, Any], on_line: Callable[[bytes], None] | None) -> Wire:
        """Post once. `on_line` is told each line of a reply with status 200 as it comes. Raises Unreached."""
        until = time.monotonic() + session.seconds
        try:
            response = self._begin(path, body, session.seconds)
        except self.module.APIStatusError as error:
            return Wire(error.status_code, dict(error.response.headers), _rest(error.response))
        except self.module.APITimeoutError:
            raise Unreached(f"no answer within {session.seconds:g} seconds", late=True) from None
        except self.module.APIConnectionError as error:
            raise Unreached(_reason(error)) from None
        with closing(response):
            return Wire(response.status_code, dict(response.headers), _read(response, until, on_line))

    def _begin(self, path: str, body: dict[str, Any], seconds: float) -> Any:
        """The response as soon as its head is there."""
        import httpx2

        timeout = httpx2.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        options = {"timeout": timeout, "max_retries": 0, "headers": self.headers}
        as_it_is = {"cast_to": httpx2.Response, "stream": True, "stream_cls": self.module.Stream[object]}
        return self.client.post(path, body=body, options=options, **as_it_is)


def _read(response: Any, until: float, on_line: Callable[[bytes], None] | None) -> bytes:
    whole, pending = [], b""
    for piece in _pieces(response, until):
        whole.append(piece)
        if on_line is not None:
            *lines, pending = (pending + piece).split(b"\n")
            for line in lines:
                on_line(line)
    if on_line is not None and pending:
        on_line(pending)
    return b"".join(whole)


def _pieces(response: Any, until: float) -> Iterator[bytes]:
    """A reply's body as it comes, to its end in bytes or in time."""
    import httpx2

    size = 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            if size > LARGEST:
                raise Unreached(f"the answer is larger than {LARGEST:,} bytes, the most that is read")
            if time.monotonic() > until:
                raise Unreached("the answer did not end in time", late=True)
            yield piece
    except httpx2.TimeoutException:
        raise Unreached("the answer stopped half-way and the time ran out", late=True) from None
    except httpx2.HTTPError as error:
        raise Unreached(f"the answer broke off: {_reason(error)}") from None


def _rest(response: Any) -> bytes:
    """The body of a refusal, which SDKs have read already."""
    try:
        return bytes(response.content[:100_000])
    except Exception:  # the body broke off; the status says enough
        return b""


def _reason(error: BaseException) -> str:
    """The innermost cause, in the system's words where there are any."""
    one: BaseException = error
    while one.__cause__ is not None:
        one = one.__cause__
    return str(one) or type(one).__name__
