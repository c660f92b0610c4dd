"""Whether a claimed quantity is the reference one, and where it is not, how it slipped.

The rule (harness/scoring/README.md, Score): right is the exact value or its own correct rounding. A claim coarser than the
reference must be the reference's correct rounding and lie within 0.5% of it; a finer one must round to the reference. Sign,
unit and scale must agree; percent and fraction, basis point and percent, million and billion agree by conversion.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from harness.quantities.periods import agree
from harness.quantities.quantity import Quantity
from harness.quantities.signs import BOUNDS
from harness.quantities.units import same_dimension

TOLERANCE = Decimal("0.005")
_SLIPS = tuple(Decimal(10) ** n for n in (3, -3, 6, -6, 9, -9, 2, -2, 1, -1, 5, -5, 7, -7))
RIGHT = frozenset({"exact", "rounded"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a claim is to a reference: `kind` is one of exact, rounded, too coarse (a rounding further off than
    0.5%), near (within 0.5%, yet no rounding), scale slip, sign slip, unit mismatch,
    bound (one bounds from below, the other from above), other period, other; `reason` says it in words."""

    kind: str
    reason: str

    @property
    def right(self) -> bool:
        return self.kind in RIGHT


def rounds_to(value: Decimal, step: Decimal, target: Decimal) -> bool:
    """Whether `target` is `value` rounded to a multiple of `step`; a tie may go up or to the even digit."""
    return any((value / step).to_integral_value(mode) * step == target for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN))


def same_value(claimed: Decimal, claimed_step: Decimal, reference: Decimal, reference_step: Decimal) -> str | None:
    """ "exact", "rounded" or "too coarse" where the values agree under the rule above, None where they do not."""
    if claimed == reference:
        return "exact"
    if claimed_step > reference_step:
        if not rounds_to(reference, claimed_step, claimed):
            return None
        return "rounded" if abs(claimed - reference) <= TOLERANCE * abs(reference) else "too coarse"
    return "rounded" if claimed_step < reference_step and rounds_to(claimed, reference_step, reference) else None


def compare(claimed: Quantity, reference: Quantity, *, signs: tuple[int, ...] = (1,)) -> Comparison:
    """Compare two quantities as they stand; `signs` holds -1 too where the question leaves the sign open."""
    kind = _kind(claimed, reference, signs)
    return Comparison(kind, f"{claimed.text!r} against {reference.text!r}: {kind}")


def _kind(claimed: Quantity, reference: Quantity, signs: tuple[int, ...]) -> str:
    comparable = _comparable(claimed, reference)
    same = _same(claimed, reference, signs) if comparable else None
    if same in RIGHT and BOUNDS.get(claimed.qualifier, 0) * BOUNDS.get(reference.qualifier, 0) < 0:
        return "bound"
    if same in RIGHT and not agree(claimed.period, reference.period):
        return "other period"
    if same:
        return same
    if not comparable:
        return "unit mismatch" if _digits_agree(claimed, reference) else "other"
    if _near(claimed, reference, signs):
        return "near"
    if _same(claimed, reference, (-1, 1)) in RIGHT:
        return "sign slip"
    return "scale slip" if _slipped(claimed, reference) else "other"


def _comparable(claimed: Quantity, reference: Quantity) -> bool:
    one, other = claimed.unit, reference.unit
    return not one.dimension or not other.dimension or same_dimension(one, other)


def _same(claimed: Quantity, reference: Quantity, signs: tuple[int, ...]) -> str | None:
    for sign in signs:
        same = same_value(sign * claimed.directed, claimed.precision, reference.directed, reference.precision)
        if same:
            return same
    return None


def _near(claimed: Quantity, reference: Quantity, signs: tuple[int, ...]) -> bool:
    """Within 0.5%, or cut off instead of rounded: what the rounding of intermediate results can do to a computed figure."""
    value, target = claimed.directed, reference.directed
    if any(abs(sign * value - target) <= TOLERANCE * abs(target) for sign in signs):
        return True
    return (
        reference.digits > 1 and claimed.precision < reference.precision and _cut(value, reference.precision) == target
    )


def _cut(value: Decimal, step: Decimal) -> Decimal:
    return (value / step).to_integral_value(ROUND_DOWN) * step


def _slipped(claimed: Quantity, reference: Quantity) -> bool:
    """Whether a power of ten that people slip by makes them agree."""
    value, target = abs(claimed.value), abs(reference.value)
    return any(
        same_value(value * slip, claimed.precision * slip, target, reference.precision) in RIGHT for slip in _SLIPS
    )


def _digits_agree(claimed: Quantity, reference: Quantity) -> bool:
    same = same_value(abs(claimed.mantissa), claimed.step, abs(reference.mantissa), reference.step)
    return same in RIGHT or _slipped(claimed, reference)
