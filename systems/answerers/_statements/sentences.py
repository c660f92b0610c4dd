"""Which figure of a sentence a question asks for."""

from __future__ import annotations

import re
from typing import NamedTuple

from systems.answerers._statements import vocabulary
from systems.answerers._statements.periods import years

_MONEY = re.compile(
    rf"(?:US)?[$€£¥₹]\s?\d[\d,.]*\d?(?:\s+(?:{vocabulary.SENTENCE_SCALE}))?|\d[\d,]*(?:\.\d+)?%|"
    rf"\d[\d,]*(?:\.\d+)?\s+(?:{vocabulary.BARE_SCALE})\b"
)
_PLAIN = re.compile(r"(?<![\w$.,(])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w,.]?\d|\w)")
_DATE = re.compile(
    rf"\b(?:{vocabulary.MONTH})[a-z]*\.?\s+\d{{1,2}}(?:,\s*\d{{4}})?|"
    rf"\b(?:{vocabulary.NUMBERED})\s+[\d.()-]+|\b{vocabulary.NAME_WITH_NUMBER}\b"
)
_ASIDE = re.compile(rf"\((?:{vocabulary.SENTENCE_ASIDE})[^)]*\)")


class Figure(NamedTuple):
    """A figure as printed, and how surely it is that of the year asked, 0 to 1."""

    text: str
    sure: float


def figure_in(sentence: str, asked: tuple[int, ...], *, counts: bool = False) -> Figure | None:
    """The sentence's figure: of several in a list, that which stands where the year stands ("… in 2015, 2016, and 2017").

    A bare number is hardly meant unless the question `counts`.
    """
    text = _ASIDE.sub(" ", _DATE.sub(" ", sentence))
    money = _MONEY.findall(text)
    found = money or [figure for figure in _PLAIN.findall(text) if not years(figure)]
    if not found:
        return None
    figure = _choice(sentence, found, asked)
    return figure if money or counts else figure._replace(sure=0.5 * figure.sure)


def by_year(sentence: str) -> dict[int, str]:
    """The figures of a sentence that lists as many of them as years: "$5 and $6 million in 2018 and 2019"."""
    found = _MONEY.findall(_ASIDE.sub(" ", _DATE.sub(" ", sentence)))
    named = list(dict.fromkeys(years(sentence)))
    return dict(zip(named, found, strict=True)) if len(found) == len(named) > 1 else {}


def _choice(sentence: str, found: list[str], asked: tuple[int, ...]) -> Figure:
    named = list(dict.fromkeys(years(sentence)))
    listed = by_year(sentence)
    if asked and asked[0] in listed:
        return Figure(listed[asked[0]], 1.0)
    if asked and named and asked[0] not in named:
        return Figure(found[0], 0.4)
    return Figure(found[0], 1.0 if len(found) == 1 else 0.6)
