"""Files named by their sha256: images and crops, stored once however many variants make them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from harness.files.writing import write_bytes


class Blobs:
    """A folder of blobs. The name of a blob is the sha256 of its contents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Store `data`; returns its sha256."""
        name = hashlib.sha256(data).hexdigest()
        path = self.path(name)
        if not path.exists():
            write_bytes(path, data)
        return name

    def path(self, name: str) -> Path:
        """Where the blob of that sha256 lies."""
        return self.folder / name[:2] / name

    def get(self, name: str) -> bytes:
        """The contents. Raises FileNotFoundError where there is no such blob."""
        return self.path(name).read_bytes()
