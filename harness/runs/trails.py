"""How far each gold page came: in the page's own text, the parse, the chunks, and the rankings down to 200 hits.

The evidence is looked for by the golden's quotes, else by the figures of its answer that stand on the gold page. Ranks beyond
a system's own candidates come from a pass of their own, with every retriever asked for 200.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from harness.bench import Pages
from harness.cache import keys
from harness.cache.rows import read_rows
from harness.errors import HarnessError
from harness.protocols import Retriever
from harness.quantities.pages import find_on_pages, read_page
from harness.records import Case, Chunk, Found, Golden, Page, PageRef
from harness.runs.stages import Stages
from harness.scoring.attribution import DEPTH, PageTrail, Trail
from harness.scoring.page_ranks import distinct_pages

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_read = lru_cache(maxsize=2048)(read_page)


class Trails:
    """The trails of one system's goldens; each is kept under the key of all that shapes it."""

    def __init__(self, stages: Stages, corpus: Pages) -> None:
        self.stages, self.corpus = stages, corpus
        self.deep = stages.deeper(_deeper(stages.system.retriever))
        own = [keys.code(__name__), stages.keys["rerank"], self.deep.keys["rerank"]]
        self.key = keys.digest([*own, stages.ingest.corpus.sha256, sorted(stages.ingest.corpus.damaged)])
        self._pages: dict[str, dict[PageRef, Page]] = {}
        self._chunks: dict[PageRef, list[Chunk]] | None = None

    def follow(self, retrieved: Case, generated: Case) -> Trail:
        """The trail of one golden."""
        golden = retrieved.golden
        queries = [search.query for search in generated.searches]
        key = keys.digest(["trail", self.key, golden.model_dump(mode="json"), queries, retrieved.error is not None])
        kept = self.stages.outcomes.get(key)
        if kept is not None:
            return Trail.model_validate(kept)
        trail = self._follow(golden, retrieved, queries)
        self.stages.outcomes.put(key, trail.model_dump(mode="json"))
        return trail

    def _follow(self, golden: Golden, retrieved: Case, queries: Sequence[str]) -> Trail:
        gold = sorted(golden.gold_pages)
        asked = golden.standalone if golden.turns else golden.question
        raw = self._ranks(golden, [asked] if asked and not retrieved.error else [], gold)
        agent = self._ranks(golden, queries, gold)
        pages = [self._page(golden, ref, raw.get(ref), agent.get(ref)) for ref in gold]
        return Trail(golden=golden.id, pages=tuple(pages))

    # -- ranks --------------------------------------------------------------------------------------------------

    def _ranks(self, golden: Golden, queries: Iterable[str], gold: Sequence[PageRef]) -> dict[PageRef, int]:
        """The best rank of each gold page over some searches."""
        best: dict[PageRef, int] = {}
        for query in dict.fromkeys(queries):
            for ref, rank in self._of_query(golden, query, gold).items():
                best[ref] = min(rank, best.get(ref, rank))
        return best

    def _of_query(self, golden: Golden, query: str, gold: Sequence[PageRef]) -> dict[PageRef, int]:
        hits = self._hits(self.stages, query, golden)
        ranks = _page_ranks(hits, gold)
        if len(ranks) < len(gold) and self.stages.system.retriever.candidates <= len(hits) < DEPTH:
            ranks = {**_page_ranks(self._hits(self.deep, query, golden), gold), **ranks}
        return ranks

    def _hits(self, stages: Stages, query: str, golden: Golden) -> Sequence[Found]:
        """The ranking; none where the system fails at it."""
        try:
            return stages.deadline.call(lambda: stages.ranking(query, golden)).hits
        except HarnessError:
            raise
        except Exception:
            return ()

    # -- text ---------------------------------------------------------------------------------------------------

    def _page(self, golden: Golden, ref: PageRef, rank: int | None, agent_rank: int | None) -> PageTrail:
        text = self._text(ref)
        evidence = _evidence(golden, ref, text)
        page, chunks = self._parsed(ref), self._chunked(ref)
        parsed = "\n".join(f"{block.text}\n{block.html or ''}" for block in page.blocks) if page else ""
        return PageTrail(
            ref=ref,
            in_text=_holds([text], evidence),
            in_parse=_holds([parsed], evidence),
            in_chunk=_holds([f"{chunk.text}\n{chunk.context or ''}" for chunk in chunks], evidence),
            rank=rank,
            agent_rank=agent_rank,
        )

    def _text(self, ref: PageRef) -> str:
        try:
            return self.corpus.text(ref)
        except HarnessError:
            return ""

    def _parsed(self, ref: PageRef) -> Page | None:
        if ref.doc not in self._pages:
            in_scope = ref.doc in self.stages.ingest.documents
            rows = read_rows(self.stages.ingest.pages_file(ref.doc)) if in_scope else None
            pages = [Page.model_validate(row) for row in rows or []]
            self._pages[ref.doc] = {page.ref: page for page in pages}
        return self._pages[ref.doc].get(ref)

    def _chunked(self, ref: PageRef) -> list[Chunk]:
        if self._chunks is None:
            self._chunks = {}
            for chunk in self.stages.chunks().values():
                self._chunks.setdefault(chunk.ref, []).append(chunk)
        return self._chunks.get(ref, [])


def _deeper(component: Retriever) -> Retriever:
    """The same retriever with those inside it, each asked for 200 hits at least."""
    changes: dict[str, object] = {
        name: _deeper(value) for name, value, _ in component.settings() if isinstance(value, Retriever)
    }
    return component.model_copy(update={**changes, "candidates": max(DEPTH, component.candidates)})


def _page_ranks(hits: Sequence[Found], gold: Sequence[PageRef]) -> dict[PageRef, int]:
    ranks = {ref: rank for rank, ref in enumerate(distinct_pages(hits), start=1)}
    return {ref: ranks[ref] for ref in gold if ref in ranks}


def _evidence(golden: Golden, ref: PageRef, text: str) -> list[str]:
    """The words that the page is known to hold: its quotes, else the figures of the answer that stand on it."""
    quotes = golden.quotes.get(str(ref), ())
    if quotes or not text.strip():
        return list(quotes)
    question = golden.standalone or golden.question
    found = find_on_pages(golden.answer or "", {ref: _read(text)}, question)
    figures = [one.on_page for one in found if one.how in ("exact", "rounded")]
    return [token for figure in figures for token in _tokens(figure) if token[0].isdigit()]


def _holds(texts: Sequence[str], evidence: Sequence[str]) -> bool | None:
    """Whether each piece of the evidence stands in one of the texts; None where there is no evidence, but some text."""
    tokens = [_tokens(text) for text in texts]
    if not any(tokens):
        return False
    if not evidence:
        return None
    return all(any(_stands(_tokens(piece), text) for text in tokens) for piece in evidence)


def _stands(piece: Sequence[str], text: Sequence[str]) -> bool:
    """Whether all words and figures of a piece are in a text: a table may set them apart."""
    return set(piece) <= set(text)


def _tokens(text: str) -> list[str]:
    """Words and figures, without case, accents of width, or what stands between them."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())
