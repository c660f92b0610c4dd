"""When a held-out split may be opened, what of it is shown, and the record of each time that it was (harness/README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.cache import keys
from harness.errors import UserError
from harness.files.reading import file_sha256
from harness.goldens import loading, locks, openings
from harness.goldens.openings import Ledger, Opening
from harness.records import Case, Json
from harness.runs.config import System
from harness.runs.options import Options
from harness.runs.provenance import Origin
from harness.runs.results import Manifest
from harness.scoring.scores import Score, Summary
from harness.scoring.sealing import sealed


class Splits(NamedTuple):
    """The splits to run, and the number under which held-out would be opened where it is not run."""

    names: tuple[str, ...]
    closed_as: int | None = None


def splits(system: System, name: str, options: Options, origin: Origin) -> Splits:
    """The splits to run: those asked for; else dev, and held-out where this was opened before and nothing has changed since.

    `name` is that of the golden set. Raises UserError for a split that is not there, or that may not be opened now.
    """
    there = loading.splits(system.goldens)
    if options.splits is not None:
        return Splits(_asked(system.goldens, there, options.splits, options, origin))
    lock = locks.read(system.goldens) if "heldout" in there and not options.partial else None
    if lock is None:
        return Splits(("dev",))
    whole = {"sha256": lock.sha256, "asked": lock.goldens, "of": lock.goldens}
    records, key = ledger(system.goldens, name, lock.sha256, options), opening_key(system, whole)
    if records.knows(key) and origin.not_clean is None:
        return Splits(("dev", "heldout"))
    return Splits(("dev",), records.number(key))


def closed(numbers: Mapping[str, int], origin: Origin) -> str | None:
    """One line on the systems whose held-out numbers are not shown: what would open them, and as which number."""
    if not numbers:
        return None
    why = f": {origin.not_clean}" if origin.not_clean else ""
    how = "`--split heldout --dirty` opens it all the same, recorded," if why else "`--split heldout` opens it"
    names = ", ".join(f"for {name} as no. {number}" for name, number in numbers.items())
    return f"held-out is not opened{why}. {how} {names}."


def _asked(
    folder: Path, there: Sequence[str], wanted: tuple[str, ...], options: Options, origin: Origin
) -> tuple[str, ...]:
    for split in wanted:
        if split not in there:
            raise UserError(f"{folder} has no {split}.jsonl. It has: {', '.join(there) or 'no split'}.")
    if "heldout" in wanted and options.partial and not options.unseal:
        raise UserError(
            "--only and --limit show the scores of single held-out questions: add --unseal (recorded), or ask the whole split."
        )
    if "heldout" in wanted and origin.not_clean is not None and not options.dirty:
        raise UserError(
            f"held-out opens only on a clean working tree: {origin.not_clean}. Commit first, or add --dirty (recorded)."
        )
    return wanted


def opening_key(system: System, goldens: Mapping[str, Json], only: Sequence[str] = ()) -> str:
    """16 hex digits of what an opening reveals: the config, the files that its components read, and the goldens.

    `only` names the questions of a partial run.
    """
    files = [path for component in system.components.values() for part in component.parts() for path in part.files()]
    asked = {**goldens, "only": list(only)} if only else goldens
    return keys.digest([system.spec(), sorted(file_sha256(path) for path in files), asked])[:16]


def ledger(folder: Path, name: str, lock: str, options: Options) -> Ledger:
    """Where the openings of a lock are recorded: beside the results, beside the lock, and wherever else they count."""
    main = options.results / name / openings.FILE
    places = {path for root in (options.results, Path("results")) for path in root.glob(f"*/{openings.FILE}")}
    others = sorted(path for path in places if path.resolve() != main.resolve())
    return Ledger(lock, main, (folder / openings.FILE,), tuple(others))


def shown(
    split: str, options: Options, summaries: Sequence[Summary], cases: Sequence[Case], scores: Sequence[Score]
) -> tuple[Summary, ...]:
    """The lines of a split that may be shown: of a sealed one no cell on fewer than five questions."""
    return sealed(summaries, cases, scores) if split == "heldout" and not options.unseal else tuple(summaries)


def record_opening(
    manifest: Manifest, summaries: Sequence[Summary], seen: Sequence[Summary], options: Options
) -> Manifest:
    """Note that a split was opened; the manifest with the opening's number, and with how many codes it was seen.

    `seen` are the summaries as they are shown. The same config, prompts and goldens are counted once.
    """
    records = records_of(manifest, options)
    opening = _opening(manifest, options.unseal, _means(seen), numbers(summaries))
    number = records.note(opening)
    codes = records.codes(opening.key)
    return manifest.model_copy(update={"opening": number, "codes": codes})


def unseal(manifest: Manifest, options: Options) -> None:
    """Record that rows of single held-out questions were looked at."""
    records_of(manifest, options).note(_opening(manifest, True, {}, ""))


def numbers(summaries: Sequence[Summary]) -> str:
    """16 hex digits by which numbers are told from others."""
    return openings.digest(_means(summaries))


def _means(summaries: Sequence[Summary]) -> dict[str, float | None]:
    return {summary.metric: round(summary.mean, 6) for summary in summaries if summary.mean is not None}


def records_of(manifest: Manifest, options: Options) -> Ledger:
    """The records in which the openings of a held-out result stand."""
    folder = loading.find(options.goldens) if options.goldens else Path(manifest.config["goldens"])
    return ledger(folder, manifest.set, str(manifest.goldens["sha256"]), options)


def _opening(manifest: Manifest, unsealed: bool, means: dict[str, float | None], numbers: str) -> Opening:
    return Opening(
        when=manifest.when,
        system=manifest.system,
        key=manifest.opening_key or manifest.key,
        commit=manifest.commit,
        commits=manifest.commits,
        dirty=manifest.dirty is not None,
        unsealed=unsealed,
        aggregates=means,
        lock=str(manifest.goldens["sha256"]),
        numbers=numbers,
    )
