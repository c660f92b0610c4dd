"""What an answerer read, by chunk id: rows on disk hold ids only, and a judge needs the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from harness.cache.rows import read_rows
from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.records import Case
from harness.runs import config
from harness.runs.ingest import Ingest
from harness.runs.options import Options
from harness.runs.results import Manifest
from harness.runs.stages import Passages, Reader, Stages


def passages_of(key: str, stages: Callable[[], Stages]) -> Passages:
    """`stages` is called once, when a passage is first asked for: it may have to parse again."""
    opened = cache(stages)

    def reader(case: Case) -> Reader:
        found = cache(lambda: _found(opened(), case))
        return lambda chunk_id: found()[chunk_id]

    return Passages(key, reader)


def kept_texts(manifest: Manifest, corpus: Corpus, options: Options, docs: Iterable[str]) -> dict[str, str]:
    """What is searched, by chunk id, of some documents of a kept result; of those alone whose chunks a cache still holds."""
    try:
        system = config.restore(manifest.config)
    except UserError:
        return {}
    known = [doc for doc in dict.fromkeys(docs) if doc in corpus.documents]
    ingest = Ingest(corpus, known, options.cache, system.parser, system.chunker)
    rows = [row for doc in known for row in (read_rows(ingest.chunks_file(doc)) or [])[1:]]
    return {row["id"]: row["text"] for row in rows}


def _found(stages: Stages, case: Case) -> dict[str, str]:
    """Chunk id to passage over all searches of a case, which are read back, or made again where the cache is gone.

    A retriever may widen what is read for a hit, so that a passage belongs to its search and not to the chunk alone.
    """
    hits = [hit for search in case.searches for hit in stages.search(search.query, case.golden)]
    return {hit.chunk.id: hit.chunk.passage for hit in reversed(hits)}
