"""Images in requests: by name in keys and kept calls, as base64 on the wire."""

from __future__ import annotations

import base64

from harness.bench import BlobStore

_KINDS = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))


def by_name(name: str) -> tuple[str, str]:
    """An image as a key holds it."""
    return "image", f"sha256:{name}"


def on_wire(blobs: BlobStore, name: str) -> tuple[str, str]:
    """The media type and the contents in base64. Raises FileNotFoundError where there is no such blob."""
    data = blobs.get(name)
    kind = next((kind for head, kind in _KINDS if data.startswith(head)), "application/octet-stream")
    return kind, base64.b64encode(data).decode("ascii")
