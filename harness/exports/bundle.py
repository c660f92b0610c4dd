"""A folder with all that others need to check a result: `harness check BUNDLE` computes every score again.

    bundle.json         what is in it, by sha256; the goldens by id and sha256
    results/            the kept results as they are, so that every command reads them with --results
    configs/            each system's whole config, with its defaults
    packages/           the versions that each result was made with, as pip reads them
    goldens/<set>/      the goldens, where the set may be passed on or it is asked for; never its documents
    findings/           the pages of these systems, where there are any
    calls/              replies of models that were paid for, where it is asked for

The rows hold questions' ids, pages and answers; those of a held-out split too, as results/ does.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from harness.errors import UserError
from harness.files.reading import file_sha256
from harness.files.writing import writing
from harness.goldens import locks
from harness.records import Golden
from harness.reports import findings
from harness.runs.kept import Kept
from harness.runs.options import Options

FILE = "bundle.json"
EXTRAS = ("goldens", "calls")
"""What is added on request."""


def export(kept: Sequence[Kept], out: Path, options: Options, extras: Sequence[str]) -> list[Path]:
    """Write the bundle whole, in the place of an older one. Raises UserError where something else stands there."""
    if out.exists() and not (out / FILE).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: this is no bundle, and is not replaced. Name a new folder.")
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as scratch:
            made = Path(scratch) / "bundle"
            _fill(made, kept, options, extras)
            if out.exists():
                shutil.rmtree(out)
            made.replace(out)
    return [out]


def _fill(made: Path, kept: Sequence[Kept], options: Options, extras: Sequence[str]) -> None:
    for one in kept:
        _add_result(made, one)
        if one.corpus.redistributable or "goldens" in extras:
            _add_goldens(made / "goldens" / one.manifest.set, one)
        for path in _pages(one, options.findings):
            _copy(path, made / "findings" / path.name)
    if "calls" in extras and (options.results / "calls").is_dir():
        shutil.copytree(options.results / "calls", made / "calls")
    text = json.dumps(_contents(made, kept), indent=1, ensure_ascii=False) + "\n"
    (made / FILE).write_text(text, encoding="utf-8")


def _add_result(made: Path, one: Kept) -> None:
    """Rows, manifest, config and versions."""
    manifest = one.manifest
    place = made / "results" / manifest.set / manifest.system / manifest.split
    for name in (*sorted(manifest.files), "manifest.json"):
        _copy(one.folder / name, place / manifest.key / name)
    (place / "latest").write_text(manifest.key + "\n", encoding="utf-8")
    config = {name: value for name, value in manifest.config.items() if name != "name"}
    _put(made / "configs" / f"{manifest.system}.yaml", yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    versions = [f"{name}=={version}\n" for name, version in manifest.packages.items() if name != "python"]
    python = f"# Python {manifest.packages.get('python', 'unknown')}\n"
    _put(made / "packages" / f"{one.file_name}.txt", "".join([python, *versions]))


def _add_goldens(place: Path, one: Kept) -> None:
    """The split with its list of documents, and its lock."""
    folder = one.goldens.path.parent
    for name in ("corpus.yaml", one.goldens.path.name, *([locks.LOCK] if one.goldens.lock else [])):
        _copy(folder / name, place / name)


def _pages(one: Kept, folder: Path) -> Iterator[Path]:
    data = folder / f"{one.manifest.set}-{one.manifest.system}{findings.SUFFIX}"
    yield from (path for path in (data, findings.page_of(data)) if path.is_file())


def _contents(made: Path, kept: Sequence[Kept]) -> dict[str, Any]:
    """What bundle.json says."""
    files = sorted(path for path in made.rglob("*") if path.is_file())
    return {
        "results": {one.name: one.manifest.key for one in kept},
        "goldens": {
            f"{one.manifest.set}/{one.manifest.split}": {
                "sha256": one.goldens.sha256,
                "goldens": {golden.id: golden_sha256(golden) for golden in one.goldens.goldens},
            }
            for one in kept
        },
        "may be passed on": all(one.corpus.redistributable for one in kept),
        "files": {path.relative_to(made).as_posix(): file_sha256(path) for path in files},
    }


def golden_sha256(golden: Golden) -> str:
    """By which a golden is told from a changed one."""
    text = json.dumps(golden.model_dump(mode="json", exclude_defaults=True), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
