"""The formula that a question asks for: one that it defines, a ratio or difference that it names, a textbook measure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from systems._shared.tokens import tokens
from systems.answerers._statements import vocabulary
from systems.answerers._statements.formulas import Formula, Item, Operation, formula_of, item_of
from systems.answerers._statements.terms import Term, measure_in, term_of

_DEFINED = re.compile(rf"\b(?:{vocabulary.DEFINED}) as:?\s*(.+?)\s*(?:[.?!](?=\s|\Z)|\Z)")
_BETWEEN = re.compile(
    rf"\s(?:(to)|/|{vocabulary.OVER}|(as an? (?:{vocabulary.SHARE}) of(?: (?:the|its))?)|({vocabulary.LESS}))\s"
)
_RATIO = re.compile(vocabulary.QUOTIENT)
_OPEN = re.compile(rf"{vocabulary.OWN_MEASURE}|\b(?:{vocabulary.REASON})\b.*\b(?:{vocabulary.REASONED})", re.DOTALL)
"""What no formula answers: a company's own measures, and questions for reasons."""
_GROWTH = re.compile(
    rf"\b(?:(?:{vocabulary.GROWTH_KIND})*(?:{vocabulary.GROWTH}) (?:in|of))"
    r" (?:its |the |total )*(.+?)(?: from| between|,| \(|\?| for| in|\Z)"
)
_NEUTRAL = frozenset(tokens(vocabulary.ITEM_NEUTRAL_WORDS))
_WORDS = 7
"""Words that the name of a line item has at most."""


class Wanted(NamedTuple):
    """A formula, what the question calls it, and whether its value is a share."""

    formula: Formula
    name: str
    percent: bool = False


def wanted(question: str) -> Wanted | None:
    """What to compute; None where the question asks for nothing that has a formula."""
    plain = " ".join(question.lower().replace("’", "'").replace("unadjusted ", "").split())
    if _OPEN.search(plain):
        return None
    defined = _DEFINED.search(plain)
    measure = measure_in(plain)
    if defined and isinstance(formula := formula_of(defined[1]), Operation):
        return Wanted(formula, _name(measure), bool(measure and measure.percent))
    named = Wanted(Item(measure.called.lower()), measure.called, measure.percent) if measure else None
    return _growth(plain) or _pair(plain) or named


def names_measure(question: str, answer: str) -> bool:
    """Whether an answer names the measure that the question asks for; where it asks for none, every answer does."""
    measure = wanted(question)
    return measure is None or set(tokens(measure.name)) <= set(tokens(answer))


def item_wanted(words: tuple[str, ...], question: str) -> Wanted | None:
    """The line item that a question asks for when it says nothing else: `words` are all that it says, stemmed."""
    plain = question.lower().split()
    if _OPEN.search(question.lower()):
        return None
    spans = [plain[start : start + length] for length in range(_WORDS, 0, -1) for start in range(len(plain))]
    for item in (item_of(" ".join(span)) for span in spans):
        if item.phrase and term_of(item.phrase) and not set(words) - set(tokens(item.phrase)) - _NEUTRAL:
            return Wanted(Item(item.phrase), item.phrase)
    return None


def _name(measure: Term | None) -> str:
    return measure.called if measure else "result"


def _growth(question: str) -> Wanted | None:
    """The growth of a line item over the years that are named, as a share of the first."""
    found = _GROWTH.search(question)
    if not found or not re.search(vocabulary.GROWTH_RATE, question):
        return None
    item = item_of(found[1])
    if term_of(item.phrase) is None:
        return None
    return Wanted(
        Operation("/", Item(item.phrase, "change"), Item(item.phrase, "before")), f"growth of {item.phrase}", True
    )


def _pair(question: str) -> Wanted | None:
    """Two line items with "to", "as a share of" or "less" between them."""
    for match in _BETWEEN.finditer(question):
        left = next(_items(question[: match.start()].split()[-_WORDS:], ending=True), None)
        right = next(_items(question[match.end() :].split()[:_WORDS], ending=False), None)
        if left and right and (not match[1] or _RATIO.search(question)):
            sign = "-" if match[3] else "/"
            return Wanted(
                Operation(sign, left, right), f"{left.phrase} {match[0].strip()} {right.phrase}", bool(match[2])
            )
    return None


def _items(words: list[str], *, ending: bool) -> Iterator[Item]:
    """The items that the words end with, or begin with, the longest first."""
    for length in range(len(words), 0, -1):
        part = words[-length:] if ending else words[:length]
        item = item_of(" ".join(part))
        if term_of(item.phrase):
            yield item
