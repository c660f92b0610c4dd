"""Correctness by program: one entry, `judge`.

The rules run from the most to the least certain; the first that settles the matter decides. What none settles is undecided.
"""

from __future__ import annotations

import re

from harness.quantities.asking import ask_of, asks_quantity
from harness.quantities.comparing import RIGHT
from harness.quantities.plain import plain_text, ungrouped
from harness.scoring.judges.rules import listing, naming, texts
from harness.scoring.judges.rules.abroad import EAST, OTHER_SCRIPT, groups_by_dots
from harness.scoring.judges.rules.dates import is_dates
from harness.scoring.judges.rules.directions import is_direction
from harness.scoring.judges.rules.figures import (
    figures_of,
    in_order,
    is_difference,
    judge_figure,
    missing_figures,
    without,
)
from harness.scoring.judges.rules.hedges import buried, commits
from harness.scoring.judges.rules.lists import items_of
from harness.scoring.judges.rules.pairing import paired
from harness.scoring.judges.rules.refusals import declined_at, declined_before, refusal_of, sentence_at, supposed_at
from harness.scoring.judges.rules.subjects import owner_at
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.verdict import Verdict, undecided
from harness.scoring.judges.rules.words import content, coverage, negated
from harness.scoring.judges.rules.yesno import polarity

_NAME = 6
"""Content words of a name at most."""
_TAKEN_UP = 0.5
"""Share of a question's words from which a sentence behind a refusal answers it."""
_MODEL = re.compile(r"[A-Z][a-z]{2,}[\w-]* \d{1,2}")
"""A product's name: "Lumos 3"."""
_COUNTERS = 2
"""Words of other scripts that a figure may have as its counter."""
_SHORT = 4
"""Content words beside a single figure up to which the figure is the reference."""


def judge(
    question: str, reference: str, accept: tuple[str, ...], answer: str, answer_type: str | None = None
) -> Verdict:
    """Judge an answer against a reference and other accepted answers; any one that it meets makes it right.

    The reference's own form says which rules apply; `answer_type` is not used by them. Undecided (value None) is a result:
    what no rule here can settle is left to a judge or a person.
    """
    question, answer, *keys = map(plain_text, (question, answer, reference, *accept))
    if groups_by_dots(question):
        question, answer, *keys = map(ungrouped, (question, answer, *keys))
    ask = ask_of(question)
    tasks = [Task(question, key, answer, ask, answer_type or "") for key in keys]
    verdicts = [_judge(task) for task in tasks]
    return next((v for v in verdicts if v.value), next((v for v in verdicts if v.value is None), verdicts[0]))


def kind_of(question: str, reference: str) -> str:
    """The kind of a reference: number (nothing but one), numbers, yes/no, date, list, name or prose."""
    question, reference = plain_text(question), plain_text(reference)
    ask = ask_of(question)
    figures = figures_of(reference, ask)
    if polarity(reference) is not None:
        return "yes/no"
    if is_dates(reference) and not figures:
        return "date"
    if figures and not content(without(reference, figures)):
        return "number" if len(figures) == 1 else "numbers"
    if len(items_of(reference)) > 1:
        return "list"
    return "name" if len(content(reference)) <= _NAME else "prose"


def _judge(task: Task) -> Verdict:
    same = texts.same_words(task)
    if same:
        return same
    verdict = _by_rule(task)
    refused = refusal_of(task.answer)
    if refused is None or _answers(task, verdict):
        return _committed(task, verdict)
    if refused == "declines" or not negated(task.reference):
        return Verdict(False, "refusal", "the answer declines to answer", {"refusal": refused})
    return undecided("the answer says that the source does not tell, and the reference denies something too")


def _answers(task: Task, verdict: Verdict) -> bool:
    """Whether the figure that meets the reference stands outside the sentences that decline."""
    claim = verdict.detail.get("claim")
    if not verdict.value or verdict.kind not in RIGHT or not claim:
        return False
    place = claim["span"][0]
    if declined_at(task.answer, place) or owner_at(task, place):
        return False
    taken_up = coverage(task.question, sentence_at(task.answer, place)) > _TAKEN_UP
    return taken_up or not declined_before(task.answer, place)


def _committed(task: Task, verdict: Verdict) -> Verdict:
    """The verdict, unless the answer states nothing: what hedges is wrong, whatever it holds."""
    claim = verdict.detail.get("claim")
    if verdict.value and claim and supposed_at(task.answer, claim["span"][0]):
        return Verdict(False, "hedge", "the answer only supposes the figure", verdict.detail)
    why = commits(task) if verdict.value is not False else ""
    if why:
        return Verdict(False, "hedge", why, verdict.detail)
    if verdict.value and verdict.kind in ("list", "prose") and buried(task):
        return undecided("the words stand in the middle of a long answer that takes up the question nowhere else")
    return verdict


def _by_rule(task: Task) -> Verdict:
    for rule in (
        texts.yes_no,
        texts.choice,
        texts.one_of_two,
        texts.dates,
        _figure,
        _figures,
        texts.periods,
        naming.named_exactly,
        naming.namesake,
        listing.listed,
        naming.name,
        texts.prose,
    ):
        verdict = rule(task)
        if verdict is not None:
            return verdict
    return undecided("no rule settles an answer of this kind")


def _figure(task: Task) -> Verdict | None:
    """One figure, alone or in a sentence that answers a question for a quantity."""
    figures = figures_of(task.reference, task.ask)
    if len(figures) != 1 or polarity(task.reference) is not None:
        return None
    if _MODEL.fullmatch(task.reference) and content(task.reference)[0] not in content(task.question):
        return None
    rest = task.reference[: figures[0].start] + " " + task.reference[figures[0].end :]
    fresh = [word for word in content(rest) if word not in content(task.question) and not is_direction(word)]
    foreign = [word for word in fresh if OTHER_SCRIPT.match(word)]
    foreign = [word for word in foreign if len(word) > 1 or EAST.match(word)]
    if any(word not in (task.answer if EAST.match(word) else content(task.answer)) for word in foreign):
        return None
    fresh = [word for word in fresh if not OTHER_SCRIPT.match(word) or len(foreign) > _COUNTERS]
    if fresh and (len(fresh) > _SHORT or not asks_quantity(task.question)):
        return None
    return judge_figure(task, figures[0])


def _figures(task: Task) -> Verdict | None:
    """Several figures and few words: all are needed."""
    figures = figures_of(task.reference, task.ask)
    if len(figures) < 2 or len([w for w in content(task.reference) if w not in content(task.question)]) > 8:
        return None
    missing = missing_figures(task.reference, task.answer, task.ask)
    named = paired(task.reference, task.answer, task.ask) if not missing else None
    if named is False:
        return Verdict(False, "swapped", "all figures are there, but said of one another's names")
    if not missing and named is None and not in_order(task.reference, task.answer, task.ask):
        return undecided("all figures are there, in another order: each may be said of something else")
    if not missing:
        return Verdict(True, "figures", f"all {len(figures)} figures of the reference are in the answer")
    if task.ask.change and is_difference(figures, task.answer, task.ask):
        return undecided("the answer gives the change, the reference the figures before and after")
    return Verdict(False, "figures", f"{len(missing)} of {len(figures)} figures are missing, first {missing[0].text!r}")
