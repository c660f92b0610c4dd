"""Line items and measures: the records of the vocabulary's entries, and which of them a phrase or a question names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from systems.answerers._statements import vocabulary


@dataclass(frozen=True)
class Term:
    """A line item or a measure."""

    called: str
    """A plain name, one of those that the pattern takes."""
    name: str
    """What questions call it: a pattern for lower case."""
    statement: str = ""
    labels: tuple[str, ...] = ()
    """Its captions, usual one first."""
    formula: str = ""
    """How it is computed where no caption is found."""
    percent: bool = False
    cost: bool = False
    """Printed with or without brackets, and meant without sign."""

    @classmethod
    def of(cls, entry: vocabulary.Entry) -> Term:
        """The record of an entry of the vocabulary."""
        labels = tuple(label.strip() for label in entry.get("labels", "").split(";") if label)
        return cls(
            entry["called"],
            entry["name"],
            entry.get("statement", ""),
            labels,
            entry.get("formula", ""),
            entry.get("percent", False),
            entry.get("cost", False),
        )


_MEASURES = tuple(map(Term.of, vocabulary.MEASURES))
TERMS = (*_MEASURES, *map(Term.of, vocabulary.ITEMS))
_COMPILED = tuple((re.compile(term.name), term) for term in TERMS)


def term_of(phrase: str) -> Term | None:
    """The term that the phrase is a name of."""
    return next((term for name, term in _COMPILED if name.fullmatch(phrase)), None)


def measure_in(question: str) -> Term | None:
    """The computed measure that a question, in lower case, names: of several the longest."""
    found = [
        (match.end() - match.start(), -number)
        for number, term in enumerate(_MEASURES)
        if (match := re.search(rf"\b(?:{term.name})\b", question))
    ]
    return _MEASURES[-max(found)[1]] if found else None
