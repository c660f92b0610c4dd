"""Words as the lexical parts see them: lower case, stemmed, stop words out, figures and hyphenated terms whole.

Text without spaces between words gives pairs of letters (unspaced.py).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

from systems._shared import unspaced

_LETTERS = r"[^\W_]+(?:[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff][^\W_]*)*"
"""Letters with the marks that Hebrew, Arabic and the scripts of India set on them."""
_TOKEN = re.compile(
    rf"""
    \d{{1,3}}(?:,\d{{2,3}})+(?:\.\d+)?(?![^\W_])        # 1,284 and 12,34,567.8
    | \d+(?:\.\d+)*(?![^\W_]|-[^\W\d_])               # 2024, 4.5 and 4.5.1
    | {_LETTERS}(?:[-'&]{_LETTERS})*                   # words, year-end, 10-K, FY2024, shareholder's, R&D
    """,
    re.VERBOSE,
)

_FIGURE = re.compile(r"[\d.,]+")

_STOP = """
    a about after all also am an and any are as at be because been before being between both but by can could did do
    does doing down during each few for from further had has have having he her here hers him his how i if in into is it
    its itself just me more most my no nor not of off on once only or other our ours out over own same shall she should
    so some such than that the their theirs them then there these they this those through to too under until up upon
    very was we were what when where which while who whom why will with would you your yours s t
"""
STOP_WORDS = frozenset(_STOP.split())


@functools.cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 100_000)


def tokens(text: str) -> list[str]:
    """The tokens of `text`, in order. A hyphenated term gives itself and its parts: "year-end" → year-end, year, end.

    Figures keep their grouping out and their decimals in ("1,284" → "1284"), so that they match however they are written.
    Chinese, Japanese, Thai and their like give pairs of letters: "净利润" → 净利, 利润.
    """
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("‑", "-")
    if plain.isascii() or not unspaced.RUN.search(plain):
        return _words(plain)
    parts = unspaced.RUN.split(unspaced.joined(plain))
    return [token for place, part in enumerate(parts) for token in (unspaced.pairs if place % 2 else _words)(part)]


def _words(plain: str) -> list[str]:
    found: list[str] = []
    for match in _TOKEN.finditer(plain):
        found += _forms(match.group())
    return found


@functools.lru_cache(maxsize=1 << 16)
def _forms(word: str) -> tuple[str, ...]:
    if _FIGURE.fullmatch(word):
        return (word.replace(",", ""),)
    parts = [part.removesuffix("'s").strip("'") for part in re.split(r"[-&]", word)]
    whole = [word] if len(parts) > 1 else []
    stems = [_stem(part) for part in parts if len(part) > 0 and part not in STOP_WORDS]
    return (*whole, *stems)


def _stem(word: str) -> str:
    stem: str = _stemmer().stemWord(word)
    return stem
