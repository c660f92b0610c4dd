"""What a parse lacks of what stands on the pages: words and figures of the reference text that no block of the page holds.

`shortfall(doc, pages, reference)` counts, page by page; `Ingest.shortfall(doc)` gives what was counted when the document was
ingested. Of the record, `words.share` and `figures.share` are the shares that the document's parse lacks, `below()` gives the
pages that lack so much that a reader should be told, worst first, and `PageShortfall.sample` some of what is missing there.

Words are runs of two letters or more, without regard to case, ligatures and hyphens; figures are digits with the points and
commas between them. A word that stands on a page three times and in its parse once is lacking twice. Lines that run along the
top or the bottom of the document's pages, and printed page numbers, are not counted: parsers leave them out on purpose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from harness.documents.pdf import ReferencePage
from harness.documents.words import Token, missing, tokens
from harness.records import Page, PageRef, Record, Ref

MOST_LACKING = 0.1
"""Share of a page's words, or of its figures, from which on a page is named."""
FEWEST = 3
"""Words or figures that a page must lack to be named: one torn word is no lost page."""
SAMPLE = 8
EDGE_LINES, RUNNING = 3, 3
"""Lines from the top and the bottom that may be running ones, and pages on which a running line stands at least."""

_DIGITS = re.compile(r"\d+")


class Lacking(Record):
    """How many of `total` words or figures are lacking."""

    total: int = 0
    lacking: int = 0

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where there is nothing to lack."""
        return self.lacking / self.total if self.total else 0.0

    @property
    def telling(self) -> bool:
        """Whether so much is lacking that a reader should know."""
        return self.lacking >= FEWEST and self.share >= MOST_LACKING


class PageShortfall(Record):
    """A page whose parse lacks something; `sample` holds the first lacking words and figures, in the order of the text."""

    ref: Ref
    words: Lacking
    figures: Lacking
    sample: tuple[str, ...] = ()


class Shortfall(Record):
    """What the parse of one document lacks. `pages`: those that lack anything, in the order of the file.

    `doubtful`: pages whose reference text is in doubt; they are not counted, since nobody knows what stands there.
    """

    doc: str
    words: Lacking = Lacking()
    figures: Lacking = Lacking()
    pages: tuple[PageShortfall, ...] = ()
    doubtful: tuple[Ref, ...] = ()

    def below(self) -> list[PageShortfall]:
        """The pages that lack a tenth of their words or of their figures (three at least), worst first."""
        named = [page for page in self.pages if page.words.telling or page.figures.telling]
        return sorted(named, key=lambda page: -max(page.words.share, page.figures.share))


def shortfall(doc: str, pages: Sequence[Page], reference: Sequence[ReferencePage]) -> Shortfall:
    """What `pages` lack of `reference`; both hold every page of the document, in order."""
    running = running_lines([page.text for page in reference])
    both = list(zip(pages, reference, strict=True))
    read = [_page(page, shown, running) for page, shown in both if not shown.doubt]
    return Shortfall(
        doc=doc,
        words=_sum(page.words for page in read),
        figures=_sum(page.figures for page in read),
        pages=tuple(page for page in read if page.words.lacking or page.figures.lacking),
        doubtful=tuple(page.ref for page, shown in both if shown.doubt),
    )


def _sum(counts: Iterator[Lacking]) -> Lacking:
    found = list(counts)
    return Lacking(total=sum(one.total for one in found), lacking=sum(one.lacking for one in found))


def _page(page: Page, shown: ReferencePage, running: frozenset[str]) -> PageShortfall:
    expected = tokens(without_running(shown.text, running, shown.label))
    lacking = missing(expected, tokens(page.text))
    return PageShortfall(
        ref=PageRef(page.ref.doc, page.ref.page),
        words=_count(expected, lacking, figure=False),
        figures=_count(expected, lacking, figure=True),
        sample=tuple(token.text for token in lacking[:SAMPLE]),
    )


def _count(expected: Sequence[Token], lacking: Sequence[Token], *, figure: bool) -> Lacking:
    return Lacking(
        total=sum(token.figure == figure for token in expected),
        lacking=sum(token.figure == figure for token in lacking),
    )


def running_lines(texts: Sequence[str]) -> frozenset[str]:
    """Lines of letters, digits aside, that stand at the edge of three pages or more."""
    counts = Counter(line for text in texts for line in {_folded(line) for line in _edges(text.splitlines())})
    return frozenset(line for line, count in counts.items() if count >= RUNNING and any(map(str.isalpha, line)))


def _edges(lines: Sequence[str]) -> list[str]:
    kept = [line for line in lines if line.strip()]
    return [*kept[:EDGE_LINES], *kept[max(EDGE_LINES, len(kept) - EDGE_LINES) :]]


def _folded(line: str) -> str:
    return " ".join(_DIGITS.sub("#", line).split())


def without_running(text: str, running: frozenset[str], label: str | None) -> str:
    """The text without its running lines, and without a line that is the printed page number and nothing else."""
    edges = set(_edges(text.splitlines()))
    kept = (line for line in text.splitlines() if line not in edges or not _runs(line, running, label))
    return "\n".join(kept)


def _runs(line: str, running: frozenset[str], label: str | None) -> bool:
    return _folded(line) in running or (label is not None and line.strip() == label)
