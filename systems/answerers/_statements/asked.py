"""What a question asks for: its words, the year, whether a figure, and the names that must be the document's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from systems._shared.finance_words import without_instructions
from systems._shared.tokens import STOP_WORDS, tokens
from systems.answerers._statements import vocabulary
from systems.answerers._statements.periods import years

_FISCAL = re.compile(rf"\b(?:{vocabulary.FISCAL})[\s'’]*(\d{{2}}|\d{{4}})\b", re.IGNORECASE)
_FIGURE = re.compile(
    rf"\b(?:{vocabulary.FIGURE_ASKED}|(?:{vocabulary.FIGURE_VERB})\b.{{0,70}}?"
    rf"\b(?:{'|'.join(vocabulary.AMOUNT_WORDS.split())}))\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(rf"\W*(?:(?:{vocabulary.OPENING}),\s*)?(?:{vocabulary.YES_NO})\b", re.IGNORECASE)
_OR = re.compile(r"\bor\b(?! (?:in )?(?:19|20)\d\d)", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w&.-]*(?:\s+(?:of\s+|and\s+|&\s+)?[A-Z][\w&.-]*)*")
_COMMON = frozenset(vocabulary.QUESTION_WORDS.split()) | STOP_WORDS
_PART = re.compile(rf"\b(?:{vocabulary.PART_OF_YEAR})(?![a-z])", re.IGNORECASE)
_COUNTS = re.compile(vocabulary.COUNT, re.IGNORECASE)
_PEOPLE = re.compile(rf"(?:{vocabulary.PEOPLE})s?\Z")
_EMPTY = frozenset(tokens(vocabulary.EMPTY_WORDS))


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
        words = [word for part in match[0].split() if _is_name(word := part.strip("."), parted)]
        if len("".join(words)) > 2:
            found.append(" ".join(words))
    return tuple(dict.fromkeys(found))


def _is_name(word: str, question: str) -> bool:
    if word.lower() in _COMMON or re.match(r"(?i)fy\d|q\d|\d", word) or _PEOPLE.search(word):
        return False
    return not re.search(rf"\b{re.escape(word.lower())}\b", question)
