"""Parts of a whole and multiples in words: "2 of 8", "1/3", "a third", "doubled", "halved"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from harness.quantities.quantity import Quantity
from harness.quantities.units import BARE, TIMES

_OF = re.compile(
    r"\s+(?:(?:[a-z]+\s+)?out\s+)?of\s+(?:the\s+|its\s+|their\s+|all\s+|our\s+|a\s+total\s+of\s+)*", re.IGNORECASE
)
_SLASH = re.compile(r"\s?[/⁄]\s?")
_NOT_PART = re.compile(r"[/⁄]")
_MULTIPLES = {"doubl": 2, "tripl": 3, "trebl": 3, "quadrupl": 4, "quintupl": 5}
_FOLD = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_VERB = re.compile(
    rf"\b(?:(?P<verb>{'|'.join(_MULTIPLES)})(?:ed|es|ing|e)|(?P<half>halved|halves|halving)|"
    rf"(?P<fold>{'|'.join(_FOLD)})[- ]?fold)\b"
    r"(?![- ](?:digit|entry|taxation|dip|bottom))",
    re.IGNORECASE,
)
_IN = re.compile(
    rf"\b(?P<part>one|1|{'|'.join(_FOLD)}) (?:in|out of) (?:every )?(?P<whole>{'|'.join(_FOLD)}|[2-9]|10|20|50|"
    rf"100)\b(?![\w.,]*\d|-|"
    r" (?:years?|months?|days?|weeks?|quarters?|hours?|million|billion|thousand|stages|phases|countries|parts|instal\w+|"
    r"rows?)\b)",
    re.IGNORECASE,
)
EXACT = Decimal("1e-9")
"""The step of a fraction: it is as precise as one likes."""


def multiples_of(text: str) -> Iterator[Quantity]:
    """ "Doubled" as 2x, "halved" as 0.5x."""
    for match in _VERB.finditer(text):
        value = (
            Decimal("0.5")
            if match["half"]
            else Decimal(_MULTIPLES.get((match["verb"] or "").lower()) or _FOLD[match["fold"].lower()])
        )
        yield Quantity(match[0], match.start(), match.end(), value, Decimal("0.1"), None, TIMES, spelled=True)


def shares_of(text: str) -> Iterator[Quantity]:
    """ "One in five" as a fifth."""
    for match in _IN.finditer(text):
        part, whole = (
            Decimal(_FOLD.get(word.lower(), 1 if word.lower() == "one" else word)) for word in match.groups()
        )
        if part < whole:
            yield Quantity(
                match[0], match.start(), match.end(), part / whole, EXACT, spelled=True, behind=text[match.end() :][:32]
            )


def with_wholes(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Figures that are a part of the next one know their whole; the 3 of "1/3" is no figure of its own."""
    for i, (part, whole) in enumerate(pairwise(quantities)):
        if not _counts(part, whole) or len(text[part.end : whole.start]) > 32:
            continue
        joint = text[part.end : whole.start]
        if _OF.fullmatch(joint):
            quantities[i] = part.with_(whole=whole.mantissa)
        elif _SLASH.fullmatch(joint) and _is_fraction(text, part, whole):
            quantities[i] = part.with_(mantissa=part.mantissa / whole.mantissa, step=EXACT, end=whole.end,
                                       text=text[part.start : whole.end], unit=whole.unit, behind=whole.behind)  # fmt: skip
            quantities[i + 1] = whole.with_(role="whole")
    return quantities


def _counts(part: Quantity, whole: Quantity) -> bool:
    plain = part.unit is BARE and part.scale is None and whole.scale is None and part.role == whole.role == "figure"
    return plain and part.step == whole.step == 1 and 0 <= part.mantissa <= whole.mantissa and whole.mantissa > 0


def _is_fraction(text: str, part: Quantity, whole: Quantity) -> bool:
    """Whether "a/b" is a fraction: no date, no other slash beside it, no long number."""
    if _NOT_PART.match(text, whole.end) or text[max(0, part.start - 1) : part.start] in ("/", "⁄"):
        return False
    dated = part.mantissa <= 12 and 28 <= whole.mantissa <= 31
    return whole.mantissa < 1000 and not dated and part.mantissa < whole.mantissa and part.mantissa != 24


def fraction_of(quantity: Quantity) -> Quantity | None:
    """The share that a part is of its whole, None where it is part of nothing."""
    if quantity.whole is None:
        return None
    return quantity.with_(mantissa=quantity.mantissa / quantity.whole, step=EXACT, whole=None, unit=BARE)
