"""When a held-out split may be opened, and the record of each time that it was (DESIGN.md, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from harness import goldens, keys, machine, openings
from harness.config import System
from harness.errors import UserError
from harness.records import Summary
from harness.request import Request
from harness.store import Manifest


def splits(folder: Path, request: Request, note: Callable[[str], None]) -> tuple[str, ...]:
    """The splits to run: those asked for; else dev, and held-out where there is one and the tree is clean."""
    there = goldens.splits(folder)
    if request.splits is not None:
        return _asked(folder, there, request.splits, request)
    if "heldout" not in there:
        return ("dev",)
    why = "a partial run does not open it" if request.partial else machine.why_not_clean()
    if why is None:
        return ("dev", "heldout")
    note(f"held-out is not opened: {why}. (`--split heldout --dirty` opens it all the same, and is recorded.)")
    return ("dev",)


def _asked(folder: Path, there: Sequence[str], wanted: tuple[str, ...], request: Request) -> tuple[str, ...]:
    for split in wanted:
        if split not in there:
            raise UserError(f"{folder} has no {split}.jsonl. It has: {', '.join(there) or 'no split'}.")
    why = machine.why_not_clean()
    if "heldout" in wanted and why is not None and not request.dirty:
        raise UserError(f"held-out opens only on a clean working tree: {why}. Commit first, or add --dirty (recorded).")
    return wanted


def opened(manifest: Manifest, system: System, summaries: Sequence[Summary], request: Request) -> Manifest:
    """Record the opening, and give the manifest its number. The same config, prompts and goldens are counted once."""
    files = [path for component in system.components.values() for part in component.parts() for path in part.files()]
    key = keys.digest([system.spec(), sorted(keys.file_sha256(path) for path in files), manifest.goldens])[:16]
    means: dict[str, float | None] = {
        summary.metric: round(summary.mean, 6) for summary in summaries if summary.mean is not None
    }
    stamped = manifest.model_copy(update={"opening_key": key})
    return stamped.model_copy(update={"opening": _record(stamped, request, request.unseal, means)})


def unseal(manifest: Manifest, request: Request) -> None:
    """Record that rows of single held-out questions were looked at."""
    _record(manifest, request, True, {})


def _record(manifest: Manifest, request: Request, unsealed: bool, means: dict[str, float | None]) -> int:
    opening = openings.Opening(
        when=manifest.when,
        system=manifest.system,
        key=manifest.opening_key or manifest.key,
        commit=manifest.commit,
        dirty=manifest.dirty is not None,
        unsealed=unsealed,
        aggregates=means,
    )
    return openings.record(request.results / manifest.set / "openings.jsonl", opening)
