"""Dates: "March 31, 2021", "31 March 2021", "2021-03-31" and "March 2021" as (year, month, day), each part where given.

dateparser guesses at what is missing (today's year, the first of the month); a comparison must not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<m{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = re.compile(
    rf"\b(?:{_MONTH.format(1)}\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y1>(?:19|20)\d\d))?(?!\d)"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format(2)}(?:,?\s+(?P<y2>(?:19|20)\d\d))?"
    rf"|{_MONTH.format(3)},?\s+(?P<y3>(?:19|20)\d\d)"
    r"|(?P<y4>(?:19|20)\d\d)-(?P<n4>\d\d)-(?P<d4>\d\d)|(?P<n5>\d{1,2})/(?P<d5>\d{1,2})/(?P<y5>(?:19|20)?\d\d)"
    r"|(?P<d6>\d{1,2})\.(?P<n6>\d{1,2})\.(?P<y6>(?:19|20)\d\d)|(?P<y7>(?:19|20)\d\d))\b",
    re.IGNORECASE,
)


class Date(NamedTuple):
    """A date as far as it was given: 0 where a part was not."""

    year: int
    month: int
    day: int


def dates_of(text: str) -> list[Date]:
    """Every date of a text in order; a year alone is one."""
    return [_date(match) for match in _DATE.finditer(text)]


def places_of(text: str) -> list[tuple[int, Date]]:
    """Every date of a text with the place where it starts."""
    return [(match.start(), _date(match)) for match in _DATE.finditer(text)]


def is_dates(text: str) -> bool:
    """Whether a text is nothing but one or more dates and the words that go with them."""
    rest = _DATE.sub(" ", text)
    return bool(_DATE.search(text)) and not re.search(
        r"[A-Za-z]{2,}|\d",
        re.sub(
            r"\b(?:on|in|at|the|and|by|from|to|until|of|as|fiscal|year|fy|ended|ending|since)\b",
            " ",
            rest,
            flags=re.IGNORECASE,
        ),
    )


def _date(match: re.Match[str]) -> Date:
    parts = match.groupdict()
    pick = {
        letter: next((value for key, value in parts.items() if key[0] == letter and value), "") for letter in "mndy"
    }
    month = _MONTHS.index(pick["m"][:3].lower()) + 1 if pick["m"] else int(pick["n"] or 0)
    year, day = int(pick["y"] or 0), int(pick["d"] or 0)
    month, day = (day, month) if month > 12 else (month, day)
    return Date(year + 2000 if 0 < year < 100 else year, month, day)


def same_date(one: Date, other: Date) -> bool:
    """Whether nothing that both dates state differs, and they share at least a year or a day of a month."""
    pairs = [(first, second) for first, second in zip(one, other, strict=True) if first and second]
    return (
        bool(pairs)
        and all(first == second for first, second in pairs)
        and (bool(one.year and other.year) or len(pairs) == 2)
    )


def meets(wanted: Date, given: Date) -> bool:
    """Whether `given` states all that `wanted` states, and the same; a missing year is forgiven where month and day agree."""
    if (wanted.month and not given.month) or (wanted.day and not given.day):
        return False
    return same_date(wanted, given)
