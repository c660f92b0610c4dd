"""What `harness check BUNDLE` looks at: files, goldens, pages, and every score computed again. Each check is one line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.commands._checks import Line, findings_in
from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.exports.bundle import FILE
from harness.files.reading import file_sha256, reading
from harness.files.wording import counted
from harness.goldens import loading
from harness.runs import results
from harness.runs.results import Manifest
from harness.runs.verifying import Verified, by_metric, verify


def bundle(folder: Path, sets: Sequence[Path]) -> Iterator[Line]:
    """A bundle's files against its list, each result's scores, and its pages. `sets` are golden sets that are here."""
    listed = _listed(folder)
    faults = list(_files(folder, listed["files"]))
    yield from (Line(f"{folder}: {fault}", sound=False) for fault in faults)
    if not faults:
        yield Line(f"{folder}: {counted(len(listed['files']), 'file')} as listed")
    for name, key in listed["results"].items():
        try:
            yield from _result(folder, f"{name}/{key}", sets)
        except UserError as error:
            yield Line(f"{name}: {error}", sound=False)
    yield from findings_in(folder / "findings", folder / "results")


def _listed(folder: Path) -> dict[str, Any]:
    """What bundle.json says. Raises UserError where it is none."""
    if (folder / FILE).is_file():
        try:
            with reading(folder / FILE) as file:
                listed: dict[str, Any] = json.loads(file.read())
            if all(isinstance(listed[name], dict) for name in ("results", "files")):
                return listed
        except (ValueError, KeyError, TypeError):
            pass
    raise UserError(f"{folder / FILE}: this is no bundle; `harness export RESULT --to bundle --out DIR` writes one.")


def _files(folder: Path, listed: dict[str, str]) -> Iterator[str]:
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {FILE}
    for name in sorted(listed.keys() - there):
        yield f"{name} is missing"
    for name in sorted(there - listed.keys()):
        yield f"{name} is not in its list"
    for name in sorted(there & listed.keys()):
        if file_sha256(folder / name) != listed[name]:
            yield f"{name} is not what was exported (its sha256 differs)"


def _result(folder: Path, name: str, sets: Sequence[Path]) -> Iterator[Line]:
    """One result, named "<set>/<system>/<split>/<key>"."""
    place = folder / "results" / name
    manifest = results.read_manifest(place)
    goldens = _goldens(folder, manifest, sets)
    if goldens is None:
        yield Line(f"{name}: not verified here (its goldens are not in the bundle; --goldens DIR names where they are)")
        return
    corpus = _corpus(goldens)
    loaded = loading.load(goldens, manifest.split, corpus)
    if loaded.sha256 != manifest.goldens["sha256"]:
        raise UserError(f"{loaded.path} is not what it ran on.")
    if changed := [doc for doc, head in manifest.corpus.items() if corpus.documents[doc].sha256 != head["sha256"]]:
        raise UserError(f"{goldens}: another file than it ran on: {', '.join(changed)}.")
    yield from _said(name, verify(manifest, results.read_rows(place, loaded.goldens), corpus))


def _said(name: str, found: Verified) -> Iterator[Line]:
    if found.other:
        some = ", ".join(f"{metric} {count}" for metric, count in by_metric(found.other).items())
        yield Line(f"{name}: {counted(len(found.other), 'score')} come out otherwise: {some}", sound=False)
    else:
        yield Line(f"{name}: {counted(found.agree, 'score')} computed again, all as kept")
    if found.unverified:
        names = ", ".join(by_metric(found.unverified))
        yield Line(
            f"{name}: {counted(len(found.unverified), 'score')} not verified here (what they read is not here): {names}"
        )


def _goldens(folder: Path, manifest: Manifest, sets: Sequence[Path]) -> Path | None:
    """Where the goldens of a result are: those that are named, else those of the bundle, else those of this project."""
    places = [*sets, folder / "goldens" / manifest.set, Path("goldens") / manifest.set]
    for place in places:
        if (place / f"{manifest.split}.jsonl").is_file() and Corpus.open(place, verify=False).name == manifest.set:
            return place
    return None


def _corpus(goldens: Path) -> Corpus:
    """The documents, verified where they are all here."""
    listed = Corpus.open(goldens, verify=False)
    here = all(document.path.is_file() for document in listed.documents.values())
    return Corpus.open(goldens) if here else listed
