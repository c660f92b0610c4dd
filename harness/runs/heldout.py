"""When a held-out split may be opened, and the record of each time that it was (harness/README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.cache import keys
from harness.errors import UserError
from harness.files.reading import file_sha256
from harness.goldens import loading, openings
from harness.records import Json
from harness.runs import provenance
from harness.runs.config import System
from harness.runs.options import Options
from harness.runs.results import Manifest
from harness.scoring.scores import Summary


class Splits(NamedTuple):
    """The splits to run, and what the user should know of those that are not."""

    names: tuple[str, ...]
    note: str | None = None


def splits(folder: Path, options: Options) -> Splits:
    """The splits to run: those asked for; else dev, and held-out where there is one and the tree is clean."""
    there = loading.splits(folder)
    if options.splits is not None:
        return Splits(_asked(folder, there, options.splits, options))
    if "heldout" not in there:
        return Splits(("dev",))
    why = "a partial run does not open it" if options.partial else provenance.why_not_clean()
    if why is None:
        return Splits(("dev", "heldout"))
    how = "`--split heldout --dirty` opens it all the same, and is recorded."
    return Splits(("dev",), f"held-out is not opened: {why}. ({how})")


def _asked(folder: Path, there: Sequence[str], wanted: tuple[str, ...], options: Options) -> tuple[str, ...]:
    for split in wanted:
        if split not in there:
            raise UserError(f"{folder} has no {split}.jsonl. It has: {', '.join(there) or 'no split'}.")
    why = provenance.why_not_clean()
    if "heldout" in wanted and why is not None and not options.dirty:
        raise UserError(f"held-out opens only on a clean working tree: {why}. Commit first, or add --dirty (recorded).")
    return wanted


def opening_key(system: System, goldens: Mapping[str, Json]) -> str:
    """16 hex digits of what an opening reveals: the config, the files that its components read, and the goldens."""
    files = [path for component in system.components.values() for part in component.parts() for path in part.files()]
    return keys.digest([system.spec(), sorted(file_sha256(path) for path in files), goldens])[:16]


def record_opening(manifest: Manifest, summaries: Sequence[Summary], options: Options) -> int:
    """Note that a split was opened; its number. The same config, prompts and goldens are counted once."""
    means: dict[str, float | None] = {
        summary.metric: round(summary.mean, 6) for summary in summaries if summary.mean is not None
    }
    return _record(manifest, options, options.unseal, means)


def unseal(manifest: Manifest, options: Options) -> None:
    """Record that rows of single held-out questions were looked at."""
    _record(manifest, options, True, {})


def _record(manifest: Manifest, options: Options, unsealed: bool, means: dict[str, float | None]) -> int:
    opening = openings.Opening(
        when=manifest.when,
        system=manifest.system,
        key=manifest.opening_key or manifest.key,
        commit=manifest.commit,
        dirty=manifest.dirty is not None,
        unsealed=unsealed,
        aggregates=means,
    )
    return openings.record(options.results / manifest.set / "openings.jsonl", opening)
