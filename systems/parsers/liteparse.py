"""LiteParse: born-digital PDFs in milliseconds a page, with typed blocks and tables; no OCR."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from harness.bench import Bench
from harness.protocols import Parser
from harness.records import Block, Page, PageRef
from systems.parsers._lines import rows_in
from systems.parsers._readable import readable
from systems.parsers._tables import as_html, as_text, split_prose

_KINDS: dict[str, Literal["heading", "text", "list"]] = {"heading": "heading", "list_item": "list"}


class LiteParseParser(Parser):
    """Blocks of liteparse with running headers and footers left out, tables as rows and as HTML."""

    figures: bool = False
    """Also keep the embedded images, as figure blocks that name a blob."""

    def parse(self, pdf: Path, doc: str, bench: Bench) -> list[Page]:
        """All pages of `pdf`. Raises liteparse's ParseError where the file itself cannot be opened."""
        result = self._read(pdf)
        images = {image.id: bench.blobs.put(image.bytes) for image in result.images}
        errors = {error.page_num: error.message for error in result.page_errors}
        parsed = {page.page_num: page for page in result.pages}
        return [
            _page(parsed[number], doc, images)
            if number in parsed
            else Page(ref=PageRef(doc, number), status="failed", error=errors.get(number, "the parser left it out"))
            for number in range(1, result.total_pages + 1)
        ]

    def _read(self, pdf: Path) -> Any:
        from liteparse import LiteParse

        parser = LiteParse(
            ocr_enabled=False,
            max_pages=1_000_000,
            quiet=True,
            num_workers=1,
            output_format="markdown",
            extract_blocks=True,
            extract_content_bounds=True,
            extract_links=False,
            extract_images=self.figures,
            continue_on_page_error=True,
        )
        return parser.parse(pdf)


def _page(parsed: Any, doc: str, images: dict[str, str]) -> Page:
    blocks = tuple(block for raw in parsed.blocks or () for block in _blocks(raw, parsed.text_items, images))
    if not any(block.text for block in blocks) and parsed.text.strip():
        blocks = (*blocks, Block(kind="text", text=parsed.text.strip()))
    return Page(ref=PageRef(doc, parsed.page_num), status=_status(parsed), blocks=blocks, label=parsed.page_label)


def _status(parsed: Any) -> Literal["ok", "blank", "unreadable"]:
    """Nothing drawn: blank. Something drawn but no text, or text that nobody can read: unreadable."""
    if not parsed.text.strip():
        return "blank" if parsed.content_bounds is None else "unreadable"
    return "ok" if readable(parsed.text) else "unreadable"


def _blocks(raw: Any, items: Sequence[Any], images: dict[str, str]) -> list[Block]:
    box = raw.bbox and (raw.bbox.x, raw.bbox.y, raw.bbox.x + raw.bbox.width, raw.bbox.y + raw.bbox.height)
    if raw.kind == "table":
        return _table(raw, box)
    if raw.kind == "figure":
        return [Block(kind="figure", bbox=box, image=images.get(raw.id))]
    rows = rows_in(items, box) if box and raw.kind == "paragraph" else None
    if rows:
        return [Block(kind="table", text=as_text([], rows), html=as_html([], rows), bbox=box)]
    text = "\n".join(raw.lines) if raw.lines else " ".join((raw.text or "").split())
    level = raw.level if raw.kind == "heading" else None
    return [Block(kind=_KINDS.get(raw.kind, "text"), text=text, level=level, bbox=box)] if text.strip() else []


def _table(raw: Any, box: tuple[float, float, float, float] | None) -> list[Block]:
    """A table, and as text of its own the running prose that liteparse took for its last rows."""
    header = [" ".join(cell.text.split()) for cell in raw.header or ()]
    rows, prose = split_prose([[cell.text for cell in row] for row in raw.rows or ()])
    blocks = [Block(kind="text", text=text, bbox=box) for text in prose]
    if not rows and not any(header):
        return blocks
    return [Block(kind="table", text=as_text(header, rows), html=as_html(header, rows), bbox=box), *blocks]
