"""The readings that a bare number may have, given the question: "1,577" under "in millions", "1.9" for a percentage."""

from __future__ import annotations

from decimal import Decimal

from harness.quantities.asking import Ask
from harness.quantities.quantity import ONE, Quantity
from harness.quantities.units import BARE, PERCENT, Unit

_OPEN_SCALES = tuple(Decimal(10) ** n for n in (3, 6, 9))


def reference_readings(reference: Quantity, ask: Ask) -> list[Quantity]:
    """What the reference may stand for, most natural first."""
    if reference.scale is not None or reference.unit.dimension not in ("", "currency"):
        return [reference]
    if ask.scale and abs(reference.mantissa) < ask.scale:
        return [reference.with_(scale=ask.scale, unit=reference.unit if reference.unit is not BARE else ask.unit)]
    if ask.percent and reference.unit is BARE:
        return [reference if _fraction(reference) else reference.with_(unit=ask.unit)]
    return [reference]


def open_readings(reference: Quantity, ask: Ask) -> list[Quantity]:
    """A reference without unit and scale, to a question without: its scale is open ("1,383" from a table in millions)."""
    if reference.unit is not BARE or reference.scale is not None or ask.scale or ask.percent or ask.many:
        return []
    return [reference.with_(scale=scale) for scale in _OPEN_SCALES] if abs(reference.mantissa) >= 1 else []


def claim_readings(claim: Quantity, ask: Ask, reference: Quantity) -> list[Quantity]:
    """What a claimed figure may stand for: as written first, then with the unit or scale that the question sets."""
    readings = [claim]
    if (
        claim.scale is None
        and claim.unit.dimension in ("", "currency")
        and ask.scale
        and abs(claim.mantissa) < ask.scale
    ):
        readings.append(claim.with_(scale=ask.scale))
    if claim.unit is BARE and claim.scale is None and (ask.percent or _percent(reference.unit)):
        readings.append(claim.with_(unit=ask.unit if ask.percent else reference.unit))
    return readings


def _percent(unit: Unit) -> bool:
    return unit.dimension in ("ratio", "points")


def _fraction(quantity: Quantity) -> bool:
    return abs(quantity.mantissa) <= ONE and quantity.step < ONE


__all__ = ["PERCENT", "claim_readings", "open_readings", "reference_readings"]
