"""The three stages: records in, records out. Each works on one golden and is kept under its own key.

retrieve  the question straight to search and rerank; no answerer runs
generate  the answerer, which may search once or twenty times
score     saved cases only; no system runs
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from pydantic import Field

from harness.bench import Bench, Document, Index, NoDoor
from harness.cache import keys
from harness.cache.outcomes import Outcomes
from harness.components import Component
from harness.models.door import for_case
from harness.models.ledger import Ledger, faulty, searched, usage
from harness.models.prices import Price
from harness.models.stop_watch import StopWatch
from harness.protocols import Retriever
from harness.records import Answer, Attempt, Case, Chunk, Found, Golden, Hit, Kind, PageRef, Record, Search, Step
from harness.runs import faults, guards
from harness.runs.config import System
from harness.runs.deadlines import Deadline, Late
from harness.runs.doors import asking
from harness.runs.indexes import Indexes
from harness.runs.ingest import Ingest, known
from harness.runs.unread import marks, meant
from harness.scoring.metric import Metric
from harness.scoring.scores import Score

INSTRUMENT = ("harness.runs.indexes", "harness.cache.vectors")
"""What a system works with while it searches and answers: indexes, bench, corpus and page text, vectors. Metrics are not."""


class Retry(NamedTuple):
    """What is worked on again although it is kept."""

    failed: bool = False
    """Answers of which a part raised."""
    bad: bool = False
    """What was made of a model's reply that could not be used."""


NOTHING_AGAIN = Retry()
NO_PRICES: Mapping[str, Price] = MappingProxyType({})


class Ranking(Record):
    """A ranking as it is kept: hits by chunk id, and whole chunks only where they are not the corpus's own."""

    hits: tuple[Found, ...] = ()
    extra: dict[str, Chunk] = Field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    """The calls of models by which it was made."""

    @classmethod
    def of(cls, hits: Sequence[Hit], chunks: dict[str, Chunk], steps: Sequence[Step] = ()) -> Ranking:
        strange = {hit.chunk.id: hit.chunk for hit in hits if chunks.get(hit.chunk.id) != hit.chunk}
        return cls(hits=tuple(_found(hits)), extra=strange, steps=tuple(steps))

    def restore(self, chunks: dict[str, Chunk]) -> list[Hit]:
        """The hits with their chunks."""
        return [Hit(self.extra.get(hit.chunk) or chunks[hit.chunk], hit.score) for hit in self.hits]


class Work(Record):
    """What an answerer did on a case, as it is kept."""

    attempt: Attempt
    steps: tuple[Step, ...] = ()


class Traced(NamedTuple):
    """A case with what led to it, step by step."""

    case: Case
    steps: tuple[Step, ...]


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
        self, system: System, ingest: Ingest, outcomes: OutcomeCache, bench: Bench, retry: Retry = NOTHING_AGAIN
    ) -> None:
        self.system, self.ingest, self.outcomes, self.retry = system, ingest, outcomes, retry
        self.indexes = Indexes(ingest, bench)
        self.bench = self.indexes.bench.with_index(self._open)
        own = [keys.own_code(__name__), *map(keys.code, INSTRUMENT)]
        retriever = system.retriever
        self.search_key = keys.digest(
            [
                own,
                ingest.index_key(retriever),
                keys.component_key(retriever),
                retriever.candidates,
                asking(retriever, system.prices),
            ]
        )
        self.rerank_key = keys.digest(
            [self.search_key, keys.component_key(system.reranker), asking(system.reranker, system.prices)]
        )
        self.answer_key = keys.digest(
            [self.rerank_key, keys.component_key(system.answerer), asking(system.answerer, system.prices)]
        )
        self.keys = {"search": self.search_key, "rerank": self.rerank_key, "answer": self.answer_key}
        self.deadline = Deadline(system.seconds)
        self._lock = threading.Lock()
        self._by_id: dict[str, Chunk] | None = None

    def deeper(self, retriever: Retriever) -> Stages:
        """The same stages with a retriever that gives more hits."""
        system = self.system.model_copy(update={"retriever": retriever})
        return Stages(system, self.ingest, self.outcomes, self.bench, self.retry)

    # -- searching ----------------------------------------------------------------------------------------------

    def docs(self, golden: Golden) -> frozenset[str] | None:
        """The documents that the question is asked of; None is the whole corpus."""
        return frozenset(golden.scope) if self.system.scope == "golden" and golden.scope else None

    def documents(self, golden: Golden) -> tuple[Document, ...]:
        """The documents that the question is asked of, as a component may know them."""
        docs = self.docs(golden) or self.ingest.documents
        files = self.ingest.corpus.documents
        return tuple(known(files[doc]) for doc in sorted(docs))

    def _case_bench(self, golden: Golden, component: Component, book: Ledger) -> Bench:
        sees_gold = any(part.sees_gold for part in component.parts())
        bench = self.bench.for_case(self.documents(golden), golden if sees_gold else None)
        door = for_case(self.bench.door, book) if component.models() else NoDoor()
        return bench.booking(door, book.note)

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

    def ranking(self, query: str, golden: Golden, watch: StopWatch | None = None) -> Ranking:
        """Search and rerank, from the cache where nothing that shapes it changed."""
        system = self.system
        key = self._ranking_key(query, golden)
        cached = self._kept_ranking(key)
        if cached is not None:
            return cached
        book, first = Ledger(watch), self._first(query, golden, watch)
        book.end(book.begin(), *first.steps)
        hits = first.restore(self.chunks())
        with guards.calling(system.reranker):
            given = system.reranker.rerank(query, list(hits), self._case_bench(golden, system.reranker, book))
            reranked = guards.reranked(system.reranker, given, hits, self.chunks())
        return self._keep(key, reranked, book)

    def _ranking_key(self, query: str, golden: Golden) -> str:
        scope = self._scope(golden, self.system.retriever, self.system.reranker)
        return keys.digest(["rerank", self.rerank_key, query, *scope])

    def _first(self, query: str, golden: Golden, watch: StopWatch | None) -> Ranking:
        retriever = self.system.retriever
        key = keys.digest(["search", self.search_key, query, *self._scope(golden, retriever)])
        cached = self._kept_ranking(key)
        if cached is not None:
            return cached
        index, most, docs, book = self._open(retriever), retriever.candidates, self.docs(golden), Ledger(watch)
        with guards.calling(retriever):
            given = index.search(query, most, docs, self._case_bench(golden, retriever, book))
            inside = docs or frozenset(self.ingest.documents)
            hits = guards.hits(retriever, given, most, self.chunks(), inside, self.ingest.corpus)
        return self._keep(key, hits, book)

    def _kept_ranking(self, key: str) -> Ranking | None:
        cached = self.outcomes.get(key)
        ranking = Ranking.model_validate(cached) if cached is not None else None
        return None if ranking and self.retry.bad and faulty(ranking.steps) else ranking

    def _open(self, retriever: Component) -> Index:
        """An index, made where it is missing: that serves all cases, and is on nobody's time."""
        with self.deadline.stopped():
            return self.indexes.open(retriever)

    def _keep(self, key: str, hits: Sequence[Hit], book: Ledger) -> Ranking:
        book.refuse_hidden()
        ranking = Ranking.of(hits, self.chunks(), book.steps)
        self.outcomes.put(key, ranking.model_dump(mode="json", exclude_defaults=True))
        return ranking

    # -- the stages ---------------------------------------------------------------------------------------------

    def retrieve(self, golden: Golden) -> Case:
        """The golden's question, in its stand-alone form where there are earlier turns, straight to search."""
        query, unread = _query(golden), marks(self.ingest, golden)
        if query is None:
            return Case(golden=golden, unread=unread)
        watch = StopWatch()
        try:
            found = self.deadline.call(lambda: self.ranking(query, golden, watch), watch)
        except Exception as error:
            return Case(golden=golden, error=guards.reason(error), unread=unread)
        lost = None if found.hits else self._lost(golden)
        return Case(golden=golden, candidates=found.hits, usage=usage(found.steps), error=lost, unread=unread)

    def _lost(self, golden: Golden) -> str | None:
        """Why there is nothing to find, where the documents that it is asked of, or that hold its pages, could not be parsed.

        Of a question that is asked of the whole corpus and names no page, that is all of them.
        """
        docs = self.docs(golden) or meant(golden) or self.ingest.documents
        errors = {doc: self.ingest.head(doc)["error"] for doc in docs if doc in self.ingest.documents}
        if not any(errors.values()) or (not meant(golden) and not all(errors.values())):
            return None
        return "; ".join(f"{doc}: {error}" for doc, error in sorted(errors.items()) if error)

    def generate(self, golden: Golden) -> Traced:
        """The real answerer on the golden's question and its earlier turns."""
        key = self._work_key(golden)
        worked = self._kept_work(key) or self._generate(key, golden)
        attempt = worked.attempt.model_copy(update={"unread": marks(self.ingest, golden)})
        return Traced(Case.of(golden, attempt), worked.steps)

    def _work_key(self, golden: Golden) -> str:
        turns = [turn.model_dump(mode="json") for turn in golden.turns]
        scope = self._scope(golden, *self.system.components.values())
        return keys.digest(["generate", self.answer_key, golden.question, turns, scope])

    def is_retrieved(self, golden: Golden) -> bool:
        """Whether the retrieve stage has nothing to do for this golden."""
        query = _query(golden)
        return query is None or self._kept_ranking(self._ranking_key(query, golden)) is not None

    def is_generated(self, golden: Golden) -> bool:
        """Whether the generate stage has nothing to do for this golden."""
        return self._kept_work(self._work_key(golden)) is not None

    def bench_for(self, golden: Golden) -> Bench:
        """The bench of a case without a golden to see."""
        return self.bench.for_case(self.documents(golden), None)

    def _kept_work(self, key: str) -> Work | None:
        """What the system did before; None where it did nothing yet, or failed and is to be asked again."""
        cached = self.outcomes.get(key)
        work = Work.model_validate(cached) if cached is not None else None
        if work is None or (work.attempt.error and self.retry.failed) or (faulty(work.steps) and self.retry.bad):
            return None
        return work

    def _generate(self, key: str, golden: Golden) -> Work:
        book = Ledger()
        attempt, keep = self._attempt(golden, book)
        work = Work(attempt=attempt, steps=book.close())
        if keep:
            self.outcomes.put(key, work.model_dump(mode="json", exclude_defaults=True))
        return work

    def _attempt(self, golden: Golden, book: Ledger) -> tuple[Attempt, bool]:
        """What the answerer did, and whether it is kept: what lacked time or memory may come out better next time."""
        answerer = self.system.answerer
        calls, ours = Calls(answerer.max_searches), list[BaseException]()

        def search(query: str) -> list[Hit]:
            place = calls.begin(query)
            if place is None:
                return []
            step = book.begin()
            try:
                ranking = self.ranking(query, golden, book.watch)
                hits = ranking.restore(self.chunks())[: answerer.keep]
            except Exception as error:
                if (stop := faults.stops(error)) is not None:
                    ours.append(stop)
                raise
            calls.end(place, hits)
            book.end(step, searched(query, hits), *ranking.steps)
            return hits

        def ask() -> Answer:
            with guards.calling(answerer):
                given = answerer.answer(golden.question, search, golden.turns, self._case_bench(golden, answerer, book))
                return guards.answer(answerer, given)

        answer, error, keep = None, None, True
        try:
            answer = self.deadline.call(ask, book.watch)
        except Exception as raised:
            error, keep = guards.reason(raised), not guards.passing(raised)
        if ours:  # an answerer that goes on after a failed search must not make the world's fault its own
            raise ours[0]
        book.refuse_hidden()
        used = usage(book.steps)
        done = Attempt(searches=calls.close(), answer=answer, usage=used, capped=calls.capped, error=error)
        return done, keep


def _query(golden: Golden) -> str | None:
    """What the retrieve stage searches for: the question, in its stand-alone form where there are earlier turns."""
    return golden.standalone if golden.turns else golden.question


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
        prices: Mapping[str, Price] = NO_PRICES,
    ) -> None:
        self.metrics, self.outcomes, self.bench, self.scope, self.passages = metrics, outcomes, bench, scope, passages
        self.prices = prices
        self.keys = {metric.label: self._key(metric, stamp) for metric in metrics}

    def _key(self, metric: Metric, stamp: str) -> str:
        read = self.passages.key if self.passages and metric.reads_passages else None
        return keys.digest([keys.component_key(metric), stamp, read, *asking(metric, self.prices)])

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
            m.label: self._rate(m, views[m.stage], reading if m.reads_passages else self.bench)
            for m in self.metrics
            if wanted[m.label] not in cached
        }
        self._keep({wanted[label]: score for label, score in fresh.items() if score.status != "failed"})
        return [fresh.get(label) or Score.model_validate(cached[key]) for label, key in wanted.items()]

    def _rate(self, metric: Metric, case: Case, bench: Bench) -> Score:
        """The metric's score; of one that asks a model, with the calls that it made and what they took."""
        if not metric.models():
            return metric.rate(case, bench)
        book = Ledger()
        score = metric.rate(case, bench.booking(for_case(self.bench.door, book), book.note))
        book.refuse_hidden()
        steps = [step for step in book.close() if step.kind == "call"]
        calls = tuple(step.key for step in steps if step.key)
        return score.model_copy(update={"calls": calls, "usage": usage(steps)})

    def _keep(self, scores: dict[str, Score]) -> None:
        if scores:
            dumped = {key: score.model_dump(mode="json", exclude_defaults=True) for key, score in scores.items()}
            self.outcomes.put_many(dumped)
