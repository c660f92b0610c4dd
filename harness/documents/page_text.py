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
from harness.documents import processes, second_reading
from harness.documents.losses import Losses
from harness.documents.pdf import ReferencePage, count_pages, describe, extract_reference, unread_pages
from harness.documents.processes import Done
from harness.errors import UserError

In = TypeVar("In")
Out = TypeVar("Out")


def page_counts(listed: Mapping[str, tuple[Path, int]], cache: Path | None) -> dict[str, int | str]:
    """Pages by sha256, or why a file cannot be opened. `listed`: path and expected pages by sha256.

    Counted in a process of its own, since opening a hostile file may hang. Counts are kept in the cache, so that an
    unchanged file is not opened again, and which files were lost; other reasons are not.
    """
    path = cache / "reference" / f"page_counts-{_version()}.jsonl" if cache else None
    known: dict[str, int] = dict((path and _rows(path)) or [])
    fresh = {path: (sha256, pages) for sha256, (path, pages) in listed.items() if sha256 not in known}
    found: dict[str, int | str] = {}
    for done in _isolated(
        _counted, list(fresh), lambda pdf: fresh[pdf][1], cache, lambda pdf: _name("count", fresh[pdf][0])
    ):
        found[fresh[done.item][0]] = f"{done.item}: {done.lost}." if done.result is None else done.result
    known |= {sha256: pages for sha256, pages in found.items() if isinstance(pages, int)}
    if path and known.keys() & found.keys():
        with suppress(OSError):
            write_rows(path, sorted(known.items()))
    return found | known


def _isolated(
    work: Callable[[In], Out],
    items: Sequence[In],
    pages: Callable[[In], int],
    cache: Path | None = None,
    name: Callable[[In], str] = lambda _: "",
) -> Iterator[Done[In, Out]]:
    """`work` on files that nobody has opened yet, in a process of its own and within its limits.

    What was lost before under the same name is not tried again.
    """
    limits = processes.Limits.from_environment()
    losses = Losses(cache, limits)
    known = {item: losses.reason(name(item), pages(item)) for item in items}
    yield from (Done(item, None, reason) for item, reason in known.items() if reason is not None)
    fresh = [item for item in items if known[item] is None]
    for done in processes.each(work, fresh, 1, lambda item: limits.time(pages(item)), lambda *_: None, limits.gib):
        losses.note(name(done.item), pages(done.item), done)
        yield done


def read_isolated(pdf: Path, sha256: str, pages: int, cache: Path | None) -> tuple[ReferencePage, ...] | str:
    """`reference` of a file that nobody has opened yet, or why it cannot be read."""
    (done,) = _isolated(_referenced, [(pdf, sha256, cache)], lambda _: pages, cache, lambda _: _name("text", sha256))
    if done.result is not None:
        return done.result
    first = read_cached(sha256, cache)  # kept before the second reader was lost on it
    return f"{pdf}: {done.lost}." if first is None else first


def _name(what: str, sha256: str) -> str:
    return keys.digest([what, sha256, _version(), *_code()])


def lost(sha256: str, pages: int, cache: Path | None) -> str | None:
    """Why the process that prepared a document's reference text was lost, where it was, within the limits of today."""
    return Losses(cache, processes.Limits.from_environment()).reason(_name("text", sha256), pages)


def note_lost(sha256: str, pages: int, cache: Path | None, done: Done[Any, Any]) -> None:
    """Keep why that process was lost."""
    Losses(cache, processes.Limits.from_environment()).note(_name("text", sha256), pages, done)


def _referenced(task: tuple[Path, str, Path | None]) -> tuple[ReferencePage, ...]:
    return reference(*task)


def unread_of_all(listed: Mapping[str, tuple[Path, int]], cache: Path | None) -> dict[str, dict[str, list[int]]]:
    """`pdf.unread_pages` by sha256; nothing of a file that cannot be opened, which is told elsewhere.

    `listed`: path and pages by sha256. What was found is kept in the cache.
    """
    found = {sha256: rows[0] for sha256 in listed if (rows := _rows_of(_unread_file(sha256, cache)))}
    fresh = {path: (sha256, pages) for sha256, (path, pages) in listed.items() if sha256 not in found}
    ended = _isolated(
        _unread, list(fresh), lambda pdf: fresh[pdf][1], cache, lambda pdf: _name("unread", fresh[pdf][0])
    )
    for done in ended:
        found[fresh[done.item][0]] = done.result or {}
        if done.result is not None and (path := _unread_file(fresh[done.item][0], cache)):
            with suppress(OSError):
                write_rows(path, [done.result])
    return found


def _unread_file(sha256: str, cache: Path | None) -> Path | None:
    return cache / "reference" / f"unread-{_name('unread', sha256)}.jsonl" if cache else None


def _rows_of(path: Path | None) -> list[Any] | None:
    return _rows(path) if path else None


def _unread(pdf: Path) -> dict[str, list[int]]:
    with suppress(UserError):
        return unread_pages(pdf)
    return {}


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

    May run in a worker process. A cache that cannot be written costs time and nothing else. The pages are kept before the
    second reader looks at them: where that ends the process, they are found, without doubts, when it is tried again.
    """
    found = read_cached(sha256, cache)
    if found is not None:
        return found
    path = _reference_file(sha256, cache)
    pages = extract_reference(pdf)
    _keep(path, pages)
    pages = second_reading.doubted(pdf, pages)
    _keep(path, pages)
    return pages


def _keep(path: Path | None, pages: Sequence[ReferencePage]) -> None:
    if path:
        with suppress(OSError):
            write_rows(path, [_code(), *map(asdict, pages)])


def _reference_file(sha256: str, cache: Path | None) -> Path | None:
    return cache / "reference" / f"{sha256}-{_version()}.jsonl" if cache else None


def read_cached(sha256: str, cache: Path | None) -> tuple[ReferencePage, ...] | None:
    """The reference in the cache, None where it is missing, damaged, or of other code."""
    path = _reference_file(sha256, cache)
    rows = _rows(path) if path else None
    return tuple(ReferencePage(**row) for row in rows[1:]) if rows and rows[0] == _code() else None


def _code() -> list[str]:
    modules = ("annotations", "page_numbers", "pdf", "second_reading", "words")
    return [
        *(keys.own_code(f"harness.documents.{module}") for module in modules),
        importlib.metadata.version("liteparse"),
    ]


def _rows(path: Path) -> list[Any] | None:
    """The rows of a cache file, None where it is missing, damaged, or cannot be read: then they are made again."""
    try:
        return read_rows(path)
    except (OSError, ValueError):
        return None


def _version() -> str:
    return importlib.metadata.version("pypdfium2")
