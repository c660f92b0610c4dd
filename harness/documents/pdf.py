"""One PDF read with pypdfium2: permissive, and no contestant. Text, words, printed labels, sizes and pictures of its pages.

Text is taken as PDFium gives it, text outside the visible page left out. Line ends become "\n"; the mark that PDFium sets for
a hyphen at the end of a line becomes the hyphen that is printed; other control characters become U+FFFD, since something stands
there that cannot be read. Ligatures, soft hyphens, combining characters and spaces stay as they are.
"""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.documents import page_numbers
from harness.documents.annotations import as_seen
from harness.errors import UserError
from harness.readable import readable

LARGEST_IMAGE = 50_000_000
"""Pixels of a page image at most; a page that would need more is drawn smaller."""
LARGEST_LOOK = 50_000_000
"""Bytes of a file that cannot be opened that are looked at for the reason."""

_PDFIUM = threading.RLock()
"""PDFium is not thread-safe: whoever touches one of its objects holds this."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_PDFIUM=threading.RLock()))
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


class Word(NamedTuple):
    """A word and its box in points from the top left of the page as it is shown."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True)
class ReferencePage:
    """What the instrument reads on a page. `error` says why a page gives no text; width and height are in points.

    `doubt` says that another reader reads something else there, so that what is absent from `text` may well be on the page.
    """

    text: str
    label: str | None = None
    width: float = 0.0
    height: float = 0.0
    error: str | None = None
    doubt: str | None = None


def count_pages(pdf: Path) -> int:
    """The number of pages of a PDF. Raises UserError where it cannot be opened or has none."""
    with _opened(pdf) as document:
        return len(document)


def describe(pdf: Path) -> tuple[int, str | None]:
    """Number of pages and title of a PDF: its own title, else the largest lines of its first page, else None.

    Raises UserError where it cannot be opened.
    """
    with _opened(pdf) as document:
        title = _title(str(document.get_metadata_value("Title")))
        if not title:
            title = _largest_lines(document)
        return len(document), title or None


def _title(text: str) -> str:
    """The text on one line; empty where it is no title, or nobody can read it."""
    plain = " ".join(_UNREADABLE.sub("", text).split())
    return plain if readable(text) and not _NO_TITLE.match(plain) else ""


def unread_pages(pdf: Path) -> dict[str, list[int]]:
    """The pages that need another reader than one of text: {"picture": […], "unreadable": […]}, numbered from 1.

    A picture holds no letter, and something else; unreadable is text of letters that say nothing. Blank pages are neither.
    Raises UserError where the file cannot be opened.
    """
    found: dict[str, list[int]] = {}
    with _opened(pdf) as document:
        for number in range(1, len(document) + 1):
            if state := _unread(document, number):
                found.setdefault(state, []).append(number)
    return found


def _unread(document: Any, number: int) -> str | None:
    import pypdfium2 as pdfium

    try:
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as textpage:
            text = str(textpage.get_text_range())
            if text.strip():
                return None if readable(text) else "unreadable"
            return "picture" if next(page.get_objects(max_depth=1), None) is not None else None
    except (pdfium.PdfiumError, ValueError, OverflowError):
        return None


def _largest_lines(document: Any) -> str:
    import pypdfium2 as pdfium

    try:
        with closing(document[0]) as page, closing(page.get_textpage()) as textpage:
            return _title(page_numbers.largest(*_pieces(page, textpage)))
    except pdfium.PdfiumError:
        return ""


def extract_reference(pdf: Path) -> tuple[ReferencePage, ...]:
    """Text, printed label and size of every page in one pass over the document; nothing is cached.

    A page that cannot be read carries its error. Raises UserError for a document that cannot be opened.
    """
    with _opened(pdf) as document:
        read = [_read_page(document, row) for row in range(len(document))]
    found = page_numbers.printed([page_numbers.candidates(lines) for _, lines in read])
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
    if b"/BrotliDecode" in data:
        return "the PDF is compressed with Brotli, which PDFium cannot read yet; save it again without that"
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
            page, _ = as_seen(document, number - 1)
        except pdfium.PdfiumError:
            raise UserError(f"{pdf}: page {number} is damaged and cannot be opened.") from None
        with closing(page):
            yield page


def _read_page(document: Any, row: int) -> tuple[ReferencePage, list[page_numbers.Line]]:
    import pypdfium2 as pdfium

    try:
        page, notes = as_seen(document, row)
        with closing(page), closing(page.get_textpage()) as textpage:
            width, height = page.get_size()
            text = "\n".join(part for part in (_text(textpage), *map(_cleaned, notes)) if part)
            return ReferencePage(text, None, width, height), _edge_lines(page, textpage)
    except (pdfium.PdfiumError, ValueError, OverflowError) as error:
        return ReferencePage("", error=f"page {row + 1} cannot be read: {error}"), []


def _edge_lines(page: Any, textpage: Any) -> list[page_numbers.Line]:
    pieces, read = _pieces(page, textpage)
    width, height = page.get_size()
    return page_numbers.edge_lines(pieces, width, height, read)


def _text(textpage: Any) -> str:
    """The text of the visible page. See the head of this file for what becomes of control characters."""
    text = str(textpage.get_text_bounded())
    if "\x02" in text and "\x02" not in textpage.get_text_range():
        text = text.replace("\x02", "-")
    return _cleaned(text)


def _cleaned(text: str) -> str:
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

    def rect(self, box: page_numbers.Box) -> tuple[float, float, float, float]:
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


def _pieces(page: Any, textpage: Any) -> tuple[NDArray[np.float64], page_numbers.Read]:
    """Where text stands on the page, as rows of (x0, y0, x1, y1), and what reads the text inside a box."""
    frame = _Shown.of(page)
    rects = [textpage.get_rect(number) for number in range(textpage.count_rects())]
    boxes = frame.boxes(np.array(rects, dtype=np.float64).reshape(-1, 4))
    return page_numbers.visible(boxes, *page.get_size()), lambda box: str(textpage.get_text_bounded(*frame.rect(box)))


def words(pdf: Path, number: int) -> list[Word]:
    """The words of page `number` with their boxes, in the order of the text."""
    with _page(pdf, number) as page:
        return _words(page)


def image(pdf: Path, number: int, dpi: int) -> bytes:
    """Page `number` as a PNG of `dpi` pixels an inch, less where it would have more than LARGEST_IMAGE pixels."""
    with _page(pdf, number) as page:
        width, height = page.get_size()
        scale = min(dpi / 72, (LARGEST_IMAGE / max(width * height, 1.0)) ** 0.5)
        picture = page.render(scale=scale).to_pil()
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()


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
