"""The periods that a text names, and which of them a figure belongs to."""

from __future__ import annotations

import re
from typing import NamedTuple

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_MONTH = rf"(?:{_MONTHS})\.?"
_YEAR = r"(?:19|20)\d\d"
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "1st": "1", "2nd": "2", "3rd": "3", "4th": "4"}

DATE = re.compile(
    rf"\b(?:{_MONTH}[\s]+\d{{1,2}}(?:st|nd|rd|th)?(?:,?[\s]+{_YEAR})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[\s]+(?:of[\s]+)?{_MONTH}(?:,?[\s]+{_YEAR})?"
    rf"|{_MONTH},?[\s]+{_YEAR}"
    rf"|\d{{1,2}}[/.]\d{{1,2}}[/.](?:{_YEAR}|\d\d)|{_YEAR}-\d\d-\d\d)\b",
    re.IGNORECASE,
)
PERIOD = re.compile(
    rf"\b(?P<quarter>[QH]\s?[1-4]|[1-4][QH]|(?:first|second|third|fourth|1st|2nd|3rd|"
    rf"4th)[\s-]+(?:fiscal[\s-]+)?(?:quarter|half))"
    rf"(?:[\s,]*(?:of|in|for)?\s*(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?:FY\s?)?['’]?(?P<qyear>{_YEAR}|\d\d)\b)?"
    rf"|\b(?:FY|CY|fiscal\s+(?:years?\s+)?|F)\s?['’]?(?P<fy>{_YEAR}|\d\d)(?:[/–-](?P<fy2>{_YEAR}|\d\d)\b)?(?!\d|"
    rf"[.,]\d)"
    rf"|(?<![\d.,$€£#/])(?P<year>{_YEAR})(?:[/](?P<year2>\d\d)\b)?(?![\d%]|[.,]\d|\s?(?:million|billion|thousand|%|"
    rf"percent|bn\b|mn\b))",
    re.IGNORECASE,
)


class Period(NamedTuple):
    """A period with its place: `names` are a year, or a quarter and a year where one was given."""

    start: int
    end: int
    names: tuple[str, ...]


def _full(year: str) -> str:
    return year if len(year) == 4 else f"20{year}"


def _quarter(text: str) -> str:
    word = text.lower().split()[0].split("-")[0]
    letter = (
        "H"
        if "h" in text.lower().replace("fourth", "").replace("third", "").replace("4th", "")
        and "quarter" not in text.lower()
        else "Q"
    )
    number = _ORDINALS.get(word) or "".join(char for char in text if char.isdigit())
    return f"{letter}{number}"


def periods_of(text: str) -> list[Period]:
    """Every period named in a text, in order. "FY22" is ("2022",), "Q2 2023" ("2023", "Q2")."""
    found = []
    for match in PERIOD.finditer(text):
        year = match["fy2"] or match["fy"] or match["qyear"] or match["year2"] or match["year"]
        names: tuple[str, ...] = (_full(year),) if year else ()
        if match["quarter"]:
            names += (_quarter(match["quarter"]),)
        found.append(Period(match.start(), match.end(), names))
    return found


def agree(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two periods may be the same: nothing that both name differs."""
    years = [{name for name in names if name.isdigit()} for names in (first, second)]
    parts = [{name for name in names if not name.isdigit()} for names in (first, second)]
    return all(not (one and two) or bool(one & two) for one, two in (years, parts))
