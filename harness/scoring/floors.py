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

from harness.records import Case, Golden, PageRef
from harness.scoring.metric import Metric
from harness.scoring.metrics._pages import EvidenceMetric, PageMetric
from harness.scoring.metrics.abstention import Abstention
from harness.scoring.per_document import home

SHUFFLES = 5
FREQUENT = 5

Pairs = Sequence[tuple[Case, Golden]]


def floors(cases: Sequence[Case], metrics: Sequence[Metric]) -> dict[str, dict[str, float]]:
    """Floors of each metric that has one, by label and name. `cases`: of the retrieve stage, in any order.

    They are means over the cases that the metric applies to; shuffled gold also over several shuffles. A document with a
    single golden has no other evidence to offer and stays out: a golden's own pages are never held against it.
    """
    ordered = sorted(cases, key=lambda case: case.golden.id)
    pairs, pages = _shuffled(ordered), _frequent([case.golden for case in ordered])
    found = {metric.label: _floors(metric, ordered, pairs, pages) for metric in metrics}
    return {label: values for label, values in found.items() if values}


def _floors(
    metric: Metric, cases: Sequence[Case], pairs: Pairs, pages: Mapping[str, list[PageRef]]
) -> dict[str, float]:
    if isinstance(metric, Abstention):
        return {"always answer": 0.5, "always abstain": 0.5}
    if not isinstance(metric, EvidenceMetric) or metric.stage != "retrieve":
        return {}
    goldens = [case.golden for case in cases if metric.applies(case.golden) is None]
    fits = {golden.id for golden in goldens}
    means = {
        "shuffled gold": _mean([metric.worth(case, gold) for case, gold in pairs if {case.golden.id, gold.id} <= fits])
    }
    if isinstance(metric, PageMetric):
        known = [golden for golden in goldens if pages[golden.id]]
        means["frequent pages"] = _mean([metric.value(pages[golden.id][: metric.k], golden) for golden in known])
    return {name: mean for name, mean in means.items() if mean is not None}


def _shuffled(cases: Sequence[Case]) -> list[tuple[Case, Golden]]:
    """Each case with another golden of its document, for several shuffles: one random cycle through a document's goldens."""
    groups: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.golden.evidence:
            groups[home(case.golden)].append(case)
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


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
