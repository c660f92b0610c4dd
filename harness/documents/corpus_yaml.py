"""corpus.yaml: which documents a golden set has, and whether the files are the ones listed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.documents import page_text
from harness.errors import nearest
from harness.files import yamls
from harness.files.reading import file_sha256, shorten
from harness.files.wording import counted

_ID = re.compile(r"\w[\w.-]{0,199}\Z")
_NAME = re.compile(r"(?!(?:cache|calls)\Z)\w[\w .-]{0,99}(?<! )\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True)
class DocumentFile:
    """A document of the corpus as corpus.yaml lists it; `path` is the file itself."""

    id: str
    path: Path
    sha256: str
    pages: int
    title: str
    aliases: tuple[str, ...] = ()


class Listing:
    """corpus.yaml while it is checked: every fault is noted with its line, none is raised."""

    def __init__(self, path: Path, file: yamls.Yaml) -> None:
        self.path, self.file = path, file
        self.faults: list[str] = []

    def fault(self, place: tuple[str, ...], what: str) -> None:
        named = f" {'.'.join(place)}:" if place else ""
        self.faults.append(f"{self.path}:{self.file.line(*place)}:{named} {what}")

    def documents(self) -> dict[str, DocumentFile]:
        """The documents that are listed well; faults of the others are noted."""
        blocks = self._fields((), self.file.values, {"name": str, "documents": dict}, {"redistributable": bool})
        if not _NAME.match(blocks.get("name", "unnamed")):
            shown = shorten(blocks["name"])
            self.fault(
                ("name",), f"{shown} cannot name a folder in results/: use letters, digits, ' ', '_', '-' and '.'."
            )
        listed = blocks.get("documents", {})
        if not listed and "documents" in blocks:
            self.fault(("documents",), "no document is listed; name at least one.")
        found = {id: self._document(id, block) for id, block in listed.items()}
        return {id: file for id, file in found.items() if file is not None}

    def _document(self, id: str, block: Any) -> DocumentFile | None:
        place = ("documents", id)
        if not _ID.match(id):
            self.fault(place, f"{shorten(id)} is no id: use letters, digits, '_', '-' and '.', at most 200.")
        if not isinstance(block, dict):
            self.fault(place, f"found {shorten(block)}; write {{file: x.pdf, sha256: …, pages: 12, title: …}}.")
            return None
        values = self._fields(place, block, {"file": str, "sha256": str, "pages": int}, {"title": str, "aliases": list})
        aliases = values.get("aliases", [])
        if not all(isinstance(alias, str) for alias in aliases):
            self.fault((*place, "aliases"), f"found {shorten(aliases)}; aliases are texts (quote numbers).")
        if not {"file", "sha256", "pages"} <= set(values) or not self._plausible(place, values):
            return None
        path = self.path.parent / values["file"]
        return DocumentFile(id, path, values["sha256"], values["pages"], values.get("title", id), tuple(aliases))

    def _plausible(self, place: tuple[str, ...], values: dict[str, Any]) -> bool:
        if not _SHA256.match(values["sha256"]):
            self.fault((*place, "sha256"), f"found {shorten(values['sha256'])}; a sha256 is 64 digits 0-9 a-f.")
        elif values["pages"] < 1:
            self.fault((*place, "pages"), f"found {values['pages']}; a document has at least one page.")
        else:
            return True
        return False

    def _fields(
        self, place: tuple[str, ...], block: dict[str, Any], needed: dict[str, type], optional: dict[str, type]
    ) -> dict[str, Any]:
        """The values of the right type; unknown keys, wrong types and missing keys are noted."""
        known = needed | optional
        for key in block.keys() - known.keys():
            self.fault((*place, key), f"unknown key.{nearest(key, list(known))} Known: {', '.join(known)}.")
        good = {key: value for key, value in block.items() if key in known and type(value) is known[key]}
        for key in [key for key in known if key in block and key not in good]:
            self.fault((*place, key), f"found {shorten(block[key])}; it must be {_TYPES[known[key]]}.")
        for key in [key for key in needed if key not in block]:
            self.fault(place, f"the key {key!r} is missing; it must be {_TYPES[needed[key]]}.")
        return good


_TYPES = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a mapping"}


def verified(listing: Listing, documents: dict[str, DocumentFile], cache: Path | None) -> dict[str, str]:
    """Note each file that is missing, has another sha256 or another number of pages than is listed.

    Returns why files that are the ones listed cannot be opened, by document.
    """
    same = {id: file for id, file in documents.items() if _same(listing, file)}
    counts = page_text.page_counts({file.sha256: (file.path, file.pages) for file in same.values()}, cache)
    for id, file in same.items():
        pages = counts[file.sha256]
        if isinstance(pages, int) and pages != file.pages:
            listing.fault(
                ("documents", id, "pages"), f"{file.path} has {counted(pages, 'page')}, listed are {file.pages}."
            )
    return {id: reason for id, file in same.items() if isinstance(reason := counts[file.sha256], str)}


def _same(listing: Listing, file: DocumentFile) -> bool:
    """Whether the file is there and is the one listed; else that is noted."""
    try:
        sha256 = file_sha256(file.path) if file.path.is_file() else None
    except OSError as error:
        listing.fault(("documents", file.id, "file"), f"{file.path}: cannot be read: {error.strerror}.")
        return False
    if sha256 is None:
        what = "this is a folder or a device, not a PDF" if file.path.exists() else "there is no such file"
        listing.fault(("documents", file.id, "file"), f"{file.path}: {what}.")
        return False
    if sha256 != file.sha256:
        what = f"has the sha256 {sha256}, listed is {file.sha256}: it is another file, or the list is old."
        listing.fault(("documents", file.id, "sha256"), f"{file.path} {what}")
    return sha256 == file.sha256
