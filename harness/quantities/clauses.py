"""The clause of a sentence that belongs to each figure: what names it, and the period that it is of.

Writers put the name in front ("in 2021 it was 5.1%; in 2022 4.8%") or behind ("5.1% in 2021 and 4.8% in 2022"). Cut where
figures are told apart (commas, "and", brackets), a clause holds its figure and the words of it on either side.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+(?=[A-Z(*\[•\"“$-])|;\s*")
_CUT = re.compile(
    r",\s+|\s[–—-]\s|[()\[\]]|\s(?=(?:and|while|whereas|but|or|against|compared (?:to|with)|versus|vs\.?|up from|"
    r"down from|after|"
    r"from|than|then)\b)",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\W*(?:and\s+)?(?:against|compared|versus|vs|up from|down from|after|from|than)\b", re.IGNORECASE
)


class Clause(NamedTuple):
    """A figure's clause, where its sentence starts, and whether it stands in brackets or is only compared with."""

    start: int
    end: int
    sentence: int
    aside: bool


def clauses_of(text: str, figures: Sequence[tuple[int, int]], periods: Sequence[tuple[int, int]] = ()) -> list[Clause]:
    """The clause of each figure, given as spans in order; `periods` are those of the periods that the text names."""
    cuts = [0, *(match.end() for match in SENTENCE.finditer(text)), len(text)]
    clauses: list[Clause] = []
    first = 0
    while first < len(figures):
        at = bisect_right(cuts, figures[first][0]) - 1
        at = min(at, len(cuts) - 2)
        last = first
        while last + 1 < len(figures) and figures[last + 1][0] < cuts[at + 1]:
            last += 1
        clauses += _in_sentence(text, cuts[at], cuts[at + 1], figures[first : last + 1], periods)
        first = last + 1
    return clauses


def _in_sentence(
    text: str, low: int, high: int, figures: Sequence[tuple[int, int]], periods: Sequence[tuple[int, int]]
) -> list[Clause]:
    cuts = [match.end() if match[0].strip() else match.start() for match in _CUT.finditer(text, low, high)]
    edges = [low, *(cut for cut in cuts if not any(start < cut < end for start, end in figures)), high]
    bounds = [edges[0]]
    for (_, end), (start, _) in pairwise(figures):
        inner = [edge for edge in edges if end <= edge <= start]
        if inner:
            bounds.append(_between(inner, text, end, start, periods, bounds[-1]))
    bounds.append(high)
    return [_clause(text, start, bounds, low) for start, _ in figures]


def _between(inner: list[int], text: str, end: int, start: int, periods: Sequence[tuple[int, int]], clause: int) -> int:
    """Where a clause ends: at the first cut behind its figure, or behind a period ("4.8%, in 2022, and 5.1% in 2021")."""
    first = inner[0]
    if len(inner) < 2:
        return first
    named = any(clause <= low < first for low, _ in periods)
    follows = [high for low, high in periods if first <= low < inner[1]]
    only = follows and re.fullmatch(r"\W*(?:in|for|during|at the end of)?\W*", text[first : follows[0] - 4])
    return inner[1] if only and not named else first


def _clause(text: str, start: int, bounds: list[int], sentence: int) -> Clause:
    place = min(bisect_right(bounds, start), len(bounds) - 1)
    low, high = bounds[place - 1], bounds[place]
    aside = bool(_COMPARED.match(text, low, high)) or text[max(0, low - 1) : low] in ("(", "[")
    return Clause(low, high, sentence, aside)


_VERB = re.compile(r"\b(?:was|were|is|are|amounted to|came to|stood at|totall?ed|reached|of)\b|:", re.IGNORECASE)
_ITEM = re.compile(r",\s*(?:and\s+)?|\s+and\s+")


class _Span(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def respective_names(text: str, figures: Sequence[_Span], clauses: Sequence[Clause]) -> Iterator[tuple[int, str]]:
    """(place, name) of figures that a "respectively" pairs with names: "revenue and costs were $5m and $3m, respectively"."""
    for found in re.finditer(r"\brespectively\b", text, re.IGNORECASE):
        at = [
            i
            for i, clause in enumerate(clauses)
            if clause.sentence <= found.start() and figures[i].end <= found.start()
        ]
        at = [i for i in at if clauses[i].sentence == clauses[at[-1]].sentence]
        if len(at) < 2:
            continue
        lead = _VERB.split(text[clauses[at[0]].sentence : figures[at[0]].start])[0]
        names = [part for part in _ITEM.split(lead) if part.strip()]
        if len(names) == len(at):
            yield from zip(at, names, strict=True)
