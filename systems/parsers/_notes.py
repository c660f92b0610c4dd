"""Text that was typed onto a page as an annotation and is seen like any other; liteparse does not say which ones are hidden."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from harness.records import Block

_UNSEEN = 2 | 32
"""The flags Hidden and NoView (ISO 32000, 12.5.3)."""


def notes_of(raw: Any, pdf: Path) -> list[Block]:
    """The notes that are seen on a page and are in no text item, as blocks of text."""
    written = " ".join(" ".join(item.text for item in raw.text_items).split())
    notes = [note for note in raw.annotations or () if note.subtype == "freetext" and (note.contents or "").strip()]
    notes = [note for note in notes if " ".join(note.contents.split()) not in written]
    unseen = [text.split() for text in _unseen(pdf, raw.page_num)] if notes else []
    return [_block(note) for note in notes if note.contents.split() not in unseen]


def _block(note: Any) -> Block:
    text = note.contents.replace("\r\n", "\n").replace("\r", "\n").strip()
    box = note.rect and (note.rect.x, note.rect.y, note.rect.x + note.rect.width, note.rect.y + note.rect.height)
    return Block(kind="text", text=text, bbox=box)


def _unseen(pdf: Path, number: int) -> Iterator[str]:
    """What the notes say that are not shown."""
    import pypdfium2
    import pypdfium2.raw as pdfium_c

    with pypdfium2.PdfDocument(pdf) as document, closing(document[number - 1]) as page:
        for row in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
            note = pdfium_c.FPDFPage_GetAnnot(page, row)
            if pdfium_c.FPDFAnnot_GetFlags(note) & _UNSEEN:
                yield _contents(note)
            pdfium_c.FPDFPage_CloseAnnot(note)


def _contents(note: Any) -> str:
    import ctypes

    import pypdfium2.raw as pdfium_c

    size = pdfium_c.FPDFAnnot_GetStringValue(note, b"Contents", None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium_c.FPDFAnnot_GetStringValue(note, b"Contents", ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR)), size)
    return buffer.raw[: max(size - 2, 0)].decode("utf-16-le", "replace")
