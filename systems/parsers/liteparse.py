"""LiteParse: born-digital PDFs in milliseconds a page, with typed blocks and tables; no OCR."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from harness.bench import Bench
from harness.protocols import Parser
from harness.readable import readable
from harness.records import Block, Page, PageRef
from systems.parsers._lines import rows_in
from systems.parsers._lost import Place, lost_lines, put_back, running_items, without_running
from systems.parsers._notes import notes_of
from systems.parsers._tables import as_html, as_text, split_prose
from systems.parsers._torn import Joins, broken_figures, letter_spaced, mended, spaced_words, torn_figures
from systems.parsers._turned import quarter, shown
from systems.parsers.plain_text import PlainText

_KINDS: dict[str, Literal["heading", "text", "list"]] = {"heading": "heading", "list_item": "list"}


class LiteParseParser(Parser):
    """Blocks of liteparse with running headers and footers left out, tables as rows and as HTML.

    Lines that liteparse loses between its blocks are put back, torn figures joined, turned pages read upright.
    """

    figures: bool = False
    """Also keep the embedded images, as figure blocks that name a blob."""

    def parse(self, pdf: Path, doc: str, bench: Bench) -> list[Page]:
        """All pages of `pdf`. Raises liteparse's ParseError where the file itself cannot be opened."""
        result = self._read(pdf)
        images = {image.id: bench.blobs.put(image.bytes) for image in result.images}
        errors = {error.page_num: error.message for error in result.page_errors}
        again = self._again(pdf, result.pages)
        raw = [again.get(page.page_num, (page, 0)) for page in result.pages]
        running = running_items([page for page, _ in raw])
        pages = [_page(page, doc, turned, running, images) for page, turned in raw]
        parsed = {
            first.page_num: _with_notes(page, notes_of(first, pdf))
            for first, page in zip(result.pages, pages, strict=True)
        }
        return [
            parsed[number]
            if number in parsed
            else Page(ref=PageRef(doc, number), status="failed", error=errors.get(number, "the parser left it out"))
            for number in range(1, result.total_pages + 1)
        ]

    def second(self) -> Parser:
        """PDFium's text."""
        return PlainText()

    def _again(self, pdf: Path, pages: Sequence[Any]) -> dict[int, tuple[Any, int]]:
        """The pages that are read once more, by number, with the degrees by which they were turned upright."""
        turned = {page.page_num: turn for page in pages if (turn := quarter(page.text_items))}
        odd = {page.page_num for page in pages if page.page_num in turned or _spaced(page.text_items)}
        read = self._read(pdf, odd, turned).pages if odd else []
        return {page.page_num: (page, turned.get(page.page_num, 0)) for page in read}

    def _read(self, pdf: Path, pages: Collection[int] = (), turned: Mapping[int, int] | None = None) -> Any:
        """All pages; or some of them anew, turned upright and with the boxes of their words."""
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
            extract_annotations=True,
            extract_images=self.figures and not pages,
            continue_on_page_error=True,
            target_pages=",".join(map(str, sorted(pages))) or None,
            page_orientation_corrections=sorted((turned or {}).items()),
            emit_word_boxes=bool(pages),
        )
        return parser.parse(pdf)


def _page(raw: Any, doc: str, turned: int, running: frozenset[Place], images: dict[str, str]) -> Page:
    """A page from what liteparse read on it, upright; `turned` says by how many degrees it was."""
    blocks = [block for each in raw.blocks or () for block in _blocks(each, raw.text_items, images)]
    lost = without_running(lost_lines(raw.text_items, blocks), running, raw.height)
    whole: Sequence[Block] = put_back(blocks, lost)
    if not any(block.text for block in whole) and raw.text.strip():
        whole = (*whole, Block(kind="text", text=raw.text.strip()))
    joins = torn_figures(raw.text_items)
    if any(item.words for item in raw.text_items) and _spaced(raw.text_items):
        joins |= spaced_words(raw.text_items)
    if joins or turned:
        whole = [_mended(block, joins, turned, raw) for block in whole]
    return Page(ref=PageRef(doc, raw.page_num), status=_status(raw), blocks=tuple(whole), label=raw.page_label)


def _with_notes(page: Page, notes: Sequence[Block]) -> Page:
    """The page with what was typed onto it; a page that holds nothing else is not blank."""
    if not notes:
        return page
    status = "ok" if page.status == "blank" else page.status
    return page.model_copy(update={"blocks": (*page.blocks, *notes), "status": status})


def _spaced(items: Sequence[Any]) -> bool:
    return letter_spaced(items) or broken_figures(items)


def _mended(block: Block, joins: Joins, turned: int, raw: Any) -> Block:
    html = block.html and mended(block.html, joins)
    box = block.bbox and shown(block.bbox, turned, raw.width, raw.height)
    return block.model_copy(update={"text": mended(block.text, joins), "html": html, "bbox": box})


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
    kind = _KINDS.get(raw.kind, "text")
    return [Block(kind=kind, text=_numbered(raw.marker, text), level=level, bbox=box)] if text.strip() else []


def _numbered(marker: str | None, text: str) -> str:
    """The text of a list's item after its number or letter, which is part of what stands there; not after a bullet."""
    return f"{marker} {text}" if marker and any(map(str.isalnum, marker)) and not text.startswith(marker) else text


def _table(raw: Any, box: tuple[float, float, float, float] | None) -> list[Block]:
    """A table, and as text of its own the running prose that liteparse took for its last rows."""
    header = [" ".join(cell.text.split()) for cell in raw.header or ()]
    rows, prose = split_prose([[cell.text for cell in row] for row in raw.rows or ()])
    blocks = [Block(kind="text", text=text, bbox=box) for text in prose]
    if not rows and not any(header):
        return blocks
    return [Block(kind="table", text=as_text(header, rows), html=as_html(header, rows), bbox=box), *blocks]
