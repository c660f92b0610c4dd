"""What a command was asked to run, opened and checked once: each PDF is hashed once, each lock verified once."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.documents.corpus import Corpus
from harness.errors import UserError, nearest
from harness.goldens import loading
from harness.goldens.loading import GoldenSet
from harness.records import Golden
from harness.runs import config, heldout, provenance
from harness.runs.config import System
from harness.runs.options import Options
from harness.runs.provenance import Origin


@dataclass(frozen=True)
class Job:
    """One system on one golden set: what is to be run, opened."""

    system: System
    corpus: Corpus
    sets: tuple[GoldenSet, ...]
    """The goldens of each split that is to be run."""
    note: str | None = None
    """What the user should know of a split that is not run."""
    origin: Origin = field(default_factory=Origin)
    """Where harness, set, configs and own components stand."""


Refuse = Callable[[Sequence[Job]], None]
"""A command's own last look at its jobs; raises UserError before anything is written."""


def open_jobs(configs: Sequence[Path], options: Options, refuse: Refuse = lambda jobs: None) -> list[Job]:
    """Everything that a run reads from its user, checked before anything is computed or written.

    Raises UserError for what is not as it must be: configs, the files that components read, golden sets, locks.
    """
    _refuse_names(configs)
    systems = [_placed(path, config.load(path, options.settings), options) for path in configs]
    for path, system in zip(configs, systems, strict=True):
        _refuse_missing_files(path, system)
    folders: dict[Path, list[int]] = {}
    for place, system in enumerate(systems):
        folders.setdefault(system.goldens, []).append(place)
    with _page_counts(options.cache) as cache:
        opened: dict[int, Job] = {}
        for folder, places in folders.items():
            own = [(configs[place], systems[place]) for place in places]
            opened |= zip(places, _jobs_of(folder, own, cache, options), strict=True)
        jobs = [opened[place] for place in range(len(systems))]
        refuse(jobs)
    for job in jobs:
        job.corpus.cache = options.cache
    return jobs


def _jobs_of(folder: Path, own: Sequence[tuple[Path, System]], cache: Path, options: Options) -> list[Job]:
    """The jobs on one golden set, which is opened once however many systems are run on it."""
    corpus = _corpus(folder, cache, options)
    configs = [one for path, _ in own for one in config.chain(path)]
    origin = provenance.origin(folder, configs, (options.results, options.findings))
    splits = [heldout.splits(system, corpus.name, options, origin) for _, system in own]
    loaded = {name: _load(folder, name, corpus, options) for name in dict.fromkeys(n for s in splits for n in s.names)}
    numbers = {s.name: c.closed_as for (_, s), c in zip(own, splits, strict=True) if c.closed_as is not None}
    note = heldout.closed(numbers, origin)
    sets = [tuple(loaded[name] for name in one.names) for one in splits]
    return [Job(system, corpus, chosen, note, origin) for (_, system), chosen in zip(own, sets, strict=True)]


def _corpus(folder: Path, cache: Path, options: Options) -> Corpus:
    """The corpus with its documents verified; where only saved answers are scored, without those that are not here."""
    if options.saved:
        listed = Corpus.open(folder, cache, verify=False)
        if not all(document.path.is_file() for document in listed.documents.values()):
            return listed
    return Corpus.open(folder, cache)


def _load(folder: Path, split: str, corpus: Corpus, options: Options) -> GoldenSet:
    """The goldens of a split, with those there that are asked for."""
    loaded = loading.load(folder, split, corpus)
    choose(loaded, options)
    return loaded


def choose(loaded: GoldenSet, options: Options) -> list[Golden]:
    """The goldens to ask. Raises UserError for an --only that is not there."""
    known = {golden.id: golden for golden in loaded.goldens}
    for wanted in options.only:
        if wanted not in known:
            raise UserError(f"no golden {wanted!r} in {loaded.path}.{nearest(wanted, list(known))}")
    chosen = [known[wanted] for wanted in options.only] if options.only else list(loaded.goldens)
    return chosen[: options.limit] if options.limit is not None else chosen


def _placed(path: Path, system: System, options: Options) -> System:
    """The system with the folder of the golden set that it is run on."""
    return system.model_copy(update={"goldens": golden_folder(path, system, options)})


def golden_folder(config_path: Path, system: System, options: Options) -> Path:
    """The golden set that is asked for, or the config's own: from here, or from a folder above the config."""
    if options.goldens is not None:
        return loading.find(options.goldens)
    places = [system.goldens, *(parent / system.goldens for parent in config_path.resolve().parents)]
    found = next((place for place in places if (place / "corpus.yaml").is_file()), None)
    try:
        return Path(os.path.relpath(found)) if found else loading.find(system.goldens)
    except UserError as error:
        raise UserError(f"{config_path}: goldens: {error}") from None


def _refuse_missing_files(config_path: Path, system: System) -> None:
    """What a component reads besides its code, as a model, has to be there."""
    for part in (part for component in system.components.values() for part in component.parts()):
        missing = next((file for file in part.files() if not file.is_file()), None)
        if missing:
            raise UserError(f"{config_path}: {part.kind} {part.name()!r} reads {missing}: there is no such file.")


def _refuse_names(configs: Sequence[Path]) -> None:
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


@contextmanager
def _page_counts(cache: Path) -> Iterator[Path]:
    """A cache to keep page counts in, so that a large corpus is opened once; a new one is put into place when all is well."""
    if cache.is_dir():
        yield cache
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield Path(scratch)
        with suppress(OSError):
            shutil.copytree(Path(scratch) / "reference", cache / "reference")
