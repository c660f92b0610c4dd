"""What the instrument reads in PDFs: kept in the cache; a file that nobody opened before is read in a process of its own."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from harness.cache import keys
from harness.cache.rows import read_rows, write_rows
from harness.documents import processes
from harness.documents.pdf import ReferencePage, count_pages, describe, extract_reference
from harness.documents.processes import Done
from harness.errors import UserError

In = TypeVar("In")
Out = TypeVar("Out")


def page_counts(listed: Mapping[str, tuple[Path, int]], cache: Path | None) -> dict[str, int | str]:
    """Pages by sha256, or why a file cannot be opened. `listed`: path and expected pages by sha256.

    Counted in a process of its own, since opening a hostile file may hang. Counts are kept in the cache, so that an
    unchanged file is not opened again; reasons are not.
    """
    path = cache / "reference" / f"page_counts-{_version()}.jsonl" if cache else None
    known: dict[str, int] = dict((path and _rows(path)) or [])
    fresh = {path: (sha256, pages) for sha256, (path, pages) in listed.items() if sha256 not in known}
    found: dict[str, int | str] = {}
    for done in _isolated(_counted, list(fresh), lambda pdf: fresh[pdf][1]):
        found[fresh[done.item][0]] = f"{done.item}: {done.lost}." if done.result is None else done.result
    known |= {sha256: pages for sha256, pages in found.items() if isinstance(pages, int)}
    if path and known.keys() & found.keys():
        with suppress(OSError):
            write_rows(path, sorted(known.items()))
    return found | known


def _isolated(work: Callable[[In], Out], items: Sequence[In], pages: Callable[[In], int]) -> Iterator[Done[In, Out]]:
    """`work` on files that nobody has opened yet, in a process of its own and within its limits."""
    limits = processes.Limits.from_environment()
    return processes.each(work, items, 1, lambda item: limits.time(pages(item)), lambda *_: None, limits.gib)


def read_isolated(pdf: Path, sha256: str, pages: int, cache: Path | None) -> tuple[ReferencePage, ...] | str:
    """`reference` of a file that nobody has opened yet, or why it cannot be read."""
    (done,) = _isolated(_referenced, [(pdf, sha256, cache)], lambda _: pages)
    return f"{pdf}: {done.lost}." if done.result is None else done.result


def _referenced(task: tuple[Path, str, Path | None]) -> tuple[ReferencePage, ...]:
    return reference(*task)


def describe_all(pdfs: Sequence[Path]) -> dict[Path, tuple[int, str | None] | str]:
    """`pdf.describe` for files that nobody has opened yet; a text says why one cannot be opened."""
    ended = _isolated(_described, pdfs, lambda _: 0)
    return {done.item: f"{done.item}: {done.lost}." if done.result is None else done.result for done in ended}


def _described(pdf: Path) -> tuple[int, str | None] | str:
    try:
        return describe(pdf)
    except UserError as error:
        return str(error)


def _counted(pdf: Path) -> int | str:
    try:
        return count_pages(pdf)
    except UserError as error:
        return str(error)


def reference(pdf: Path, sha256: str, cache: Path | None) -> tuple[ReferencePage, ...]:
    """The reference of a document from the cache, extracted and kept there where it is missing or damaged.

    May run in a worker process. A cache that cannot be written costs time and nothing else.
    """
    found = read_cached(sha256, cache)
    if found is not None:
        return found
    path = _reference_file(sha256, cache)
    pages = extract_reference(pdf)
    if path:
        with suppress(OSError):
            write_rows(path, [_code(), *map(asdict, pages)])
    return pages


def _reference_file(sha256: str, cache: Path | None) -> Path | None:
    return cache / "reference" / f"{sha256}-{_version()}.jsonl" if cache else None


def read_cached(sha256: str, cache: Path | None) -> tuple[ReferencePage, ...] | None:
    """The reference in the cache, None where it is missing, damaged, or of other code."""
    path = _reference_file(sha256, cache)
    rows = _rows(path) if path else None
    return tuple(ReferencePage(**row) for row in rows[1:]) if rows and rows[0] == _code() else None


def _code() -> list[str]:
    return [keys.own_code("harness.documents.pdf"), keys.own_code("harness.documents.page_numbers")]


def _rows(path: Path) -> list[Any] | None:
    """The rows of a cache file, None where it is missing, damaged, or cannot be read: then they are made again."""
    try:
        return read_rows(path)
    except (OSError, ValueError):
        return None


def _version() -> str:
    return importlib.metadata.version("pypdfium2")
