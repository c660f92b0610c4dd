"""The readings that a bare number may have, given the question: "1,577" under "in millions", "1.9" for a percentage."""

from __future__ import annotations

from decimal import Decimal

from harness.quantities.asking import Ask
from harness.quantities.parts import EXACT, fraction_of
from harness.quantities.quantity import ONE, Quantity
from harness.quantities.units import BARE, LOOSE, TIMES, Unit

_OPEN_SCALES = tuple(Decimal(10) ** n for n in (3, 6, 9))
PERCENT_OF_ONE = Unit("growth", "ratio")
"""The growth that a multiple is, as a fraction: tripled is 2."""
_HUNDREDTH = Decimal("0.01")
_MILLION = Decimal(10) ** 6
_LARGEST = Decimal(10) ** 14
"""Amounts beyond are written out in full already, whatever scale the question names."""
_OPEN = frozenset({"", "currency", "shares", "people", "mass", "oil", "barrels"})


def reference_readings(reference: Quantity, ask: Ask) -> list[Quantity]:
    """What the reference may stand for, most natural first."""
    share = fraction_of(reference)
    if share:
        return [share, reference]
    if reference.spelled and reference.step == EXACT:
        return [reference, reference.with_(mantissa=reference.mantissa.quantize(_HUNDREDTH), step=_HUNDREDTH)]
    if reference.unit is TIMES and reference.spelled and ask.change:
        return [reference.with_(mantissa=reference.mantissa - 1, unit=PERCENT_OF_ONE, step=_HUNDREDTH)]
    if reference.unit in LOOSE.values():
        return [reference, reference.with_(unit=BARE, scale=_MILLION), reference.with_(unit=BARE)]
    if reference.unit is BARE and ask.measure is not BARE:
        reference = reference.with_(unit=ask.measure)
    if reference.scale is not None or reference.unit.dimension not in _OPEN:
        return [reference]
    if ask.scale and not _written_out(reference, ask.scale):
        return [reference.with_(scale=ask.scale, unit=reference.unit if reference.unit is not BARE else ask.unit)]
    if ask.percent and reference.unit is BARE and not _fraction(reference):
        return [reference.with_(unit=ask.unit)]
    return [reference]


def _multiple(claim: Quantity, reference: Quantity, ask: Ask) -> list[Quantity]:
    """ "Doubled" is 100% more, where a change is asked for."""
    if claim.unit is not TIMES or not claim.spelled or not (ask.change or reference.direction or reference.signed):
        return []
    return [claim.with_(mantissa=claim.mantissa - 1, unit=BARE, step=_HUNDREDTH)] if _percent(reference.unit) else []


def open_readings(reference: Quantity, ask: Ask) -> list[Quantity]:
    """A reference without unit and scale, to a question without: its scale is open ("1,469" from a table in millions)."""
    if reference.unit is not BARE or reference.scale is not None or ask.scale or ask.percent or ask.many:
        return []
    return [reference.with_(scale=scale) for scale in _OPEN_SCALES] if abs(reference.mantissa) >= 1 else []


def claim_readings(claim: Quantity, ask: Ask, reference: Quantity) -> list[Quantity]:
    """What a claimed figure may stand for: as written first, then with the unit or scale that the question sets."""
    readings = [claim]
    if claim.scale is None and claim.unit.dimension in _OPEN and ask.scale and not _written_out(claim, ask.scale):
        readings.append(claim.with_(scale=ask.scale))
    if claim.unit is BARE and claim.scale is None and (ask.percent or _percent(reference.unit)):
        readings.append(claim.with_(unit=ask.unit if ask.percent else reference.unit))
    share = fraction_of(claim)
    readings += [share] if share and reference.whole is None else []
    readings += (
        [claim.with_(unit=BARE, scale=_MILLION), claim.with_(unit=BARE)]
        if claim.unit in LOOSE.values() and reference.unit.dimension != "length"
        else []
    )
    readings = _multiple(claim, reference, ask) or readings
    return [_measured(reading, reference) for reading in readings]


def measured(reference: Quantity, claim: Quantity) -> Quantity:
    """A bare reference in the measure that a claim states ("212" against "212 hectares")."""
    return _measured(reference, claim)


def _measured(bare: Quantity, other: Quantity) -> Quantity:
    if bare.unit is BARE and other.unit.dimension not in ("", "currency", "ratio", "points", "times"):
        return bare.with_(unit=other.unit)
    return bare


def _written_out(quantity: Quantity, scale: Decimal) -> bool:
    """Whether a number is too large to be meant in that scale: "$6,438,000,000", asked for in millions."""
    whole = quantity.unit is not BARE and abs(quantity.mantissa) >= scale and quantity.mantissa % 1000 == 0
    return whole or abs(quantity.mantissa) * scale > _LARGEST


def _percent(unit: Unit) -> bool:
    return unit.dimension in ("ratio", "points")


def _fraction(quantity: Quantity) -> bool:
    return abs(quantity.mantissa) <= ONE and quantity.step < ONE
