"""Answers that are figures: which figure of the answer is meant, and whether it is the reference's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from harness.quantities.answering import Claim, claims_of, likeliest, with_headers
from harness.quantities.asking import Ask
from harness.quantities.comparing import Comparison, compare, rounds_to
from harness.quantities.nouns import counts_same
from harness.quantities.orders import OPERAND, is_change, is_level
from harness.quantities.parts import fraction_of
from harness.quantities.periods import agree, periods_of
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all
from harness.quantities.readings import claim_readings, measured, open_readings, reference_readings
from harness.quantities.signs import BOUNDS
from harness.quantities.units import BARE, LOOSE
from harness.scoring.judges.rules.hedges import hedges
from harness.scoring.judges.rules.subjects import other_item, said_of_another
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.verdict import Verdict, undecided

_NOTHING = re.compile(r"\b(?:no|none|nil|nothing|not any|neither)\b", re.IGNORECASE)
_NOTHING_FIRST = re.compile(r"\W*(?:nothing|none)\b(?! (?:but|other|more|less))", re.IGNORECASE)
_WORKING = re.compile(r"[=≈÷×]|\d\s*[/*]\s*[$\d(]|\bdivid\w+|\bcalculat\w+", re.IGNORECASE)
_COMMA = re.compile(r"\s*(?:,|;|,?\s+(?:and|or))\s*")
_OR = re.compile(r"\W*\bor\b\W*(?:(?:about|approximately|perhaps|maybe|possibly|even)\W*)?", re.IGNORECASE)
Detail = dict[str, Any]
_LONG, _WEIGHED = 45, 60
"""Words from which an answer is long, and its figures that are looked at then."""
_ALIKE = 10
"""Two figures are alternatives where neither is that many times the other."""
_AT_HAND = 60
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
    parts = {quantity.whole for quantity in figures if quantity.whole is not None}
    figures = tuple(quantity for quantity in figures if quantity.whole is not None or quantity.mantissa not in parts)
    if not figures and len(read) == 1 and read[0].role == "year" and read[0].text == reference.strip() and not ask.year:
        return (read[0].with_(role="figure", period=()),)
    return figures


def match(claim: Quantity, reference: Quantity, ask: Ask) -> Comparison:
    """The best comparison over the readings that claim and reference allow."""
    shares = fraction_of(claim), fraction_of(reference)
    if shares[0] and shares[1]:
        return compare(shares[0], shares[1])
    natural = [
        _compare(reading, measured(target, reading), ask)
        for target in _targets(claim, reference, ask)
        for reading in claim_readings(_hedged(claim, reference), ask, target)
    ]
    best = min(natural, key=lambda comparison: _ORDER.index(comparison.kind))
    if best.right or (claim.scale is None and claim.unit is BARE):
        return best
    opened = [_compare(claim, target, ask) for target in open_readings(reference, ask)]
    return next((comparison for comparison in opened if comparison.right), best)


def _targets(claim: Quantity, reference: Quantity, ask: Ask) -> list[Quantity]:
    """What the reference may stand for; beside a length, a letter for a length is one."""
    if reference.unit in LOOSE.values() and claim.unit.dimension == reference.unit.dimension:
        return [reference]
    return reference_readings(reference, ask)


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
    if claim.period and ask.periods and not set(reference.period) & set(ask.periods):
        reference = reference.with_(
            period=reference.period + tuple(p for p in ask.periods if p not in reference.period)
        )
    magnitude = ask.outlay and reference.signed and reference.value < 0
    magnitude = magnitude or (ask.outlay and not reference.signed and "(" in claim.text)
    return compare(claim, reference, signs=(1, -1) if magnitude else ask.signs)


def judge_figure(task: Task, reference: Quantity) -> Verdict:
    """Judge an answer whose reference is one figure."""
    years = reference.unit is BARE and reference.scale is None and reference.step == 1
    claims = claims_of(task.answer, task.ask, reference_readings(reference, task.ask)[0].unit, years=years)
    stated = [claim for claim in claims if claim.quantity.qualifier != "not"]
    if claims and not stated:
        return Verdict(False, "denied", f"the answer denies {claims[0].quantity.text!r} and states no other figure")
    if (
        reference.mantissa
        and _NOTHING_FIRST.match(task.answer)
        and not any(claim.quantity.unit is BARE for claim in stated[:1])
    ):
        return Verdict(False, "nothing", f"the answer says that there was none, the reference is {reference.text!r}")
    if not claims:
        return _without_figure(task.answer, reference)
    claims = stated
    return _decide(claims, reference, task)


def _without_figure(answer: str, reference: Quantity) -> Verdict:
    """No figure is no answer to a question for one; "none" and "nil" are zero."""
    detail = {"reference": reference.json()}
    if reference.mantissa == 0 and _NOTHING.search(answer):
        return Verdict(True, "exact", "the answer says none, the reference 0", detail)
    return Verdict(False, "no figure", f"the answer holds no figure, the reference is {reference.text!r}", detail)


def _decide(claims: Sequence[Claim], reference: Quantity, task: Task) -> Verdict:
    top = likeliest(claims, task.question, task.ask)
    matches = [(claim.quantity, match(claim.quantity, reference, task.ask)) for claim in top]
    claim, found = next(((claim, found) for claim, found in matches if found.right), matches[0])
    detail = {"claim": claim.json(), "reference": reference.json(), "figures": len(claims)}
    if not found.right:
        return _elsewhere(claims, reference, task, detail) or _missed(claim, found, reference, task, detail)
    others = [other.quantity for other in claims if other.rank > OPERAND]
    return (
        _objection(claim, reference, others, task, detail)
        or _reservation(claim, reference, task, detail)
        or Verdict(True, found.kind, f"{claim.text!r} is the reference {reference.text!r}, {found.kind}", detail)
    )


def _elsewhere(claims: Sequence[Claim], reference: Quantity, task: Task, detail: Detail) -> Verdict | None:
    """Undecided where a long answer states the reference's figure, but not where its answer seems to stand."""
    if len(task.answer.split()) < _LONG:
        return None
    others = (claim.quantity for claim in claims[:_WEIGHED] if claim.rank > OPERAND)
    other = next((one for one in others if match(one, reference, task.ask).right), None)
    if other is None or said_of_another(task, other.start):
        return None
    return undecided(
        f"{other.text!r} is the reference, but another figure seems to be the answer", because="place", **detail
    )


def _missed(claim: Quantity, found: Comparison, reference: Quantity, task: Task, detail: Detail) -> Verdict:
    """A claim that is not the reference: wrong, or undecided where a period or the rounding on the way may explain it."""
    if found.kind == "other period" and _names_period(task):
        reason = f"{claim.text!r} stands beside another period than the one asked for"
        return undecided(reason, because="period", **detail)
    if found.kind == "near" and _worked_out(task):
        return undecided(
            f"{claim.text!r} is within rounding of the computed {reference.text!r}", because="near", **detail
        )
    return Verdict(False, found.kind, f"{claim.text!r} is not the reference {reference.text!r}: {found.kind}", detail)


def _names_period(task: Task) -> bool:
    """Whether the answer names the period that is asked for, beside the one that stands nearest to the figure."""
    return any(set(task.ask.periods) <= set(period.names) for period in periods_of(task.answer))


def _objection(
    claim: Quantity, reference: Quantity, others: Sequence[Quantity], task: Task, detail: Detail
) -> Verdict | None:
    """Why a claim of the reference's value is wrong all the same: said of another, of another unit, one of two."""
    another = said_of_another(task, claim.start)
    if another:
        return Verdict(False, "another's", another, detail)
    if task.ask.difference and is_level(task.answer, claim.start):
        return Verdict(False, "level", f"{claim.text!r} is what was reached, the question asks for the change", detail)
    if (
        not task.ask.change
        and not task.ask.difference
        and not reference.direction
        and is_change(task.answer, claim.start)
    ):
        return Verdict(False, "level", f"{claim.text!r} is a change, the question asks for the level", detail)
    if counts_same(claim, reference, f"{task.question} {task.answer}") is False:
        return Verdict(False, "unit mismatch", f"{claim.text!r} counts something else than {reference.text!r}", detail)
    if BOUNDS.get(claim.qualifier, 0) * task.ask.bound < 0:
        return Verdict(False, "bound", f"the answer bounds {claim.text!r} from the other side than asked", detail)
    if claim.edge and not reference.edge:
        return Verdict(
            False, "hedge", f"{claim.text!r} is one end of a range, the reference is the figure itself", detail
        )
    row = _in_a_row(claim, reference, others, task.answer)
    if row > 2:
        return Verdict(False, "hedge", f"the answer lists {row} figures where one is asked for", detail)
    other = next((one for one in others if _alternative(one, claim, task.answer)), None)
    reason = f"the answer leaves open whether it is {claim.text!r} or {other.text!r}" if other else ""
    return Verdict(False, "hedge", reason, detail) if other else None


def _in_a_row(claim: Quantity, reference: Quantity, others: Sequence[Quantity], answer: str) -> int:
    """How many figures without a name or period of their own stand in a row with a claim, commas between them."""
    ordered = sorted(others, key=lambda quantity: quantity.start)
    place = next((i for i, one in enumerate(ordered) if one.start == claim.start), 0)
    low = high = place
    while low > 0 and _comma(ordered[low - 1], ordered[low], answer):
        low -= 1
    while high + 1 < len(ordered) and _comma(ordered[high], ordered[high + 1], answer):
        high += 1
    return 1 if reference.edge or "respectively" in answer.lower() else high - low + 1


def _comma(one: Quantity, other: Quantity, answer: str) -> bool:
    plain = not one.period and not other.period and one.unit == other.unit and one.value != other.value
    return plain and bool(_COMMA.fullmatch(answer[one.end : other.start]))


def _reservation(claim: Quantity, reference: Quantity, task: Task, detail: Detail) -> Verdict | None:
    """Why a claim of the reference's value does not settle the matter: a bound, another noun."""
    bounded = BOUNDS.get(claim.qualifier, 0)
    if (
        bounded
        and claim.qualifier != reference.qualifier
        and claim.value == reference.value
        and bounded != task.ask.bound
    ):
        return undecided(
            f"the answer bounds {claim.text!r} ({claim.qualifier}), the reference does not, or another way", **detail
        )
    other = other_item(task, claim.start)
    if other:
        return undecided(other, **detail)
    if counts_same(claim, reference, f"{task.question} {task.answer}") is None:
        return undecided(f"{claim.text!r} may count something else than {reference.text!r}", **detail)
    return None


def _alternative(one: Quantity, claim: Quantity, answer: str) -> bool:
    """Whether an answer leaves open which of two figures it is: joined by "or", or both in an answer that is not sure."""
    first, second = sorted((one, claim), key=lambda quantity: quantity.start)
    dimensions = {one.unit.dimension, claim.unit.dimension}
    if (len(dimensions) > 1 and "" not in dimensions) or compare(one, claim).right:
        return False
    low, high = sorted(
        (abs(one.mantissa), abs(claim.mantissa)) if "" in dimensions else (abs(one.value), abs(claim.value))
    )
    if low == high or high >= _ALIKE * low or (one.period and claim.period and not agree(one.period, claim.period)):
        return False
    joint = answer[first.end : second.start]
    return bool(_OR.fullmatch(joint)) or (
        len(joint) < _AT_HAND and hedges(answer[max(0, first.start - _AT_HAND) : second.start])
    )


def _worked_out(task: Task) -> bool:
    """Whether the figure is computed, so that rounding on the way may explain a last digit."""
    return task.ask.computed or (task.ask.ratio and bool(_WORKING.search(task.answer)))


def missing_figures(reference: str, answer: str, ask: Ask, *, signs: bool = True) -> list[Quantity]:
    """The figures of a reference that no figure of the answer meets, operands of its working aside.

    `signs` False: words that give a sign ("fell by") have been compared already.
    """
    claims = [claim.quantity for claim in claims_of(answer, ask) if claim.rank > OPERAND]
    claims = [claim if signs else claim.with_(direction=0) for claim in claims if claim.qualifier != "not"]
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
    given = {abs(claim.quantity.value) for claim in claims_of(answer, ask)}
    if {abs(one), abs(two)} <= given:
        return False
    changes = [abs(two - one), *(abs(two - one) / abs(base) for base in (one, two) if base)]
    claims = [claim.quantity for claim in claims_of(answer, ask) if claim.rank > OPERAND]
    return any(rounds_to(change, claim.precision, abs(claim.value)) for claim in claims for change in changes)


def without(text: str, figures: Sequence[Quantity]) -> str:
    """A text less its figures."""
    for figure in sorted(figures, key=lambda quantity: -quantity.start):
        text = f"{text[: figure.start]} {text[figure.end :]}"
    return text
