"""Answers that are figures: which figure of the answer is meant, and whether it is the reference's."""

from __future__ import annotations

import re

from harness.quantities import Quantity, read_all
from harness.quantities.answering import Claim, claims_of, with_headers
from harness.quantities.asking import Ask
from harness.quantities.comparing import RIGHT, Comparison, compare
from harness.quantities.readings import claim_readings, open_readings, reference_readings
from harness.quantities.units import BARE
from harness.verdicts.verdict import Verdict

_CLOSE = 1.5
OPERAND = -3.0
"""Claims ranked below are operands of a working."""
_NOTHING = re.compile(r"\b(?:no|none|nil|nothing|not any|neither)\b", re.IGNORECASE)
_ORDER = ("exact", "rounded", "too coarse", "near", "sign slip", "scale slip", "other period", "unit mismatch", "other")


def figures_of(reference: str, ask: Ask) -> list[Quantity]:
    """The figures of a reference; a bare year counts where it is all that the reference holds and no year is asked for."""
    read = with_headers(reference, read_all(reference))
    figures = [quantity for quantity in read if quantity.role == "figure"]
    if not figures and len(read) == 1 and read[0].role == "year" and read[0].text == reference.strip() and not ask.year:
        return [read[0].with_(role="figure", period=())]
    return figures


def match(claim: Quantity, reference: Quantity, ask: Ask) -> Comparison:
    """The best comparison over the readings that claim and reference allow."""
    natural = [
        _compare(reading, target, ask)
        for target in reference_readings(reference, ask)
        for reading in claim_readings(claim, ask, target)
    ]
    best = min(natural, key=lambda comparison: _ORDER.index(comparison.kind))
    if best.right or (claim.scale is None and claim.unit is BARE):
        return best
    opened = [_compare(claim, target, ask) for target in open_readings(reference, ask)]
    return next((comparison for comparison in opened if comparison.right), best)


def _compare(claim: Quantity, reference: Quantity, ask: Ask) -> Comparison:
    if not reference.signed and reference.direction == 0 and claim.direction and not (ask.change and not ask.down):
        claim = claim.with_(direction=0)
    if ask.down and not ask.up and reference.value > 0 and claim.direction > 0:
        return Comparison("sign slip", f"{claim.text!r} is a rise, the question asks for a fall")
    if not reference.period and ask.periods:
        reference = reference.with_(period=ask.periods)
    if claim.period and ask.periods:
        reference = reference.with_(
            period=reference.period + tuple(p for p in ask.periods if p not in reference.period)
        )
    return compare(claim, reference, signs=ask.signs)


def judge_figure(answer: str, reference: Quantity, ask: Ask) -> Verdict:
    """Judge an answer whose reference is one figure."""
    years = reference.unit is BARE and reference.scale is None and reference.step == 1
    claims = claims_of(answer, ask, reference_readings(reference, ask)[0].unit, years=years)
    if not claims:
        return _without_figure(answer, reference)
    top = [claim for claim in claims if claims[0].rank - claim.rank < _CLOSE and claim.rank > OPERAND]
    return _decide(top or claims[:1], claims, reference, ask)


def _without_figure(answer: str, reference: Quantity) -> Verdict:
    """No figure is no answer to a question for one; "none" and "nil" are zero."""
    detail = {"reference": reference.json()}
    if reference.mantissa == 0 and _NOTHING.search(answer):
        return Verdict(True, "exact", "the answer says none, the reference 0", detail)
    return Verdict(False, "no figure", f"the answer holds no figure, the reference is {reference.text!r}", detail)


def _decide(top: list[Claim], claims: list[Claim], reference: Quantity, ask: Ask) -> Verdict:
    matches = [(claim, match(claim.quantity, reference, ask)) for claim in top]
    right = next(((claim, found) for claim, found in matches if found.right), None)
    claim, found = right or matches[0]
    detail = {"claim": claim.quantity.json(), "reference": reference.json(), "figures": len(claims)}
    if right:
        return Verdict(
            True, found.kind, f"{claim.quantity.text!r} is the reference {reference.text!r}, {found.kind}", detail
        )
    if found.kind == "near" and ask.computed:
        return Verdict(
            None, "near", f"{claim.quantity.text!r} is within rounding of the computed {reference.text!r}", detail
        )
    return Verdict(
        False, found.kind, f"{claim.quantity.text!r} is not the reference {reference.text!r}: {found.kind}", detail
    )


def missing_figures(reference: str, answer: str, ask: Ask) -> list[Quantity]:
    """The figures of a reference that no figure of the answer meets, operands of its working aside."""
    claims = [claim.quantity for claim in claims_of(answer, ask) if claim.rank > OPERAND]
    return [
        figure for figure in figures_of(reference, ask) if not any(match(claim, figure, ask).right for claim in claims)
    ]


__all__ = ["RIGHT", "figures_of", "judge_figure", "match", "missing_figures"]
