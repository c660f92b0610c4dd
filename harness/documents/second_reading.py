"""A second pair of eyes: liteparse's own text beside PDFium's. Where they differ widely, the reference text is in doubt.

PDFium loses some fonts, and layers of text under scans. What the second reader lacks is no reason for doubt: it loses more.
Both readers belong to the instrument, so that a page is in doubt or not whichever parser is under test.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.documents.pdf import ReferencePage
from harness.documents.words import Token, missing, tokens

UNREADABLE = 0.1
"""Share of unreadable signs from which on there is doubt."""
FEWEST, SHARE = 10, 0.2
"""Words and figures that only the second reader sees, and their share of all that it sees, from which on there is doubt."""


def doubted(pdf: Path, pages: Sequence[ReferencePage]) -> tuple[ReferencePage, ...]:
    """The pages, those in doubt with the reason. Without doubts where the second reader cannot open the file."""
    second = texts(pdf)
    return tuple(
        replace(page, doubt=doubt(page.text, second.get(number, ""))) for number, page in enumerate(pages, start=1)
    )


def doubt(first: str, second: str) -> str | None:
    """Why `first` may lack what stands on the page, None where it can be read and holds what `second` does."""
    visible, unreadable = len("".join(first.split())), first.count("\ufffd")
    if unreadable > UNREADABLE * visible:
        return f"{unreadable / visible:.0%} of what stands there cannot be read"
    seen = tokens(second)
    only = _beyond(tokens(first), seen)
    if len(only) < FEWEST or len(only) < SHARE * len(seen):
        return None
    sample = ", ".join(token.text for token in only[:3])
    return f"of the {len(seen)} words and figures that a second reader sees there, the first lacks {len(only)} ({sample}, …)"


def _beyond(first: Sequence[Token], second: Sequence[Token]) -> list[Token]:
    """What only the second holds. Words that are spaced otherwise, as on pages set letter by letter, are the same."""
    letters = "".join(_bare(token.text) for token in first)
    return [token for token in missing(second, first) if _bare(token.text) not in letters]


def _bare(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())


def texts(pdf: Path) -> dict[int, str]:
    """The second reader's text by page number. Pages whose text is set turned are left out: it reads them backwards."""
    from liteparse import LiteParse

    reader = LiteParse(
        ocr_enabled=False,
        max_pages=1_000_000,
        quiet=True,
        num_workers=1,
        output_format="text",
        continue_on_page_error=True,
    )
    try:
        with _silent():
            pages = reader.parse(pdf).pages
    except BaseException:  # a panic in Rust is no Exception
        return {}
    return {page.page_num: page.text for page in pages if not _turned(page)}


def _turned(page: Any) -> bool:
    return sum(len(item.text) for item in page.text_items if round(item.rotation / 90) % 4) > len(page.text) / 4


@contextmanager
def _silent() -> Iterator[None]:
    """Nothing that foreign code writes reaches the terminal."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
