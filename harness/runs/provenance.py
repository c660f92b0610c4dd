"""Where a result was made: commit, state of the working tree, package versions, machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from functools import cache
from pathlib import Path

from harness.files.git import git_text

DISTRIBUTION = "pdf-qa-harness"


def commit(folder: Path = Path()) -> str | None:
    """The commit that is checked out, or None where there is no git or no commit."""
    return git_text(folder, "rev-parse", "HEAD")


def why_not_clean(folder: Path = Path()) -> str | None:
    """None on a clean working tree (results/ and findings/ aside); else what is in the way, in a few words."""
    listed = git_text(folder, "status", "--porcelain", "--", ":/", ":(top,exclude)results", ":(top,exclude)findings")
    if listed is None:
        return "there is no git, or no checkout, to tell whether the code is committed"
    if commit(folder) is None:
        return "nothing is committed yet"
    lines = listed.splitlines()
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"the working tree has changes: {lines[0][2:].strip()}{more}" if lines else None


@cache
def packages() -> dict[str, str]:
    """Version by name, of Python and of every distribution that this project asks for and that is installed."""
    try:
        asked = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        asked = []
    names = sorted({match[0].lower() for line in asked if (match := re.match(r"[A-Za-z0-9._-]+", line))})
    return {"python": platform.python_version(), **{name: found for name in names if (found := _installed(name))}}


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def describe() -> dict[str, str | int]:
    """The machine in a few words: system, processor architecture, cores."""
    return {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count() or 1}
