"""Answers from tables and text without a model: quotes the figure or works it out, cites its pages, refuses on evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from harness.bench import Bench
from harness.protocols import Answerer, SearchCall
from harness.records import Answer, Turn
from systems._shared.tokens import tokens
from systems.answerers._statements import vocabulary
from systems.answerers._statements.asked import Asked
from systems.answerers._statements.claims import Claim, Weigher
from systems.answerers._statements.measures import names_measure
from systems.answerers._statements.names import own_names, stranger
from systems.answerers._statements.pages import Page, pages_of
from systems.answerers._statements.parts import part_of
from systems.answerers._statements.replies import Ground, reply
from systems.answerers._statements.series import over_years
from systems.answerers._statements.tables import read_all
from systems.answerers._statements.worked import worked

_DENIAL = re.compile(rf"\b(?:{vocabulary.DENIAL})\b|n['’]t\b", re.IGNORECASE)
_SIDES = re.compile(rf"\b({vocabulary.GAIN})s? or (?:an? )?(?:net )?({vocabulary.LOSS})\b", re.IGNORECASE)
REFUSAL = "The documents do not answer this."


class Statements(Answerer):
    """Works out measures from the statements' line items, compares years, or else takes the cell or sentence that fits.

    A cell fits by the words of its row, column, group and title, rare ones counting more, and by its year. It refuses
    where a company or person that the question names is neither the document's nor in the passages, where no line holds
    the year that is asked for, and where the fit is below `threshold`. The words that it knows of statements and of questions
    are English: in other languages it finds lines by their words, and mostly refuses.
    """

    threshold: float = Field(0.2, description="confidence below which it abstains", ge=0, le=1)

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """The figure or sentence, cited as `[doc, p.41]`, with the lines that it stands in as the citation's quote."""
        hits = search(question)
        asked = Asked.of(question)
        if not hits:
            return _refusal("nothing was found", 0.0)
        name = stranger(asked, hits, bench)
        if name:
            return _refusal(f"no passage names {name}", 0.0)
        pages = pages_of(hits, bench)
        found = worked(asked, question, search, pages, bench) or _from_lines(asked, question, pages, bench)
        if found and not names_measure(question, found.text):
            return _refusal("a figure that the measure is worked out from is missing", 0.0)
        if found is None or (found.confidence or 0.0) < self.threshold:
            return _refusal("no line fits the question well enough", (found.confidence or 0.0) if found else 0.0)
        return found


def confidence(fit: float) -> float:
    """The chance that an answer of that fit is right: a logistic curve through decided answers of finance dev.

    Share right against the curve's mean in 125 answers of later dev questions, by fit: to .5 .50 / .27, to .6 .24 / .41,
    to .7 .62 / .54, to .8 .69 / .67, above .90 / .84.
    """
    return round(1 / (1 + math.exp(3.42 - 5.54 * fit)), 4)


def _refusal(reason: str, chance: float) -> Answer:
    return Answer(text=REFUSAL, abstained=True, confidence=chance, trace={"why": reason})


def _from_lines(asked: Asked, question: str, pages: Sequence[Page], bench: Bench) -> Answer | None:
    """The best of the lines that were found, or what several of their figures make."""
    rows, sentences = read_all(pages)
    own = set(tokens(" ".join(own_names(bench))))
    asked = replace(asked, words=tuple(word for word in asked.words if word not in own) or asked.words)
    weigher = Weigher.over(asked, rows, sentences)
    made = part_of(weigher, rows, question) or over_years(weigher, rows, sentences, question)
    claims = [*weigher.cells(rows, asked.years[0] if asked.years else None), *map(weigher.sentence, sentences)]
    best = max(claims, key=lambda claim: (claim.fit, -claim.page.rank), default=None)
    if made and not (asked.yes_no and best and best.fit > made.fit):
        return reply(made.said, made.grounds, confidence(made.fit), "made")
    return _answer(best, asked) if best else None


def _answer(claim: Claim, asked: Asked) -> Answer:
    ground = Ground.of(claim.page, claim.text, claim.row)
    return reply(_said(claim, asked), [ground], confidence(claim.fit), "cell" if claim.row else "sentence")


def _said(claim: Claim, asked: Asked) -> str:
    figure = claim.figure
    said = claim.text
    if claim.row and figure and (sides := _SIDES.search(asked.plain)):
        side = sides[2] if (claim.row.value(figure.text) or 0.0) < 0 else sides[1]
        return f"{side.capitalize()}. {claim.row.label}: {claim.row.said(figure.text)}"
    if claim.row and figure:
        when = f" ({claim.year})" if claim.year else ""
        said = f"{claim.row.label}{when}: {claim.row.said(figure.text)}"
    if asked.yes_no:
        return f"{'No' if _DENIAL.search(claim.text) else 'Yes'}. {said}"
    if asked.figure and figure and figure.sure == 1.0 and not claim.row:
        return f"{figure.text}: {claim.text}"
    return said
