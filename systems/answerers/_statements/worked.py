"""Answers that are worked out with a formula from the line items of the statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.bench import Bench
from harness.protocols import SearchCall
from harness.records import Answer
from systems._shared.tokens import tokens
from systems.answerers._statements import vocabulary
from systems.answerers._statements.asked import Asked
from systems.answerers._statements.claims import CALENDAR
from systems.answerers._statements.computed import Result, Worker
from systems.answerers._statements.formulas import Formula, Item, Operation, formula_of
from systems.answerers._statements.items import Books
from systems.answerers._statements.measures import Wanted, item_wanted, wanted
from systems.answerers._statements.names import own_names
from systems.answerers._statements.pages import Page
from systems.answerers._statements.replies import Ground, reply
from systems.answerers._statements.rounding import amount, share
from systems.answerers._statements.tables import read_all
from systems.answerers._statements.terms import term_of
from systems.answerers._statements.vocabulary import BALANCE

_TURN = re.compile(rf"\b(?:{vocabulary.MEASURE_TURN})\b", re.IGNORECASE)
_DOWN = re.compile(rf"\b(?:{vocabulary.MEASURE_DOWN})", re.IGNORECASE)
_SURE = 0.85
"""Share of such answers that were right: 12 of 14 in the half of the dev questions that they were made with."""


def worked(asked: Asked, question: str, search: SearchCall, found: Sequence[Page], bench: Bench) -> Answer | None:
    """The measure that is asked for, its working, and the pages of its figures; None where one of these is missing."""
    measure = wanted(question) or item_wanted(_content(asked, bench), asked.plain)
    if measure is None or not asked.years:
        return None
    ordered = sorted(asked.years)
    turns = isinstance(measure.formula, Item) and bool(_TURN.search(asked.plain))
    books = Books(search, bench, found[0].ref.doc, read_all(found)[0], asked.part)
    worker = Worker(books, ordered[0] if len(ordered) > 1 else None)
    asked_of = [ordered[0] if len(ordered) > 1 else ordered[0] - 1, ordered[-1]] if turns else ordered[-1:]
    results = [result for year in asked_of if (result := worker.work(measure.formula, year)) and result.operands]
    if len(results) < len(asked_of) or (asked.yes_no and not turns) or not all(map(_of_one_sheet, results)):
        return None
    said = [_said(measure, result, question, year) for result, year in zip(results, asked_of, strict=True)]
    grounds = [Ground.of(one.row.page, one.row.text, one.row) for result in results for one in result.operands]
    verdict = _verdict(results[-1].value - results[0].value, asked) if turns else ""
    return reply(verdict + "; ".join(reversed(said)), grounds, _SURE, "worked")


def _of_one_sheet(result: Result) -> bool:
    """Whether a year's figures of the balance sheet stand on one page, or on two that face each other."""
    sheets: dict[tuple[int, str], list[int]] = {}
    for operand in result.operands:
        if operand.term.statement == BALANCE:
            ref = operand.row.page.ref
            sheets.setdefault((operand.year, ref.doc), []).append(ref.page)
    return all(max(pages) - min(pages) <= 1 for pages in sheets.values())


def _verdict(grown: float, asked: Asked) -> str:
    if asked.yes_no:
        return "Yes. " if (grown < 0) == bool(_DOWN.search(asked.plain)) else "No. "
    return "Improved, up: " if grown > 0 else "Declined, down: "


def _content(asked: Asked, bench: Bench) -> tuple[str, ...]:
    """The question's words, less the documents' names and dates."""
    own = tokens(" ".join(own_names(bench)))
    return tuple(word for word in asked.words if word not in own and word not in CALENDAR and not word.isdigit())


def _said(measure: Wanted, result: Result, question: str, year: int) -> str:
    if result.is_read:
        (operand,) = result.operands
        return f"{operand.row.label} ({operand.year}): {operand.row.said(operand.text)}"
    named = "; ".join(dict.fromkeys(f"{operand.row.label} ({operand.year})" for operand in result.operands))
    return f"{measure.name} ({year}): {_value(measure, result, question)} = {result.working}, from {named}"


def _value(measure: Wanted, result: Result, question: str) -> str:
    if measure.percent or _divides(measure.formula):
        return share(result.value, question, percent=measure.percent)
    return amount(result.value, question, result.operands[0].row.scaled(result.operands[0].text))


def _divides(formula: Formula | None) -> bool:
    """Whether the value is a quotient, not an amount."""
    if isinstance(formula, Operation):
        return formula.sign == "/" or _divides(formula.left) or _divides(formula.right)
    term = term_of(formula.phrase) if isinstance(formula, Item) and not formula.kind else None
    return bool(term and term.formula) and _divides(formula_of(term.formula if term else ""))
