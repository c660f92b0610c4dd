"""Faults planted in the engine, each of which the corpus or the reading table must catch: a test of the tests."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from test_quantities import COMPARED, PAGES, READ, only
from test_verdicts import KINDS, wrong

from harness.quantities import asking, comparing, orders, pages, reading, tokens
from harness.quantities.pages import find_on_pages
from harness.quantities.reading import read_quantities
from harness.quantities.tokens import Token
from harness.quantities.units import SCALES
from harness.scoring.judges.rules import figures, texts
from harness.scoring.judges.rules import refusals as refusals_module

Patch = pytest.MonkeyPatch
tokens_of = tokens.tokens_of


def forget() -> None:
    """What was read before a fault was planted, or while it was there."""
    asking.ask_of.cache_clear()
    figures.figures_of.cache_clear()


def corpus_catches(*kinds: str) -> bool:
    forget()
    return any(wrong(row) for kind in kinds for row in KINDS[kind] if not row.get("known_wrong"))


def reading_catches() -> bool:
    return any(
        [(q.value, q.unit.name) for q in read_quantities(text)] != [(Decimal(value), unit)]
        for text, value, unit in READ
    )


def comparing_catches() -> bool:
    return any(comparing.compare(only(claim), only(reference)).kind != kind for claim, reference, kind in COMPARED)


def token(change: Callable[[str, Token], Token]) -> Callable[[Patch], None]:
    """A fault in what is read beside a number."""

    def plant(patch: Patch) -> None:
        patch.setattr(reading, "tokens_of", lambda text, cells: (change(text, one) for one in tokens_of(text, cells)))

    return plant


def replaced(module: Any, name: str, value: Any) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(module, name, value)


FAULTS: dict[str, tuple[Callable[[Patch], None], Callable[[], bool]]] = {
    "a minus is dropped": (token(lambda _, one: one._replace(minus=False)), lambda: corpus_catches("sign")),
    "U+2212 is no minus": (
        token(lambda text, one: one._replace(minus=one.minus and "−" not in text)), lambda: corpus_catches("sign"),
    ),
    "brackets are no minus": (token(lambda _, one: one._replace(brackets=False)), lambda: corpus_catches("sign")),
    "scale words are ignored": (token(lambda _, one: one._replace(scale=None)), lambda: corpus_catches("scale")),
    "a billion is a million": (
        lambda patch: patch.setitem(SCALES, "billion", Decimal(10) ** 6), lambda: corpus_catches("scale"),
    ),
    "years are figures": (replaced(reading, "role_at", lambda *_: "figure"), lambda: corpus_catches("choosing", "period")),
    "words give no direction": (replaced(reading, "direction_at", lambda *_: 0), lambda: corpus_catches("sign")),
    "number words are not read": (replaced(reading, "_words", lambda *_: []), reading_catches),
    "ten times the tolerance": (replaced(comparing, "TOLERANCE", Decimal("0.05")), lambda: corpus_catches("rounding")),
    "any finer claim is right": (replaced(comparing, "rounds_to", lambda *_: True), comparing_catches),
    "a slip of 1,000 is right": (
        replaced(comparing, "_kind", lambda *_: "exact"), lambda: corpus_catches("scale"),
    ),
    "any units agree": (replaced(comparing, "same_dimension", lambda *_: True), lambda: corpus_catches("units")),
    "any periods agree": (replaced(comparing, "agree", lambda *_: True), lambda: corpus_catches("period")),
    "operands may be the answer": (replaced(orders.Ranker, "_operand", lambda *_: False), lambda: corpus_catches("choosing")),
    "any figure may be the answer": (
        replaced(figures, "likeliest", lambda claims, *_: list(claims)), lambda: corpus_catches("choosing"),
    ),
    "the question's scale is ignored": (
        replaced(asking, "headers_of", lambda _: []), lambda: corpus_catches("scale"),
    ),
    "refusals are answers": (
        lambda patch: patch.setattr("harness.scoring.judges.rules.judging.refusal_of", lambda _: None),
        lambda: corpus_catches("refusal"),
    ),
    "every hedge is a refusal": (
        lambda patch: patch.setattr(refusals_module, "_stays", lambda _: True), lambda: corpus_catches("refusal"),
    ),
    "'did not' is overlooked": (replaced(texts, "implied", lambda *_: True), lambda: corpus_catches("yes/no")),
    "a missing figure of several is forgiven": (
        lambda patch: patch.setattr("harness.scoring.judges.rules.judging.missing_figures", lambda *_, **__: []),
        lambda: corpus_catches("several", "range"),
    ),
    "on pages: two digits speak for themselves": (
        replaced(pages, "DIGITS", 1),
        lambda: find_on_pages("17", PAGES, "How many lawsuits are pending in court?")[0].how is not None,
    ),
    "on pages: the header's scale is ignored": (
        replaced(pages, "headers_of", lambda _: []),
        lambda: find_on_pages("Revenue was $1,284 billion.", PAGES)[0].how is not None,
    ),
    "on pages: any two rows derive": (
        lambda patch: patch.setattr("harness.quantities.derived.fitting", lambda rows, _: list(rows)),
        lambda: find_on_pages("124", PAGES, "What was the change in the number of court cases?")[0].how is not None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: str, monkeypatch: Patch) -> None:
    plant, caught = FAULTS[fault]
    plant(monkeypatch)
    try:
        assert caught(), f"no test notices that {fault}"
    finally:
        monkeypatch.undo()
        forget()


def test_without_a_fault_nothing_is_caught() -> None:
    assert not reading_catches()
    assert not comparing_catches()
    assert not corpus_catches("sign", "scale", "period", "choosing")
