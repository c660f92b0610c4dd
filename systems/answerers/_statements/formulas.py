"""Formulas as questions and textbooks write them: "365 * average inventories / (COGS + change in inventory)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from systems.answerers._statements import vocabulary

_SPELT = "|".join(name for name in vocabulary.SIGNS if name.isascii())
_TOKEN = re.compile(rf"\s*([*×/÷+()]|(?<=\s)[-−–](?=\s)|\b(?:{_SPELT})\b)\s*")
_ASIDE = re.compile(rf"[(\[](?:{vocabulary.FORMULA_ASIDE})\b[^)\]]*[)\]]|\[[^\]]*\]")
_WHEN = re.compile(
    rf"\b(?:(?:{vocabulary.BEFORE_YEAR}) )?(?:the )?(?:end of )?(?:{vocabulary.FISCAL_YEAR})?"
    r"((?:19|20)\d\d|(?<=fy)\d\d|(?<=fy )\d\d)(?: and| to|,)?(?!\w)"
)
_KIND = re.compile(rf"\A(?:(?P<average>{vocabulary.AVERAGE})|(?P<change>{vocabulary.CHANGE}))\s+(?:of )?(?:the )?")


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
    parts = [vocabulary.SIGNS.get(part, part) for part in parts if part]
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
    plain = re.sub(vocabulary.ITEM_OPENING, "", " ".join(plain.split()))
    kind = _KIND.match(plain)
    return Item(plain[kind.end() :], kind.lastgroup or "", years) if kind else Item(plain, "", years)
