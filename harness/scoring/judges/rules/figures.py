"""Answers that are figures: which figure of the answer is meant, and whether it is the reference's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from harness.quantities.answering import Claim, claims_of, likeliest, with_headers
from harness.quantities.asking import Ask
from harness.quantities.comparing import Comparison, compare, rounds_to
from harness.quantities.nouns import counts_same
from harness.quantities.orders import OPERAND
from harness.quantities.periods import periods_of
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all
from harness.quantities.readings import claim_readings, measured, open_readings, reference_readings
from harness.quantities.signs import BOUNDS
from harness.quantities.units import BARE
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.verdict import Verdict, undecided

_NOTHING = re.compile(r"\b(?:no|none|nil|nothing|not any|neither)\b", re.IGNORECASE)
_WORKING = re.compile(r"[=≈÷×]|\d\s*[/*]\s*[$\d(]|\bdivid\w+|\bcalculat\w+", re.IGNORECASE)
_OR = re.compile(r"\W*\bor\b\W*(?:(?:about|approximately|perhaps|maybe|possibly|even)\W*)?", re.IGNORECASE)
_ORDER = (
    "exact",
    "rounded",
    "too coarse",
    "near",
    "sign slip",
    "scale slip",
    "bound",
    "other period",
    "unit mismatch",
    "other",
)


@lru_cache(maxsize=4096)
def figures_of(reference: str, ask: Ask) -> tuple[Quantity, ...]:
    """The figures of a reference; a bare year counts where it is all that the reference holds and no year is asked for."""
    read = with_headers(reference, read_all(reference))
    figures = tuple(quantity for quantity in read if quantity.role == "figure")
    if not figures and len(read) == 1 and read[0].role == "year" and read[0].text == reference.strip() and not ask.year:
        return (read[0].with_(role="figure", period=()),)
    return figures


def match(claim: Quantity, reference: Quantity, ask: Ask) -> Comparison:
    """The best comparison over the readings that claim and reference allow."""
    natural = [
        _compare(reading, measured(target, reading), ask)
        for target in reference_readings(reference, ask)
        for reading in claim_readings(_hedged(claim, reference), ask, target)
    ]
    best = min(natural, key=lambda comparison: _ORDER.index(comparison.kind))
    if best.right or (claim.scale is None and claim.unit is BARE):
        return best
    opened = [_compare(claim, target, ask) for target in open_readings(reference, ask)]
    return next((comparison for comparison in opened if comparison.right), best)


def _hedged(claim: Quantity, reference: Quantity) -> Quantity:
    """ "About 4,200" is stated to the hundred, where the reference is finer."""
    if not claim.qualifier or claim.step != 1 or claim.mantissa == 0:
        return claim
    zeros = len(str(int(claim.mantissa))) - len(str(int(claim.mantissa)).rstrip("0"))
    rough = claim.with_(step=Decimal(10) ** zeros)
    return rough if rough.precision > reference.precision and claim.value != reference.value else claim


def _compare(claim: Quantity, reference: Quantity, ask: Ask) -> Comparison:
    if ask.falling and reference.value > 0 and reference.direction <= 0 and max(claim.direction, claim.outcome) > 0:
        return Comparison("sign slip", f"{claim.text!r} is a rise, the question asks for a fall")
    if not reference.signed and reference.direction == 0 and claim.direction and (ask.falling or not ask.change):
        claim = claim.with_(direction=0, outcome=0 if ask.falling or ask.outlay else claim.outcome)
    if not reference.period and ask.periods:
        reference = reference.with_(period=ask.periods)
    if claim.period and ask.periods:
        reference = reference.with_(
            period=reference.period + tuple(p for p in ask.periods if p not in reference.period)
        )
    magnitude = ask.outlay and reference.signed and reference.value < 0
    return compare(claim, reference, signs=(1, -1) if magnitude else ask.signs)


def judge_figure(task: Task, reference: Quantity) -> Verdict:
    """Judge an answer whose reference is one figure."""
    years = reference.unit is BARE and reference.scale is None and reference.step == 1
    claims = claims_of(task.answer, task.ask, reference_readings(reference, task.ask)[0].unit, years=years)
    if not claims:
        return _without_figure(task.answer, reference)
    return _decide(likeliest(claims, task.question, task.ask), len(claims), reference, task)


def _without_figure(answer: str, reference: Quantity) -> Verdict:
    """No figure is no answer to a question for one; "none" and "nil" are zero."""
    detail = {"reference": reference.json()}
    if reference.mantissa == 0 and _NOTHING.search(answer):
        return Verdict(True, "exact", "the answer says none, the reference 0", detail)
    return Verdict(False, "no figure", f"the answer holds no figure, the reference is {reference.text!r}", detail)


def _decide(top: Sequence[Claim], figures: int, reference: Quantity, task: Task) -> Verdict:
    matches = [(claim.quantity, match(claim.quantity, reference, task.ask)) for claim in top]
    claim, found = next(((claim, found) for claim, found in matches if found.right), matches[0])
    detail = {"claim": claim.json(), "reference": reference.json(), "figures": figures}
    counted = counts_same(claim, reference, f"{task.question} {task.answer}") if found.right else True
    if counted is False:
        return Verdict(False, "unit mismatch", f"{claim.text!r} counts something else than {reference.text!r}", detail)
    loose = "" if counted else f"{claim.text!r} may count something else than {reference.text!r}"
    loose = loose or _loosely(claim, reference, [other.quantity for other in top], task.answer) if found.right else ""
    if loose:
        return undecided(loose, **detail)
    if found.right:
        return Verdict(True, found.kind, f"{claim.text!r} is the reference {reference.text!r}, {found.kind}", detail)
    if found.kind == "other period" and _names_period(task):
        return undecided(
            f"{claim.text!r} stands beside another period than the one asked for", because="period", **detail
        )
    if found.kind == "near" and _worked_out(task):
        return undecided(
            f"{claim.text!r} is within rounding of the computed {reference.text!r}", because="near", **detail
        )
    return Verdict(False, found.kind, f"{claim.text!r} is not the reference {reference.text!r}: {found.kind}", detail)


def _names_period(task: Task) -> bool:
    """Whether the answer names the period that is asked for, beside the one that stands nearest to the figure."""
    return any(set(task.ask.periods) <= set(period.names) for period in periods_of(task.answer))


def _loosely(claim: Quantity, reference: Quantity, top: Sequence[Quantity], answer: str) -> str:
    """Why a claim that meets the reference does not settle the matter: a bound, a range, one of two."""
    if claim.qualifier in BOUNDS and claim.qualifier != reference.qualifier and claim.value == reference.value:
        return f"the answer bounds {claim.text!r} ({claim.qualifier}), the reference does not, or another way"
    if claim.edge and not reference.edge:
        return f"{claim.text!r} is one end of a range, the reference is the figure itself"
    other = next((one for one in top if _alternative(one, claim, answer)), None)
    return f"the answer leaves open whether it is {claim.text!r} or {other.text!r}" if other else ""


def _alternative(one: Quantity, claim: Quantity, answer: str) -> bool:
    """Whether "or" joins two figures of about the same size that are not the same ("8.2% or 9.1%")."""
    first, second = sorted((one, claim), key=lambda quantity: quantity.start)
    if not _OR.fullmatch(answer[first.end : second.start]) or one.unit.dimension != claim.unit.dimension:
        return False
    low, high = sorted((abs(one.value), abs(claim.value)))
    return low != high and high < 3 * low and not compare(one, claim).right


def _worked_out(task: Task) -> bool:
    """Whether the figure is computed, so that rounding on the way may explain a last digit."""
    return task.ask.computed or (task.ask.ratio and bool(_WORKING.search(task.answer)))


def missing_figures(reference: str, answer: str, ask: Ask, *, signs: bool = True) -> list[Quantity]:
    """The figures of a reference that no figure of the answer meets, operands of its working aside.

    `signs` False: words that give a sign ("fell by") have been compared already.
    """
    claims = [claim.quantity for claim in claims_of(answer, ask) if claim.rank > OPERAND]
    claims = claims if signs else [claim.with_(direction=0) for claim in claims]
    return [
        figure for figure in figures_of(reference, ask) if not any(match(claim, figure, ask).right for claim in claims)
    ]


def in_order(reference: str, answer: str, ask: Ask) -> bool:
    """Whether figures of one dimension are met in the reference's order: swapped, they may be another's."""
    claims = sorted((claim.quantity for claim in claims_of(answer, ask)), key=lambda quantity: quantity.start)
    figures = figures_of(reference, ask)
    places = [next((i for i, claim in enumerate(claims) if match(claim, figure, ask).right), -1) for figure in figures]
    pairs = [
        (i, j)
        for i, one in enumerate(figures)
        for j, two in enumerate(figures)
        if i < j and one.unit.dimension == two.unit.dimension
    ]
    return all(places[i] <= places[j] for i, j in pairs)


def is_difference(figures: Sequence[Quantity], answer: str, ask: Ask) -> bool:
    """Whether an answer gives the change between two figures of the reference, in their unit, in points or as growth."""
    if len(figures) != 2 or figures[0].unit.dimension != figures[1].unit.dimension:
        return False
    one, two = (figure.value for figure in figures)
    changes = [abs(two - one), *(abs(two - one) / abs(base) for base in (one, two) if base)]
    claims = [claim.quantity for claim in claims_of(answer, ask) if claim.rank > OPERAND]
    return any(rounds_to(change, claim.precision, abs(claim.value)) for claim in claims for change in changes)


def without(text: str, figures: Sequence[Quantity]) -> str:
    """A text less its figures."""
    for figure in sorted(figures, key=lambda quantity: -quantity.start):
        text = f"{text[: figure.start]} {text[figure.end :]}"
    return text
