"""Annotations and filled fields as a reader sees them: part of the page. PDFium's text is that of the page alone."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any


def as_seen(document: Any, row: int) -> tuple[Any, list[str]]:
    """A page with its annotations and filled fields as part of it, and what typed notes say whose look the file leaves open.

    A reader sees no difference, but PDFium reads only the page. What is hidden, or for paper only, stays away. Nothing is
    written: the file in memory is changed.
    """
    import pypdfium2.raw as pdfium_c

    page = document[row]
    if not pdfium_c.FPDFPage_GetAnnotCount(page):
        return page, []
    shown = [note for note in map(_shown, _each(page)) if note is not None]
    if shown:
        pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
        page.close()
        page = document[row]
    return page, [note for note in shown if note]


def _each(page: Any) -> Iterator[Any]:
    import pypdfium2.raw as pdfium_c

    for place in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, place)
        if annotation:
            yield annotation
            pdfium_c.FPDFPage_CloseAnnot(annotation)


def _shown(annotation: Any) -> str | None:
    """None where an annotation shows no text on the screen; else its text where nothing is drawn for it, or an empty one.

    What is not to be shown on the screen is hidden here, which flattening heeds.
    """
    import pypdfium2.raw as pdfium_c

    kind, flags = pdfium_c.FPDFAnnot_GetSubtype(annotation), pdfium_c.FPDFAnnot_GetFlags(annotation)
    if flags & pdfium_c.FPDF_ANNOT_FLAG_NOVIEW:
        pdfium_c.FPDFAnnot_SetFlags(annotation, flags | pdfium_c.FPDF_ANNOT_FLAG_HIDDEN)
    if kind not in (pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_STAMP, pdfium_c.FPDF_ANNOT_WIDGET):
        return None
    unseen = flags & (pdfium_c.FPDF_ANNOT_FLAG_NOVIEW | pdfium_c.FPDF_ANNOT_FLAG_HIDDEN)
    drawn = unseen or kind != pdfium_c.FPDF_ANNOT_FREETEXT or pdfium_c.FPDFAnnot_HasKey(annotation, b"AP")
    return "" if drawn else _contents(annotation)


def _contents(annotation: Any) -> str:
    """What was typed into an annotation."""
    import pypdfium2.raw as pdfium_c

    size = pdfium_c.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0)
    buffer = ctypes.create_string_buffer(size)
    pointer = ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR))
    pdfium_c.FPDFAnnot_GetStringValue(annotation, b"Contents", pointer, size)
    return buffer.raw[: max(size - 2, 0)].decode("utf-16-le", "replace").strip()
