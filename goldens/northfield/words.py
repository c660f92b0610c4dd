"""From a script to printed words: `{revenue}` becomes the figure, `[ceo|Ana Dell]` the words; both are kept as facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from figures import Figures
from layout import NBSP, Facts

_SLOT = re.compile(
    r"\{(?P<sign>-?)(?P<key>[a-z_0-9]+%?)(?P<back>-\d)?(?:\|(?P<form>\w+))?\}|\[(?P<fact>[a-z_0-9]+)\|(?P<words>[^\]]+)\]"
)
PER_SHARE = {"eps", "eps_diluted", "dps", "floor_price"}
TIMES = {"leverage", "book_to_bill"}
SHARES = {"shares", "shares_diluted"}
PERCENT = {
    "margin",
    "ebitda_margin",
    "tax_rate",
    "rnd_share",
    "seg1_margin",
    "seg2_margin",
    "seg3_margin",
    "equity_ratio",
}


def fact(key: str, year: int) -> str:
    """The name of a fact: `cash@2024`, whether it is printed as this year's end or next year's beginning."""
    return f"{key.removesuffix('_before')}@{year - 1}" if key.endswith("_before") else f"{key}@{year}"


@dataclass(frozen=True)
class Speaker:
    """Prints figures and words as one report does."""

    figures: Figures
    report: int

    def unit(self, key: str) -> str:
        """What follows the number in running text."""
        operating = self.figures.drivers.operating
        if key.endswith("%") or key in PERCENT:
            return "%"
        if key.removesuffix("_before") in operating:
            return operating[key.removesuffix("_before")][0]
        if key in PER_SHARE or key in TIMES:
            return "x" if key in TIMES else ""
        return " million"

    def places(self, key: str, amount: Decimal) -> int:
        if key in PER_SHARE or key in TIMES:
            return 2
        if key in SHARES or key.endswith("%") or key in PERCENT:
            return 1
        if key.removesuffix("_before") in self.figures.drivers.operating:
            return max(0, -int(amount.as_tuple().exponent))
        return self.figures.drivers.places

    def money(self, key: str) -> bool:
        base = key.removesuffix("_before")
        plain = base in self.figures.drivers.operating or base in SHARES or self.unit(key) in ("%", "x")
        return base in PER_SHARE or not plain

    def number(self, key: str, amount: Decimal) -> str:
        return f"{amount:,.{self.places(key, amount)}f}"

    def prose(self, key: str, amount: Decimal) -> str:
        """`$1,284 million`, `6.2%`, `612.4 GWh`, `$1.70`."""
        sign = self.figures.drivers.sign if self.money(key) else ""
        return f"{'-' if amount < 0 else ''}{sign}{self.number(key, abs(amount))}{self.unit(key)}"

    def formal(self, key: str, amount: Decimal) -> str:
        """As an answer writes it: `USD 1,284 million`, `USD 1.70 per share`."""
        code = f"{self.figures.drivers.currency} " if self.money(key) else ""
        tail = " per share" if key in PER_SHARE - {"floor_price"} else self.unit(key)
        return f"{'-' if amount < 0 else ''}{code}{self.number(key, abs(amount))}{tail}"

    def cell(self, key: str, amount: Decimal) -> str:
        """As a table prints it: negatives in parentheses, nothing as a dash."""
        unit = "%" if self.unit(key) == "%" else ""
        if amount == 0 and not unit:
            return "\u2013"
        text = self.number(key, abs(amount)) + unit
        return f"({text})" if amount < 0 else text

    def value(self, key: str, year: int) -> Decimal:
        return self.figures.value(key, year, self.report)

    def shown(self, key: str, year: int, form: str, sign: int = 1) -> str:
        amount = self.value(key, year) * sign
        if form == "n":
            return self.cell(key, amount)
        if form == "bn":
            return f"{self.figures.drivers.sign}{amount / 1000:.1f} billion"
        return self.prose(key, abs(amount) if form == "abs" else amount)

    def say(self, text: str) -> tuple[str, Facts]:
        """The printed text and the facts in it; a fact's words are never parted at a line end."""
        facts: Facts = []

        def fill(match: re.Match[str]) -> str:
            key, shown = self._slot(match)
            if key:
                facts.append((key, shown))
            return shown.replace(" ", NBSP)

        return _SLOT.sub(fill, text), facts

    def _slot(self, match: re.Match[str]) -> tuple[str, str]:
        if match["fact"]:
            return match["fact"], match["words"]
        year = self.report + int(match["back"] or 0)
        if match["key"] == "year":
            return "", str(year)
        key, form = match["key"], match["form"] or ""
        return ("" if form == "bn" else fact(key, year)), self.shown(key, year, form, -1 if match["sign"] else 1)
