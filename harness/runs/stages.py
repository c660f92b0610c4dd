"""The three stages: records in, records out. Each works on one golden and is kept under its own key.

retrieve  the question straight to search and rerank; no answerer runs
generate  the answerer, which may search once or twenty times
score     saved cases only; no system runs
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from pydantic import Field

from harness.bench import Bench, Document, Index
from harness.cache import keys
from harness.cache.outcomes import Outcomes
from harness.components import Component
from harness.protocols import Retriever
from harness.records import Answer, Attempt, Case, Chunk, Found, Golden, Hit, Kind, PageRef, Record, Search
from harness.runs import faults, guards
from harness.runs.config import System
from harness.runs.deadlines import Deadline, Late
from harness.runs.indexes import Indexes
from harness.runs.ingest import Ingest, known
from harness.scoring.metric import Metric
from harness.scoring.scores import Score

INSTRUMENT = ("harness.runs.indexes", "harness.cache.vectors")
"""What a system works with while it searches and answers: indexes, bench, corpus and page text, vectors. Metrics are not."""


class Ranking(Record):
    """A ranking as it is kept: hits by chunk id, and whole chunks only where they are not the corpus's own."""

    hits: tuple[Found, ...] = ()
    extra: dict[str, Chunk] = Field(default_factory=dict)

    @classmethod
    def of(cls, hits: Sequence[Hit], chunks: dict[str, Chunk]) -> Ranking:
        strange = {hit.chunk.id: hit.chunk for hit in hits if chunks.get(hit.chunk.id) != hit.chunk}
        return cls(hits=tuple(_found(hits)), extra=strange)

    def restore(self, chunks: dict[str, Chunk]) -> list[Hit]:
        """The hits with their chunks."""
        return [Hit(self.extra.get(hit.chunk) or chunks[hit.chunk], hit.score) for hit in self.hits]


def _found(hits: Sequence[Hit]) -> Iterator[Found]:
    """The hits as they are kept. The same text of a page under several ids has one kind, that of its first hit."""
    kinds: dict[tuple[PageRef, str], Kind] = {}
    for hit in hits:
        kind = kinds.setdefault((hit.chunk.ref, " ".join(hit.chunk.text.split())), hit.chunk.kind)
        found = Found.of(hit)
        yield found if found.kind == kind else found.model_copy(update={"kind": kind})


class OutcomeCache(Protocol):
    """Results of single units of work by their key."""

    def get(self, key: str) -> Any | None: ...
    def put(self, key: str, value: Any) -> None: ...


@dataclass
class Calls:
    """The searches of one answerer on one case, in the order of the calls, and capped."""

    limit: int
    searches: list[Search] = field(default_factory=list)
    capped: bool = False
    over: bool = False
    """True where the case's time is over."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, query: str) -> int | None:
        """Take the next place; None beyond the cap. Raises ValidationError for what is no query."""
        with self.lock:
            if self.over:
                raise Late("the time of the case is over")
            if len(self.searches) >= self.limit:
                self.capped = True
                return None
            self.searches.append(Search(query=query))
            return len(self.searches) - 1

    def end(self, place: int, hits: Sequence[Hit]) -> None:
        """Record what the search at that place gave."""
        with self.lock:
            found = tuple(Found.of(hit) for hit in hits)
            self.searches[place] = self.searches[place].model_copy(update={"hits": found})

    def close(self) -> tuple[Search, ...]:
        """The searches so far; an answerer that was left behind gets no more."""
        with self.lock:
            self.over = True
            return tuple(self.searches)


class Stages:
    """One system on one golden set."""

    def __init__(
        self, system: System, ingest: Ingest, outcomes: OutcomeCache, bench: Bench, retry_failed: bool = False
    ) -> None:
        self.system, self.ingest, self.outcomes, self.retry_failed = system, ingest, outcomes, retry_failed
        self.indexes = Indexes(ingest, bench)
        self.bench = self.indexes.bench.with_index(self._open)
        own = [keys.own_code(__name__), *map(keys.code, INSTRUMENT)]
        self.search_key = keys.digest(
            [own, ingest.index_key(system.retriever), keys.component_key(system.retriever), system.retriever.candidates]
        )
        self.rerank_key = keys.digest([self.search_key, keys.component_key(system.reranker)])
        self.answer_key = keys.digest([self.rerank_key, keys.component_key(system.answerer)])
        self.keys = {"search": self.search_key, "rerank": self.rerank_key, "answer": self.answer_key}
        self.deadline = Deadline(system.seconds)
        self._lock = threading.Lock()
        self._by_id: dict[str, Chunk] | None = None

    def deeper(self, retriever: Retriever) -> Stages:
        """The same stages with a retriever that gives more hits."""
        system = self.system.model_copy(update={"retriever": retriever})
        return Stages(system, self.ingest, self.outcomes, self.bench, self.retry_failed)

    # -- searching ----------------------------------------------------------------------------------------------

    def docs(self, golden: Golden) -> frozenset[str] | None:
        """The documents that the question is asked of; None is the whole corpus."""
        return frozenset(golden.scope) if self.system.scope == "golden" and golden.scope else None

    def documents(self, golden: Golden) -> tuple[Document, ...]:
        """The documents that the question is asked of, as a component may know them."""
        docs = self.docs(golden) or self.ingest.documents
        files = self.ingest.corpus.documents
        return tuple(known(files[doc]) for doc in sorted(docs))

    def _case_bench(self, golden: Golden, component: Component) -> Bench:
        sees_gold = any(part.sees_gold for part in component.parts())
        return self.bench.for_case(self.documents(golden), golden if sees_gold else None)

    def _scope(self, golden: Golden, *components: Component) -> list[Any]:
        """What of a golden shapes a search: its scope, and for oracles the golden itself."""
        docs = self.docs(golden)
        sees_gold = any(part.sees_gold for component in components for part in component.parts())
        return [sorted(docs) if docs else None, golden.model_dump(mode="json") if sees_gold else None]

    def chunks(self) -> dict[str, Chunk]:
        """All chunks by id."""
        with self._lock:
            if self._by_id is None:
                self._by_id = {chunk.id: chunk for chunk in self.ingest.chunks.items}
            return self._by_id

    def search(self, query: str, golden: Golden) -> list[Hit]:
        """Search and rerank."""
        return self.ranking(query, golden).restore(self.chunks())

    def ranking(self, query: str, golden: Golden) -> Ranking:
        """Search and rerank, from the cache where nothing that shapes it changed."""
        system = self.system
        key = keys.digest(["rerank", self.rerank_key, query, *self._scope(golden, system.retriever, system.reranker)])
        cached = self.outcomes.get(key)
        if cached is not None:
            return Ranking.model_validate(cached)
        hits = self._first_hits(query, golden)
        with guards.calling(system.reranker):
            given = system.reranker.rerank(query, list(hits), self._case_bench(golden, system.reranker))
            reranked = guards.reranked(system.reranker, given, hits, self.chunks())
        return self._keep(key, reranked)

    def _first_hits(self, query: str, golden: Golden) -> list[Hit]:
        retriever = self.system.retriever
        key = keys.digest(["search", self.search_key, query, *self._scope(golden, retriever)])
        cached = self.outcomes.get(key)
        if cached is not None:
            return Ranking.model_validate(cached).restore(self.chunks())
        index, most, docs = self._open(retriever), retriever.candidates, self.docs(golden)
        with guards.calling(retriever):
            given = index.search(query, most, docs, self._case_bench(golden, retriever))
            inside = docs or frozenset(self.ingest.documents)
            hits = guards.hits(retriever, given, most, self.chunks(), inside, self.ingest.corpus)
        self._keep(key, hits)
        return hits

    def _open(self, retriever: Component) -> Index:
        """An index, made where it is missing: that serves all cases, and is on nobody's time."""
        with self.deadline.stopped():
            return self.indexes.open(retriever)

    def _keep(self, key: str, hits: Sequence[Hit]) -> Ranking:
        ranking = Ranking.of(hits, self.chunks())
        self.outcomes.put(key, ranking.model_dump(mode="json", exclude_defaults=True))
        return ranking

    # -- the stages ---------------------------------------------------------------------------------------------

    def retrieve(self, golden: Golden) -> Case:
        """The golden's question, in its stand-alone form where there are earlier turns, straight to search."""
        query = golden.standalone if golden.turns else golden.question
        if query is None:
            return Case(golden=golden)
        try:
            hits = self.deadline.call(lambda: self.ranking(query, golden)).hits
        except Exception as error:
            return Case(golden=golden, error=guards.reason(error))
        return Case(golden=golden, candidates=hits, error=self._lost(golden) if not hits else None)

    def _lost(self, golden: Golden) -> str | None:
        """Why there is nothing to find, where the documents in scope could not be parsed."""
        heads = {doc: self.ingest.head(doc)["error"] for doc in self.docs(golden) or self.ingest.documents}
        return "; ".join(f"{doc}: {error}" for doc, error in sorted(heads.items()) if error) or None

    def generate(self, golden: Golden) -> Case:
        """The real answerer on the golden's question and its earlier turns."""
        turns = [turn.model_dump(mode="json") for turn in golden.turns]
        scope = self._scope(golden, *self.system.components.values())
        key = keys.digest(["generate", self.answer_key, golden.question, turns, scope])
        return Case.of(golden, self._kept_attempt(key) or self._generate(key, golden))

    def _kept_attempt(self, key: str) -> Attempt | None:
        """What the system did before; None where it did nothing yet, or failed and is to be asked again."""
        cached = self.outcomes.get(key)
        attempt = Attempt.model_validate(cached) if cached is not None else None
        return None if attempt and attempt.error and self.retry_failed else attempt

    def _generate(self, key: str, golden: Golden) -> Attempt:
        attempt, keep = self._attempt(golden)
        if keep:
            self.outcomes.put(key, attempt.model_dump(mode="json", exclude_defaults=True))
        return attempt

    def _attempt(self, golden: Golden) -> tuple[Attempt, bool]:
        """What the answerer did, and whether it is kept: what lacked time or memory may come out better next time."""
        answerer = self.system.answerer
        calls, ours = Calls(answerer.max_searches), list[BaseException]()

        def search(query: str) -> list[Hit]:
            place = calls.begin(query)
            if place is None:
                return []
            try:
                hits = self.search(query, golden)[: answerer.keep]
            except Exception as error:
                if (stop := faults.stops(error)) is not None:
                    ours.append(stop)
                raise
            calls.end(place, hits)
            return hits

        def ask() -> Answer:
            with guards.calling(answerer):
                given = answerer.answer(golden.question, search, golden.turns, self._case_bench(golden, answerer))
                return guards.answer(answerer, given)

        answer, error, keep = None, None, True
        try:
            answer = self.deadline.call(ask)
        except Exception as raised:
            error, keep = guards.reason(raised), not guards.passing(raised)
        if ours:  # an answerer that goes on after a failed search must not make the world's fault its own
            raise ours[0]
        return Attempt(searches=calls.close(), answer=answer, capped=calls.capped, error=error), keep


Reader = Callable[[str], str]
"""Chunk id to what an answerer read under it."""


class Passages(NamedTuple):
    """What answerers read, for the metrics that say that they read it."""

    key: str
    """Of the searches that gave them: rows hold ids, and the same ids of another system are other texts."""
    of: Callable[[Case], Reader]


class Scoring:
    """The score stage: metrics over saved cases. It holds no system and cannot run one."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        outcomes: Outcomes,
        bench: Bench,
        scope: str,
        stamp: str,
        passages: Passages | None = None,
    ) -> None:
        self.metrics, self.outcomes, self.bench, self.scope, self.passages = metrics, outcomes, bench, scope, passages
        self.keys = {metric.label: self._key(metric, stamp) for metric in metrics}

    def _key(self, metric: Metric, stamp: str) -> str:
        read = self.passages.key if self.passages and metric.reads_passages else None
        return keys.digest([keys.component_key(metric), stamp, read])

    def score(self, retrieved: Case, generated: Case) -> list[Score]:
        """Every metric on one golden: retrieve metrics see only the retrieve stage, the others only what followed."""
        if self.scope == "corpus" and retrieved.golden.valid_scope == "golden":
            why = "its expectation holds only when it is asked of its own document"
            return [metric.not_applicable(retrieved, why) for metric in self.metrics]
        views = {"retrieve": retrieved, "generate": generated, "score": generated}
        texts = {stage: keys.digest(view.model_dump(mode="json")) for stage, view in views.items()}
        wanted = {metric.label: keys.digest([self.keys[metric.label], texts[metric.stage]]) for metric in self.metrics}
        cached = self.outcomes.get_many(wanted.values())
        reading = replace(self.bench, passage=self.passages.of(generated)) if self.passages else self.bench
        fresh = {
            m.label: m.rate(views[m.stage], reading if m.reads_passages else self.bench)
            for m in self.metrics
            if wanted[m.label] not in cached
        }
        self._keep({wanted[label]: score for label, score in fresh.items() if score.status != "failed"})
        return [fresh.get(label) or Score.model_validate(cached[key]) for label, key in wanted.items()]

    def _keep(self, scores: dict[str, Score]) -> None:
        if scores:
            dumped = {key: score.model_dump(mode="json", exclude_defaults=True) for key, score in scores.items()}
            self.outcomes.put_many(dumped)
