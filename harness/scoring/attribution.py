"""Where a question was lost: the first step, from the page's text to the citation, at which what was needed is missing.

Two funnels. A page that the raw question missed is followed through search; an answer that is wrong through the answerer's own
searches. Whether a page was found is decided as `page_hit` and `gold_page_cited` decide it. Whether text, parse and chunks hold
the evidence needs its words: where a golden has neither quotes nor a figure that stands on its page, that is not known, and
only the steps by page are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from harness.records import Case, Golden, PageRef, Record, Ref
from harness.scoring.scores import Score

Funnel = Literal["pages", "answer"]
Step = Literal[
    "not_in_text",
    "parse",
    "chunk",
    "search",
    "rank",
    "unused",
    "answer",
    "citation",
    "refusal",
    "in_doubt",
    "undecided",
    "none",
]
STEPS: tuple[Step, ...] = get_args(Step)
MEANING: dict[Step, str] = {
    "not_in_text": "the page's own text does not hold it",
    "parse": "the parser lost it",
    "chunk": "no chunk holds it",
    "search": "not among the first 200 of the search",
    "rank": "found, but too far down",
    "unused": "shown, not cited, wrong",
    "answer": "its page cited, wrong",
    "citation": "right, another page cited",
    "refusal": "refused, or answered, against what was expected",
    "in_doubt": "the key itself is marked as not sure",
    "undecided": "no program can tell",
    "none": "not lost",
}
PAGES, ANSWER, CITED = "page_hit@5", "correctness", "gold_page_cited"
"""The metrics that say what was lost."""
UNSURE = frozenset({"unconfirmed", "in_doubt"})
"""What a golden's `verified` or `tags` say of a key that may be wrong itself."""
DEPTH = 200
"""Hits down to which a gold page is looked for."""


class PageTrail(Record):
    """How far a gold page came. None where there is nothing to look for; a rank counts distinct pages, None beyond 200 hits."""

    ref: Ref
    in_text: bool | None = None
    in_parse: bool | None = None
    in_chunk: bool | None = None
    rank: int | None = None
    """For the raw question."""
    agent_rank: int | None = None
    """The best one over the answerer's own searches."""


class Trail(Record):
    """How far the gold pages of a golden came."""

    golden: str
    pages: tuple[PageTrail, ...] = ()


class Seen(NamedTuple):
    """What of an attempt decides where it was lost."""

    shown: frozenset[PageRef] = frozenset()
    cited: frozenset[PageRef] = frozenset()
    abstained: bool = False
    searched: bool = True

    @classmethod
    def of(cls, case: Case) -> Seen:
        answer = case.answer
        cited = frozenset(citation.ref for citation in answer.citations if citation.ref) if answer else frozenset()
        return cls(case.shown, cited, answer is not None and answer.abstained, bool(case.searches))


class Loss(Record):
    """The steps at which a golden's page and its answer were lost; None where the funnel does not apply."""

    golden: str
    pages: Step | None = None
    answer: Step | None = None


def loss(golden: Golden, scores: Mapping[str, Score], trail: Trail | None, seen: Seen) -> Loss:
    """Where a golden was lost; `scores` are its own by metric."""
    pages = _page_step(scores.get(PAGES), trail)
    return Loss(golden=golden.id, pages=pages, answer=_answer_step(golden, scores, trail, seen))


def counted_steps(losses: Iterable[Loss], funnel: Funnel) -> dict[Step, int]:
    """How many goldens each step lost, in the order of the steps; those that occur."""
    counts = Counter(getattr(one, funnel) for one in losses)
    return {step: counts[step] for step in STEPS if counts[step]}


# -- pages ------------------------------------------------------------------------------------------------------------


def _page_step(score: Score | None, trail: Trail | None) -> Step | None:
    if score is None or score.value is None:
        return None
    if score.value:
        return "none"
    if trail is None:
        return "undecided"
    step, left = _held([(page,) for page in trail.pages])
    return step or ("rank" if any(page.rank for (page,) in left) else "search")


def _held(
    groups: Sequence[tuple[PageTrail, ...]],
) -> tuple[Step | None, Sequence[tuple[PageTrail, ...]]]:
    """The first step that lost every group, and else the groups that are whole after chunking."""
    steps: tuple[tuple[Step, str], ...] = (("not_in_text", "in_text"), ("parse", "in_parse"), ("chunk", "in_chunk"))
    for step, fact in steps:
        groups = [group for group in groups if all(getattr(page, fact) is not False for page in group)]
        if not groups:
            return step, ()
    return None, groups


# -- answers ----------------------------------------------------------------------------------------------------------


def _answer_step(golden: Golden, scores: Mapping[str, Score], trail: Trail | None, seen: Seen) -> Step | None:
    if golden.expect == "abstain":
        refused = scores.get("refused_unanswerable")
        return None if refused is None or refused.value is None else "none" if refused.value else "refusal"
    right, cited = scores.get(ANSWER), scores.get(CITED)
    if right is None or right.status in ("not_applicable", "failed"):
        return None
    if right.status == "undecided":
        return "undecided"
    if right.value:
        return "citation" if cited is not None and cited.value == 0 else "none"
    return _wrong(golden, trail, seen)


def _wrong(golden: Golden, trail: Trail | None, seen: Seen) -> Step:
    """Where a wrong answer, or a refusal of what can be answered, was lost."""
    if golden.verified in UNSURE or UNSURE & set(golden.tags):
        return "in_doubt"
    if trail is None or not golden.evidence:
        return "undecided"
    by_ref = {page.ref: page for page in trail.pages}
    step, left = _held([tuple(by_ref[ref] for ref in dict.fromkeys(group)) for group in golden.evidence])
    if step:
        return step
    if seen.searched and not any(all(page.ref in seen.shown for page in group) for group in left):
        found = any(all(page.agent_rank or page.ref in seen.shown for page in group) for group in left)
        return "rank" if found else "search"
    if seen.abstained:
        return "refusal"
    return "answer" if seen.cited & golden.gold_pages else "unused"
