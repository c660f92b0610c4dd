"""Whether the companies and people that a question names are those of the documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from harness.bench import Bench
from harness.records import Hit
from systems.answerers._statements.asked import Asked


def stranger(asked: Asked, hits: Sequence[Hit], bench: Bench) -> str | None:
    """The first name in the question that is neither a document's in scope nor in what was found."""
    own = own_names(bench)
    read = " ".join(hit.chunk.passage for hit in hits)
    for name in asked.names:
        if not any(_alike(name, other) for other in own) and not _named_in(name, read):
            return name
    return None


def own_names(bench: Bench) -> list[str]:
    return [name for doc in bench.documents for name in (doc.title, doc.id, *doc.aliases)]


def _named_in(name: str, read: str) -> bool:
    """Whether a word of the name stands in the passages, written as in the question or in the passages' own capitals."""
    spellings = {spelling for word in name.split() if len(word) > 2 for spelling in (word, word.title(), word.upper())}
    return any(re.search(rf"\b{re.escape(spelling)}\b", read) for spelling in spellings)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _alike(name: str, own: str) -> bool:
    """Whether a word of the name is the document's own, a slip of the pen allowed for."""
    words = [_squeezed(name), *(_squeezed(word) for word in name.split() if len(word) > 3)]
    parts = [
        _squeezed(own),
        *(part for part in (_squeezed(word) for word in re.split(r"[\W_]+", own)) if len(part) > 2),
    ]
    return any(word in parts[0] or max(_likeness(word, part) for part in parts) > 0.8 for word in words if word)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
