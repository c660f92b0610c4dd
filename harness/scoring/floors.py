"""Floors: what a metric gives to rankings and habits that know nothing of the question. Printed beside every mean.

- ``shuffled gold``: each ranking against the evidence of another golden of the same document (README.md beside this file).
- ``frequent pages``: as ranking, the five pages of the golden's documents that are most often gold for their other goldens.
- ``always answer`` and ``always abstain``: one habit, whatever the question.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.records import Case, Golden, PageRef
from harness.scoring.per_document import documents_of

SHUFFLES = 5
FREQUENT = 5

Pairs = Sequence[tuple[Case, Golden]]


@dataclass(frozen=True)
class Blind:
    """What rankings and habits can go by that do not read the question. `cases`: of the retrieve stage, by golden id."""

    cases: Sequence[Case]
    pairs: Pairs
    """Each case with another golden of each of its documents, for several shuffles."""
    pages: Mapping[str, Sequence[PageRef]]
    """By golden id: the pages most often gold for the other goldens of its documents."""


def blind(cases: Iterable[Case]) -> Blind:
    """`cases` in any order.

    A document with a single golden has no other evidence to offer and stays out: a golden's own pages are never held
    against it.
    """
    ordered = sorted(cases, key=lambda case: case.golden.id)
    return Blind(ordered, _shuffled(ordered), _frequent([case.golden for case in ordered]))


def mean_of(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of each list that is not empty."""
    return {name: math.fsum(row) / len(row) for name, row in values.items() if row}


def _shuffled(cases: Sequence[Case]) -> list[tuple[Case, Golden]]:
    """Each case with another golden of each of its documents: one random cycle through a document's goldens a shuffle."""
    groups: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.golden.evidence:
            for doc in documents_of(case.golden):
                groups[doc].append(case)
    pairs = []
    for doc, group in groups.items():
        rng = random.Random(doc)
        for _ in range(SHUFFLES if len(group) > 1 else 0):
            cycle = rng.sample(group, len(group))
            pairs += [(case, other.golden) for case, other in zip(cycle, cycle[1:] + cycle[:1], strict=True)]
    return pairs


def _frequent(goldens: Iterable[Golden]) -> dict[str, list[PageRef]]:
    """For each golden with evidence, by id: the pages most often gold for the other goldens of its documents, ties by page."""
    gold = {golden.id: golden.gold_pages for golden in goldens if golden.evidence}
    often = Counter(ref for pages in gold.values() for ref in pages)
    return {name: _top(often - Counter(pages), {ref.doc for ref in pages}) for name, pages in gold.items()}


def _top(often: Counter[PageRef], docs: set[str]) -> list[PageRef]:
    inside = [ref for ref in often if ref.doc in docs]
    return sorted(inside, key=lambda ref: (-often[ref], ref))[:FREQUENT]
