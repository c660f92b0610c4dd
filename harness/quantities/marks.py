"""Numbers that are no figures: years, dates, page, note and list numbers, the names of forms and standards."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from harness.quantities.periods import DATE, Period

_PAGE = frozenset(["page", "pages", "p", "pp", "pg", "pgs"])
_NOTE = frozenset(["note", "notes", "footnote", "footnotes"])
_NAMED = frozenset(
    re.findall(
        r"\w+",
        "table figure fig exhibit item section chapter part appendix schedule step level scope tier topic phase "
        "article rule asc asu "
        "ifrs ias sfas no number paragraph question category type stage version basel class series annex principle "
        "pillar division "
        "iso iec din form chart box slide sheet line row column unit block building room suite zone route flight "
        "model generation "
        "gen day week fortune ftse russell nikkei cac dax omx stoxx",
    )
)
_KEYED = re.compile(
    r"(?<=[A-Za-z.][ \n])\d+(?:[.-]\d+)*[a-z]?\b(?!,\d|\s?%|\s(?:million|billion|thousand))|(?<=[Pp]\.)\d+"
)
_WORD = re.compile(r"([A-Za-z]+)[. \n]*\Z")
_MORE = re.compile(r"(?:(?:\s?[-–,&]\s?|\sand\s)\d+)+(?!\d|[.,]\d|\s?%)")
_SHAPED = re.compile(
    r"\[(?P<cite>\d{1,3}(?:[,\s–-]+\d{1,3})*)\]"
    r"|(?P<point>\(\d\))(?=[ ]+[A-Z][a-z])"
    r"|(?:^|\n)[ \t]*(?P<list>\(?\d{1,2}[.)])(?=[ \t]+[^\s\d])"
    r"|(?<!\d)(?:(?P<form>\d{1,2}-[KQFkqf]s?)\b|(?P<clock>\d{1,2}:\d\d)\b|(?<=S&P )(?P<index>\d+)\b"
    r"|(?<![\d.,])(?P<dotted>(?!\d{1,3}(?:\.\d{3})+(?![\d.]))\d+(?:\.\d+){2,}\b(?!,)))"
)


class Mark(NamedTuple):
    """A stretch of text whose numbers play another role: year, date, page, note, list or label."""

    start: int
    end: int
    role: str


def marks_of(text: str, periods: list[Period]) -> list[Mark]:
    """Every such stretch, in order. `periods`: those that the text names."""
    marks = [Mark(match.start(), match.end(), "date") for match in DATE.finditer(text)]
    marks += [Mark(period.start, period.end, "year") for period in periods]
    for match in _SHAPED.finditer(text):
        name = match.lastgroup or ""
        marks.append(Mark(*match.span(name), "list" if name == "list" else "label"))
    return sorted([*marks, *_keyed(text)])


def role_at(marks: list[Mark], start: int, end: int) -> str:
    """The role of the number at that place: "figure" where no mark covers it."""
    place = bisect_right(marks, (start, 10**9, ""))
    for mark in marks[max(0, place - 4) : place]:
        if mark.start <= start and end <= mark.end:
            return mark.role
    return "figure"


def _keyed(text: str) -> Iterator[Mark]:
    """Numbers by the word in front: "page 12", "notes 5 and 6", "Table 3"."""
    for match in _KEYED.finditer(text):
        word = _WORD.search(text, max(0, match.start() - 14), match.start())
        name = word[1].lower() if word else ""
        if name in _PAGE or name in _NOTE:
            more = _MORE.match(text, match.end())
            yield Mark(match.start(), more.end() if more else match.end(), "page" if name in _PAGE else "note")
        elif name in _NAMED:
            yield Mark(match.start(), match.end(), "label")
