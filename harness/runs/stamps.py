"""What must be equal before two results may be set side by side, and before a kept score may be read back."""

from __future__ import annotations

from collections.abc import Sequence

from harness import registry
from harness.cache import keys
from harness.documents.corpus import Corpus
from harness.goldens.loading import GoldenSet
from harness.records import Golden, Json
from harness.runs.config import System
from harness.runs.ingest import Ingest
from harness.scoring.metric import Metric


def scope_stamp(system: System, loaded: GoldenSet, asked: Sequence[Golden], ingest: Ingest) -> dict[str, Json]:
    """What was asked of what. The same retriever reads very different figures under another scope."""
    return {
        "documents": len(ingest.documents),
        "pages": sum(ingest.corpus.documents[doc].pages for doc in ingest.documents),
        "searched": "all pages",
        "scope": system.scope,
        "unit": "page",
        "goldens": loaded.sha256[:16],
        "asked": len(asked),
        "images": False,
    }


def scored_by(metrics: Sequence[Metric], judges: Sequence[str]) -> dict[str, Json]:
    """With what the answers were scored; it may change while they stay."""
    return {"metrics": metric_versions(metrics), "judges": list(judges)}


def metric_versions(metrics: Sequence[Metric]) -> str:
    """16 hex digits that change with any metric's code."""
    return keys.digest({metric.label: keys.component_key(metric) for metric in metrics})[:16]


def scoring_stamp(corpus: Corpus) -> str:
    """What metrics read besides the case: documents with titles and aliases, and the code that reads them and passages.

    A document that cannot be opened in this run is another document.
    """
    own = [keys.own_code(f"harness.runs.{name}") for name in ("stages", "passages")]
    return keys.digest([corpus.sha256, sorted(corpus.damaged), keys.code("harness.documents.corpus"), own])


SAME = {
    "documents": "the number of documents",
    "pages": "the number of pages",
    "searched": "what is searched",
    "scope": "the scope",
    "unit": "the unit",
    "asked": "the number of questions",
    "images": "whether images are shown",
}
"""What of a scope stamp has to be equal, in words; goldens and documents are told apart by their whole sha256."""


def metric_codes(metrics: Sequence[Metric]) -> dict[str, str]:
    """By label 16 hex digits of a metric's own code, whatever Python and packages; what all metrics share is not its own."""
    shared = keys.modules("harness.scoring.metric")
    return {metric.label: keys.own_modules(type(metric).__module__, shared)[:16] for metric in metrics}


def judge_codes(names: Sequence[str]) -> dict[str, str]:
    """By name 16 hex digits of a judge's code, whatever Python and packages."""
    return {name: keys.own_modules(registry.module("judge", name).__name__)[:16] for name in names}
