"""How likely a figure of an answer is the answer, by where and how it stands there.

A conclusion counts most, then the last and the first sentence; an operand of the working counts least, then a figure that the
question gave, the level where the change is asked for, a figure of another unit or period, one that is only compared with.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from harness.quantities.asking import Ask
from harness.quantities.periods import agree
from harness.quantities.quantity import Quantity
from harness.quantities.units import BARE, Unit, same_dimension

OPERAND = -3.0
"""Figures ranked below are operands of a working, or figures that the question gave."""
_CONCLUDES, _LAST, _FIRST = 3.0, 2.0, 1.0
_WORKING, _GIVEN, _OTHER_ASKED, _COMPARISON, _OTHER_PERIOD = -6.0, -4.0, -5.0, -2.0, -1.5
_SAME_UNIT, _OTHER_UNIT, _CHANGE = 1.0, -4.0, 1.5
_NEAR = 70
"""Characters before a figure that are looked at."""

_THE_ANSWER = re.compile(r"\banswer(?: is|:| =)\s*(?:\w+\s)?\W{0,3}\Z", re.IGNORECASE)
_ANSWER_IS, _LEAD = 6.0, 24
"""What "the answer is" adds, and the characters in which it is looked for."""
_CUE = re.compile(
    r"\b(?:therefore|thus|hence|in (?:summary|conclusion)|to summari[sz]e|overall|final(?:ly)?|answer|conclu\w+|"
    r"result(?:s|ing)?|so,|"
    r"rounded|this (?:means|gives|represents|yields)|approximately)\b",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"[=≈]|\bequals?\b")
_OPERATOR_AFTER = re.compile(
    r"[)\s]*(?:[+×÷*/]|[-−–]\s|x\s*[\d$(]|\b(?:plus|minus|times|divided by|multiplied by|less)\b)", re.IGNORECASE
)
_OPERATOR_BEFORE = re.compile(
    r"(?:[+×÷*/]|(?<=[\d)%])\s*[-−–]|\b(?:plus|minus|divided by|multiplied by|less))[\s($]*\Z",
    re.IGNORECASE,
)
_OPERATOR_ENDS = frozenset("+×÷*/-−–sy")
_DENOMINATOR = re.compile(r"\b1\s*(?:to|:)\s*\Z", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:from|compared (?:to|with)|versus|vs\.?|against|than|prior year(?:'s)?|previous(?:ly)?|up from|down from|"
    r"relative to|out of|"
    r"with|after|including|excluding|based on|given|using|dividing|subtracting|adding|taking|by dividing|"
    r"below|above)\b[^.]{0,40}\Z",
    re.IGNORECASE,
)
_LEFT = re.compile(r"\b(?:from|up from|down from|was|stood at)\s+(?:[a-z]+\s+)?\W{0,3}\Z", re.IGNORECASE)
_REACHED = re.compile(
    r"\bfrom\b[^.;]*\bto\s+(?:[a-z]+\s+)?\W{0,3}\Z|\b(?:rose|fell|grew|up|down|increased|decreased|declined|"
    r"dropped) to\s+\W{0,3}\Z",
    re.IGNORECASE,
)
"""The two ends of a change: "from 3,120", "to 3,480"."""
_LEVEL = re.compile(
    r"\b(?:decreas\w+|increas\w+|fell|rose|grew|declined|dropped|reduced|down|up)\s+to\s+[^\d]{0,12}\Z", re.IGNORECASE
)
_CHANGED_BY = re.compile(
    r"\b(?:decreas\w+|increas\w+|fell|rose|grew|declined|dropped|reduced|down|up)\s+by\s+[^\d]{0,12}\Z", re.IGNORECASE
)
_LETTERS = re.compile(r"[A-Za-z]{3,}")


@dataclass(frozen=True)
class Ranker:
    """Ranks the figures of one answer. `cuts`: where its sentences begin, its end last; `ends`: the first and the last
    sentence that holds a figure; `wanted`: the unit that the answer should have."""

    answer: str
    cuts: list[int]
    ask: Ask
    wanted: Unit
    ends: tuple[int, int]

    def rank(self, quantity: Quantity, place: int) -> float:
        """The higher, the likelier the answer; below OPERAND not at all."""
        low, high = self.cuts[place], self.cuts[place + 1] - 1
        before = self.answer[max(low, quantity.start - _NEAR) : quantity.start]
        rank = self._sentence(place) + _WORKING * self._operand(quantity, before, low, high)
        rank += _COMPARISON * self._compared(before) + _GIVEN * (abs(quantity.mantissa) in self.ask.given)
        rank += _OTHER_ASKED * self._not_asked(before) + _CHANGE * (self.ask.difference and quantity.direction != 0)
        rank += _OTHER_PERIOD * (bool(self.ask.periods) and not agree(quantity.period, self.ask.periods))
        rank += _ANSWER_IS * bool(_THE_ANSWER.search(before[-_LEAD:]))
        return rank + self._unit(quantity)

    @cached_property
    def _concluding(self) -> list[bool]:
        return [
            bool(_CUE.search(self.answer, low, high - 1)) for low, high in zip(self.cuts, self.cuts[1:], strict=False)
        ]

    @cached_property
    def _equals(self) -> list[int]:
        return [match.start() for match in _EQUALS.finditer(self.answer)]

    @cached_property
    def _prose(self) -> bool:
        return bool(_LETTERS.search(self.answer) or _EQUALS.search(self.answer))

    def _sentence(self, place: int) -> float:
        first, last = self.ends
        return _CONCLUDES * self._concluding[place] + _LAST * (place == last) + _FIRST * (place == first) + place / 1000

    def _operand(self, quantity: Quantity, before: str, low: int, high: int) -> bool:
        """Whether a figure is worked with: beside an operator, between two equals signs, the 1 of "1 to 1.5"."""
        if self.ask.ratio and _DENOMINATOR.search(before):
            return True
        if quantity.edge or not self._prose:
            return False
        if _OPERATOR_AFTER.match(self.answer, quantity.end, high) or _worked_on(before):
            return True
        first, here, last = (bisect_left(self._equals, place) for place in (low, quantity.start, high))
        return first < here < last

    def _compared(self, before: str) -> bool:
        """Whether a figure is only compared with; where the start of a change is asked for, that one is meant."""
        reached = " to " in before and bool(_REACHED.search(before))
        if self.ask.start and (reached or _LEFT.search(before)):
            return reached
        return (self.ask.change or not reached) and bool(_COMPARED.search(before))

    def _not_asked(self, before: str) -> bool:
        """Whether a figure is the level where the change is asked for, or the change where the level is."""
        if self.ask.difference:
            return " to " in before and bool(_LEVEL.search(before))
        return not self.ask.change and " by " in before and bool(_CHANGED_BY.search(before))

    def _unit(self, quantity: Quantity) -> float:
        if self.wanted is BARE or quantity.unit is BARE:
            return 0.0
        points = self.ask.change and {self.wanted.dimension, quantity.unit.dimension} == {"ratio", "points"}
        return _SAME_UNIT if points or same_dimension(self.wanted, quantity.unit) else _OTHER_UNIT


def is_level(answer: str, start: int) -> bool:
    """Whether a figure is what something fell or rose to, and not by how much."""
    return bool(_LEVEL.search(answer[max(0, start - _NEAR) : start]))


def is_change(answer: str, start: int) -> bool:
    """Whether a figure is by how much something fell or rose."""
    return bool(_CHANGED_BY.search(answer[max(0, start - _NEAR) : start]))


def _worked_on(before: str) -> bool:
    """Whether an operator stands right before a figure; the pattern is tried only where its last character may be one's."""
    return before.rstrip(" ($\n")[-1:].lower() in _OPERATOR_ENDS and bool(_OPERATOR_BEFORE.search(before))
