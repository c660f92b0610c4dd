"""What a sealed split may show: no cell that rests on fewer than five questions, since such a cell tells single answers.

A cell that is left empty must not follow from those beside it: where the questions that are left out of a table of documents
are fewer than five together, the smallest other document is left out too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from harness.records import Case, Json
from harness.scoring.intervals import STRATUM
from harness.scoring.per_document import document_of
from harness.scoring.scores import Score, Summary

LEAST = 5
"""Questions that a shown cell rests on at least."""

_EMPTY: dict[str, Json] = {
    **dict.fromkeys(("mean", "low", "high", "worst", "best", "document_mean")),
    "by_document": {},
    "floors": {},
    "note": "",
}


def sealed(summaries: Iterable[Summary], cases: Sequence[Case], scores: Sequence[Score]) -> tuple[Summary, ...]:
    """The summaries with cells on fewer than five questions left empty; the counts stay. `cases` as for `summarise`."""
    docs = {case.golden.id: document_of(case.golden) for case in cases}
    return tuple(_sealed(one, [score for score in scores if score.metric == one.metric], docs) for one in summaries)


def is_sealed(summary: Summary) -> bool:
    """Whether the value of a scored metric was left empty."""
    return summary.mean is None and summary.scored > 0


def _sealed(summary: Summary, scores: Sequence[Score], docs: Mapping[str, str]) -> Summary:
    scored = [score for score in scores if score.value is not None]
    strata = Counter(str(score.detail.get(STRATUM, "")) for score in scored)
    if not scored or min(strata.values()) < LEAST:
        return summary.model_copy(update=_EMPTY)
    return summary.model_copy(update=_documents(summary, Counter(docs[score.golden] for score in scored)))


def _documents(summary: Summary, asked: Mapping[str, int]) -> dict[str, Json]:
    """The values by document that may be shown; their mean, unless few documents that are not shown follow from it."""
    shown = {doc for doc in summary.by_document if asked.get(doc, 0) >= LEAST}
    hidden = set(summary.by_document) - shown
    while hidden and shown and sum(asked.get(doc, 0) for doc in hidden) < LEAST:
        smallest = min(shown, key=lambda doc: (asked[doc], doc))
        shown.remove(smallest)
        hidden.add(smallest)
    return {
        "by_document": {doc: value for doc, value in summary.by_document.items() if doc in shown},
        "document_mean": summary.document_mean if not 0 < len(hidden) < LEAST else None,
    }
