"""What a bare figure counts, where that is no unit of the tables: "3 tesla", "50 mSv". Compared as text, never dropped."""

from __future__ import annotations

import re

from harness.quantities.quantity import Quantity
from harness.quantities.units import BARE

_NOUN = re.compile(r"[ -]?([°ºµμ]?[^\W\d_][\w²³°/·µμ-]*)")
_SYMBOL = re.compile(r"[°ºµμ²³·/]|\w[A-Z]|(?i:[^aeiouy\W\d_]{2,4})\Z")
"""A unit's symbol rather than a word: odd marks, inner capitals, no vowel."""
_COUNTS = frozenset({"", "currency", "people", "shares", "ratio", "times", "points"})
_NONE = frozenset(
    re.findall(
        r"\w+",
        "in of at on by for to as and or but from per with than is was are were will has have had total units which that "
        "who each if so when while since after before until during over under respectively more less fewer up down only "
        "compared versus vs about the a an this these those not also then because due based being it they we rose fell",
    )
)


def noun_of(quantity: Quantity) -> str:
    """The word right behind a figure that has no unit; empty where it is none or a mere joining word."""
    found = _NOUN.match(quantity.behind) if quantity.unit is BARE and quantity.scale is None else None
    return found[1] if found and found[1].lower() not in _NONE else ""


def counts_same(claim: Quantity, reference: Quantity, known: str) -> bool | None:
    """Whether two figures count the same as far as their texts say; None where two plain nouns differ.

    `known`: the question and the answer; a noun that stands there is no other one.
    """
    one, other = noun_of(claim), noun_of(reference)
    if other and claim.unit.dimension not in _COUNTS:
        return False if _SYMBOL.search(other) else None
    if not one or not other or one == other or _stem(one) == _stem(other):
        return True
    if _SYMBOL.search(one) or _SYMBOL.search(other):
        return False
    words = {_stem(word) for word in re.findall(r"\w+", known)}
    return True if _stem(other) in words else None


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|s|y)\Z", "", word.lower())
