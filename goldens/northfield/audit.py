"""Looks for evidence that no golden lists: the answer's figure or words on another page of the reports in scope.

The drawing records every figure of a table and every figure set by a script. So a figure found elsewhere is explained where
another fact printed it. What stands in hand-written prose is not recorded: it is reported unless it has been read and
entered in REVIEWED.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
from questions import Library

REVIEWED: dict[str, str] = {
    "104 degrees": "a temperature",
    "Within one year 26": "leases that fall due",
    "The grease for cold climates": "the remedy, not the cause",
    "exchange of grease": "the remedy, not the cause",
    "Exchange of grease": "the remedy, not the cause",
    "because of the grease": "parts returned, not the passengers of Ghent",
    "The contract with Corvane Rail": "taken off a list; that it was cancelled is not said",
    "claim of €1.2 million on Corvane Rail": "what is owed; that it cancelled is not said",
}
"""What stands around a find that was read and is no evidence, and why."""

_FRAME = re.compile(r"^\(|\)$|^(?:USD |EUR |[$€])|(?: million| thousand| per share|%| percent| pallet positions).*$")


def audit(goldens: list[dict[str, Any]], library: Library, pdfs: Path) -> list[str]:
    """One line for each find that nothing explains."""
    texts = {doc: _texts(pdfs / f"{doc}.pdf") for doc in library.drawn}
    asked = [golden for golden in goldens if golden["expect"] == "answer" and golden["answer_type"] != "yes/no"]
    return [line for golden in asked for line in _finds(golden, library, texts)]


def _texts(pdf: Path) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [" ".join(page.get_textpage().get_text_range().split()) for page in document]
    finally:
        document.close()


def _finds(golden: dict[str, Any], library: Library, texts: dict[str, list[str]]) -> Iterator[str]:
    known = {page for group in golden["evidence"] for page in group}
    for doc in golden["scope"]:
        for number, text in enumerate(texts[doc], 1):
            if f"{doc}:p{number}" not in known:
                yield from _on_page(golden, f"{doc}:p{number}", text, _printed(library, doc, number))


def _printed(library: Library, doc: str, page: int) -> str:
    """All that recorded facts print on a page."""
    return " | ".join(shown for pages in library.drawn[doc].placed.values() for shown in pages.get(page, []))


def _on_page(golden: dict[str, Any], ref: str, text: str, printed: str) -> Iterator[str]:
    for needle in sorted(_needles(golden)):
        pattern = re.compile(rf"(?<![\w.,]){re.escape(needle)}(?![\w]|[.,]\d)")
        if pattern.search(printed):
            continue
        for match in pattern.finditer(text):
            around = text[max(0, match.start() - 60) : match.end() + 30]
            if not any(reviewed in around for reviewed in REVIEWED):
                yield f"{golden['id']}: {needle!r} stands on {ref} too: …{around}…"


def _needles(golden: dict[str, Any]) -> set[str]:
    """The figures and words to look for: answers, other right answers and quotes, without unit and parentheses."""
    quoted = {quote for quotes in golden["quotes"].values() for quote in quotes}
    texts = {golden["answer"], *golden.get("accept", []), *quoted}
    return {_FRAME.sub("", _FRAME.sub("", text)) for text in texts} - {""}
