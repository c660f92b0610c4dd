"""The page's text in the order in which PDFium gives it; no headings, no tables. The second reader of parsers that break."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from harness.bench import Bench
from harness.protocols import Parser
from harness.readable import readable
from harness.records import Block, Page, PageRef


class PlainText(Parser):
    """One block of text a page. It asks PDFium for nothing but the pages: no outline, no forms, no annotations."""

    def parse(self, pdf: Path, doc: str, bench: Bench) -> list[Page]:
        """All pages of `pdf`; one that PDFium cannot open is `failed`. Raises PdfiumError where that is the whole file."""
        import pypdfium2

        with pypdfium2.PdfDocument(pdf) as document:
            return [self._page(document, number, doc) for number in range(len(document))]

    def _page(self, document: Any, number: int, doc: str) -> Page:
        import pypdfium2

        ref = PageRef(doc, number + 1)
        try:
            page = document[number]
            text = page.get_textpage().get_text_bounded().replace("\r\n", "\n").replace("\ufffe", "-").strip()
            blocks = (Block(kind="text", text=text),) if text else ()
            return Page(ref=ref, status=_status(page, text), blocks=blocks)
        except pypdfium2.PdfiumError as error:
            return Page(ref=ref, status="failed", error=f"{type(error).__name__}: {error}")


def _status(page: Any, text: str) -> Literal["ok", "blank", "unreadable"]:
    if text:
        return "ok" if readable(text) else "unreadable"
    return "unreadable" if next(page.get_objects(max_depth=1), None) is not None else "blank"
