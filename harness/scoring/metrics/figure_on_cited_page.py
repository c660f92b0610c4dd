"""Whether the figures of an answer stand on a page that it cites."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache

from harness.bench import Bench
from harness.errors import UserError
from harness.quantities.pages import FigureFound, PageFigures, find_on_pages, read_page
from harness.records import Case, PageRef
from harness.scoring.metrics._answers import REFUSED, AnswerMetric, answer_of, words_of
from harness.scoring.metrics._citations import page_of
from harness.scoring.scores import Score, Summary

OTHERS = 10
"""Pages on which a figure is looked for although nobody cites them."""
POOL = 20
"""Pages of a document from which these are drawn, so that a few of its pages are read and not all."""

_read = lru_cache(maxsize=2048)(read_page)


class FigureOnCitedPage(AnswerMetric):
    """Quantities of a given answer that stand on a cited page (exact, rounded or derived) / its quantities.

    Pages are read from the corpus's reference text, never from the parser under test. Detail counts each kind, and the
    false hits: the same quantities on ten random other pages of the document, as (quantity, page) pairs. Undecided where a
    quantity is on no cited page and the reference text of one of them is in doubt.
    """

    place = 13
    conditional = True

    def score(self, case: Case, bench: Bench) -> Score:
        answer = answer_of(case)
        if answer.abstained:
            return self.not_applicable(case, REFUSED)
        cited = sorted({ref for citation in answer.citations if (ref := page_of(citation, bench))})
        found = _find(case, cited, bench)
        if not found:
            return self.not_applicable(case, "the answer holds no quantity")
        counts = Counter(figure.how or "missing" for figure in found)
        detail = {
            **counts,
            "citations": len(answer.citations),
            "quantities": len(found),
            **_false_hits(case, cited, bench),
        }
        reason = "; ".join(map(_in_words, found))
        if counts["missing"] and (doubt := _doubt(cited, bench)):
            return self.undecided(case, f"{reason}; the reference text is in doubt ({doubt})", **detail)
        return self.scored(case, 1 - counts["missing"] / len(found), reason, **detail)

    def summary(self, scores: Sequence[Score]) -> Summary:
        """The default one; its note gives the false-hit rate and how many of the quantities are derived."""
        summary = super().summary(scores)
        total = Counter[str]()
        for score in scores:
            total.update({key: value for key, value in score.detail.items() if isinstance(value, int)})
        if not total["other_pairs"]:
            return summary
        rate = total["other_hits"] / total["other_pairs"]
        note = f"{rate:.1%} on random other pages; {total['derived']} of {total['quantities']} quantities derived"
        return summary.model_copy(update={"note": note})


def _doubt(cited: Iterable[PageRef], bench: Bench) -> str:
    """The first cited page whose reference text is in doubt, and why; empty where there is none."""
    why = getattr(bench.corpus, "doubt", lambda ref: None)  # a corpus of texts alone has no second reader
    return next((f"{ref}: {reason}" for ref in cited if (reason := why(ref))), "")


def _find(case: Case, refs: Iterable[PageRef], bench: Bench) -> list[FigureFound]:
    pages: dict[PageRef, str | PageFigures] = {ref: _read(bench.corpus.text(ref)) for ref in refs}
    golden = case.golden
    operands = [quote for quotes in golden.quotes.values() for quote in quotes]
    return find_on_pages(words_of(answer_of(case)), pages, golden.standalone or golden.question, operands)


def _false_hits(case: Case, cited: Sequence[PageRef], bench: Bench) -> dict[str, int]:
    """How many (quantity, page) pairs there are on other pages, and on how many of them the figure stands too."""
    pairs: list[FigureFound] = []
    for ref in _others(case, cited, bench):
        with suppress(UserError):  # a page that the instrument cannot read, and that nobody cited
            pairs += _find(case, [ref], bench)
    return {"other_pairs": len(pairs), "other_hits": sum(figure.how is not None for figure in pairs)}


def _others(case: Case, cited: Sequence[PageRef], bench: Bench) -> list[PageRef]:
    """Up to ten pages, neither cited nor gold, of the document cited first (else of the evidence): the same each time."""
    known = [*cited, *sorted(case.golden.gold_pages)]
    if not known:
        return []
    doc = known[0].doc
    every = [PageRef(doc, page) for page in range(1, bench.corpus.documents[doc].pages + 1)]
    pool = random.Random(doc).sample(every, min(POOL, len(every)))
    other = [ref for ref in pool if ref not in known]
    return sorted(random.Random(case.golden.id).sample(other, min(OTHERS, len(other))))


def _in_words(figure: FigureFound) -> str:
    name = figure.quantity.text.strip()
    if figure.how is None:
        return f"{name!r} is on no cited page"
    return f"{name!r} {figure.how} on {figure.ref}" + (f": {figure.working}" if figure.working else "")
