"""Scale statements: "(in millions, except per share)" over a table, "(in thousands)" beside a figure."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from harness.quantities.units import BARE, SCALES, Unit, unit_named

_CURRENCY = (
    r"(?:US\$|USD|U\.S\. dollars?|US dollars?|dollars?|\$|NOK|EUR|euros?|€|GBP|£|SEK|DKK|CHF|INR|₹|CAD|C\$|AUD|A\$|"
    r"BRL|R\$|ILS|NIS|JPY|yen|RMB|CNY)"
)
_SCALE = r"(?:thousands?|millions?|billions?|trillions?|crores?|lakhs?|mn|bn|mill|mio|000s|['’]000s?)"
_HEADER = re.compile(
    rf"\b(?:(?:stated|amounts?|figures?|dollars|expressed|values?|numbers|shares|all|"
    rf"tabular)\s+(?:\w+\s+){{0,3}})?in\s+(?:(?P<before>{_CURRENCY})\s+)?(?P<scale>{_SCALE})(?:\s+(?:of\s+)?(?P<after>{_CURRENCY}))?(?!\w)"
    rf"|[(\[]\s?(?P<code>{_CURRENCY})\s?(?P<short>{_SCALE}|m|bn|k)\b"
    rf"|(?<![\w.])(?P<own>{_CURRENCY})[ ]?(?P<ownscale>{_SCALE}|m|k)(?=\s|\)|$)(?!\s*[\d(])"
    r"|(?P<thousands>\$[ ]?(?:['’]?000s?|000)(?![,.\d])|(?<=[(\[])\s?['’]000s?\s?(?=[)\]]))",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"[^)\]\n]{0,30}?\b(?:except|excluding|other than)\b(?: for|"
    r" that)?(?P<items>[^)\]\n]{0,160}(?:\n[^)\]\n]{0,80}(?=[)\]]))?)",
    re.IGNORECASE,
)
_ITEM = re.compile(r",\s*(?:and\s+)?|\s+and\s+(?!in\b)", re.IGNORECASE)
_STATED = re.compile(rf"\b(?:in|to the nearest)\s+(?P<scale>{_SCALE})\b", re.IGNORECASE)
_PER = re.compile(r"\bper\b|\bEPS\b", re.IGNORECASE)
_SHARES = re.compile(r"\bshares\b", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[a-z]{3,}")
_SAYS_NOTHING = frozenset(
    re.findall(
        r"\w+",
        "amount data information number otherwise noted indicated where which are reflected stated thousand million the "
        "for and",
    )
)


class Exempt(NamedTuple):
    """Rows that a header does not touch: the words that name them, whether they are per something, their own scale if any."""

    words: frozenset[str]
    per: bool
    scale: Decimal | None

    def names(self, row: str) -> bool:
        """Whether a row's text is one of these: per-share rows say "per", rows of shares do not."""
        per = bool(_PER.search(row)) and not _SHARES.search(row)
        return per if self.per else not per and self.words <= set(_singular(row))


class Header(NamedTuple):
    """A scale statement: where it stands, its factor, its currency, and the rows that it excepts."""

    start: int
    end: int
    scale: Decimal
    unit: Unit
    exempt: tuple[Exempt, ...]

    def scale_of(self, row: str) -> Decimal:
        """The scale of a row, given its text: the header's, or its own where the header excepts it (1 where none is said)."""
        excepted = next((exempt for exempt in self.exempt if exempt.names(row)), None)
        return self.scale if excepted is None else excepted.scale or Decimal(1)


def headers_of(text: str) -> list[Header]:
    """Every scale statement of a text, in order; one inside another's exception ("except shares, in thousands") is none."""
    headers: list[Header] = []
    reach = 0
    for match in _HEADER.finditer(text):
        if match.start() < reach:
            continue
        excepted = _EXCEPT.match(text, match.end())
        reach = excepted.end() if excepted else match.end()
        headers.append(_header(match, _exempt(excepted["items"]) if excepted else ()))
    return headers


def _header(match: re.Match[str], exempt: tuple[Exempt, ...]) -> Header:
    word = (match["scale"] or match["short"] or match["ownscale"] or "thousand").lower()
    scale = Decimal(1000) if "000" in word else SCALES[word]
    currency = match["before"] or match["after"] or match["code"] or match["own"]
    if match["thousands"] or (currency is None and match[0].lower().startswith("dollars")):
        currency = "$" if "$" in match[0] or not match["thousands"] else None
    unit = unit_named("ils" if (currency or "").lower() == "nis" else currency) if currency else BARE
    return Header(match.start(), match.end(), scale, unit, exempt)


def _exempt(items: str) -> tuple[Exempt, ...]:
    """ "shares, in thousands, and per-share amounts" as shares in thousands and per-share rows without a scale."""
    found: list[Exempt] = []
    for item in _ITEM.split(items.replace("-", " ")):
        stated = _STATED.search(item)
        words = frozenset(_singular(_STATED.sub(" ", item))) - _SAYS_NOTHING
        scale = SCALES[stated["scale"].lower()] if stated and "000" not in stated["scale"] else None
        if words:
            found.append(Exempt(words, bool(_PER.search(item)), scale))
        elif scale and found:
            found[-1] = found[-1]._replace(scale=scale)
    return tuple(found)


def _singular(text: str) -> list[str]:
    return [word.removesuffix("s") for word in _PLAIN_WORD.findall(text.lower())]
