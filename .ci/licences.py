"""Prints LICENSES.md from what is installed here: `.venv/bin/python .ci/licences.py > LICENSES.md`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageMetadata, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]

HEAD = """\
# Licences

This project is under the Apache License 2.0 ([LICENSE](LICENSE)). What its default set installs on Linux, with the licence that
each distribution states in its metadata:

| distribution | licence |
| --- | --- |
"""

FOOT = """
Extras bring more, each distribution under its own licence. PyMuPDF, pymupdf4llm and pymupdf-layout, of the extra `pymupdf`, are
under the AGPL-3.0 or a commercial licence of Artifex; `dev` installs PyMuPDF, too.
"""


def defaults() -> list[str]:
    """The requirements of the default set, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def closure(requirements: Iterable[str]) -> set[str]:
    """The canonical names of all that these requirements bring here, themselves included."""
    found: set[tuple[str, str]] = set()
    open_ends = [need for text in requirements for need in needs(text, "")]
    while open_ends:
        place = open_ends.pop()
        if place not in found:
            found.add(place)
            open_ends += [need for text in distribution(place[0]).requires or () for need in needs(text, place[1])]
    return {name for name, _ in found}


def needs(text: str, extra: str) -> Iterator[tuple[str, str]]:
    """What a requirement stands for here, asked under `extra`: its distribution, and once more for each extra it names."""
    requirement = Requirement(text)
    if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
        yield from ((canonicalize_name(requirement.name), name) for name in ("", *requirement.extras))


def licence(metadata: PackageMetadata) -> str:
    """The licence as the metadata states it: an expression, a short text, or classifiers, whichever is there first."""
    stated = metadata.get("License-Expression") or metadata.get("License") or ""
    if stated and "\n" not in stated.strip() and len(stated) <= 100:
        return stated.strip()
    classifiers = [line for line in metadata.get_all("Classifier") or () if line.startswith("License ::")]
    return ", ".join(line.rpartition(" :: ")[2] for line in classifiers) or stated.strip().partition("\n")[0]


def page() -> str:
    """LICENSES.md as it should be."""
    rows = (f"| {name} | {licence(distribution(name).metadata)} |\n" for name in sorted(closure(defaults())))
    return HEAD + "".join(rows) + FOOT


if __name__ == "__main__":
    print(page(), end="")
