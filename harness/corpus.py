"""The documents of a golden set and what stands on their pages, read with pypdfium2: permissive, and no contestant.

Reference text is the instrument's own eye: figures and quotes are checked against it and never against the parser under test.
It is taken as PDFium gives it, text outside the visible page left out. Line ends become "\\n"; the mark that PDFium sets for a
hyphen at the end of a line becomes the hyphen that is printed; other control characters become U+FFFD, since something stands
there that cannot be read. Ligatures, soft hyphens, combining characters and spaces stay as they are.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness import keys, labels, workers, yamls
from harness.errors import UserError, nearest
from harness.records import PageRef
from harness.rows import read_rows, write_rows
from harness.workers import Done

In = TypeVar("In")
Out = TypeVar("Out")

LARGEST_IMAGE = 50_000_000
"""Pixels of a page image at most; a page that would need more is drawn smaller."""
LARGEST_LOOK = 50_000_000
"""Bytes of a file that cannot be opened that are looked at for the reason."""

_PDFIUM = threading.RLock()
"""PDFium is not thread-safe: whoever touches one of its objects holds this."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_PDFIUM=threading.RLock()))

_ID = re.compile(r"\w[\w.-]{0,199}\Z")
_NAME = re.compile(r"(?!(?:cache|calls)\Z)\w[\w .-]{0,99}(?<! )\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_NO_TITLE = re.compile(
    r"\W*\Z|\S{1,3}\Z|untitled|microsoft \w+ - |slide ?\d|[0-9a-f-]{20,}\Z|.*\\|.*\.(?:pdf|docx?|pptx?|xlsx?|indd|qxd|tex|ps)\Z"
    r"|united states\b|securities and exchange|form \d|table of contents|.{100}",
    re.IGNORECASE,
)
"""What programs write where a title should be, and what is set large on a first page without being one."""
_HYPHEN = "\ufffe"
"""PDFium's mark for a hyphen at the end of a line."""
_NO_PAGES = "the PDF has no pages, or its list of pages is damaged"
_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True)
class DocumentFile:
    """A document of the corpus as corpus.yaml lists it; `path` is the file itself."""

    id: str
    path: Path
    sha256: str
    pages: int
    title: str
    aliases: tuple[str, ...] = ()


class Word(NamedTuple):
    """A word and its box in points from the top left of the page as it is shown."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True)
class ReferencePage:
    """What the instrument reads on a page. `error` says why a page gives no text; width and height are in points."""

    text: str
    label: str | None = None
    width: float = 0.0
    height: float = 0.0
    error: str | None = None


class Corpus:
    """Documents by id, and text, words, printed label and image of each page. Safe to use from several threads."""

    def __init__(
        self, folder: Path, name: str, redistributable: bool, documents: dict[str, DocumentFile], cache: Path | None
    ) -> None:
        self.folder, self.name, self.redistributable, self.cache = folder, name, redistributable, cache
        self.documents = documents
        self.damaged: dict[str, str] = {}
        """Documents that the instrument cannot read, with the reason: their page counts are taken on trust."""
        self.apart = False
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
            raise UserError(f"{path}: there is no such file; 'harness corpus DIR' writes one for a folder of PDFs.")
        listing = _Listing(path, yamls.load(path))
        documents = listing.documents()
        yamls.refuse(listing.faults)
        damaged = _verify(listing, documents, cache) if verify else {}
        yamls.refuse(listing.faults)
        name, free = listing.file.values["name"], listing.file.values.get("redistributable", False)
        corpus = cls(folder, name, free, documents, cache)
        corpus.damaged.update(damaged)
        corpus.apart = verify
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
        path = _reference_file(file.sha256, self.cache)
        kept = _kept(path) if path else None
        if kept is not None:
            return kept
        if not self.apart:
            return cached_reference(file.path, file.sha256, self.cache)
        task = file.path, file.sha256, self.cache
        (done,) = _apart(_referenced, [task], lambda _: file.pages)
        if done.result is None:
            self.damaged[file.id] = f"{file.path}: {done.lost}."
            raise UserError(self.damaged[file.id])
        return done.result

    def has_reference(self, doc: str) -> bool:
        """Whether the document's reference text is at hand, or known not to be had."""
        path = _reference_file(self.documents[doc].sha256, self.cache)
        return doc in self.damaged or doc in self._references or (_kept(path) if path else None) is not None

    def text(self, ref: PageRef) -> str:
        """The page's reference text; empty for a page without any. Raises KeyError for a page outside the corpus."""
        return self._page(ref).text

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
        with _page(self._require(ref).path, ref.page) as page:
            return _words(page)

    def image(self, ref: PageRef, dpi: int = 150) -> bytes:
        """The page as a PNG of `dpi` pixels an inch, less where it would have more than LARGEST_IMAGE pixels."""
        with _page(self._require(ref).path, ref.page) as page:
            width, height = page.get_size()
            scale = min(dpi / 72, (LARGEST_IMAGE / max(width * height, 1.0)) ** 0.5)
            picture = page.render(scale=scale).to_pil()
        buffer = io.BytesIO()
        picture.save(buffer, format="PNG")
        return buffer.getvalue()


class _Listing:
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
            shown = yamls.shorten(blocks["name"])
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
            self.fault(place, f"{yamls.shorten(id)} is no id: use letters, digits, '_', '-' and '.', at most 200.")
        if not isinstance(block, dict):
            self.fault(place, f"found {yamls.shorten(block)}; write {{file: x.pdf, sha256: …, pages: 12, title: …}}.")
            return None
        values = self._fields(place, block, {"file": str, "sha256": str, "pages": int}, {"title": str, "aliases": list})
        aliases = values.get("aliases", [])
        if not all(isinstance(alias, str) for alias in aliases):
            self.fault((*place, "aliases"), f"found {yamls.shorten(aliases)}; aliases are texts (quote numbers).")
        if not {"file", "sha256", "pages"} <= set(values) or not self._plausible(place, values):
            return None
        path = self.path.parent / values["file"]
        return DocumentFile(id, path, values["sha256"], values["pages"], values.get("title", id), tuple(aliases))

    def _plausible(self, place: tuple[str, ...], values: dict[str, Any]) -> bool:
        if not _SHA256.match(values["sha256"]):
            self.fault((*place, "sha256"), f"found {yamls.shorten(values['sha256'])}; a sha256 is 64 digits 0-9 a-f.")
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
            self.fault((*place, key), f"found {yamls.shorten(block[key])}; it must be {_TYPES[known[key]]}.")
        for key in [key for key in needed if key not in block]:
            self.fault(place, f"the key {key!r} is missing; it must be {_TYPES[needed[key]]}.")
        return good


_TYPES = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a mapping"}


def _verify(listing: _Listing, documents: dict[str, DocumentFile], cache: Path | None) -> dict[str, str]:
    """Note each file that is missing, has another sha256 or another number of pages than is listed.

    Returns why files that are the ones listed cannot be opened, by document.
    """
    same = {id: file for id, file in documents.items() if _same(listing, file)}
    counts = _page_counts(list(same.values()), cache)
    for id, file in same.items():
        pages = counts[file.sha256]
        if isinstance(pages, int) and pages != file.pages:
            listing.fault(("documents", id, "pages"), f"{file.path} has {pages} pages, listed are {file.pages}.")
    return {id: reason for id, file in same.items() if isinstance(reason := counts[file.sha256], str)}


def _same(listing: _Listing, file: DocumentFile) -> bool:
    """Whether the file is there and is the one listed; else that is noted."""
    try:
        sha256 = keys.file_sha256(file.path) if file.path.is_file() else None
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


def _page_counts(files: list[DocumentFile], cache: Path | None) -> dict[str, int | str]:
    """Pages by sha256, or why a file cannot be opened: counted in a process of its own, since opening a hostile file may hang.

    Counts are kept in the cache, so that an unchanged file is not opened again; reasons are not.
    """
    path = cache / "reference" / f"page_counts-{_version()}.jsonl" if cache else None
    known: dict[str, int] = dict((path and _rows(path)) or [])
    fresh = {file.path: file for file in files if file.sha256 not in known}
    found: dict[str, int | str] = {}
    for done in _apart(_counted, list(fresh), lambda pdf: fresh[pdf].pages):
        found[fresh[done.item].sha256] = f"{done.item}: {done.lost}." if done.result is None else done.result
    known |= {sha256: pages for sha256, pages in found.items() if isinstance(pages, int)}
    if path and known.keys() & found.keys():
        with suppress(OSError):
            write_rows(path, sorted(known.items()))
    return found | known


def _apart(work: Callable[[In], Out], items: Sequence[In], pages: Callable[[In], int]) -> Iterator[Done[In, Out]]:
    """`work` on files that nobody has opened yet, in a process of its own and within its limits."""
    limits = workers.Limits.from_environment()
    return workers.each(work, items, 1, lambda item: limits.time(pages(item)), lambda *_: None, limits.gib)


def _referenced(task: tuple[Path, str, Path | None]) -> tuple[ReferencePage, ...]:
    return cached_reference(*task)


def describe_all(pdfs: Sequence[Path]) -> dict[Path, tuple[int, str | None] | str]:
    """`describe` for files that nobody has opened yet; a text says why one cannot be opened."""
    ended = _apart(_described, pdfs, lambda _: 0)
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


def _rows(path: Path) -> list[Any] | None:
    """The rows of a cache file, None where it is missing, damaged, or cannot be read: then they are made again."""
    try:
        return read_rows(path)
    except (OSError, ValueError):
        return None


def _version() -> str:
    return importlib.metadata.version("pypdfium2")


def count_pages(pdf: Path) -> int:
    """The number of pages of a PDF. Raises UserError where it cannot be opened or has none."""
    with _opened(pdf) as document:
        return len(document)


def describe(pdf: Path) -> tuple[int, str | None]:
    """Number of pages and title of a PDF: its own title, else the largest lines of its first page, else None.

    Raises UserError where it cannot be opened.
    """
    with _opened(pdf) as document:
        title = " ".join(_UNREADABLE.sub("", str(document.get_metadata_value("Title"))).split())
        if _NO_TITLE.match(title):
            title = _largest_lines(document)
        return len(document), title or None


def _largest_lines(document: Any) -> str:
    import pypdfium2 as pdfium

    try:
        with closing(document[0]) as page, closing(page.get_textpage()) as textpage:
            title = _UNREADABLE.sub("", labels.largest(*_pieces(page, textpage)))
            return "" if _NO_TITLE.match(title) else title
    except pdfium.PdfiumError:
        return ""


def cached_reference(pdf: Path, sha256: str, cache: Path | None) -> tuple[ReferencePage, ...]:
    """The reference of a document from the cache, extracted and kept there where it is missing or damaged.

    May run in a worker process. A cache that cannot be written costs time and nothing else.
    """
    path = _reference_file(sha256, cache)
    kept = _kept(path) if path else None
    if kept is not None:
        return kept
    pages = extract_reference(pdf)
    if path:
        with suppress(OSError):
            write_rows(path, [_code(), *map(asdict, pages)])
    return pages


def _reference_file(sha256: str, cache: Path | None) -> Path | None:
    return cache / "reference" / f"{sha256}-{_version()}.jsonl" if cache else None


def _kept(path: Path) -> tuple[ReferencePage, ...] | None:
    """The reference in a cache file, None where it is missing, damaged, or of other code."""
    rows = _rows(path)
    return tuple(ReferencePage(**row) for row in rows[1:]) if rows and rows[0] == _code() else None


def _code() -> list[str]:
    return [keys.own_code("harness.corpus"), keys.own_code("harness.labels")]


def extract_reference(pdf: Path) -> tuple[ReferencePage, ...]:
    """Text, printed label and size of every page in one pass over the document; nothing is cached.

    A page that cannot be read carries its error. Raises UserError for a document that cannot be opened.
    """
    with _opened(pdf) as document:
        read = [_read_page(document, row) for row in range(len(document))]
    found = labels.printed([labels.candidates(lines) for _, lines in read])
    return tuple(
        ReferencePage(page.text, label, page.width, page.height, page.error)
        for (page, _), label in zip(read, found, strict=True)
    )


@contextmanager
def _opened(pdf: Path) -> Iterator[Any]:
    import pypdfium2 as pdfium

    with _PDFIUM:
        try:
            document = pdfium.PdfDocument(pdf)
        except FileNotFoundError:
            raise UserError(f"{pdf}: there is no such file.") from None
        except pdfium.PdfiumError as error:
            raise UserError(f"{pdf}: {_reason(error, pdf)}.") from None
        with closing(document):
            if len(document) < 1:
                raise UserError(f"{pdf}: {_NO_PAGES}.")
            yield document


def _reason(error: Exception, pdf: Path) -> str:
    """Why PDFium does not open a file, in a user's words. Its error code may be an older file's, so the file is asked too."""
    import pypdfium2.raw as pdfium_c

    with pdf.open("rb") as file:
        data = file.read(LARGEST_LOOK)
    code = getattr(error, "err_code", None)
    if b"%PDF-" not in data[:1024]:
        return "this is not a PDF (it does not begin with %PDF-)" if data else "the file is empty"
    if b"/Encrypt" in data and code == pdfium_c.FPDF_ERR_PASSWORD:
        return "the PDF is encrypted and needs a password; save it without one"
    if b"/Encrypt" in data and code == pdfium_c.FPDF_ERR_SECURITY:
        return "the PDF is protected in a way that cannot be read; save it without protection"
    return (
        _NO_PAGES
        if re.search(rb"/Count\s+0\b", data)
        else "the PDF is damaged, perhaps cut short, and cannot be opened"
    )


@contextmanager
def _page(pdf: Path, number: int) -> Iterator[Any]:
    import pypdfium2 as pdfium

    with _opened(pdf) as document:
        try:
            page = document[number - 1]
        except pdfium.PdfiumError:
            raise UserError(f"{pdf}: page {number} is damaged and cannot be opened.") from None
        with closing(page):
            yield page


def _read_page(document: Any, row: int) -> tuple[ReferencePage, list[labels.Line]]:
    import pypdfium2 as pdfium

    try:
        with closing(document[row]) as page, closing(page.get_textpage()) as textpage:
            width, height = page.get_size()
            return ReferencePage(_text(textpage), None, width, height), _edge_lines(page, textpage)
    except (pdfium.PdfiumError, ValueError, OverflowError) as error:
        return ReferencePage("", error=f"page {row + 1} cannot be read: {error}"), []


def _edge_lines(page: Any, textpage: Any) -> list[labels.Line]:
    pieces, read = _pieces(page, textpage)
    width, height = page.get_size()
    return labels.edge_lines(pieces, width, height, read)


def _text(textpage: Any) -> str:
    """The text of the visible page. See the head of this file for what becomes of control characters."""
    text = str(textpage.get_text_bounded())
    if "\x02" in text and "\x02" not in textpage.get_text_range():
        text = text.replace("\x02", "-")
    return _UNREADABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-"))


class _Shown(NamedTuple):
    """Turns boxes in PDF space (left, bottom, right, top) into boxes in points from the top left of the page as it is shown."""

    left: float
    bottom: float
    width: float
    height: float
    quarter: int

    @classmethod
    def of(cls, page: Any) -> _Shown:
        left, bottom, right, top = page.get_bbox()
        return cls(left, bottom, right - left, top - bottom, page.get_rotation() // 90 % 4)

    def boxes(self, rects: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows of (left, bottom, right, top) as rows of (x0, y0, x1, y1)."""
        left, bottom, right, top = (rects - [self.left, self.bottom, self.left, self.bottom]).T
        width, height = self.width, self.height
        turned = (
            (left, height - top, right, height - bottom),
            (bottom, left, top, right),
            (width - right, bottom, width - left, top),
            (height - top, width - right, height - bottom, width - left),
        )
        return np.stack(turned[self.quarter], axis=1)

    def rect(self, box: labels.Box) -> tuple[float, float, float, float]:
        """A shown box in PDF space again: left, bottom, right, top."""
        x0, y0, x1, y1 = box
        width, height = self.width, self.height
        turned = (
            (x0, height - y1, x1, height - y0),
            (y0, x0, y1, x1),
            (width - x1, y0, width - x0, y1),
            (width - y1, height - x1, width - y0, height - x0),
        )
        left, bottom, right, top = turned[self.quarter]
        return left + self.left, bottom + self.bottom, right + self.left, top + self.bottom


def _pieces(page: Any, textpage: Any) -> tuple[NDArray[np.float64], labels.Read]:
    """Where text stands on the page, as rows of (x0, y0, x1, y1), and what reads the text inside a box."""
    frame = _Shown.of(page)
    rects = [textpage.get_rect(number) for number in range(textpage.count_rects())]
    boxes = frame.boxes(np.array(rects, dtype=np.float64).reshape(-1, 4))
    return boxes, lambda box: str(textpage.get_text_bounded(*frame.rect(box)))


def _words(page: Any) -> list[Word]:
    with closing(page.get_textpage()) as textpage:
        number = textpage.count_chars()
        characters = [_character(textpage, row) for row in range(number)]
        rects = [textpage.get_charbox(row) for row in range(number)]
    boxes = _Shown.of(page).boxes(np.array(rects, dtype=np.float64).reshape(-1, 4))
    return [_word(characters[first:end], boxes[first:end]) for first, end in _spans(characters)]


def _spans(characters: list[str]) -> Iterator[tuple[int, int]]:
    """Where words begin and end: at spaces, and after a hyphen that ends a line."""
    first = 0
    for row, character in enumerate([*characters, " "]):
        if character.isspace() or character == _HYPHEN:
            end = row + (character == _HYPHEN)
            if end > first:
                yield first, end
            first = row + 1


def _word(characters: list[str], boxes: NDArray[np.float64]) -> Word:
    text = "".join(characters).replace(_HYPHEN, "-")
    x0, y0 = boxes[:, :2].min(axis=0)
    x1, y1 = boxes[:, 2:].max(axis=0)
    return Word(_UNREADABLE.sub("\ufffd", text), float(x0), float(y0), float(x1), float(y1))


def _character(textpage: Any, row: int) -> str:
    import pypdfium2.raw as pdfium_c

    code = pdfium_c.FPDFText_GetUnicode(textpage, row)
    return _HYPHEN if code == 2 else chr(code) if 0 < code < 0x110000 else " "
