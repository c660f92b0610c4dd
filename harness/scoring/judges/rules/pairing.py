"""Several figures with their names: whether each is said of what the reference says it of."""

from __future__ import annotations

from collections.abc import Sequence

from harness.quantities.answering import Claim, claims_of
from harness.quantities.asking import Ask
from harness.quantities.orders import OPERAND
from harness.scoring.judges.rules.figures import figures_of, match


def paired(reference: str, answer: str, ask: Ask) -> bool | None:
    """True where every figure is named as in the reference, False where two are swapped, None where the names do not tell."""
    wanted = _in_order(claims_of(reference, ask))
    given = [
        claim
        for claim in _in_order(claims_of(answer, ask))
        if claim.rank > OPERAND and claim.quantity.qualifier != "not"
    ]
    if len(wanted) != len(figures_of(reference, ask)):
        return None
    own = _own_words(wanted)
    met = [[claim for claim in given if match(claim.quantity, one.quantity, ask).right] for one in wanted]
    if any(_swapped(i, j, wanted, met, own) for i in range(len(wanted)) for j in range(i)):
        return False
    return True if all(_named(wanted[i], met[i], own[i]) for i in range(len(wanted))) else None


def _in_order(claims: Sequence[Claim]) -> list[Claim]:
    return sorted(claims, key=lambda claim: claim.quantity.start)


def _own_words(wanted: Sequence[Claim]) -> list[frozenset[str]]:
    """The words of each figure's name that no other one's has."""
    return [one.words - frozenset().union(*(other.words for other in wanted if other is not one)) for one in wanted]


def _named(wanted: Claim, met: Sequence[Claim], own: frozenset[str]) -> bool:
    """Whether a figure of the answer has the reference's name or period."""
    period = wanted.quantity.period
    return any(claim.words & own or (period and set(claim.quantity.period) == set(period)) for claim in met)


def _swapped(
    i: int, j: int, wanted: Sequence[Claim], met: Sequence[Sequence[Claim]], own: Sequence[frozenset[str]]
) -> bool:
    """Whether two figures of one kind have each other's names."""
    one, two = wanted[i].quantity, wanted[j].quantity
    if one.unit.dimension != two.unit.dimension or one.value == two.value or not (met[i] and met[j]):
        return False
    return _only(met[i], own[j], own[i]) and _only(met[j], own[i], own[j])


def _only(claims: Sequence[Claim], other: frozenset[str], own: frozenset[str]) -> bool:
    return all(claim.words & other and not claim.words & own for claim in claims)
