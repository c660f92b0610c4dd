"""Numbers that are no figures: years, dates, page, note and list numbers, the names of forms and standards."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from harness.quantities.periods import DATE, PERIOD

_NAMED = (
    "table|figure|fig\\.?|exhibit|item|section|chapter|part|appendix|schedule|step|level|scope|tier|topic|phase|article|rule|asc|asu|"
    "ifrs|ias|sfas|no\\.|number|paragraph|question|category|type|stage|version|basel|class|series|annex|principle|pillar|division|"
    "iso|iec|din|form|chart|box|slide|sheet|line|row|column|unit|block|building|room|suite|zone|route|flight|model|generation|gen|day|week"
)
_LABEL = re.compile(
    r"\b(?:pages?|pp?\.|pgs?\.?|p\.)\s?(?P<page>\d+(?:\s?[-–,&]\s?\d+)*)(?!\d|[.,]\d|\s?%)"
    r"|\b(?:foot)?notes?\s(?P<note>\d+[a-z]?(?:\.\d+)?(?:(?:,|\sand|\s?[-–])\s?\d+)*)(?!\d|,\d|\s?%)"
    rf"|\b(?:{_NAMED})\s(?P<label>\d+(?:[.-]\d+)*[a-z]?)\b(?!,\d|\s?%|\s(?:million|billion|thousand))"
    r"|\[(?P<cite>\d{1,3}(?:[,\s–-]+\d{1,3})*)\]"
    r"|\b(?P<form>\d{1,2}-[KQF]s?(?:/A)?)\b"
    r"|\bS&P\s(?P<index>\d+)\b|\b(?:Fortune|FTSE|Russell|Nikkei|CAC|DAX|OMX|STOXX)\s(?P<fund>\d+)\b"
    r"|(?:^|\n)[ \t]*(?P<list>\(?\d{1,2}[.)])(?=[ \t]+[^\s\d])"
    r"|(?P<dotted>\b(?!\d{1,3}(?:\.\d{3})+(?![\d.]))\d+(?:\.\d+){2,}\b(?!,))"
    r"|(?P<clock>\b\d{1,2}:\d\d\b)"
    r"|\b(?P<ordinal>\d+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_ROLES = {"page": "page", "note": "note", "list": "list"}


class Mark(NamedTuple):
    """A stretch of text whose numbers play another role: year, date, page, note, list or label."""

    start: int
    end: int
    role: str


def marks_of(text: str) -> list[Mark]:
    """Every such stretch, in order."""
    marks = [Mark(match.start(), match.end(), "date") for match in DATE.finditer(text)]
    marks += [Mark(match.start(), match.end(), "year") for match in PERIOD.finditer(text)]
    for match in _LABEL.finditer(text):
        name = match.lastgroup or ""
        marks.append(Mark(*match.span(name), _ROLES.get(name, "label")))
    return sorted(marks)


def role_at(marks: list[Mark], start: int, end: int) -> str:
    """The role of the number at that place: "figure" where no mark covers it."""
    place = bisect_right(marks, (start, 10**9, ""))
    for mark in marks[max(0, place - 4) : place]:
        if mark.start <= start and end <= mark.end:
            return mark.role
    return "figure"
