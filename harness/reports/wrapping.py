"""Lines for the width of a terminal: wrapped at spaces, further lines below the column where the text began."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap

from harness.reports.escaping import hanging


def width() -> int | None:
    """Columns of the terminal; None where stdout is a file or a pipe and COLUMNS says nothing: then nothing is wrapped."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or os.environ.get("COLUMNS") else None


def wrapped(text: str, indent: int, columns: int | None) -> str:
    """`text` in lines of at most `columns` characters, the further ones indented; a word that is longer is left whole."""
    if columns is None:
        return hanging(text, indent)
    further = " " * min(indent, columns // 2)
    first, *rest = text.splitlines() or [""]
    return "\n".join(
        [*_lines(first, "", further, columns), *(p for one in rest for p in _lines(one, further, further, columns))]
    )


def _lines(text: str, first: str, further: str, columns: int) -> list[str]:
    if len(first + text) <= columns:
        return [first + text]
    return textwrap.wrap(
        text, columns, initial_indent=first, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )
