"""A metric by document: one long report must not hide another, and few documents say little of others.

A golden on several documents counts in each of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from harness.records import Golden
from harness.scoring.intervals import (
    FEWEST,
    NONE,
    STRATUM,
    Interval,
    mean_of,
    of_amounts,
    of_shares,
    plain_mean,
    student,
)
from harness.scoring.scores import Score, Summary

MIN_DOCUMENTS = 15
TOO_FEW = "too few documents to generalise"

Documents = Mapping[str, Sequence[str]]
"""Golden id to its documents, as `documents_of` gives them."""


def documents_of(golden: Golden) -> tuple[str, ...]:
    """The documents that a golden counts in: those of its evidence, else those of its scope, else the corpus as one."""
    return tuple(sorted({ref.doc for ref in golden.gold_pages} or set(golden.scope))) or ("whole corpus",)


def document_of(golden: Golden) -> str:
    """The same in one text, for a line of a table."""
    return " + ".join(documents_of(golden))


def by_document(scores: Iterable[Score], docs: Documents) -> tuple[dict[str, float], float | None]:
    """Each document's mean over all the questions on it, and the mean of these means."""
    means = {doc: mean_of(rows) for doc, rows in _grouped(scores, docs).items()}
    known = {doc: mean for doc, mean in means.items() if mean is not None}
    return known, plain_mean(list(known.values()))


def with_documents(summary: Summary, scores: Sequence[Score], docs: Documents, *, share: bool = True) -> Summary:
    """The summary with its per-document values, their mean, and in its note what they say about other documents."""
    values, mean = by_document(scores, docs)
    low, high = over_documents(scores, docs, share=share)
    if low is None or high is None:
        note = TOO_FEW if values and len(values) < MIN_DOCUMENTS else ""
    else:
        note = f"over {len(values)} documents: {low:.3f} to {high:.3f}"
    notes = "; ".join(part for part in (summary.note, note) if part)
    return summary.model_copy(update={"by_document": values, "document_mean": mean, "note": notes})


def over_documents(scores: Sequence[Score], docs: Documents, *, share: bool = True) -> Interval:
    """The interval of the mean over questions, were whole documents drawn; none under fifteen documents.

    A question on several documents is shared out among them. Documents as uneven as fewer than four equal ones
    (Kish 1965) carry none, and this number, less one, gives the degrees of freedom.
    """
    clusters = _clusters(scores, docs)
    if len(clusters) < MIN_DOCUMENTS or any(STRATUM in score.detail for score in scores):
        return NONE
    sums, counts = np.array(clusters, dtype=np.float64).T
    even = float(counts.sum() ** 2 / (counts**2).sum())
    if even < FEWEST:
        return NONE
    if share:
        return of_shares(sums, counts, student(even - 1))
    mean = sums.sum() / counts.sum()
    return of_amounts(mean + (sums - mean * counts) / counts.mean(), even - 1)


def _clusters(scores: Iterable[Score], docs: Documents) -> list[tuple[float, float]]:
    """For each document the sum of its values and the number of its questions, in ascending order."""
    parts: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for score in scores:
        for doc in docs[score.golden] if score.value is not None else ():
            part = 1 / len(docs[score.golden])
            parts[doc].append(((score.value or 0.0) * part, part))
    return sorted((math.fsum(value for value, _ in own), math.fsum(part for _, part in own)) for own in parts.values())


def _grouped(scores: Iterable[Score], docs: Documents) -> dict[str, list[Score]]:
    groups: defaultdict[str, list[Score]] = defaultdict(list)
    for score in scores:
        for doc in docs[score.golden] if score.value is not None else ():
            groups[doc].append(score)
    return dict(sorted(groups.items()))
