"""Where a result was made: commits, state of the working trees, package versions, machine.

What counts is where the things lie that shape a result, not where one stands: the harness, the golden set, the configs and the
user's own components. What another mark pins needs no checkout: an installed harness its version, a set its lock.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from harness import registry
from harness.files.git import git, git_text
from harness.goldens import accepted, locks, openings

DISTRIBUTION = "pdf-qa-harness"
_CODE = ("*.py", "*.md", "*.yaml", "*.yml")
"""What is code among the files of a config's or a component's folder, ignored by git or not."""


@dataclass(frozen=True)
class Origin:
    """Where everything stood that shaped a result: `commits` by place, and why not all of it is committed."""

    commits: dict[str, str] = field(default_factory=dict)
    not_clean: str | None = None

    @property
    def commit(self) -> str | None:
        """The commit of the config's checkout, or of the harness where the config has none."""
        return self.commits.get("configs") or self.commits.get("harness")


def origin(folder: Path, configs: Sequence[Path], outputs: Sequence[Path]) -> Origin:
    """Where harness, golden set, configs and own components stand; `outputs` (results, findings) may change."""
    places = _places(folder, configs)
    stands = {name: [one for path in paths if (one := _stands(name, path))] for name, paths in places.items()}
    commits = {name: ", ".join(dict.fromkeys(found)) for name, found in stands.items() if found}
    return Origin(commits, next(_faults(places, outputs), None))


def installation() -> Path:
    """The folder above harness/ and systems/ of this installation."""
    return Path(__file__).resolve().parents[2]


def _places(folder: Path, configs: Sequence[Path]) -> dict[str, list[Path]]:
    """What shapes a result, by name; without what lies in no checkout of its own and is pinned by another mark."""
    named = {
        "harness": [installation() / "harness"],
        "set": [folder],
        "configs": [path.resolve() for path in configs],
        "components": [root / "systems" for root in registry.projects()],
    }
    return {name: paths for name, paths in named.items() if paths}


def _stands(name: str, path: Path) -> str | None:
    """The commit of a place; for an installed harness its version and code, for a set outside git its lock."""
    if not _pinned(name, path):
        return _commit(path)
    if name == "harness":
        return f"{DISTRIBUTION} {_installed(DISTRIBUTION) or 'unknown'}, code {_code_digest(path.parent)}"
    lock = locks.read(path)
    return f"lock {lock.sha256[:12]}" if lock else None


def _pinned(name: str, path: Path) -> bool:
    """Whether something else than a commit says what this place is: it is no file of a checkout."""
    mark = {"harness": "__init__.py", "set": "corpus.yaml"}.get(name)
    return mark is not None and not git(path, "ls-files", mark) and not _is_new(path / mark)


def _is_new(path: Path) -> bool:
    """Whether git sees the file and does not know it: not committed yet, and not ignored."""
    return bool(git(path.parent, "ls-files", "--others", "--exclude-standard", "--", path.name))


def _faults(places: dict[str, list[Path]], outputs: Sequence[Path]) -> Iterator[str]:
    """What is not committed, in a few words each, the worst first."""
    tops: dict[Path, None] = {}
    for name, paths in places.items():
        for path in paths:
            if _pinned(name, path):
                continue
            top = _top(path)
            if top is None:
                yield f"there is no git, or no checkout, to tell whether {_shown(path)} is committed"
                return
            if _commit(path) is None:
                yield f"nothing is committed yet in {_shown(top)}"
            tops[top] = None
    changed = [path for top in tops for path in _changes(top, outputs)]
    hidden = [path for name in ("configs", "components") for path in _ignored(places.get(name, ()))]
    if found := list(dict.fromkeys([*changed, *hidden])):
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield f"the working tree has changes: {_shown(found[0])}{more}"


def _changes(top: Path, outputs: Sequence[Path]) -> Iterator[Path]:
    """Changed and untracked files of a checkout, whatever its settings say of untracked ones."""
    aside = [top / "results", top / "findings", *(path.resolve() for path in outputs)]
    words = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none")
    listed = git(top, *words, "--", ".", ":(top,exclude)results", ":(top,exclude)findings") or b""
    for line in listed.split(b"\0"):
        path = top / os.fsdecode(line[3:])
        if line and not _is_record(path) and not any(path.is_relative_to(one) for one in aside):
            yield path


def _is_record(path: Path) -> bool:
    """Whether a file is a set's record of openings, or a baseline: they are written by what needs a clean tree."""
    accepting = path.parent.name == accepted.FOLDER and path.suffix == ".json"
    folder = path.parent.parent if accepting else path.parent
    of_set = (folder / "corpus.yaml").is_file() or folder.parent.name == "goldens"
    return of_set and (accepting or path.name == openings.FILE)


def _ignored(paths: Iterable[Path]) -> Iterator[Path]:
    """Code of these places that git does not hold, ignored files too."""
    for path in paths:
        folder, names = (path, _CODE) if path.is_dir() else (path.parent, (path.name,))
        listed = git(folder, "ls-files", "-z", "--others", "--", *names) or b""
        yield from (folder / os.fsdecode(name) for name in listed.split(b"\0") if name)


def _top(path: Path) -> Path | None:
    found = git_text(path if path.is_dir() else path.parent, "rev-parse", "--show-toplevel")
    return Path(found).resolve() if found else None


def _commit(path: Path) -> str | None:
    """The commit that is checked out where a path lies, or None where there is no git or no commit."""
    return git_text(path if path.is_dir() else path.parent, "rev-parse", "--verify", "-q", "HEAD")


def _shown(path: Path) -> str:
    """A path from here, where that is shorter."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)
    return near if not near.startswith("..") else str(path)


@cache
def _code_digest(root: Path) -> str:
    """12 hex digits of the code of an installation that no commit names."""
    files = sorted(path for room in ("harness", "systems") for path in (root / room).rglob("*.py"))
    parts = [f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


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
