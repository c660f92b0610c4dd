"""A run: which stages, on which goldens, in which order; reading back what is unchanged; the manifest last."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from harness.bench import Bench, Watcher
from harness.cache import keys
from harness.cache.blobs import Blobs
from harness.cache.outcomes import Outcomes
from harness.cache.vectors import ArrayMemo, Memos
from harness.components import Component
from harness.documents.corpus import Corpus
from harness.errors import UserError, nearest
from harness.files.writing import write_text
from harness.goldens import loading, locks
from harness.goldens.loading import GoldenSet
from harness.records import Golden
from harness.runs import config, heldout, provenance, results, timing
from harness.runs.config import System
from harness.runs.ingest import Ingest
from harness.runs.options import Options
from harness.runs.results import Manifest, Rows
from harness.runs.stages import Scoring, Stages
from harness.scoring.metric import Metric
from harness.scoring.scores import Summary
from harness.scoring.summaries import all_metrics, summarise

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Result:
    """One system on one split: what was kept, and the lines of its table."""

    manifest: Manifest
    rows: Rows
    summaries: tuple[Summary, ...]
    folder: Path

    @property
    def name(self) -> str:
        """ "<set>/<system>/<split>" """
        return f"{self.manifest.set}/{self.manifest.system}/{self.manifest.split}"


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
    """One system on one golden set, opened: corpus, caches, metrics."""

    def __init__(self, system: System, options: Options, progress: Watcher) -> None:
        self.system, self.options, self.progress = system, options, progress
        self.cache = options.results / "cache"
        keys.recall(self.cache / "code.jsonl")
        self.clock = Clock()
        with self.clock.step("open"):
            self.corpus = Corpus.open(system.goldens, self.cache)
            self.outcomes = Outcomes(self.cache / "outcomes.sqlite")
        keep_out_of_git(options.results, self.corpus)
        self.memos = Memos(self.cache / "memo", progress)
        self.paid = Memos(options.results / "calls" / "memo", progress)
        self.metrics = all_metrics()
        self._keys: dict[str, str] = {}

    def _memo(self, component: Component, label: str) -> ArrayMemo:
        memos = self.paid if getattr(component, "paid", False) else self.memos
        return memos.open(f"{component.name()}-{label}-{self._key(component)[:16]}", f"{component.name()} {label}")

    def _key(self, component: Component) -> str:
        """The component's key, worked out once a session: it reads whole model files.

        Settings that act at query time only (a batch size, a rate limit) do not change a vector.
        """
        spec = keys.digest(component.spec(for_index=True))
        if spec not in self._keys:
            self._keys[spec] = keys.component_key(component, for_index=True)
        return self._keys[spec]

    def _ingest(self, loaded: GoldenSet) -> Ingest:
        """The documents that this split is asked of: those in its goldens' scopes, or the whole corpus."""
        scopes = [golden.scope for golden in loaded.goldens]
        named = {doc for scope in scopes for doc in scope}
        narrow = self.system.scope == "golden" and all(scopes)
        docs = [doc for doc in self.corpus.documents if doc in named or not narrow]
        return Ingest(self.corpus, docs, self.cache, self.system.parser, self.system.chunker)

    def _bench(self, ingest: Ingest) -> Bench:
        return Bench(
            corpus=self.corpus,
            blobs=Blobs(self.cache / "blobs"),
            chunks=ingest.chunks,
            memo=self._memo,
            progress=self.progress,
        )

    def run_split(self, split: str) -> Result:
        """All three stages on one split, kept."""
        loaded = loading.load(self.system.goldens, split, self.corpus)
        chosen = choose(loaded, self.options)
        ingest = self._ingest(loaded)
        bench = self._bench(ingest)
        with self.clock.step("ingest"):
            ingest.run(bench, self.options.workers)
        stages = Stages(self.system, ingest, self.outcomes, bench)
        try:
            rows = self._rows(stages, bench, chosen, split)
            latency = timing.measure(stages, chosen) if self.options.time else {}
        finally:
            self.memos.flush()
            self.paid.flush()
            keys.keep(self.cache / "code.jsonl")
        return self._kept(loaded, chosen, stages, rows, latency)

    def _rows(self, stages: Stages, bench: Bench, chosen: Sequence[Golden], split: str) -> Rows:
        scoring = Scoring(self.metrics, self.outcomes, bench, self.system.scope, scoring_stamp(self.corpus))
        with self.clock.step("retrieve"):
            retrieved = self._each(f"{split}: retrieve", stages.retrieve, chosen)
        with self.clock.step("generate"):
            generated = self._each(f"{split}: generate", stages.generate, chosen)
        with self.clock.step("score"):
            pairs = list(zip(retrieved, generated, strict=True))
            scores = self._each(f"{split}: score", lambda pair: scoring.score(*pair), pairs)
        return Rows(tuple(retrieved), tuple(generated), tuple(score for row in scores for score in row))

    def _each(self, what: str, work: Callable[[In], Out], items: Sequence[In]) -> list[Out]:
        """`work` on each item, in a pool of threads, results in the order of the items."""
        pool = ThreadPoolExecutor(self.options.workers)
        try:
            futures = [pool.submit(work, item) for item in items]
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()
                self.progress(what, done, len(items))
            return [future.result() for future in futures]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _kept(
        self,
        loaded: GoldenSet,
        chosen: Sequence[Golden],
        stages: Stages,
        rows: Rows,
        latency: dict[str, float],
    ) -> Result:
        with self.clock.step("report"):
            summaries = tuple(summarise(self.metrics, rows.retrieved, rows.scores))
        manifest = self._manifest(loaded, chosen, stages, rows).model_copy(update={"latency": latency})
        if loaded.split == "heldout":
            manifest = heldout.opened(manifest, self.system, summaries, self.options)
        return Result(manifest, rows, summaries, results.write(self.options.results, manifest, rows))

    def _manifest(self, loaded: GoldenSet, chosen: Sequence[Golden], stages: Stages, rows: Rows) -> Manifest:
        usage = [case.usage for case in rows.generated]
        costs = [one.cost for one in usage]
        stamp = scope_stamp(self.system, loaded, chosen, stages.ingest, self.metrics)
        unit_keys = {"search": stages.search_key, "rerank": stages.rerank_key, "answer": stages.answer_key}
        return Manifest(
            set=loaded.name,
            system=self.system.name,
            split=loaded.split,
            key=keys.digest([self.system.spec(), unit_keys, stamp, [golden.id for golden in chosen]])[:8],
            config={"goldens": str(self.system.goldens), **self.system.spec()},
            replaced=self.system.replaced,
            goldens={"sha256": loaded.sha256, "asked": len(chosen), "of": len(loaded.goldens)},
            corpus={
                doc: {"sha256": self.corpus.documents[doc].sha256, **stages.ingest.head(doc)}
                for doc in stages.ingest.documents
            },
            keys=unit_keys,
            stamp=stamp,
            partial=self.options.partial,
            oracle=self.system.oracle,
            commit=provenance.commit(),
            dirty=provenance.why_not_clean(),
            packages=provenance.packages(),
            machine=provenance.describe(),
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=dict(self.clock.seconds),
            tokens=sum(one.input_tokens + one.output_tokens for one in usage),
            cost_cold=sum(cost for cost in costs if cost is not None) if None not in costs else None,
        )


def keep_out_of_git(results: Path, corpus: Corpus) -> None:
    """Caches, and the rows of a set that may not be passed on, ignore themselves; openings are always kept."""
    for name in ("cache", "calls"):
        _ignore(results / name, "*\n")
    if not corpus.redistributable:
        _ignore(results / corpus.name, "*\n!openings.jsonl\n")


def _ignore(folder: Path, rules: str) -> None:
    path = folder / ".gitignore"
    if not path.exists():
        write_text(path, rules)


def scoring_stamp(corpus: Corpus) -> str:
    """What metrics read besides the case: the documents, and the code that reads them."""
    documents = {doc: file.sha256 for doc, file in corpus.documents.items()}
    return keys.digest([documents, keys.code("harness.documents.corpus"), keys.own_code("harness.runs.stages")])


def scope_stamp(
    system: System, loaded: GoldenSet, chosen: Sequence[Golden], ingest: Ingest, metrics: Sequence[Metric]
) -> dict[str, object]:
    """What must be equal before two results may be compared."""
    return {
        "documents": len(ingest.documents),
        "pages": sum(ingest.corpus.documents[doc].pages for doc in ingest.documents),
        "searched": "all pages",
        "scope": system.scope,
        "unit": "page",
        "goldens": loaded.sha256[:16],
        "asked": len(chosen),
        "metrics": metric_versions(metrics),
        "judges": list(system.judges),
        "images": False,
    }


def metric_versions(metrics: Sequence[Metric]) -> str:
    """16 hex digits that change with any metric's code."""
    return keys.digest({metric.label: keys.component_key(metric) for metric in metrics})[:16]


def choose(loaded: GoldenSet, options: Options) -> list[Golden]:
    """The goldens to ask. Raises UserError for an --only that is not there."""
    known = {golden.id: golden for golden in loaded.goldens}
    for wanted in options.only:
        if wanted not in known:
            raise UserError(f"no golden {wanted!r} in {loaded.path}.{nearest(wanted, list(known))}")
    chosen = [known[wanted] for wanted in options.only] if options.only else list(loaded.goldens)
    return chosen[: options.limit] if options.limit is not None else chosen


def golden_folder(config_path: Path, system: System, options: Options) -> Path:
    """The golden set that is asked for, or the config's own: from here, or from a folder above the config."""
    if options.goldens is not None:
        return loading.find(options.goldens)
    places = [system.goldens, *(parent / system.goldens for parent in config_path.resolve().parents)]
    found = next((place for place in places if (place / "corpus.yaml").is_file()), None)
    return Path(os.path.relpath(found)) if found else loading.find(system.goldens)


def run(path: Path, options: Options, progress: Watcher) -> list[Result]:
    """Run the system that a config declares on its splits."""
    system = config.load(path, options.settings)
    system = system.model_copy(update={"goldens": golden_folder(path, system, options)})
    splits = heldout.splits(system.goldens, options, progress.note)
    if "heldout" in splits:
        locks.verify(system.goldens)
    session = Session(system, options, progress)
    return [session.run_split(split) for split in splits]
