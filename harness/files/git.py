"""What git knows of a folder, where there is git and the folder is in a checkout."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(folder: Path, *words: str) -> bytes | None:
    """What a git command prints; None where there is no git, no checkout, or the command failed."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def git_text(folder: Path, *words: str) -> str | None:
    """The same as text, without its last line end."""
    found = git(folder, *words)
    return None if found is None else found.decode("utf-8", "replace").strip()
