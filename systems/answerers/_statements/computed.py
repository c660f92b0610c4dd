"""Computed measures: what a formula gives, the figures that it was worked out from, and the working in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from systems.answerers._statements.formulas import Formula, Item, Operation, formula_of
from systems.answerers._statements.items import Books, Operand
from systems.answerers._statements.terms import Term, term_of

_SIGNS: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
}


class Result(NamedTuple):
    """A value in units, the working with the figures as printed, and these figures."""

    value: float
    working: str
    operands: tuple[Operand, ...] = ()

    @property
    def is_read(self) -> bool:
        """Whether it is a figure as printed, not worked out."""
        return len(self.operands) == 1 and self.working == self.operands[0].text


@dataclass(frozen=True)
class Worker:
    """Works formulas out with the figures of the books."""

    books: Books
    since: int | None = None
    """The year from which a change counts where the item names none; None is the year before."""

    def work(self, formula: Formula, year: int) -> Result | None:
        """The formula's result for the year; None where a figure is missing."""
        if isinstance(formula, float):
            return Result(formula, f"{formula:g}")
        if isinstance(formula, Operation):
            return self._operation(formula, year)
        if formula.kind:
            return self._over_years(formula, year)
        return self._value(formula, formula.years[-1] if formula.years else year)

    def _operation(self, formula: Operation, year: int) -> Result | None:
        left, right = self.work(formula.left, year), self.work(formula.right, year)
        if left is None or right is None or (formula.sign == "/" and not right.value):
            return None
        value = _SIGNS[formula.sign](left.value, right.value)
        one = _bracketed(left, formula.left, formula.sign, last=False)
        other = _bracketed(right, formula.right, formula.sign, last=True)
        return Result(value, f"{one} {formula.sign} {other}", left.operands + right.operands)

    def _over_years(self, item: Item, year: int) -> Result | None:
        first, last = (item.years[0], item.years[-1]) if len(item.years) > 1 else (self.since or year - 1, year)
        before, after = self._value(item, first), self._value(item, last)
        if item.kind == "before" or before is None or after is None:
            return before if item.kind == "before" else None
        operands = before.operands + after.operands
        if item.kind == "average":
            return Result((before.value + after.value) / 2, f"(({before.working} + {after.working}) / 2)", operands)
        return Result(after.value - before.value, f"({after.working} - {before.working})", operands)

    def _value(self, item: Item, year: int) -> Result | None:
        term = term_of(item.phrase) or Term(item.phrase, item.phrase, labels=(item.phrase,))
        operand = self.books.find(term, year) if term.labels else None
        if operand:
            return Result(operand.value, operand.text, (operand,))
        formula = formula_of(term.formula) if term.formula else None
        return self.work(formula, year) if formula else None


def _bracketed(result: Result, formula: Formula, sign: str, *, last: bool) -> str:
    """Brackets where the order of the working needs them."""
    inner = formula.sign if isinstance(formula, Operation) else ""
    is_measure = not result.is_read and isinstance(formula, Item) and not formula.kind
    is_sum = is_measure or inner in ("+", "-")
    needed = (is_sum and sign in "*/") or (last and sign in "-/" and (is_sum or bool(inner)))
    return f"({result.working})" if needed else result.working
