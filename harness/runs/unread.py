"""What a system's parser could not read: of a question's own pages, and of each document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.records import Golden, PageRef
from harness.runs.ingest import Ingest

_SAID = {
    "picture": "is a picture, which the parser did not read",
    "unreadable": "holds text that nobody can read",
    "blank": "is blank to the parser",
    "failed": "could not be parsed",
}


def meant(golden: Golden) -> frozenset[str]:
    """The documents of the golden's pages; where it names none, those of its scope."""
    return frozenset(ref.doc for ref in golden.gold_pages) or frozenset(golden.scope)


def marks(ingest: Ingest, golden: Golden) -> tuple[str, ...]:
    """A line for each gold page that was not read; where there is none, for each document in scope of which nothing was."""
    if golden.gold_pages:
        known = (ref for ref in sorted(golden.gold_pages) if ref.doc in ingest.documents)
        return tuple(f"{ref} {why}" for ref in known if (why := _state(ingest, ref)))
    unread = [doc for doc in sorted(golden.scope) if doc in ingest.documents and _nothing(ingest, doc)]
    return tuple(f"no page of {doc} was read" for doc in unread)


def _state(ingest: Ingest, ref: PageRef) -> str | None:
    return next((_SAID[state] for state, pages in ingest.unread(ref.doc).items() if ref.page in pages), None)


def _nothing(ingest: Ingest, doc: str) -> bool:
    return sum(map(len, ingest.unread(doc).values())) == ingest.corpus.documents[doc].pages


def of_documents(ingest: Ingest) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a manifest keeps of each document's parse: {"unread": pages by why, "lacking": what its text lacks}.

    What is empty is left out. "lacking": words and figures as [lacking, of], and under "pages" those that lack a tenth of
    either, worst first, as [page, words lacking, of, figures lacking, of].
    """
    for doc in ingest.documents:
        short = ingest.shortfall(doc)
        pages = [[one.ref.page, *_counts(one.words), *_counts(one.figures)] for one in short.below()] if short else []
        lacking = {"words": _counts(short.words), "figures": _counts(short.figures), "pages": pages} if short else {}
        told: dict[str, Any] = {"unread": {why: pages for why, pages in ingest.unread(doc).items() if why != "blank"}}
        told |= {"lacking": lacking} if short and (short.words.lacking or short.figures.lacking) else {}
        yield doc, {name: value for name, value in told.items() if value}


def _counts(lacking: Any) -> list[int]:
    return [lacking.lacking, lacking.total]
