"""One question as text, from its gold pages to its verdicts: what was asked, found, shown, answered, and scored why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.documents.corpus import Corpus
from harness.errors import HarnessError, UserError, nearest
from harness.files.wording import counted
from harness.records import Answer, Case, Found, Golden, PageRef
from harness.reports import unread
from harness.reports.wrapping import wrapped
from harness.runs import addresses, heldout, results
from harness.runs.options import Options
from harness.runs.passages import kept_texts
from harness.runs.rescore import reopen
from harness.runs.results import Manifest
from harness.scoring.attribution import DEPTH, MEANING, PageTrail, Seen, Trail, loss
from harness.scoring.scores import Score

_INDENT = 13
"""Where the values begin: further lines of a long text stand below its first."""

_VALUES = 9
"""Where the lines of scores go on."""
_TOP, _PASSAGE = 3, 200
"""Chunks whose text is shown, and characters of it."""
_FIGURE = re.compile(r"\d[\d.,]*\d|\d")
_CUT = re.compile(r"^gold among the first \d+ pages?: ")
"""How the reasons of page metrics begin, which differ by their cut-off alone."""

Block = tuple[int, Iterable[str]]
"""Lines that belong together, and the column where their values begin."""


def explain(
    places: Sequence[Path], golden_id: str, options: Options, candidates: int, columns: int | None = None
) -> str:
    """The text for the golden of that id in the first of these result folders that asks it, wrapped to so many columns."""
    known: list[str] = []
    names = [addresses.address(place) for place in places]
    for name, place in zip(names, places, strict=True):
        manifest = results.read_manifest(place)
        corpus, loaded = reopen(manifest, options)
        found = next((golden for golden in loaded.goldens if golden.id == golden_id), None)
        known += [golden.id for golden in loaded.goldens] if manifest.split != "heldout" else []
        if found is not None:
            _allowed(manifest, options)
            told = _told(name, place, manifest, found, corpus, options)
            return "\n\n".join(_shown(block, columns) for block in _blocks(told, candidates))
    raise UserError(f"no golden {golden_id!r} in {', '.join(names)}.{nearest(golden_id, known)}")


@dataclass(frozen=True)
class Told:
    """What is told of one question."""

    name: str
    manifest: Manifest
    corpus: Corpus
    retrieved: Case
    generated: Case
    scores: Sequence[Score]
    trail: Trail | None
    texts: Mapping[str, str]
    """What is searched, by chunk id, where a cache holds it."""


def _told(name: str, place: Path, manifest: Manifest, golden: Golden, corpus: Corpus, options: Options) -> Told:
    rows = results.read_rows(place, [golden])
    top = [hit.ref.doc for hit in rows.retrieved[0].candidates[:_TOP]]
    return Told(
        name=name,
        manifest=manifest,
        corpus=corpus,
        retrieved=rows.retrieved[0],
        generated=rows.generated[0],
        scores=[score for score in rows.scores if score.golden == golden.id],
        trail=next((trail for trail in rows.trails if trail.golden == golden.id), None),
        texts=kept_texts(manifest, corpus, options, top),
    )


def _allowed(manifest: Manifest, options: Options) -> None:
    """A held-out question is shown only unsealed, and that is recorded."""
    if manifest.split != "heldout":
        return
    if not options.unseal:
        raise UserError(
            "this is a held-out question: looking at it spoils the set. --unseal shows it, and is recorded."
        )
    heldout.unseal(manifest, options)


def _shown(block: Block, columns: int | None) -> str:
    indent, lines = block
    return "\n".join(wrapped(line, indent, columns) for line in lines)


def _blocks(told: Told, candidates: int) -> Iterator[Block]:
    golden = told.retrieved.golden
    changed = [f"changed      {path}={json.dumps(value)}" for path, value in told.manifest.overrides.items()]
    yield _INDENT, [f"{told.name}  {golden.id}", *changed, *_question(golden, told.corpus), *_parse(told)]
    if lost := list(_lost(told)):
        yield _INDENT, lost
    yield _INDENT, _candidates(told, candidates)
    yield _INDENT, _answer(told.generated, told.corpus)
    yield _VALUES, _scores(told.scores)


def _lost(told: Told) -> Iterator[str]:
    """Where the page and the answer were lost, and how far each gold page came."""
    if told.trail is None:
        return
    scores = {score.metric: score for score in told.scores}
    found = loss(told.retrieved.golden, scores, told.trail, Seen.of(told.generated))
    for what, step in (("page", found.pages), ("answer", found.answer)):
        if step not in (None, "none"):
            yield f"lost at      {step} ({what}): {MEANING[step]}"
    if any(step not in (None, "none") for step in (found.pages, found.answer)):
        yield from (f"gold page    {page.ref}: {_way(page)}" for page in told.trail.pages)


def _way(page: PageTrail) -> str:
    """How far a gold page came, in words."""
    facts = (("its text", page.in_text), ("the parse", page.in_parse), ("a chunk", page.in_chunk))
    held = [f"{what} {'holds' if fact else 'lacks'} the evidence" for what, fact in facts if fact is not None]
    ranks = [("asked raw", page.rank), ("by the answerer's searches", page.agent_rank)]
    told = [f"{how} it comes {f'as page {rank}' if rank else f'not among {DEPTH} hits'}" for how, rank in ranks]
    return "; ".join([*(held or ["what of it is evidence is not known"]), *told])


def _question(golden: Golden, corpus: Corpus) -> Iterator[str]:
    for turn in golden.turns:
        yield f"earlier      {turn.question}  ->  {turn.answer}"
    yield f"question     {golden.question}"
    if golden.standalone:
        yield f"stand-alone  {golden.standalone}"
    yield f"expected     {golden.expect}: {golden.answer or ''}"
    yield f"asked of     {', '.join(golden.scope) or 'the whole corpus'}"
    for group in golden.evidence:
        yield f"gold pages   {' + '.join(_page(ref, corpus) for ref in group)}"


def _parse(told: Told) -> Iterator[str]:
    """What of the gold pages the parser could not read, or lacks."""
    for line in told.retrieved.unread:
        yield f"not read     {line}"
    for ref in sorted(told.retrieved.golden.gold_pages):
        if lacking := unread.of_page(told.manifest.corpus, ref.doc, ref.page):
            yield f"parse        {ref}: {lacking}"


def _page(ref: PageRef, corpus: Corpus) -> str:
    label = corpus.label(ref)
    return f"{ref} (prints {label})" if label and label != str(ref.page) else str(ref)


def _candidates(told: Told, limit: int) -> Iterator[str]:
    case = told.retrieved
    if case.error:
        yield f"search failed: {case.error}"
    gold, pages = case.golden.gold_pages, dict[PageRef, int]()
    for hit in case.candidates:
        pages.setdefault(hit.ref, len(pages) + 1)
    yield f"candidates   {counted(len(case.candidates), 'chunk')} on {counted(len(pages), 'page')}; * marks a gold page"
    ranked = list(enumerate(case.candidates, start=1))
    first = {hit.ref: place for place, hit in reversed(ranked)}
    shown = [(place, hit) for place, hit in ranked if place <= limit or (hit.ref in gold and place == first[hit.ref])]
    width = max((len(_named(hit)) for _, hit in shown), default=0)
    if shown:
        yield f"  {'rank':>6} {'page':>6}    {'chunk':<{width}}  kind    score"
    for place, hit in shown:
        mark = "*" if hit.ref in gold else " "
        yield f"  {place:>6} {pages[hit.ref]:>6}  {mark} {_named(hit):<{width}}  {hit.kind:<6}  {hit.score:.4f}"
    for place, hit in ranked[: min(_TOP, limit)]:
        if hit.chunk in told.texts:
            yield f"{f'reads {place}':<{_INDENT}}{_begin(told.texts[hit.chunk])}"
    yield from _passages(told)


def _passages(told: Told) -> Iterator[str]:
    """What stands on the first group's gold pages: around the quotes or the answer's figures, else the page's beginning."""
    golden = told.retrieved.golden
    for ref in golden.evidence[0] if golden.evidence else ():
        try:
            text = " ".join(told.corpus.text(ref).split())
        except (HarnessError, KeyError):
            continue
        words = [*golden.quotes.get(str(ref), ()), *_FIGURE.findall(golden.answer or "")]
        at = next((text.index(word) for word in words if word in text), 0)
        start = max(0, at - _PASSAGE // 2)
        yield f"gold reads   {ref}: {'…' if start else ''}{_begin(text[start:])}"


def _begin(text: str) -> str:
    """The first 200 characters on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _PASSAGE else f"{line[:_PASSAGE]}…"


def _named(hit: Found) -> str:
    """The chunk's id, and its page where the id does not begin with it."""
    rest = hit.chunk.removeprefix(str(hit.ref))
    return f"{hit.chunk} on {hit.ref}" if rest == hit.chunk or rest[:1].isdigit() else hit.chunk


def _answer(case: Case, corpus: Corpus) -> Iterator[str]:
    for number, search in enumerate(case.searches, start=1):
        yield f"{f'search {number}':<{_INDENT}}{search.query}  ->  {counted(len(search.hits), 'hit')} shown"
    if case.answer is None:
        yield f"no answer    {case.error}"
        return
    yield f"answer       {'(abstained) ' if case.answer.abstained else ''}{case.answer.text}"
    if case.answer.confidence is not None:
        yield f"confidence   {case.answer.confidence:.2f}"
    yield from _citations(case.answer, case, corpus)


def _citations(answer: Answer, case: Case, corpus: Corpus) -> Iterator[str]:
    for citation in answer.citations:
        if citation.ref is None:
            yield f"cites        {citation.raw}  ->  no page of the corpus"
            continue
        where = "gold" if citation.ref in case.golden.gold_pages else "not gold"
        shown = "shown" if citation.ref in case.shown else "never shown"
        yield f"cites        {citation.raw}  ->  {_page(citation.ref, corpus)}, {where}, {shown}"


def _scores(scores: Sequence[Score]) -> Iterator[str]:
    """A line for each value with its reason; metrics that say the same share one."""
    rows: dict[tuple[str, str], list[str]] = {}
    for score in scores:
        rows.setdefault((_value(score), _CUT.sub("", score.reason)), []).append(score.metric)
    for (value, reason), metrics in rows.items():
        yield f"{value:>7}  {', '.join(metrics)}: {reason}"


def _value(score: Score) -> str:
    return {"not_applicable": "n/a", "undecided": "open", "failed": "FAILED"}.get(score.status) or f"{score.value:.4g}"
