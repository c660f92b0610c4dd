"""Faults planted in the engine, each of which the corpus or the reading table must catch: a test of the tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from test_quantities import COMPARED, EXCEPTED, EXCEPTED_ANSWER, PAGES, READ, only
from test_verdicts import DUMPED, KINDS, PAIRED, passages, tally, wrong

from harness.quantities import (
    answering,
    asking,
    comparing,
    headers,
    orders,
    pages,
    plain,
    reading,
    readings,
    tokens,
)
from harness.quantities.clauses import Clause
from harness.quantities.pages import find_on_pages
from harness.quantities.reading import read_quantities
from harness.quantities.tokens import Token
from harness.quantities.units import SCALES
from harness.records import PageRef
from harness.scoring.judges.rules import figures, judging, listing, namesakes, naming, texts, words, yesno
from harness.scoring.judges.rules import refusals as refusals_module
from harness.scoring.judges.rules.judging import judge

Patch = pytest.MonkeyPatch
tokens_of = tokens.tokens_of


def forget() -> None:
    """What was read before a fault was planted, or while it was there."""
    asking.ask_of.cache_clear()
    figures.figures_of.cache_clear()
    plain.plain_text.cache_clear()
    words.stem.cache_clear()
    words.content.cache_clear()


def corpus_catches(*kinds: str) -> bool:
    forget()
    return any(wrong(row) for kind in kinds for row in KINDS[kind] if not row.get("known_wrong"))


def pairs_catch(*kinds: str) -> bool:
    """Whether a labelled pair of a kind is decided against its label, or no longer decided."""
    forget()
    rows = [row for kind in kinds for row in PAIRED[kind] if not row.get("known_wrong") and not row.get("open")]
    return tally(rows)["right"] < len(rows)


def dumps_catch() -> bool:
    return any(
        judge(question, reference, (), passages(held, "[{}] ")).value is not False
        for question, reference, held in DUMPED
    )


def pages_catch() -> bool:
    page = {PageRef("d", 7): EXCEPTED}
    return [one.how for one in find_on_pages(EXCEPTED_ANSWER, page)] != ["exact"] * 4


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


def uncut(text: str, figures: Sequence[object], _: object = ()) -> list[Clause]:
    """Clauses that are not cut: each is the whole text."""
    return [Clause(0, len(text), 0, False)] * len(figures)


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
    "a period is any of its sentence's": (replaced(reading, "clauses_of", uncut), lambda: pairs_catch("which figure", "lists")),
    "a figure's name is the whole answer": (replaced(answering, "clauses_of", uncut), lambda: pairs_catch("which figure")),
    "names beside figures are overlooked": (
        replaced(answering, "_outdone", lambda *_: False), lambda: pairs_catch("which figure", "who and what"),
    ),
    "the start of a change is its end": (
        replaced(orders.Ranker, "_compared", lambda *_: False), lambda: pairs_catch("which figure"),
    ),
    "number words in names are figures": (replaced(reading, "_in_a_name", lambda *_: False), lambda: pairs_catch("number words")
        or bool(read_quantities("the zero-coupon bond of the Big Four"))),
    "a denied figure is stated": (replaced(reading, "denied_at", lambda *_: False), lambda: pairs_catch("denial")),
    "a denied name is stated": (replaced(naming, "_settled", lambda *_: None), lambda: pairs_catch("denial", "hedging")),
    "yes may be taken back": (replaced(texts, "contradicts", lambda *_: False), lambda: pairs_catch("denial")),
    "a refusal with a figure answers": (replaced(judging, "_answers", lambda *_: True), lambda: pairs_catch("refusal")),
    "a preface declines": (
        replaced(refusals_module, "_without_preface", lambda sentence: sentence), lambda: pairs_catch("refusal"),
    ),
    "a supposed figure is stated": (replaced(judging, "supposed_at", lambda *_: False), lambda: pairs_catch("refusal")),
    "one of two is enough": (replaced(figures, "_alternative", lambda *_: False), lambda: pairs_catch("hedging")),
    "one name of two is enough": (replaced(naming, "leaves_open", lambda *_: ""), lambda: pairs_catch("hedging")),
    "the question said back answers it": (
        replaced(judging, "commits", lambda _: ""), lambda: pairs_catch("hedging", "denial") or dumps_catch(),
    ),
    "a list may have one too many": (replaced(listing, "extra_item", lambda *_: ""), lambda: pairs_catch("lists", "hedging")),
    "losses are profits": (replaced(reading, "outcome_at", lambda *_: 0), lambda: pairs_catch("sign")),
    "a trailing minus is dropped": (
        token(lambda text, one: one._replace(minus=one.minus and text[one.end - 1 : one.end] != "-")),
        lambda: pairs_catch("sign"),
    ),
    "at least is at most": (
        replaced(comparing, "BOUNDS", {}), lambda: pairs_catch("bounds"),
    ),
    "a figure of another is the answer": (
        replaced(figures, "said_of_another", lambda *_: ""), lambda: pairs_catch("who and what"),
    ),
    "a multiple is no growth": (replaced(readings, "_multiple", lambda *_: []), lambda: pairs_catch("forms")),
    "a part has no whole": (replaced(readings, "fraction_of", lambda _: None), lambda: pairs_catch("forms")),
    "the comma is never a decimal mark": (
        token(lambda _, one: one._replace(comma_decimal=False)), lambda: pairs_catch("forms", "scripts"),
    ),
    "unknown units are dropped": (replaced(figures, "counts_same", lambda *_: True), lambda: pairs_catch("units")),
    "marks of other scripts are kept": (
        replaced(judging, "plain_text", lambda text: text), lambda: pairs_catch("forms", "scripts"),
    ),
    "East Asian scales are not read": (
        token(lambda text, one: one._replace(scale=one.scale if text.isascii() else None)), lambda: pairs_catch("scripts"),
    ),
    "words of other scripts are none": (
        replaced(words, "_WORD", re.compile(r"[a-z0-9]+")), lambda: pairs_catch("scripts"),
    ),
    "yes and no abroad are not read": (
        replaced(yesno, "polarity_abroad", lambda _: True), lambda: pairs_catch("scripts"),
    ),
    "initials differ from names": (
        replaced(namesakes, "_fits", lambda one, other: one == other), lambda: pairs_catch("names"),
    ),
    "any first name fits": (replaced(namesakes, "_fits", lambda *_: True), lambda: pairs_catch("names")),
    "who succeeded is who was succeeded": (replaced(naming, "holder", lambda _: None), lambda: pairs_catch("names")),
    "swapped figures are right": (replaced(judging, "paired", lambda *_: True), lambda: pairs_catch("lists")),
    "passages read out answer": (replaced(judging, "commits", lambda _: ""), dumps_catch),
    "on pages: an exception is a header": (
        replaced(headers, "_EXCEPT", re.compile(r"(?!)(?P<items>)")), pages_catch,
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
    assert not pairs_catch(*PAIRED)
    assert not dumps_catch()
    assert not pages_catch()


def test_thirty_faults_at_least_are_planted() -> None:
    assert len(FAULTS) >= 30
