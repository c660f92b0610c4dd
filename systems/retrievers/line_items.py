"""Asks a retriever for what reports print: instructions left out, the line items of the measures asked for added."""

from __future__ import annotations

from pathlib import Path

from harness.bench import Bench, Index
from harness.components import query_time
from harness.protocols import Retriever
from harness.records import Hit
from systems._shared.finance_words import line_items, without_instructions


class LineItems(Retriever):
    """Wraps `inner`. A report prints no "quick ratio": it prints current assets, inventories and current liabilities."""

    inner: Retriever
    plain: bool = query_time(True, "leave out the sentences on how to answer")
    add: bool = query_time(True, "add the line items")

    def open(self, folder: Path, bench: Bench) -> Index:
        """The inner index; this one writes nothing of its own."""
        return _LineItemsIndex(self, bench.index(self.inner))

    def asked(self, question: str) -> str:
        """The question as the inner retriever gets it."""
        words = without_instructions(question) if self.plain else question
        return f"{words} {line_items(question)}".strip() if self.add else words


class _LineItemsIndex(Index):
    def __init__(self, settings: LineItems, inner: Index) -> None:
        self._settings, self._inner = settings, inner

    def search(self, query: str, k: int, docs: frozenset[str] | None, bench: Bench) -> list[Hit]:
        return self._inner.search(self._settings.asked(query), k, docs, bench)
