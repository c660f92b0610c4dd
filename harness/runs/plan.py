"""What a run would take and cost, before anything is paid: real prompts on real passages, and nobody is asked.

Documents are read first, which costs nothing, unless a model is asked for it. Then up to a dozen of the questions that are
to do are put through reranker and answerer with a door that only notes (`models.dry`), on passages of the documents in scope;
which ones does not matter for their length. How much a model writes and how long it takes is what its kept replies say, where
there are some. A range holds what is not known: its high end is at most three times its low one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from statistics import mean
from typing import NamedTuple

from harness.bench import Bench
from harness.files import working_folder
from harness.models import prices
from harness.models.door import provider
from harness.models.dry import DryCall, DryDoor
from harness.records import Chunk, Golden, Hit, Model, PageRef, Record, Usage
from harness.runs.jobs import Job, choose
from harness.runs.session import Session
from harness.runs.stages import Stages

Range = tuple[float, float]

_SAMPLE = 12
_REPLIES = 300
"""Kept replies that are looked at for a model's habits."""
_PASSAGE = 1200
"""Characters of a passage where no document was read."""
_INPUT: Range = (0.75, 1.35)
"""About what characters / 4 is true to, in tokens."""
_MORE: dict[str, Range] = {"once": (1.0, 1.0), "several": (0.85, 1.4), "loops": (0.8, 1.75)}
"""Calls of a case as the dry run counts them, to those that it may take."""
_SEARCH_SECONDS: Range = (0.004, 0.012)
_EMBED_SECONDS: Range = (0.012, 0.036)
_SCORE_SECONDS: Range = (0.01, 0.03)
_PAGE_SECONDS: Range = (0.02, 0.06)
_CALL_SECONDS: Range = (1.0, 3.0)
"""Of a call to a model of which nothing is kept."""
_DESCRIBED: Range = (0.2, 0.6)
"""Calls a page of a parser or chunker that asks a model."""


class Line(Record):
    """One stage of a system: units in all, kept and to do, and the ranges of what the rest takes."""

    stage: str
    units: int
    kept: int
    to_do: int
    seconds: Range = (0.0, 0.0)
    calls: Range = (0.0, 0.0)
    input: Range = (0.0, 0.0)
    output: Range = (0.0, 0.0)
    usd: Range | None = (0.0, 0.0)


class Habits(NamedTuple):
    """What a model's kept replies say of it: tokens that it writes and seconds that it takes, for one call."""

    output: Range
    seconds: Range


def plan(job: Job, session: Session) -> list[Line]:
    """The stages of a job, dev and held-out together."""
    lines = [line for loaded in job.sets for line in _split(session, choose(loaded, session.options), loaded)]
    names = dict.fromkeys(line.stage for line in lines)
    return [total(name, [line for line in lines if line.stage == name]) for name in names]


def total(stage: str, lines: Sequence[Line]) -> Line:
    """The sum of lines; USD is not known where one is not."""
    counts = {name: sum(getattr(line, name) for line in lines) for name in ("units", "kept", "to_do")}
    sums = {name: _sum([getattr(line, name) for line in lines]) for name in ("seconds", "calls", "input", "output")}
    usd = [line.usd for line in lines]
    return Line(stage=stage, usd=None if None in usd else _sum([one for one in usd if one]), **counts, **sums)


def _sum(ranges: Sequence[Range]) -> Range:
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)


def _times(one: Range, other: Range | float) -> Range:
    low, high = other if isinstance(other, tuple) else (other, other)
    return one[0] * low, one[1] * high


def _split(session: Session, asked: Sequence[Golden], loaded: object) -> Iterator[Line]:
    ingest, system = session.ingest(loaded), session.system  # type: ignore[arg-type]
    missing = ingest.missing()
    pages = sum(ingest.corpus.documents[doc].pages for doc in missing)
    asks = [*system.parser.models(), *system.chunker.models()]
    made = len(ingest.documents) - len(missing)
    line = Line(stage="documents", units=len(ingest.documents), kept=made, to_do=len(missing))
    if asks and missing:
        described = [DryCall(asks[-1], 600, True, False)] * pages
        yield _asked(session, line, described, _times(_DESCRIBED, 1.0), _times(_PAGE_SECONDS, pages))
        chunks = _invented(ingest.documents, pages)
        yield from _unread(session, asked, chunks)
        return
    yield line.model_copy(update={"seconds": _times(_PAGE_SECONDS, pages)})
    if missing:
        ingest.run(session.bench(ingest), session.options.workers or 2)
    stages = Stages(system, ingest, session.outcomes, session.bench(ingest), session.retry)
    yield _index(session, stages)
    yield from _questions(session, asked, stages)


def _index(session: Session, stages: Stages) -> Line:
    retriever, ingest = session.system.retriever, stages.ingest
    built = int(stages.indexes.is_built(retriever))
    line = Line(stage="index", units=1, kept=built, to_do=1 - built)
    if built:
        return line
    embedders = [part for part in retriever.parts() if part.kind == "embedder"]
    texts = [chunk.text for chunk in ingest.chunks.items]
    local = _times(_EMBED_SECONDS, len(texts)) if embedders and not retriever.models() else (0.0, 0.0)
    batches = [DryCall(model, sum(map(len, texts)) // 4, False, False) for model in retriever.models()]
    rounds = max(1.0, len(texts) / 64)
    return (
        _asked(session, line, batches, (rounds, rounds), local)
        if batches
        else line.model_copy(update={"seconds": local})
    )


def _questions(session: Session, asked: Sequence[Golden], stages: Stages) -> Iterator[Line]:
    """The three stages of questions, by those that are not kept."""
    searches = [golden for golden in asked if not stages.is_retrieved(golden)]
    answers = [golden for golden in asked if not stages.is_generated(golden)]
    chunks = stages.ingest.chunks.items
    bench = stages.bench_for
    yield _stage(session, "retrieve", asked, searches, _retrieving(session, chunks, bench), _SEARCH_SECONDS)
    yield _stage(session, "generate", asked, answers, _answering(session, chunks, bench), _SEARCH_SECONDS)
    yield Line(
        stage="score", units=len(asked), kept=len(asked) - len(answers), to_do=len(answers),
        seconds=_times(_SCORE_SECONDS, len(answers)),
    )  # fmt: skip


def _unread(session: Session, asked: Sequence[Golden], chunks: Sequence[Chunk]) -> Iterator[Line]:
    """The same where no document can be read before a model is paid: on passages of the usual length."""

    def bench(golden: Golden) -> Bench:
        return Bench()

    yield _stage(session, "retrieve", asked, asked, _retrieving(session, chunks, bench), _SEARCH_SECONDS)
    yield _stage(session, "generate", asked, asked, _answering(session, chunks, bench), _SEARCH_SECONDS)
    yield Line(stage="score", units=len(asked), kept=0, to_do=len(asked), seconds=_times(_SCORE_SECONDS, len(asked)))


Dry = Callable[[Golden, DryDoor], None]


def _retrieving(session: Session, chunks: Sequence[Chunk], bench: Callable[[Golden], Bench]) -> Dry:
    def search(golden: Golden, door: DryDoor) -> None:
        _hits(session, chunks, golden.standalone or golden.question, golden, replace(bench(golden), door=door))

    return search


def _answering(session: Session, chunks: Sequence[Chunk], bench: Callable[[Golden], Bench]) -> Dry:
    answerer = session.system.answerer

    def answer(golden: Golden, door: DryDoor) -> None:
        own = replace(bench(golden), door=door)
        left = [answerer.max_searches]

        def search(query: str) -> list[Hit]:
            left[0] -= 1
            return _hits(session, chunks, query, golden, own)[: answerer.keep] if left[0] >= 0 else []

        answerer.answer(golden.question, search, golden.turns, own)

    return answer


def _hits(session: Session, chunks: Sequence[Chunk], query: str, golden: Golden, bench: Bench) -> list[Hit]:
    """As many passages of the documents in scope as a search gives, put in order by the reranker.

    They are from the longer half of each scope's passages: a search finds full ones, not the ends of pages.
    """
    retriever, reranker = session.system.retriever, session.system.reranker
    if models := retriever.models():
        bench.door.embed(models[0], [query])
    inside = [chunk for chunk in chunks if not golden.scope or chunk.ref.doc in golden.scope] or list(chunks)
    full = sorted(inside, key=lambda chunk: (-len(chunk.passage), chunk.id))[: (len(inside) + 1) // 2]
    chosen = full[:: max(1, len(full) // retriever.candidates)][: retriever.candidates]
    middle = sorted(chosen, key=lambda chunk: abs(len(chunk.passage) - len(chosen[len(chosen) // 2].passage)))
    hits = [Hit(chunk, 1.0 / (1 + place)) for place, chunk in enumerate(middle)]
    return reranker.rerank(query, hits, bench) if reranker.models() else hits


def _stage(
    session: Session, stage: str, asked: Sequence[Golden], to_do: Sequence[Golden], dry: Dry, seconds: Range
) -> Line:
    line = Line(stage=stage, units=len(asked), kept=len(asked) - len(to_do), to_do=len(to_do))
    sample = to_do[:: max(1, len(to_do) // _SAMPLE)][:_SAMPLE]
    calls = [call for golden in sample for call in _noted(golden, dry)]
    local = _times(seconds, len(to_do))
    if not calls:
        return line.model_copy(update={"seconds": local})
    each = len(calls) / len(sample)
    kind = "loops" if any(call.loops for call in calls) else "once" if each <= 1 else "several"
    return _asked(session, line, calls, _times(_MORE[kind], len(to_do) * each), local)


def _noted(golden: Golden, dry: Dry) -> list[DryCall]:
    """What one question would ask; a component that stumbles over a stand-in has asked what it asked."""
    door = DryDoor()
    try:
        with working_folder.fixed():
            dry(golden, door)
    except Exception:
        pass
    return door.calls


def _asked(session: Session, line: Line, sample: Sequence[DryCall], calls: Range, local: Range) -> Line:
    """A line with what its calls take: `sample` says what a call is like, `calls` how many there will be."""
    model = max((call.model for call in sample), key=lambda one: sum(call.model == one for call in sample))
    endpoint = session.door.exchange.endpoint(model, provider(model.provider))
    habits = _habits(session, model)
    read = mean(call.input for call in sample)
    writing = sum(call.writes for call in sample) / len(sample)
    given, written = _times(_INPUT, read), _times(habits.output, writing)
    seconds = _sum([local, _times(_times(habits.seconds, calls), 1 / min(endpoint.in_flight, max(1.0, calls[0])))])
    tokens_in, tokens_out = _times(given, calls), _times(written, calls)
    usd = [
        prices.cost(endpoint.name, model.name, Usage(input_tokens=int(i), output_tokens=int(o)), session.system.prices)
        for i, o in zip(tokens_in, tokens_out, strict=True)
    ]
    cost = None if usd[0] is None or usd[1] is None else (usd[0], usd[1])
    ranges = {"seconds": seconds, "calls": calls, "input": tokens_in, "output": tokens_out, "usd": cost}
    return line.model_copy(update={name: _narrow(value) if value else value for name, value in ranges.items()})


def _narrow(value: Range) -> Range:
    """A range whose high end is at most three times its low one, around the same middle."""
    low, high = value
    if low > 0 and high <= 3 * low:
        return value
    middle = (low * high) ** 0.5 if low > 0 else high / 3**0.5
    return middle / 3**0.5, middle * 3**0.5


def _habits(session: Session, model: Model) -> Habits:
    """By the model's kept replies; without any, a sixth to a half of what it may write, and one to three seconds."""
    kept = [usage for usage in islice(_kept(session), _REPLIES) if usage[0] == model.name]
    if not kept:
        most = float(model.max_tokens or 1000)
        return Habits((most / 6, most / 2), _CALL_SECONDS)
    written, seconds = mean(one[1] for one in kept), mean(one[2] for one in kept)
    return Habits(_times((0.6, 1.6), min(written, float(model.max_tokens or written))), _times((0.6, 1.6), seconds))


def _kept(session: Session) -> Iterator[tuple[str, int, float]]:
    """Model, tokens written and seconds of kept replies."""
    for path in sorted(session.door.calls.folder.glob("*/*.json")):
        try:
            call = json.loads(path.read_bytes())["call"]
            yield call["request"]["body"]["model"], call["usage"]["output_tokens"], call["seconds"]
        except (OSError, ValueError, KeyError, TypeError):
            continue


def _invented(docs: Sequence[str], pages: int) -> list[Chunk]:
    text = "word " * (_PASSAGE // 5)
    each = max(1, pages // max(1, len(docs)))
    return [Chunk(id=f"{doc}-{n}", ref=PageRef(doc, n), text=text) for doc in docs for n in range(1, each + 1)]
