"""How a command names a kept result: its system, its set and split where several have it, a key where it is not the latest.

bm25_only, finance/bm25_only, finance/bm25_only/dev, finance/bm25_only@1a2b3c4d, configs/bm25_only.yaml
"""

from __future__ import annotations

from pathlib import Path

from harness.errors import UserError, nearest
from harness.runs import results

_SHORTEST = 4
"""Digits of a key at least."""


def find(folder: Path, address: str) -> list[Path]:
    """The folders of the results that an address names, one a set and split: the latest, or the one of its key.

    Raises UserError, with what there is, where there is none.
    """
    name, at, key = address.rpartition("@")
    if not at or "/" in key:
        return [results.latest(folder, run) for run in _named(folder, address)]
    found = [place for run in _named(folder, name, whole=False) for place in _with_key(folder / run, key)]
    if len(key) < _SHORTEST or not found:
        known = sorted(
            f"{run}@{place.name}" for run in _named(folder, name, whole=False) for place in _kept(folder / run)
        )
        raise UserError(
            f"no result {address!r}: write the key's first {_SHORTEST} digits or more. There are: {', '.join(known)}."
        )
    return found


def address(place: Path) -> str:
    """ "<set>/<system>/<split>@<key8>" of a result's folder."""
    return f"{'/'.join(place.parts[-4:-1])}@{place.name}"


def _named(folder: Path, name: str, *, whole: bool = True) -> list[str]:
    """Every "<set>/<system>/<split>" that a name stands for; with `whole`, only those that have a latest result."""
    known = results.runs(folder) if whole else sorted({"/".join(one.parts[-4:-1]) for one in _every(folder)})
    system = Path(name).stem if name.endswith(".yaml") else name
    found = [run for run in known if run == system or run.startswith(f"{system}/") or run.split("/")[1] == system]
    found = found or [run for run in known if "/".join(run.split("/")[1:]) == system]
    if not found:
        listed = f" There are: {', '.join(known)}." if known else " There are none yet: begin with `harness run`."
        near = nearest(name, [*known, *(run.split("/")[1] for run in known)])
        raise UserError(f"no result for {name!r}.{near}{listed}")
    return found


def _every(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/*/*/*/manifest.json"))


def _kept(run: Path) -> list[Path]:
    return sorted(path.parent for path in run.glob("*/manifest.json"))


def _with_key(run: Path, key: str) -> list[Path]:
    return [place for place in _kept(run) if place.name.startswith(key)]
