"""What an extractive answerer may quote: the sentences of a passage, and the rows of its tables with their headers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.records import Chunk, Hit

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"'(•])")
_YEARS = re.compile(r"(?:19|20)\d\d")
_CELL = " | "


class Quote(NamedTuple):
    """A line that may be an answer. `header` names its columns, where it is a table's row; `rank` is its hit's, from 0."""

    chunk: Chunk
    rank: int
    text: str
    header: str = ""


def quotes(hits: Sequence[Hit]) -> Iterator[Quote]:
    """Every sentence and every table row of the hits, in their order."""
    for rank, hit in enumerate(hits):
        lines = hit.chunk.passage.splitlines()
        for number, line in enumerate(lines):
            if _CELL in line:
                yield Quote(hit.chunk, rank, line.strip(), _header(lines, number))
            else:
                yield from (Quote(hit.chunk, rank, text.strip()) for text in _SENTENCE.split(line) if text.strip())


def _header(lines: Sequence[str], number: int) -> str:
    """The nearest line above that names years, or the line before the table."""
    above = [line for line in lines[max(0, number - 60) : number] if line.strip()]
    years = [line for line in above if len(_YEARS.findall(line)) >= 2 or (_CELL in line and _YEARS.search(line))]
    return (years or [line for line in above if _CELL not in line] or [""])[-1].strip()
