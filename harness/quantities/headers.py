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
    r"|(?P<thousands>\$[ ]?(?:['’]?000s?|000))(?![,.\d])",
    re.IGNORECASE,
)
_PER_SHARE = re.compile(
    r"except\s+(?:for\s+)?(?:\w+\s+){0,4}?(?:per[\s-]share|earnings per|ratios|percent|where|number|share|per)",
    re.IGNORECASE,
)


class Header(NamedTuple):
    """A scale statement: where it stands, its factor, its currency, and whether per-share rows are excepted."""

    start: int
    end: int
    scale: Decimal
    unit: Unit
    excepts: bool


def headers_of(text: str) -> list[Header]:
    """Every scale statement of a text, in order."""
    return [_header(text, match) for match in _HEADER.finditer(text)]


def _header(text: str, match: re.Match[str]) -> Header:
    word = (match["scale"] or match["short"] or match["ownscale"] or "thousand").lower()
    scale = Decimal(1000) if "000" in word else SCALES[word]
    currency = match["before"] or match["after"] or match["code"] or match["own"]
    if match["thousands"] or (currency is None and match[0].lower().startswith("dollars")):
        currency = "$"
    unit = unit_named("ils" if (currency or "").lower() == "nis" else currency) if currency else BARE
    return Header(match.start(), match.end(), scale, unit, bool(_PER_SHARE.search(text, match.end(), match.end() + 90)))
