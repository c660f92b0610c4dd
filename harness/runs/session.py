"""A job with its caches open: from here come benches, stages and the scoring of what they gave."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from harness.bench import Bench, Shelf, Watcher
from harness.cache import keys
from harness.cache.blobs import Blobs
from harness.cache.outcomes import Outcomes
from harness.cache.vectors import ArrayMemo, Memos
from harness.components import Component
from harness.errors import UserError
from harness.goldens.loading import GoldenSet
from harness.runs.ingest import Ingest, known
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.passages import passages_of
from harness.runs.stages import OutcomeCache, Scoring, Stages
from harness.runs.stamps import scoring_stamp
from harness.scoring.summaries import all_metrics


@dataclass
class Clock:
    """Seconds by step."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - start, 3)


class Session:
    """One system on one golden set, with caches, metrics and a clock."""

    def __init__(self, job: Job, options: Options, progress: Watcher) -> None:
        self.system, self.corpus, self.options, self.progress = job.system, job.corpus, options, progress
        self.cache, self.origin = options.cache, job.origin
        keys.PARSED.load(self.cache / "code.jsonl")
        self.clock = Clock()
        with self.clock.step("open"):
            self.outcomes = Outcomes(self.cache / "outcomes.sqlite")
        self.answered: OutcomeCache = self.outcomes
        """Where searches and answers are kept."""
        self.computed = Memos(self.cache / "memo", progress)
        self.paid = Memos(options.results / "calls" / "memo", progress)
        self.metrics = all_metrics()
        self._keys: dict[str, str] = {}

    def stages(self, loaded: GoldenSet) -> Stages:
        """The system's stages on the documents of a split, all of them parsed and chunked."""
        ingest = self._ingest(loaded)
        bench = self._bench(ingest)
        with self.clock.step("ingest"):
            ingest.run(bench, self.options.workers)
        return Stages(self.system, ingest, self.answered, bench, self.options.retry_failed)

    def scoring(self, searches: str, stages: Callable[[], Stages]) -> Scoring:
        """The score stage on this corpus. `stages` are asked for passages only; those of other searches are refused."""
        shelf = Shelf(self.corpus, {doc: known(file) for doc, file in self.corpus.documents.items()})
        bench = Bench(corpus=shelf, blobs=Blobs(self.cache / "blobs"))
        passages = passages_of(searches, lambda: _same_search(stages(), searches))
        return Scoring(self.metrics, self.outcomes, bench, self.system.scope, scoring_stamp(self.corpus), passages)

    def flush(self) -> None:
        """Write what is pending in the caches."""
        self.computed.flush()
        self.paid.flush()
        keys.PARSED.save(self.cache / "code.jsonl")

    def _ingest(self, loaded: GoldenSet) -> Ingest:
        """The documents that this split is asked of: those in its goldens' scopes, or the whole corpus."""
        scopes = [golden.scope for golden in loaded.goldens]
        named = {doc for scope in scopes for doc in scope}
        narrow = self.system.scope == "golden" and all(scopes)
        docs = [doc for doc in self.corpus.documents if doc in named or not narrow]
        parts = self.system.parser, self.system.chunker
        return Ingest(self.corpus, docs, self.cache, *parts, self.options.retry_failed)

    def _bench(self, ingest: Ingest) -> Bench:
        blobs = Blobs(self.cache / "blobs")
        return Bench(corpus=ingest.shelf, blobs=blobs, chunks=ingest.chunks, memo=self._memo, progress=self.progress)

    def _memo(self, component: Component, label: str) -> ArrayMemo:
        memos = self.paid if getattr(component, "paid", False) else self.computed
        return memos.open(f"{component.name()}-{label}-{self._key(component)[:16]}", f"{component.name()} {label}")

    def _key(self, component: Component) -> str:
        """The component's key, worked out once a session: it reads whole model files.

        Settings that act at query time only (a batch size, a rate limit) do not change a vector.
        """
        spec = keys.digest(component.spec(for_index=True, in_order=True))
        if spec not in self._keys:
            self._keys[spec] = keys.component_key(component, for_index=True)
        return self._keys[spec]


def _same_search(stages: Stages, searched: str) -> Stages:
    if stages.keys["rerank"] != searched:
        raise UserError(
            "the passages that these answers were made from cannot be had any more: documents, search or code changed "
            "since. Run the system again."
        )
    return stages
