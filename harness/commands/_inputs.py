"""All that a run reads from its user, checked before anything is computed or written."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.goldens import loading
from harness.reports import findings
from harness.runs import config, heldout
from harness.runs.config import System
from harness.runs.options import Options
from harness.runs.run import choose, golden_folder

LONGEST_NAME = 200
"""Bytes of a file's name at most; file systems end at 255, temporary names are longer."""


def check(configs: Sequence[Path], options: Options, pages: Path) -> None:
    """Raises UserError for what is not as it must be: configs, golden sets, locks, folders to write into, earlier findings."""
    _distinct(configs)
    systems = [config.load(path, options.settings) for path in configs]
    for path, system in zip(configs, systems, strict=True):
        _has_files(path, system)
    for folder in (options.results, options.results / "cache", options.results / "calls", pages):
        writable(folder)
    folders = [_folder(path, system, options) for path, system in zip(configs, systems, strict=True)]
    with _counts_for(options.results / "cache") as cache:
        names = {folder: _golden_set(folder, options, cache) for folder in dict.fromkeys(folders)}
        for folder, system in zip(folders, systems, strict=True):
            _fits(pages / f"{names[folder]}-{system.name}{findings.SUFFIX}", names[folder], system.name)


def _has_files(config_path: Path, system: System) -> None:
    """What a component reads besides its code, as a model, is there."""
    for part in (part for component in system.components.values() for part in component.parts()):
        missing = next((file for file in part.files() if not file.is_file()), None)
        if missing:
            raise UserError(f"{config_path}: {part.kind} {part.name()!r} reads {missing}: there is no such file.")


def _distinct(configs: Sequence[Path]) -> None:
    """Results and findings go by a config's name, so each name has to name a folder, and can stand once."""
    for path, count in Counter(path.resolve() for path in configs).items():
        if count > 1:
            raise UserError(f"{path.name} is given twice; name each config once.")
    first: dict[str, Path] = {}
    for path in configs:
        if path.stem in (".", ".."):
            raise UserError(f"{path}: {path.stem!r} cannot name a folder in results/; rename the file.")
        other = first.setdefault(path.stem, path)
        if other != path:
            raise UserError(f"two configs have the name {path.stem!r}: {other} and {path}; rename one of them.")


def writable(folder: Path) -> None:
    """Raises UserError where a file stands in the way of a folder."""
    for place in (folder, *folder.parents):
        if place.is_dir():
            return
        if place.exists() or place.is_symlink():
            raise UserError(f"{place}: this is a file where a folder is needed.")


def existing(folder: Path) -> None:
    """Raises UserError where a folder that the user named is not there."""
    if not folder.is_dir():
        what = "this is a file where a folder is needed" if folder.exists() else "there is no such folder"
        raise UserError(f"{folder}: {what}.")


@contextmanager
def _counts_for(cache: Path) -> Iterator[Path]:
    """A cache to keep page counts in, so that a large corpus is opened once; a new one is put into place when all is well."""
    if cache.is_dir():
        yield cache
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield Path(scratch)
        with suppress(OSError):
            shutil.copytree(Path(scratch) / "reference", cache / "reference")


def _golden_set(folder: Path, options: Options, cache: Path) -> str:
    """Look at every document, lock and golden that the run will need. Returns the set's name."""
    corpus = Corpus.open(folder, cache)
    writable(options.results / corpus.name)
    for split in heldout.splits(folder, options, lambda note: None):
        choose(loading.load(folder, split, corpus), options)
    return corpus.name


def _folder(path: Path, system: System, options: Options) -> Path:
    try:
        return golden_folder(path, system, options)
    except UserError as error:
        raise error if options.goldens else UserError(f"{path}: goldens: {error}") from None


def _fits(data: Path, name: str, system: str) -> None:
    """The file of a finding's data: its name is not too long, and what an earlier run wrote there can be added to."""
    if len(os.fsencode(data.name)) > LONGEST_NAME:
        raise UserError(
            f"{data.name}: the name has more than {LONGEST_NAME} bytes; shorten the config's or the set's name."
        )
    try:
        if data.exists():
            findings.read(data)
    except (UserError, ValueError, KeyError) as error:
        why = str(error).partition("\n")[0].removeprefix(f"{data}:")
        raise UserError(
            f"{data}: not the data of a finding ({why}); mend or delete it, a run writes it anew."
        ) from None
    findings.only_of(data, name, system)
