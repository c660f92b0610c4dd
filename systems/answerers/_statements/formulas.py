"""Formulas as questions and textbooks write them: "365 * average inventories / (COGS + change in inventory)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*([*×/÷+()]|(?<=\s)[-−–](?=\s)|\b(?:less|minus|plus|times|divided by|multiplied by)\b)\s*")
_SAME = {"×": "*", "times": "*", "multiplied by": "*", "÷": "/", "divided by": "/", "plus": "+"}
_ASIDE = re.compile(r"[(\[](?:from|as|in|per|using|i\.e\.|which|see)\b[^)\]]*[)\]]|\[[^\]]*\]")
_WHEN = re.compile(
    r"\b(?:(?:between|from|for|in|of|at|over|as of) )?(?:the )?(?:end of )?(?:fiscal year |fiscal |fy ?|year )?"
    r"((?:19|20)\d\d|(?<=fy)\d\d|(?<=fy )\d\d)(?: and| to|,)?(?!\w)"
)
_KIND = re.compile(r"\A(average|avg\.?|mean|change in|increase in)\s+(?:of )?(?:the )?")


@dataclass(frozen=True)
class Item:
    """A line item or measure by name. `kind`: "" is its value, "average" and "change" are over two years."""

    phrase: str
    kind: str = ""
    years: tuple[int, ...] = ()


@dataclass(frozen=True)
class Operation:
    """Two formulas and "+", "-", "*" or "/" between them."""

    sign: str
    left: Formula
    right: Formula


Formula = float | Item | Operation


def formula_of(text: str) -> Formula | None:
    """The formula that a text is; None where it is none."""
    parts = [part.strip() for part in _TOKEN.split(_ASIDE.sub(" ", text.lower()))]
    parts = [_SAME.get(part, part) for part in parts if part]
    parts = ["-" if part in ("less", "minus", "−", "–") else part for part in parts]
    reader = _Reader(parts)
    try:
        found = reader.sum()
    except (IndexError, ValueError):
        return None
    return found if reader.place == len(parts) else None


@dataclass
class _Reader:
    parts: Sequence[str]
    place: int = 0

    def sum(self) -> Formula:
        """Products, added and subtracted."""
        left = self._product()
        while self._next() in ("+", "-"):
            left = Operation(self._take(), left, self._product())
        return left

    def _product(self) -> Formula:
        left = self._factor()
        while self._next() in ("*", "/"):
            left = Operation(self._take(), left, self._factor())
        return left

    def _factor(self) -> Formula:
        part = self._take()
        if part == "(":
            inner = self.sum()
            if self._take() != ")":
                raise ValueError("a bracket is not closed")
            return inner
        if part in ("+", "-", "*", "/", ")"):
            raise ValueError(f"{part} stands where a name should")
        return float(part) if re.fullmatch(r"\d+(?:\.\d+)?", part) else item_of(part)

    def _next(self) -> str:
        return self.parts[self.place] if self.place < len(self.parts) else ""

    def _take(self) -> str:
        self.place += 1
        return self.parts[self.place - 1]


def item_of(text: str) -> Item:
    """The item that a phrase in lower case names, with its years: "average accounts payable between fy2016 and fy2017"."""
    years = tuple(int(year) if len(year) == 4 else 2000 + int(year) for year in _WHEN.findall(text))
    plain = re.sub(r"[\"“”.,:;?]|\A\W*(?:the|a)\s", " ", _WHEN.sub(" ", text))
    plain = re.sub(r"\A(?:total )?unadjusted |\A(?:the|its|their) ", "", " ".join(plain.split()))
    kind = _KIND.match(plain)
    named = {"a": "average", "m": "average", "c": "change", "i": "change"}[kind[1][0]] if kind else ""
    return Item(plain[kind.end() :] if kind else plain, named, years)
