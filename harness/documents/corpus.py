"""The documents of a golden set and what stands on their pages, as the instrument reads them (pdf.py).

Reference text is the instrument's own eye: figures and quotes are checked against it and never against the parser under test.
"""

from __future__ import annotations

import hashlib
import json
import threading
from functools import cached_property
from pathlib import Path

from harness.documents import page_text, pdf
from harness.documents.corpus_yaml import DocumentFile, Listing, verified
from harness.documents.pdf import ReferencePage, Word
from harness.errors import UserError
from harness.files import yamls
from harness.files.reading import refuse
from harness.files.wording import command
from harness.records import PageRef


class Corpus:
    """Documents by id, and text, words, printed label and image of each page. Safe to use from several threads."""

    def __init__(
        self, folder: Path, name: str, redistributable: bool, documents: dict[str, DocumentFile], cache: Path | None
    ) -> None:
        self.folder, self.name, self.redistributable, self.cache = folder, name, redistributable, cache
        self.documents = documents
        self.damaged: dict[str, str] = {}
        """Documents that the instrument cannot read, with the reason: their page counts are taken on trust."""
        self.isolated = False
        """Whether documents that were not read before are opened in a process of their own."""
        self._references: dict[str, tuple[ReferencePage, ...]] = {}
        self._lock = threading.Lock()

    @classmethod
    def open(cls, folder: Path, cache: Path | None = None, *, verify: bool = True) -> Corpus:
        """The corpus that `folder`/corpus.yaml lists.

        Raises UserError with a line for each thing that is wrong in it. A file that is the one listed but cannot be opened is
        no fault of the list: it is noted in `damaged`. `verify=False` trusts sha256, page counts and the files themselves.
        """
        path = folder / "corpus.yaml"
        if not path.is_file():
            made = (
                f"; {command('corpus', folder)} writes one for a folder of PDFs"
                if folder.is_dir()
                else " and no such folder"
            )
            raise UserError(f"{path}: there is no such file{made}.")
        listing = Listing(path, yamls.load(path))
        documents = listing.documents()
        refuse(listing.faults)
        damaged = verified(listing, documents, cache) if verify else {}
        refuse(listing.faults)
        name, free = listing.file.values["name"], listing.file.values.get("redistributable", False)
        corpus = cls(folder, name, free, documents, cache)
        corpus.damaged.update(damaged)
        corpus.isolated = verify
        return corpus

    def __contains__(self, ref: object) -> bool:
        if not isinstance(ref, PageRef):
            return False
        return ref.doc in self.documents and 1 <= ref.page <= self.documents[ref.doc].pages

    @cached_property
    def sha256(self) -> str:
        """The sha256 of what the corpus holds: ids, titles, aliases and the documents' own sha256; not where files lie."""
        rows = [[file.id, file.sha256, file.pages, file.title, *file.aliases] for file in self.documents.values()]
        return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()

    def refs(self, doc: str) -> list[PageRef]:
        """All pages of a document, in order."""
        return [PageRef(doc, number) for number in range(1, self.documents[doc].pages + 1)]

    def reference(self, doc: str) -> tuple[ReferencePage, ...]:
        """What stands on each page of a document, from the cache where it is there. Raises UserError if it cannot be opened."""
        if doc in self.damaged:
            raise UserError(self.damaged[doc])
        with self._lock:
            if doc not in self._references:
                self._references[doc] = self._read(self.documents[doc])
            return self._references[doc]

    def _read(self, file: DocumentFile) -> tuple[ReferencePage, ...]:
        found: tuple[ReferencePage, ...] | str | None = page_text.read_cached(file.sha256, self.cache)
        if found is None and self.isolated:
            found = page_text.read_isolated(file.path, file.sha256, file.pages, self.cache)
        elif found is None:
            found = page_text.reference(file.path, file.sha256, self.cache)
        if isinstance(found, str):
            self.damaged[file.id] = found
            raise UserError(found)
        return found

    def has_reference(self, doc: str) -> bool:
        """Whether the document's reference text is at hand, or known not to be had."""
        file = self.documents[doc]
        known = doc in self.damaged or doc in self._references
        if known or page_text.read_cached(file.sha256, self.cache) is not None:
            return True
        if (reason := page_text.lost(file.sha256, file.pages, self.cache)) is not None:
            self.damaged[doc] = reason
        return reason is not None

    def text(self, ref: PageRef) -> str:
        """The page's reference text; empty for a page without any.

        Raises KeyError for a page outside the corpus, and UserError for one that the instrument cannot read.
        """
        page = self._page(ref)
        if page.error:
            raise UserError(f"{ref}: {page.error}")
        return page.text

    def doubt(self, ref: PageRef) -> str | None:
        """Why what the page's reference text lacks may yet stand on the page; None where there is no such reason."""
        return None if ref.doc in self.damaged else self._page(ref).doubt

    def label(self, ref: PageRef) -> str | None:
        """The page number that is printed on the page, None where none is, or where the document cannot be read."""
        return None if ref.doc in self.damaged else self._page(ref).label

    def size(self, ref: PageRef) -> tuple[float, float]:
        """Width and height of the page as it is shown, in points."""
        page = self._page(ref)
        return page.width, page.height

    def _page(self, ref: PageRef) -> ReferencePage:
        self._require(ref)
        return self.reference(ref.doc)[ref.page - 1]

    def _require(self, ref: PageRef) -> DocumentFile:
        if ref not in self:
            raise KeyError(f"{ref} is not a page of the corpus {self.name!r}")
        return self.documents[ref.doc]

    def words(self, ref: PageRef) -> list[Word]:
        """The page's words with their boxes, in the order of the text."""
        return pdf.words(self._require(ref).path, ref.page)

    def image(self, ref: PageRef, dpi: int = 150) -> bytes:
        """The page as a PNG of `dpi` pixels an inch, less where it would have more than LARGEST_IMAGE pixels."""
        return pdf.image(self._require(ref).path, ref.page, dpi)
