"""Asks a question that names a document's company of that company's documents first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from harness.bench import Bench, Document, Index
from harness.protocols import Retriever
from harness.records import Hit
from systems._shared import unspaced


class DocFilter(Retriever):
    """Wraps `inner`; who is who stands in corpus.yaml, as titles and aliases.

    Where the question names one company, its documents are searched alone, so that others cannot crowd them out; the
    hits of the others follow after them. With one document in scope, or no name in the question, nothing changes.
    """

    inner: Retriever

    def open(self, folder: Path, bench: Bench) -> Index:
        """The inner index; this one writes nothing of its own."""
        return _DocFilterIndex(bench.index(self.inner))


class _DocFilterIndex(Index):
    def __init__(self, inner: Index) -> None:
        self._inner = inner

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        every = frozenset(document.id for document in bench.documents) if docs is None else docs
        meant = named(query, bench.documents) & every
        if not meant or meant == every:
            return self._inner.search(query, k, docs, bench)
        first = self._inner.search(query, k, meant, bench)
        rest = [hit for hit in self._inner.search(query, k, docs, bench) if hit.chunk.ref.doc not in meant]
        floor = min((hit.score for hit in first), default=0.0)
        return [*first, *(Hit(hit.chunk, floor - rank) for rank, hit in enumerate(rest, start=1))][:k]


def named(question: str, documents: Sequence[Document]) -> frozenset[str]:
    """The documents of the one company that the question names; none where it names several, or nobody.

    Documents with an alias in common belong to one company. Of two names where one holds the other, the longer counts.
    """
    found = {(name, doc.id) for doc in documents for name in (doc.title, *doc.aliases) if _holds(question, name)}
    longest = {
        (name, doc)
        for name, doc in found
        if not any(_plain(name) in _plain(other) != _plain(name) for other, _ in found)
    }
    companies = {_plain(name) for name, _ in longest}
    docs = frozenset(doc for _, doc in longest)
    aliases = [{_plain(alias) for alias in doc.aliases} for doc in documents if doc.id in docs]
    one = len(companies) == 1 or (aliases and set.intersection(*aliases))
    return docs if one else frozenset()


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", unspaced.apart(name.lower())))


def _holds(question: str, name: str) -> bool:
    return bool(_plain(name)) and f" {_plain(name)} " in f" {_plain(question)} "
