"""Figures and words that a page shows in one piece and that a parser gives in two: "15 8,382" for 158,382."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from systems.parsers._lines import lines

_ABUTTING = 0.1
"""Share of the height up to which a gap is no gap: the two pieces were set as one."""
_NARROW, _WIDE = 0.2, 0.6
"""Shares of the font's size: a gap that is too narrow for a space, and one that no letter-spacing explains."""
_SPACED = 0.3
"""Share of single letters among a page's words from which on it is set letter by letter."""

_END = re.compile(r"[\d.,]*\d[.,]?\Z")
_START = re.compile(r"[.,]?\d[\d.,]*")
_FIGURE = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?[.,]?\Z")
_BROKEN = re.compile(r"\d,\d{1,2} \d")
_WORD = re.compile(r"[^\W\d_]+")

_SIGNS = frozenset("0123456789.,")

Joins = dict[str, str]
"""What a parser wrote, and what is to stand in its place."""


def torn_figures(items: Sequence[Any]) -> Joins:
    """Figures in two text items between which there is no gap."""
    near = [item for item in items if _END.search(item.text) or _START.match(item.text)]
    return {f"{left} {right}": left + right for line in lines(near, 1.0) for left, right in _torn(line)}


def _torn(line: Sequence[Any]) -> Iterator[tuple[str, str]]:
    for left, right in pairwise(sorted(line, key=lambda item: item.x)):
        gap, height = right.x - left.x - left.width, left.height
        end, start = _END.search(left.text), _START.match(right.text)
        if not (end and start) or not -1 < gap < _ABUTTING * height or abs(right.height - height) > 0.1 * height:
            continue
        if _FIGURE.match(end.group() + start.group()):
            yield end.group(), start.group()


def letter_spaced(items: Sequence[Any]) -> bool:
    """Whether a page's letters stand so far apart that they were taken for words."""
    words = [word for item in items for word in _WORD.findall(item.text)]
    single = [word for word in words if len(word) == 1 and word not in "aAI" and word.isascii()]
    return len(single) >= 10 and len(single) > _SPACED * len(words)


def broken_figures(items: Sequence[Any]) -> bool:
    """Whether a page holds figures that end in the middle of their thousands."""
    return sum(len(_BROKEN.findall(item.text)) for item in items) >= 2


def spaced_words(items: Sequence[Any]) -> Joins:
    """What the items of a letter-spaced page say, by what was written of them. Needs the boxes of their words."""
    letters = letter_spaced(items)
    found = {item.text: _closed(item, letters) for item in items if len(item.words) > 1}
    return {written: text for written, text in found.items() if written != text}


def _closed(item: Any, letters: bool) -> str:
    """The item's text without the spaces that are narrower than one, or as narrow as the item's narrowest.

    `letters`: whether words are closed too, and not only figures.
    """
    size = item.font_size or item.height
    gaps = [right.x - left.x - left.width for left, right in pairwise(item.words)]
    most = _NARROW * size
    if letters and sum(len(word.text) == 1 for word in item.words) >= 0.5 * len(item.words):
        most = min(max(most, 1.5 * max(min(gaps), 0.0) + 0.05 * size), _WIDE * size)
    spaces = [
        "" if gap < most and _fit(left.text[-1], right.text[0], letters) else " "
        for gap, (left, right) in zip(gaps, pairwise(item.words), strict=True)
    ]
    return "".join(word.text + space for word, space in zip(item.words, [*spaces, ""], strict=True))


def _fit(left: str, right: str, letters: bool) -> bool:
    """Whether two signs may belong to one figure, or to one word."""
    figure = left in _SIGNS and right in _SIGNS
    return figure or (letters and not left.isdigit() and not right.isdigit())


def mended(text: str, joins: Joins) -> str:
    """`text` with each torn piece as it stands on the page."""
    for torn in sorted((torn for torn in joins if torn in text), key=len, reverse=True):
        text = re.sub(rf"(?<![\w.,]){re.escape(torn)}(?!\w|[.,]\d)", joins[torn].replace("\\", r"\\"), text)
    return text
