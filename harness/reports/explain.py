"""One question as text, from its gold pages to its verdicts: what was asked, found, shown, answered, and scored why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from harness.documents.corpus import Corpus
from harness.errors import UserError, nearest
from harness.files.wording import counted
from harness.records import Answer, Case, Found, Golden, PageRef
from harness.reports.wrapping import wrapped
from harness.runs import addresses, heldout, results
from harness.runs.options import Options
from harness.runs.rescore import reopen
from harness.runs.results import Manifest
from harness.scoring.scores import Score

_INDENT = 13
"""Where the values begin: further lines of a long text stand below its first."""

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
            rows = results.read_rows(place, [found])
            scores = [score for score in rows.scores if score.golden == golden_id]
            blocks = _blocks(name, corpus, rows.retrieved[0], rows.generated[0], scores, candidates)
            return "\n\n".join(_shown(block, columns) for block in blocks)
    raise UserError(f"no golden {golden_id!r} in {', '.join(names)}.{nearest(golden_id, known)}")


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


def _blocks(
    name: str, corpus: Corpus, retrieved: Case, generated: Case, scores: Sequence[Score], candidates: int
) -> Iterator[Block]:
    golden = retrieved.golden
    yield _INDENT, [f"{name}  {golden.id}", *_question(golden, corpus)]
    yield _INDENT, _candidates(retrieved, candidates)
    yield _INDENT, _answer(generated, corpus)
    yield _scores(scores)


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


def _page(ref: PageRef, corpus: Corpus) -> str:
    label = corpus.label(ref)
    return f"{ref} (prints {label})" if label and label != str(ref.page) else str(ref)


def _candidates(case: Case, limit: int) -> Iterator[str]:
    if case.error:
        yield f"search failed: {case.error}"
    gold, pages = case.golden.gold_pages, dict[PageRef, int]()
    for hit in case.candidates:
        pages.setdefault(hit.ref, len(pages) + 1)
    yield f"candidates   {counted(len(case.candidates), 'chunk')} on {counted(len(pages), 'page')}; * marks a gold page"
    ranked = list(enumerate(case.candidates, start=1))
    shown = [(place, hit) for place, hit in ranked if place <= limit or hit.ref in gold]
    width = max((len(_named(hit)) for _, hit in shown), default=0)
    if shown:
        yield f"  {'rank':>6} {'page':>6}    {'chunk':<{width}}  kind    score"
    for place, hit in shown:
        mark = "*" if hit.ref in gold else " "
        yield f"  {place:>6} {pages[hit.ref]:>6}  {mark} {_named(hit):<{width}}  {hit.kind:<6}  {hit.score:.4f}"


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


def _scores(scores: Sequence[Score]) -> Block:
    names = max((len(score.metric) for score in scores), default=0)
    heads = [f"{score.metric:<{names}}  {_value(score):>7}  " for score in scores]
    return max(map(len, heads), default=0), [head + score.reason for head, score in zip(heads, scores, strict=True)]


def _value(score: Score) -> str:
    return {"not_applicable": "n/a", "undecided": "open", "failed": "FAILED"}.get(score.status) or f"{score.value:.4g}"
