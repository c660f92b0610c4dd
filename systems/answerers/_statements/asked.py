"""What a question asks for: its words, the year, whether a figure, and the names that must be the document's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from systems._shared.finance_words import without_instructions
from systems._shared.tokens import STOP_WORDS, tokens
from systems.answerers._statements.periods import years

_FISCAL = re.compile(r"\b(?:fy|fiscal(?: year)?|q[1-4])[\s'’]*(\d{2}|\d{4})\b", re.IGNORECASE)
_THINGS = (
    "amount number value total cost costs ratio margin rate percentage proportion price income revenue revenues sales "
    "expense expenses assets liabilities equity debt cash earnings provision goodwill obligation obligations profit"
)
_FIGURE = re.compile(
    rf"\b(?:how (?:much|many)|percent\w*|ratio|answer in|round|"
    rf"(?:what|which|specify|state|calculate|compute|determine|find|give)\b.{{0,70}}?"
    rf"\b(?:{'|'.join(_THINGS.split())}))\b",
    re.IGNORECASE,
)
_OPENING = r"(?:according to[^,]*|in \d{4}|as of[^,]*|for [^,]*)"
_YES_NO = re.compile(rf"\W*(?:{_OPENING},\s*)?(?:is|are|was|were|did|does|do|has|have|had|can|will)\b", re.IGNORECASE)
_OR = re.compile(r"\bor\b(?! (?:in )?(?:19|20)\d\d)", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w&.-]*(?:\s+(?:of\s+|and\s+|&\s+)?[A-Z][\w&.-]*)*")
_WORDS_OF_QUESTIONS = """
    what how which when where who why did does do is are was were has have had in on of for the a an if using among
    according calculate answer round please define fy usd us u.s i we ceo cfo esg ebitda ebit gaap eps dpo dso roa roe
    december january february march april may june july august september october november compare during across total
    net average operating gross current per fiscal year company return profit here disclosure capital employed
    after-tax cogs income interest expense debt equity assets liabilities margin cash flow ratio
    specify state list name identify describe explain provide determine estimate give roughly approximately consider
    usa uk eu m&a d&a r&d g&a sg&a pp&e p&l fcf roi roce ccc dio capex kpi ipo ceo's free cashflow adjusted non-gaap
"""
_COMMON = frozenset(_WORDS_OF_QUESTIONS.split()) | STOP_WORDS | {"put", "over", "since"}
_PART = re.compile(r"\b(?:quarter(?:ly)?|(?:three|six|nine) months|q[1-4])(?![a-z])", re.IGNORECASE)
_COUNTS = re.compile(r"\bhow many\b|\bnumber of\b|\bratio\b|\bhow (?:long|old|often)\b", re.IGNORECASE)
_PEOPLE = re.compile(r"(?:ian|ish|ese|ean)s?\Z")
"""Of a country: the page may name the country."""
_EMPTY = frozenset(
    tokens(
        "answer question amount number value company year fiscal report document million ended roughly specify state"
    )
)


@dataclass(frozen=True)
class Asked:
    """A question, read."""

    words: tuple[str, ...]
    """Its tokens, years and words that say nothing left out."""
    years: tuple[int, ...]
    figure: bool
    yes_no: bool
    names: tuple[str, ...]
    part: bool
    """Whether it asks of a part of a year."""
    counts: bool
    """Whether it asks for a number of things, not for an amount."""
    plain: str
    """The question without the sentences on how to answer."""

    @classmethod
    def of(cls, question: str) -> Asked:
        """Read `question`; sentences on how to answer are left out."""
        plain = without_instructions(question)
        words = [word for word in dict.fromkeys(tokens(plain)) if not re.fullmatch(r"(?:fy)?\d{4}", word)]
        yes_no = bool(_YES_NO.match(plain)) and not _OR.search(plain)
        return cls(
            tuple(word for word in words if word not in _EMPTY),
            _years(plain),
            bool(_FIGURE.search(question)) and not yes_no,
            yes_no,
            _names(plain),
            bool(_PART.search(plain)),
            bool(_COUNTS.search(plain)),
            plain,
        )


def _years(question: str) -> tuple[int, ...]:
    """The years, those written as fiscal ones first: "the year ending January 2023" and "FY22" both name one."""
    short = [int(text) if len(text) == 4 else 2000 + int(text) for text in _FISCAL.findall(question)]
    return tuple(dict.fromkeys([*short, *years(question)]))


def _names(question: str) -> tuple[str, ...]:
    """Capitalised words that are no words of questions, nor written small elsewhere in it: companies, people, products.

    A possessive ends a name: "Amazon's Interest Expense" names Amazon.
    """
    parted = re.sub(r"['’]s?\b", " | ", question)
    found: list[str] = []
    for match in _NAME.finditer(parted):
        words = [word.strip(".") for word in match[0].split()]
        kept = [word for word in words if word.lower() not in _COMMON and not re.match(r"(?i)fy\d|q\d|\d", word)]
        kept = [
            word
            for word in kept
            if not _PEOPLE.search(word) and not re.search(rf"\b{re.escape(word.lower())}\b", parted)
        ]
        if len("".join(kept)) > 2:
            found.append(" ".join(kept))
    return tuple(dict.fromkeys(found))
