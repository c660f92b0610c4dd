"""What a status means, and whose fault it is: tried again, the world's, the request's (the system's), or the form's alone."""

from __future__ import annotations

import email.utils
import json
import time
from contextlib import suppress
from typing import Any

from harness.models.client import Wire

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_FORM = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses by which servers refuse a field that they do not know; a 500 among them, as some do."""
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "credit balance is too low")
_LONG = ("context_length_exceeded", "context length", "maximum context", "prompt is too long", "context window")
_FILTERED = ("content_filter", "content_policy_violation", "content management policy")
_LONGEST_SAID = 200


def passing(wire: Wire) -> bool:
    """Whether the same request may be answered a little later."""
    return wire.status in _PASSING and not _says(wire, *_QUOTA, *_LONG, *_FILTERED)


def too_long(wire: Wire) -> bool:
    """Whether the request was larger than the endpoint takes."""
    return wire.status == 413 or (wire.status in (400, 422, 500) and _says(wire, *_LONG))


def filtered(wire: Wire) -> bool:
    """Whether the request itself was filtered."""
    return wire.status in (400, 403, 422) and _says(wire, *_FILTERED)


def about_form(wire: Wire) -> bool:
    """Whether the form in which a structured reply was asked for may be what is refused."""
    return wire.status in _FORM and not too_long(wire) and not filtered(wire)


def retry_after(wire: Wire) -> float:
    """Seconds that the endpoint asks to wait, by `retry-after-ms` or `retry-after` (seconds or a date); 0 where it does not."""
    with suppress(KeyError, ValueError):
        return max(0.0, float(wire.headers["retry-after-ms"]) / 1000)
    value = wire.headers.get("retry-after", "")
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return 0.0


def said(wire: Wire) -> str:
    """The endpoint's words in one line: `"429: rate limit reached"`."""
    if 300 <= wire.status < 400:
        return f"{wire.status}, a redirect, which nothing that carries a key follows: set the url that it leads to"
    text = " ".join(_message(wire).split())
    short = text if len(text) <= _LONGEST_SAID else text[: _LONGEST_SAID - 1] + "…"
    return f"{wire.status}: {short}" if short else str(wire.status)


def _message(wire: Wire) -> str:
    text = wire.body[:4000].decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        found = _inner(json.loads(wire.body[:100_000]))
        return found if isinstance(found, str) else text
    return text


def _inner(value: Any) -> Any:
    """The message inside `{"error": {"message": …}}` and forms like it."""
    while isinstance(value, dict):
        value = next((value[name] for name in ("error", "message", "detail") if value.get(name)), None)
    return value


def _says(wire: Wire, *words: str) -> bool:
    text = wire.body[:20_000].decode("utf-8", "replace").lower()
    return any(word in text for word in words)
