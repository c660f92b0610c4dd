"""Answers that are figures: which figure of the answer is meant, and whether it is the reference's."""

from __future__ import annotations

from harness.quantities import Quantity, read_all
from harness.quantities.answering import Claim, claims_of, with_headers
from harness.quantities.asking import Ask
from harness.quantities.comparing import RIGHT, Comparison, compare
from harness.quantities.readings import claim_readings, open_readings, reference_readings
from harness.quantities.units import BARE
from harness.verdicts.verdict import Verdict

_CLOSE = 1.5
_ORDER = ("exact", "rounded", "too coarse", "sign slip", "scale slip", "other period", "unit mismatch", "other")


def figures_of(reference: str, ask: Ask) -> list[Quantity]:
    """The figures of a reference; a bare year counts where it is all that the reference holds and no year is asked for."""
    read = with_headers(reference, read_all(reference))
    figures = [quantity for quantity in read if quantity.role == "figure"]
    if not figures and len(read) == 1 and read[0].role == "year" and read[0].text == reference.strip() and not ask.year:
        return [read[0].with_(role="figure", period=())]
    return figures


def match(claim: Quantity, reference: Quantity, ask: Ask) -> Comparison:
    """The best comparison over the readings that claim and reference allow."""
    natural = [_compare(reading, target, ask) for target in reference_readings(reference, ask) for reading in claim_readings(claim, ask, target)]
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
        reference = reference.with_(period=reference.period + tuple(p for p in ask.periods if p not in reference.period))
    return compare(claim, reference, signs=ask.signs)


def judge_figure(answer: str, reference: Quantity, ask: Ask) -> Verdict:
    """Judge an answer whose reference is one figure."""
    years = reference.unit is BARE and reference.scale is None and reference.step == 1
    claims = claims_of(answer, ask, reference_readings(reference, ask)[0].unit, years=years)
    if not claims:
        return Verdict(None, "no figure", "the answer holds no figure", {"reference": reference.json()})
    top = [claim for claim in claims if claims[0].rank - claim.rank < _CLOSE and claim.rank > -3]
    return _decide(top or claims[:1], claims, reference, ask)


def _decide(top: list[Claim], claims: list[Claim], reference: Quantity, ask: Ask) -> Verdict:
    matches = [(claim, match(claim.quantity, reference, ask)) for claim in top]
    right = next(((claim, found) for claim, found in matches if found.right), None)
    claim, found = right or matches[0]
    detail = {"claim": claim.quantity.json(), "reference": reference.json(), "figures": len(claims)}
    if right:
        return Verdict(True, found.kind, f"{claim.quantity.text!r} is the reference {reference.text!r}, {found.kind}", detail)
    return Verdict(False, found.kind, f"{claim.quantity.text!r} is not the reference {reference.text!r}: {found.kind}", detail)


__all__ = ["RIGHT", "figures_of", "judge_figure", "match"]
