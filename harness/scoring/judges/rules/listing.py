"""Lists: every item must be in the answer, in any order, and no other one beside them."""

from __future__ import annotations

import re

from harness.scoring.judges.rules.lists import is_name_list, items_of
from harness.scoring.judges.rules.namesakes import words_of_name
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.verdict import Verdict, undecided
from harness.scoring.judges.rules.words import content, coverage, negated, plain

_SHORT = 30
"""Words up to which an answer is nothing but a list."""
_PART = 6
"""Words up to which an answer may be a single item."""
_COUNTED = re.compile(r"\b(?:two|three|four|five|six|both|all|[2-9])\b", re.IGNORECASE)
_HELD = "\ue000"
_NAME = r"(?:the\s+)?[A-ZÀ-Þ][\w'’&-]*(?:\s+(?:of|de|the|&)?\s*[A-ZÀ-Þ][\w'’-]*){0,3}"
_JOIN = r"\s*(?:,\s*(?:and|or|&)?|;|\band\b|\bor\b|&)\s*"
_EXTRA = re.compile(
    rf"{_HELD}{_JOIN}(?P<behind>{_NAME})(?=\s*(?:[,;.]|\band\b|\bor\b|&|\Z))|(?P<before>{_NAME}){_JOIN}{_HELD}"
)


def listed(task: Task) -> Verdict | None:
    """The rule for lists."""
    items = items_of(task.reference)
    if len(items) < 2:
        return None
    absent = [item for item in items if not _holds(task.answer, item)]
    if not absent:
        return _all_there(task, items)
    if len(absent) < len(items) and _is_part(task.answer, task.reference, bool(_COUNTED.search(task.question))):
        return Verdict(False, "list", f"{absent[0]!r} is not in the answer")
    sure = len(items) > 2 or ";" in task.reference or "[" in task.reference or len(items_of(task.answer)) == len(items)
    if sure and is_name_list(items) and len(task.answer.split()) <= _SHORT:
        return Verdict(False, "list", f"{absent[0]!r} is not in the answer")
    return undecided(f"{len(absent)} of {len(items)} items are not in the answer word for word")


def _all_there(task: Task, items: list[str]) -> Verdict:
    if " or " not in task.reference and _either(task.answer, items):
        return Verdict(False, "hedge", "the answer joins the items by 'or'")
    extra = extra_item(task.answer, items) if is_name_list(items) else ""
    if extra and extra.lower() not in task.question.lower():
        return Verdict(False, "list", f"the answer also lists {extra!r}")
    if negated(task.answer) and not negated(task.reference):
        return undecided("all items are in an answer that denies something")
    return Verdict(True, "list", f"all {len(items)} items are in the answer")


def extra_item(answer: str, items: list[str]) -> str:
    """A name that stands in one row with the items of a list and is none of them; empty where there is none, or where
    brackets explain the items ("Asia Pacific, Australia (APAC)")."""
    if any(f"({item.strip()})" in answer for item in items):
        return ""
    text = _marked(answer, items)
    for found in _EXTRA.finditer(text):
        extra = (found["behind"] or found["before"] or "").strip()
        if extra.split()[0] not in _OPENERS and not any(coverage(extra, item) >= 1 for item in items):
            return extra
    return ""


def _marked(answer: str, items: list[str]) -> str:
    """The answer with a mark in place of every item."""
    for item in sorted(items, key=len, reverse=True):
        answer = re.sub(rf"(?<!\w)(?:the\s+)?{re.escape(item.strip())}(?!\w)", _HELD, answer, flags=re.IGNORECASE)
    return answer


def _either(answer: str, items: list[str]) -> bool:
    """Whether two items are joined by "or"."""
    return bool(re.search(rf"{_HELD},?\s+or\s+{_HELD}", _marked(answer, items)))


_OPENERS = frozenset(("The", "They", "It", "In", "These", "Both", "As", "We", "Its", "Yes", "No", "For", "Of", "This"))


def _is_part(answer: str, reference: str, counted: bool) -> bool:
    """Whether an answer is nothing but some of the reference's items; a single one only where the question counts them."""
    given = items_of(answer) or ([answer.strip(" .")] if counted and len(answer.split()) <= _PART else [])
    return bool(given) and all(_holds(reference, item) for item in given)


def _holds(answer: str, item: str) -> bool:
    if plain(item) in plain(answer) or (bool(content(item)) and coverage(item, answer) >= 1.0):
        return True
    words, given = words_of_name(item), words_of_name(answer)
    return bool(words) and any(given[i : i + len(words)] == words for i in range(len(given) - len(words) + 1))
