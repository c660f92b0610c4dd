"""A difference of two systems, were whole documents drawn: questions on one document are not as many as they look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from harness.scoring import per_document
from harness.scoring.intervals import Interval
from harness.scoring.paired import sign_flip
from harness.scoring.per_document import Documents
from harness.scoring.scores import Score


class Clustered(NamedTuple):
    """Interval and p of a mean difference by document."""

    interval: Interval
    p: float
    documents: int


def over_documents(differences: Mapping[str, float], docs: Documents) -> Clustered | None:
    """The mean difference of shares by whole documents; None under fifteen documents, or where they are too uneven.

    `differences` are by golden. The interval is that of a share, stretched from 0..1 to -1..1; p flips the signs of whole
    documents. A question on several documents is shared out among them.
    """
    scores = [Score(metric="difference", golden=one, value=(1 + value) / 2) for one, value in differences.items()]
    low, high = per_document.over_documents(scores, docs)
    if low is None or high is None:
        return None
    sums: defaultdict[str, float] = defaultdict(float)
    for golden, value in differences.items():
        for doc in docs[golden]:
            sums[doc] += value / len(docs[golden])
    return Clustered(Interval(2 * low - 1, 2 * high - 1), sign_flip(sorted(sums.values())), len(sums))
