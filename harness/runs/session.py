"""A job with its caches open: from here come benches, stages and the scoring of what they gave."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from harness.bench import Bench, Shelf, Watcher
from harness.cache import keys
from harness.cache.blobs import Blobs
from harness.cache.outcomes import Outcomes
from harness.cache.vectors import ArrayMemo, Memos
from harness.components import Component
from harness.errors import UserError
from harness.goldens.loading import GoldenSet
from harness.models import prices
from harness.models.door import Door
from harness.records import Json
from harness.runs.doors import CASES, cases_at_once, open_door, workers_door
from harness.runs.ingest import Ingest, known
from harness.runs.jobs import Job
from harness.runs.options import Options
from harness.runs.passages import passages_of
from harness.runs.stages import OutcomeCache, Retry, Scoring, Stages
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

    def __init__(self, job: Job, options: Options, progress: Watcher, door: Door | None = None) -> None:
        self.system, self.corpus, self.options, self.progress = job.system, job.corpus, options, progress
        self.cache, self.origin = options.cache, job.origin
        keys.PARSED.load(self.cache / "code.jsonl")
        self.clock = Clock()
        with self.clock.step("open"):
            self.outcomes = Outcomes(self.cache / "outcomes.sqlite")
        self.answered: OutcomeCache = self.outcomes
        """Where searches and answers are kept."""
        self.follows = True
        """Whether it is noted how far gold pages came, by searches of their own."""
        self.computed = Memos(self.cache / "memo", progress)
        self.door = door or open_door([job.system], options)
        self.retry = Retry(options.retry_failed, options.retry_bad)
        self._before = self.door.budget.billed
        self.workers = cases_at_once(job.system, self.door, options)
        self.metrics = all_metrics()
        self._keys: dict[str, str] = {}

    def stages(self, loaded: GoldenSet) -> Stages:
        """The system's stages on the documents of a split, all of them parsed and chunked."""
        ingest = self.ingest(loaded)
        bench = self.bench(ingest)
        with self.clock.step("ingest"):
            self.door.budget.add(ingest.run(bench, self.options.workers or CASES))
        return Stages(self.system, ingest, self.answered, bench, self.retry)

    def scoring(self, searches: str, stages: Callable[[], Stages]) -> Scoring:
        """The score stage on this corpus. `stages` are asked for passages only; those of other searches are refused."""
        shelf = Shelf(self.corpus, {doc: known(file) for doc, file in self.corpus.documents.items()})
        bench = Bench(corpus=shelf, blobs=Blobs(self.cache / "blobs"), door=self.door)
        passages = passages_of(searches, lambda: _same_search(stages(), searches))
        return Scoring(
            self.metrics,
            self.outcomes,
            bench,
            self.system.scope,
            scoring_stamp(self.corpus),
            passages,
            self.system.prices,
        )

    def billed(self) -> dict[str, Json]:
        """What was paid since the session began, beside what the same costs with nothing kept, for the manifest."""
        if not any(component.models() for component in self.system.components.values()):
            return {}
        billed = self.door.budget.billed.since(self._before)
        calls = {"billed": billed.calls, "prices": prices.source(self.system.prices)}
        return {"cost_billed": billed.cost, "calls": calls}

    def flush(self) -> None:
        """Write what is pending in the caches."""
        self.computed.flush()
        keys.PARSED.save(self.cache / "code.jsonl")

    def ingest(self, loaded: GoldenSet) -> Ingest:
        """The documents that this split is asked of: those in its goldens' scopes, or the whole corpus."""
        scopes = [golden.scope for golden in loaded.goldens]
        named = {doc for scope in scopes for doc in scope}
        narrow = self.system.scope == "golden" and all(scopes)
        docs = [doc for doc in self.corpus.documents if doc in named or not narrow]
        parts = self.system.parser, self.system.chunker
        return Ingest(
            self.corpus, docs, self.cache, *parts, self.options.retry_failed, workers_door(self.system, self.door)
        )

    def bench(self, ingest: Ingest) -> Bench:
        """What components may use, before it is narrowed to a case."""
        blobs = Blobs(self.cache / "blobs")
        bench = Bench(corpus=ingest.shelf, blobs=blobs, door=self.door, chunks=ingest.chunks)
        return replace(bench, memo=self._memo, progress=self.progress)

    def _memo(self, component: Component, label: str) -> ArrayMemo:
        return self.computed.open(
            f"{component.name()}-{label}-{self._key(component)[:16]}", f"{component.name()} {label}"
        )

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
