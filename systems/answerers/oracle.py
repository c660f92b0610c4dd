"""The ceiling of answering: the golden's own answer, citing the pages of its smallest group of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from harness.bench import Bench
from harness.protocols import Answerer, SearchCall
from harness.records import Answer, Citation, Golden, PageRef, Turn


class Oracle(Answerer):
    """Searches once, so that what it was shown is recorded, and abstains where the golden is not to be answered."""

    sees_gold: ClassVar[bool] = True

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """The golden's answer and citations, with full confidence."""
        search(question)
        golden = bench.golden
        if golden.expect != "answer" or golden.answer is None:
            return Answer(text="The documents do not answer this.", abstained=True, confidence=0.0)
        return Answer(text=golden.answer, citations=_citations(golden), confidence=1.0)


def _citations(golden: Golden) -> tuple[Citation, ...]:
    pages = min(golden.evidence, key=len, default=())
    return tuple(Citation(raw=f"[{ref.doc}, p.{ref.page}]", ref=ref, quote=_quote(golden, ref)) for ref in pages)


def _quote(golden: Golden, ref: PageRef) -> str | None:
    return next(iter(golden.quotes.get(str(ref), ())), None)
