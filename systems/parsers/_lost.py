"""Lines that stand on a page and in none of the blocks that a parser made of it: found, and put back where they stood."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from harness.records import Block
from systems.parsers._lines import cells, lines
from systems.parsers._tables import as_html, as_text

Box = tuple[float, float, float, float]

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]{2,}")
_EDGE = 0.12
"""Share of the page's height at its top and its bottom where running lines and page numbers stand."""
_RUNNING = 3
"""Pages on which a line stands in the same place to be a running one."""
_NUMBER = re.compile(r"\W*(?:page|seite|p\.)?\W*(?:\d{1,4}|[ivxl]+)(?:\s*(?:of|/|von)\s*\d{1,4})?\W*\Z", re.IGNORECASE)


Place = tuple[str, int]
"""The same for an item that runs from page to page: its text, digits aside, and how high it stands."""


class Lost(NamedTuple):
    """A line of cells that no block holds, the places of the items that it is made of, and its box."""

    cells: tuple[str, ...]
    items: tuple[Place, ...]
    box: Box

    @property
    def text(self) -> str:
        return " ".join(self.cells)


def lost_lines(items: Sequence[Any], blocks: Sequence[Block]) -> list[Lost]:
    """The lines of text items that hold words or figures which the blocks lack, or have too few of.

    Items outside of all blocks are taken to be the lost ones first, then those whose own block lacks what they say.
    """
    said = [_tokens(item.text) for item in items]
    missing = _missing(said, " ".join(block.text for block in blocks))
    if not missing:
        return []
    candidates = [
        (item, words) for item, words in zip(items, said, strict=True) if not missing.keys().isdisjoint(words)
    ]
    owners = [next((block for block in blocks if _inside(item, block.bbox)), None) for item, _ in candidates]
    lost = []
    for owner, item, words in sorted(
        ((owner, *one) for owner, one in zip(owners, candidates, strict=True)), key=lambda row: row[0] is not None
    ):
        if any(missing[word] > 0 for word in words) and (owner is None or not _holds(owner, items, words)):
            lost.append(item)
            missing.subtract(words)
    return [_line(line) for line in lines(lost, 3.0)]


def _missing(said: Sequence[Sequence[str]], text: str) -> Counter[str]:
    """How many of each word and figure `text` has too few of. A word may stand in it in pieces, or as part of one."""
    missing = Counter(chain.from_iterable(said))
    missing.subtract(_tokens(text))
    missing = +missing
    words = [word for word in missing if not word[0].isdigit()]
    letters = "".join(filter(str.isalpha, _plain(text))) if words else ""
    for word in words:
        if word in letters:
            del missing[word]
    return missing


def _holds(block: Block, items: Sequence[Any], words: Sequence[str]) -> bool:
    """Whether a block has all of an item's words, as often as the items in its box say them."""
    return not _missing([_tokens(item.text) for item in items if _inside(item, block.bbox)], block.text).keys() & set(
        words
    )


def _line(items: Sequence[Any]) -> Lost:
    box = (
        min(item.x for item in items),
        min(item.y for item in items),
        max(item.x + item.width for item in items),
        max(item.y + item.height for item in items),
    )
    return Lost(tuple(cell.text for cell in cells(items)), tuple(map(_where, items)), box)


def _where(item: Any) -> Place:
    return re.sub(r"\d+", "#", item.text.strip()), round(item.y / 5)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_plain(text))


def _plain(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _inside(item: Any, box: Box | None) -> bool:
    x, y = item.x + item.width / 2, item.y + item.height / 2
    return box is not None and box[0] - 2 <= x <= box[2] + 2 and box[1] - 2 <= y <= box[3] + 2


def running_items(pages: Sequence[Any]) -> frozenset[Place]:
    """Items of letters that stand in the same place at the edge of three pages or more."""
    places = Counter(
        place
        for page in pages
        for place in {_where(item) for item in page.text_items if _at_edge(item.y, item.y + item.height, page.height)}
    )
    return frozenset(place for place, count in places.items() if count >= _RUNNING and any(map(str.isalpha, place[0])))


def without_running(page: Sequence[Lost], running: frozenset[Place], height: float) -> list[Lost]:
    """The lost lines of a page without running ones and page numbers, which a parser leaves out on purpose."""
    return [line for line in page if not _at_edge(line.box[1], line.box[3], height) or not _runs(line, running)]


def _runs(line: Lost, running: frozenset[Place]) -> bool:
    """Whether a line is made of running items, and of one number at most: more of them head a table."""
    others = [text.replace("#", "1") for text, height in line.items if (text, height) not in running]
    return not others or (len(others) == 1 and _NUMBER.match(others[0]) is not None)


def _at_edge(top: float, bottom: float, height: float) -> bool:
    return bottom < _EDGE * height or top > (1 - _EDGE) * height


def put_back(blocks: Sequence[Block], lost: Sequence[Lost]) -> tuple[Block, ...]:
    """The blocks with the lost lines among them, each run of lines as one block below what it stands below."""
    found = list(blocks)
    for run in _runs_of(lost):
        block = _block(run)
        found.insert(_place(found, block), block)
    return tuple(found)


def _runs_of(lost: Sequence[Lost]) -> list[list[Lost]]:
    runs: list[list[Lost]] = [[line] for line in lost[:1]]
    for above, line in pairwise(lost):
        if line.box[1] - above.box[3] < line.box[3] - line.box[1]:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _block(run: Sequence[Lost]) -> Block:
    lefts, tops, rights, bottoms = zip(*(line.box for line in run), strict=True)
    box = (min(lefts), min(tops), max(rights), max(bottoms))
    if all(len(line.cells) == 1 for line in run):
        return Block(kind="text", text="\n".join(line.text for line in run), bbox=box)
    rows = [list(line.cells) for line in run]
    return Block(kind="table", text=as_text([], rows), html=as_html([], rows), bbox=box)


def _place(blocks: Sequence[Block], block: Block) -> int:
    """Before the first block that begins below it in the same column; else at the end."""
    assert block.bbox is not None
    left, top, right, _ = block.bbox
    below = (
        place
        for place, other in enumerate(blocks)
        if other.bbox and other.bbox[1] >= top and other.bbox[0] < right and other.bbox[2] > left
    )
    return next(below, len(blocks))
