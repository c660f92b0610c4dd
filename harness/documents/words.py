"""The words and figures of a text, so that two readings of a page can be compared: what one holds and the other lacks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, kana and Han, which are written without spaces: each sign counts as a word."""
_TOKEN = re.compile(rf"(?P<figure>\d+(?:[.,'’]\d+)*)|[{_UNSPACED}]|[^\W\d_{_UNSPACED}]{{2,}}")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑\u00ad]\s*(?=[^\W\d_])|\u00ad")


class Token(NamedTuple):
    """A word or a figure."""

    text: str
    figure: bool


def tokens(text: str) -> list[Token]:
    """The words and figures of a text, in its order. "exam-", "ple" on two lines is the word "example"."""
    plain = _HYPHEN.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return [Token(match.group(), match["figure"] is not None) for match in _TOKEN.finditer(plain)]


def missing(expected: Sequence[Token], found: Sequence[Token]) -> list[Token]:
    """The tokens of `expected` beyond those of `found`, each as often as it is lacking, in the order of the text."""
    left = Counter(found)
    lacking: list[Token] = []
    for token in expected:
        left[token] -= 1
        if left[token] < 0:
            lacking.append(token)
    return lacking
