"""Parts of a split that share something: a modality, a document, an answer type, a tag, what is expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harness.records import Golden
from harness.scoring.compare import Contestant
from harness.scoring.metric import Metric
from harness.scoring.per_document import documents_of
from harness.scoring.scores import Summary

FEWEST = 8
"""Questions of a slice at least: fewer say next to nothing."""


class Slice(NamedTuple):
    """Goldens that share something."""

    by: str
    value: str
    goldens: frozenset[str]


def slices(goldens: Iterable[Golden]) -> list[Slice]:
    """Every slice with eight questions or more that is not the whole split, by kind and size."""
    found: dict[tuple[str, str], list[str]] = {}
    asked = list(goldens)
    for golden in asked:
        for by, value in dict.fromkeys(_marks(golden)):
            found.setdefault((by, value), []).append(golden.id)
    kept = [Slice(by, value, frozenset(ids)) for (by, value), ids in found.items() if FEWEST <= len(ids) < len(asked)]
    order = ("expect", "modality", "answer type", "tag", "document")
    return sorted(kept, key=lambda one: (order.index(one.by), -len(one.goldens), one.value))


def _marks(golden: Golden) -> Iterator[tuple[str, str]]:
    yield "expect", golden.expect
    yield from (("modality", modality) for modality in golden.modality)
    yield from (("document", doc) for doc in documents_of(golden))
    yield from (("tag", tag) for tag in golden.tags)
    if golden.answer_type:
        yield "answer type", golden.answer_type


def summary_on(part: Slice, contestant: Contestant, metric: Metric) -> Summary:
    """A metric over the questions of a slice."""
    rows = list(contestant.by_metric.get(metric.label, {}).values())
    return metric.summary([score for score in rows if score.golden in part.goldens])
