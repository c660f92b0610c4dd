"""What a question asks for: its words, the year, whether a figure, and the names that must be the document's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from systems.answerers._passages import years
from systems.retrievers._finance import without_instructions
from systems.retrievers._tokens import tokens

_FISCAL = re.compile(r"\b(?:fy|fiscal(?: year)?|q[1-4])[\s'’]*(\d{2}|\d{4})\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"\b(?:how (?:much|many)|what (?:is|was|were|are) (?:the |its )?(?:\w+[ -]){0,3}?(?:amount|number|value|total|cost|ratio|margin|"
    r"rate|percentage|price|income|revenues?|sales|expenses?|assets|liabilit\w+|equity|debt|cash|earnings|provision)|"
    r"percent\w*|ratio|answer in|round)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^(?:\W*(?:according to[^,]*|in \d{4}),\s*)?(?:is|are|was|were|did|does|do|has|have|had|can|will)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?:[A-Z][\w&.’'-]*)(?:\s+(?:of|and|&)?\s*[A-Z][\w&.’'-]*)*")
_COMMON = frozenset(
    [
        "what",
        "how",
        "which",
        "when",
        "where",
        "who",
        "why",
        "did",
        "does",
        "do",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "in",
        "on",
        "of",
        "for",
        "the",
        "a",
        "an",
        "if",
        "using",
        "among",
        "according",
        "calculate",
        "answer",
        "round",
        "please",
        "define",
        "q1",
        "q2",
        "q3",
        "q4",
        "fy",
        "usd",
        "us",
        "u.s",
        "i",
        "we",
        "ceo",
        "cfo",
        "esg",
        "ebitda",
        "ebit",
        "gaap",
        "eps",
        "december",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "compare",
        "during",
        "across",
    ]
)


@dataclass(frozen=True)
class Asked:
    """A question, read."""

    words: tuple[str, ...]
    years: tuple[int, ...]
    figure: bool
    yes_no: bool
    names: tuple[str, ...]

    @classmethod
    def of(cls, question: str) -> Asked:
        """Read `question`; sentences on how to answer are left out."""
        plain = without_instructions(question)
        words = [word for word in dict.fromkeys(tokens(plain)) if not re.fullmatch(r"(?:fy)?\d{4}", word)]
        return cls(
            tuple(word for word in words if word not in _EMPTY),
            _years(plain),
            bool(_FIGURE.search(question)),
            bool(_YES_NO.search(plain)),
            _names(plain),
        )


_EMPTY = frozenset(
    tokens("answer question total amount number value company year fiscal report document million millions ended")
)
_EMPTY -= frozenset(tokens("total"))


def _years(question: str) -> tuple[int, ...]:
    short = [int(text) if len(text) == 4 else 2000 + int(text) for text in _FISCAL.findall(question)]
    return tuple(dict.fromkeys([*short, *years(question)]))


def _names(question: str) -> tuple[str, ...]:
    """Capitalised words that are no opening word: names of companies, people, products."""
    found = []
    for match in _NAME.finditer(question):
        words = [w.strip(".’'").removesuffix("'s").removesuffix("’s") for w in match[0].split()]
        kept = [w for w in words if w.lower() not in _COMMON and not re.fullmatch(r"(?i)(?:fy|q\d)\d*|\d.*", w)]
        if kept and len(" ".join(kept)) > 2:
            found.append(" ".join(kept))
    return tuple(dict.fromkeys(found))
