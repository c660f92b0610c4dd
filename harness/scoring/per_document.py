"""A metric by document: one long report must not hide another, and few documents say little of others."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from harness.records import Golden
from harness.scoring.intervals import (
    NONE,
    RESAMPLES,
    STRATUM,
    Interval,
    bca_of,
    mean_of,
    plain_mean,
    resampled_sums,
    scored_values,
)
from harness.scoring.scores import Score, Summary

MIN_DOCUMENTS = 15
TOO_FEW = "too few documents to generalise"


def document_of(golden: Golden) -> str:
    """The document that a golden belongs to: of its evidence, else of its scope; several are one home of their own."""
    docs = sorted({ref.doc for ref in golden.gold_pages} or set(golden.scope))
    return " + ".join(docs) if docs else "whole corpus"


def by_document(scores: Iterable[Score], docs: Mapping[str, str]) -> tuple[dict[str, float], float | None]:
    """Each document's mean, and the mean of these means. `docs`: golden id to document, as `home` gives it."""
    means = {doc: mean_of(rows) for doc, rows in _grouped(scores, docs).items()}
    known = {doc: mean for doc, mean in means.items() if mean is not None}
    return known, plain_mean(list(known.values()))


def with_documents(summary: Summary, scores: Sequence[Score], docs: Mapping[str, str]) -> Summary:
    """The summary with its per-document values, their mean, and in its note what they say about other documents."""
    values, mean = by_document(scores, docs)
    low, high = over_documents(scores, docs)
    if low is None or high is None:
        note = TOO_FEW if 0 < len(values) < MIN_DOCUMENTS else ""
    else:
        note = f"over {len(values)} documents: {low:.3f} to {high:.3f}"
    notes = "; ".join(part for part in (summary.note, note) if part)
    return summary.model_copy(update={"by_document": values, "document_mean": mean, "note": notes})


def over_documents(scores: Sequence[Score], docs: Mapping[str, str]) -> Interval:
    """BCa interval of the mean over questions with whole documents resampled; none under fifteen documents."""
    grouped = [scored_values(rows) for rows in _grouped(scores, docs).values()]
    clusters = sorted((math.fsum(values), len(values)) for values in grouped if values)
    if len(clusters) < MIN_DOCUMENTS or any(STRATUM in score.detail for score in scores):
        return NONE
    table = np.array(clusters, dtype=np.float64)
    total, n = table.sum(axis=0)
    if np.ptp(table[:, 0] / table[:, 1]) == 0:
        return Interval(float(total / n), float(total / n))
    sums = resampled_sums(table, RESAMPLES)
    without = (total - table[:, 0]) / (n - table[:, 1])
    return bca_of(float(total / n), sums[:, 0] / sums[:, 1], without.mean() - without)


def _grouped(scores: Iterable[Score], docs: Mapping[str, str]) -> dict[str, list[Score]]:
    groups: defaultdict[str, list[Score]] = defaultdict(list)
    for score in scores:
        if score.value is not None:
            groups[docs[score.golden]].append(score)
    return dict(sorted(groups.items()))
