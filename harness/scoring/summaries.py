"""From scores to the lines of a table: every metric over a golden set, with documents and floors beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from harness import registry
from harness.records import Case
from harness.scoring.floors import Blind, blind
from harness.scoring.metric import Metric
from harness.scoring.per_document import Documents, documents_of, with_documents
from harness.scoring.scores import Score, Summary

STAGES = ("retrieve", "generate", "score")


def all_metrics() -> list[Metric]:
    """Every metric of harness/scoring/metrics/ at each of its cut-offs, in the order of the tables."""
    classes = [registry.load("metric", name, Metric) for name in registry.files("metric")]
    found = [metric for cls in classes if issubclass(cls, Metric) for metric in _at(cls)]
    return sorted(found, key=lambda metric: (STAGES.index(metric.stage), metric.place, metric.name(), metric.k or 0))


def _at(cls: type[Metric]) -> list[Metric]:
    return [cls(k=k) for k in cls.at] if cls.at else [cls()]


def summarise(metrics: Sequence[Metric], cases: Sequence[Case], scores: Sequence[Score]) -> list[Summary]:
    """One Summary a metric, in the order of `metrics`. `cases` are those of the retrieve stage."""
    by_metric: defaultdict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_metric[score.metric].append(score)
    docs = {case.golden.id: documents_of(case.golden) for case in cases}
    asked = {score.golden for score in scores if score.status != "not_applicable"}
    without = blind(case for case in cases if case.golden.id in asked)
    return [_summary(metric, by_metric[metric.label], docs, without) for metric in metrics]


def _summary(metric: Metric, scores: list[Score], docs: Documents, without: Blind) -> Summary:
    declared = {
        "stage": metric.stage,
        "unit": metric.unit,
        "headline": metric.k in metric.headline,
        "expense": metric.expense,
        "strata": metric.strata,
        "floors": metric.floors(without),
    }
    summary = with_documents(metric.summary(scores), scores, docs, share=metric.share)
    return summary.model_copy(update=declared)
