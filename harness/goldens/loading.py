"""The one loader of golden sets: whoever scores, explains or checks gets its goldens here, and gets them checked.

All faults of a file are told at once, each with its line and the golden's id. A held-out split is given out only if it is what
was locked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from harness.documents.corpus import Corpus
from harness.errors import UserError, nearest
from harness.files import jsonl
from harness.files.reading import refuse, shorten
from harness.files.wording import command, counted
from harness.goldens import locks
from harness.records import Golden, PageRef

SPLITS = ("dev", "heldout")
LONGEST = 2_000_000
"""Bytes of one golden at most."""


@dataclass(frozen=True)
class GoldenSet:
    """The goldens of one split, in the order of the file. `lock` is set for the held-out split."""

    name: str
    split: str
    path: Path
    sha256: str
    goldens: tuple[Golden, ...]
    lock: locks.Lock | None = None


def find(name: str | Path, base: Path = Path("goldens")) -> Path:
    """The folder of a golden set, named by its path or by its name under goldens/. Raises UserError with the known ones."""
    for folder in (Path(name), base / name):
        if (folder / "corpus.yaml").is_file():
            return folder
    if Path(name).is_dir():
        raise UserError(f"{name}: no golden set, there is no corpus.yaml; {command('corpus', name)} writes one.")
    known = sorted(path.parent.name for path in base.glob("*/corpus.yaml"))
    hint = nearest(str(name), known)
    raise UserError(f"{name}: there is no such golden set.{hint} In {base}/: {', '.join(known) or 'none'}.")


def splits(folder: Path) -> tuple[str, ...]:
    """The splits that a golden set has, of dev and heldout."""
    return tuple(split for split in SPLITS if (folder / f"{split}.jsonl").is_file())


def load(folder: Path, split: str, corpus: Corpus) -> GoldenSet:
    """The goldens of a split.

    Raises UserError for a split that is not there, for a held-out one without its lock or other than it was locked, and with a
    line for each fault of the file: its line number, the golden's id, what was found, what is allowed.
    """
    path = _path(folder, split)
    lock = locks.verify(folder) if split == "heldout" else None
    loaded = read(path, split, corpus)
    if lock and loaded.sha256 != lock.sha256:
        raise UserError(f"{path} changed while it was read; run the command again.")
    return GoldenSet(loaded.name, split, path, loaded.sha256, loaded.goldens, lock)


def read(path: Path, split: str, corpus: Corpus) -> GoldenSet:
    """The goldens of a file, whatever its lock says. Raises UserError as `load` does for the file's faults."""
    checker = _Checker(path, corpus)
    goldens = tuple(checker.goldens())
    if not goldens and not checker.faults:
        checker.faults.append(f"{path}: the file holds no golden; write one JSON object a line.")
    refuse(checker.faults)
    return GoldenSet(corpus.name, split, path, checker.hash.hexdigest(), goldens)


def _path(folder: Path, split: str) -> Path:
    path = folder / f"{split}.jsonl"
    if split not in SPLITS:
        raise UserError(f"there is no split {split!r}.{nearest(split, list(SPLITS))} Splits: {', '.join(SPLITS)}.")
    if not path.is_file():
        there = ", ".join(splits(folder)) or "none"
        raise UserError(f"{path}: there is no such file; splits of this set: {there}.")
    return path


class _Checker:
    """A file of goldens while it is read: good goldens come out, faults are noted."""

    def __init__(self, path: Path, corpus: Corpus) -> None:
        self.path, self.corpus = path, corpus
        self.hash = hashlib.sha256()
        self.faults: list[str] = []
        self.first: dict[str, int] = {}

    def goldens(self) -> Iterator[Golden]:
        for number, raw in jsonl.lines(self.path, LONGEST):
            self.hash.update(raw)
            golden = self._golden(number, raw)
            if golden is not None:
                yield golden

    def _golden(self, number: int, raw: bytes) -> Golden | None:
        try:
            row = jsonl.parse(raw)
            if row is None:
                return None
            golden = Golden.model_validate(row)
        except ValidationError as error:
            name = row.get("id") if isinstance(row, dict) else None
            self._note(number, name, *(_message(one) for one in error.errors(include_url=False)))
            return None
        except ValueError as error:
            self._note(number, None, str(error))
            return None
        self._note(number, golden.id, *self._against_corpus(golden), *self._repeated(golden.id, number))
        return golden

    def _note(self, number: int, id: Any, *faults: str) -> None:
        named = f" {shorten(id, 120)}:" if id is not None else ""
        self.faults += [f"{self.path}:{number}:{named} {fault}" for fault in faults]

    def _repeated(self, id: str, number: int) -> Iterator[str]:
        if id in self.first:
            yield f"the id stands in line {self.first[id]} already; each golden needs its own."
        self.first.setdefault(id, number)

    def _against_corpus(self, golden: Golden) -> Iterator[str]:
        refs = [ref for group in golden.evidence for ref in group]
        for ref in refs:
            yield from self._outside("evidence", ref)
        for text in golden.quotes:
            yield from self._outside("quotes", PageRef.parse(text))
        for doc in golden.scope:
            if doc not in self.corpus.documents:
                yield f"scope: {self._no_document(doc)}"
        within = [{ref.doc for ref in group} <= set(golden.scope) for group in golden.evidence]
        if golden.scope and refs and not any(within) and all(ref in self.corpus for ref in refs):
            yield f"evidence: no group of pages lies within the scope {shorten(list(golden.scope))}."

    def _outside(self, field: str, ref: PageRef) -> Iterator[str]:
        if ref.doc not in self.corpus.documents:
            yield f"{field}: {self._no_document(ref.doc)}"
        elif ref not in self.corpus:
            pages = counted(self.corpus.documents[ref.doc].pages, "page")
            yield f"{field}: {ref} lies beyond the document's {pages}."

    def _no_document(self, doc: str) -> str:
        known = list(self.corpus.documents)
        return f"{shorten(doc)} is no document of the corpus {self.corpus.name!r}.{nearest(doc, known)}"


def _message(error: ErrorDetails) -> str:
    """One of pydantic's errors in one line."""
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = list(Golden.model_fields)
        return f"unknown key {place!r}.{nearest(place, known)} Known: {', '.join(known)}."
    if error["type"] == "missing":
        return f"the key {place!r} is missing."
    what = " ".join(error["msg"].removeprefix("Value error, ").split())
    if not place:
        return f"{what}."
    if error["type"] == "tuple_type":
        meant = _LISTS.get(place.partition(".")[0]) or f"a list is meant, of one too: {_list_of(error['input'])}"
        return f"{place}: found {shorten(error['input'])}; {meant}."
    hint = f"; {_LISTS['evidence']}" if place.startswith("evidence") else ""
    return f"{place}: found {shorten(error['input'])}: {what[:1].lower()}{what[1:]}{hint}."


_LISTS = {"evidence": 'write a list of groups of pages: [["doc:p12"]]'}


def _list_of(value: Any) -> str:
    """The value as the only one of a JSON list."""
    return f"[{json.dumps(shorten(value)[1:-1], ensure_ascii=False)}]" if isinstance(value, str) else '["…"]'
