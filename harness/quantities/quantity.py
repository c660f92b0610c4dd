"""One quantity as read from a text: the noun that everything else in this package is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from harness.quantities.units import BARE, Unit

ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure of a text.

    `mantissa` is the number as written and signed ("(1.5)" is -1.5); `scale` what a scale word or a header multiplies it
    by (million: 1e6), None where none was stated; `unit` what it counts; `step` the last stated digit of the mantissa
    (0.1 for "1.5"), its stated precision. `direction` is -1 or 1 where words give the sign ("fell 4%"), 0 elsewhere;
    such a sign is not yet in the mantissa. `role` says what the number is: "figure", or what keeps it from being one
    ("year", "date", "page", "note", "list", "label"). `outcome` is -1 where words call it a loss or an outflow, 1 where a
    profit; `whole` what it is a part of ("2 of 8", "1/3"); `behind` the text that follows.
    """

    text: str
    start: int
    end: int
    mantissa: Decimal
    step: Decimal
    scale: Decimal | None = None
    unit: Unit = BARE
    signed: bool = False
    direction: int = 0
    qualifier: str = ""
    period: tuple[str, ...] = ()
    edge: str = ""
    role: str = "figure"
    header: bool = False
    spelled: bool = False
    outcome: int = 0
    behind: str = ""
    whole: Decimal | None = None

    @property
    def factor(self) -> Decimal:
        """Scale and unit together: what one of the mantissa is worth in the unit's base."""
        return (self.scale or ONE) * self.unit.factor

    @property
    def value(self) -> Decimal:
        """The signed value in the unit's base: dollars, fractions of one, kilograms. Direction words are not applied."""
        return self.mantissa * self.factor

    @property
    def precision(self) -> Decimal:
        """The last stated digit, in the unit's base: 100,000 for "$1.5 million"."""
        return self.step * self.factor

    @property
    def directed(self) -> Decimal:
        """The value with the sign that words give it: "fell 4%" is -0.04."""
        sign = -1 if self.outcome < 0 else self.direction
        return self.value * sign if sign and self.mantissa > 0 else self.value

    @property
    def digits(self) -> int:
        """Significant digits as stated: 4 for "1,284", 2 for "0.045"; trailing zeros of a whole number count."""
        return len(str(abs(int(self.mantissa / self.step))).lstrip("0")) or 1

    def with_(self, **changes: Any) -> Quantity:
        """The same quantity with some fields changed."""
        return replace(self, **changes)

    def json(self) -> dict[str, Any]:
        """What a score's detail keeps of it."""
        return {
            "text": self.text,
            "span": [self.start, self.end],
            "value": str(self.value),
            "unit": self.unit.name,
            "scale": str(self.scale) if self.scale else None,
            "period": list(self.period),
        }
