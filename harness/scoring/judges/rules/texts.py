"""Answers in words: yes/no, one of two, dates, lists, names, short prose. Each rule returns a verdict, or None to pass on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.quantities.periods import periods_of
from harness.scoring.judges.rules.answers import concludes, statements
from harness.scoring.judges.rules.dates import Date, dates_of, is_dates, meets, places_of, same_date
from harness.scoring.judges.rules.directions import axis_of, side_of
from harness.scoring.judges.rules.figures import figures_of, missing_figures, without
from harness.scoring.judges.rules.lists import is_name, is_name_list, items_of
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.verdict import Verdict, undecided
from harness.scoring.judges.rules.words import content, coverage, negated, plain
from harness.scoring.judges.rules.yesno import implied, is_yes_no, more_asked, polarity

_NAME_WORDS = 8
_PROSE_COVERED = 0.8
_SHORT = 30
"""Words up to which an answer is nothing but a list."""
_DIRECTION_WORDS = 4
_NAME_GIVEN = 6
_YEAR_ALONE = re.compile(r"\W*\d{4}\W*\Z")
_BEHIND = re.compile(
    r"\b(?:ahead of|followed by|than|rather than|instead of|unlike|behind|except|excluding|apart from) (?:the )?\Z"
)
_REASON = re.compile(r"\b(?:why|how|reasons?|drove|explain|describe)\b", re.IGNORECASE)
_BARE = re.compile(r"\W*(?:yes|no|true|false|correct|incorrect)\W*\Z", re.IGNORECASE)


def same_words(task: Task) -> Verdict | None:
    """The reference word for word."""
    if plain(task.answer) and plain(task.answer) == plain(task.reference):
        return Verdict(True, "exact", "the answer is the reference, word for word")
    return None


def yes_no(task: Task) -> Verdict | None:
    """Yes or no, with or without an explanation; a figure in the reference's explanation must be met too."""
    wanted = polarity(task.reference)
    if wanted is None:
        return None
    said = polarity(task.answer)
    given = said if said is not None else implied(task.question, task.answer)
    if given is None:
        return undecided("the answer says neither yes nor no")
    if given != wanted and has_figures(task) and not missing_figures(task.reference, task.answer, task.ask):
        return undecided("yes and no differ, but the answer states the reference's figures")
    if given != wanted and said is None and not _BARE.match(task.reference):
        return undecided("the answer seems to say the opposite, without saying yes or no")
    if given != wanted:
        return Verdict(False, "yes/no", f"the reference says {_word(wanted)}, the answer {_word(given)}")
    if _BARE.match(task.reference) or not more_asked(task.question):
        return _same_polarity(task, wanted)
    return undecided("yes or no agrees; the rest of what is asked is prose")


def _same_polarity(task: Task, wanted: bool) -> Verdict:
    missing = [] if _BARE.match(task.reference) else missing_figures(task.reference, task.answer, task.ask)
    if missing:
        return undecided(f"both say {_word(wanted)}, but {missing[0].text!r} of the reference is not in the answer")
    return Verdict(True, "yes/no", f"both say {_word(wanted)}")


def _word(value: bool) -> str:
    return "yes" if value else "no"


def one_of_two(task: Task) -> Verdict | None:
    """Up or down, gain or loss, before or after, where the reference opens with it."""
    axis = axis_of(task.reference)
    figures = figures_of(task.reference, task.ask)
    if axis is None or len(content(without(task.reference, figures))) > _DIRECTION_WORDS:
        return None
    if any(figure.direction for figure in figures):
        return None
    pair, wanted = axis
    given = next((side for text in statements(task.answer) if (side := side_of(text, pair))), 0)
    if not given:
        return undecided("the answer's direction cannot be told")
    if given != wanted:
        return Verdict(False, "direction", "the answer states the opposite direction")
    missing = missing_figures(task.reference, task.answer, task.ask, signs=False)
    if missing:
        return Verdict(False, "other", f"the direction is right, but {missing[0].text!r} is not in the answer")
    return Verdict(True, "direction", "the answer states the reference's direction")


def dates(task: Task) -> Verdict | None:
    """Dates, as precise as the reference gives them; a year where a year is asked for."""
    if not is_dates(task.reference) or (not task.ask.year and _YEAR_ALONE.match(task.reference)):
        return None
    wanted = dates_of(task.reference)
    given = [(text, dates_of(text)) for text in statements(task.answer)]
    stated = [date for _, dates in given for date in dates]
    if not stated:
        return None
    if not all(any(meets(one, other) for other in stated) for one in wanted):
        return Verdict(False, "date", "the answer states another date")
    if len(wanted) > 1 or all(same_date(wanted[0], other) for other in stated):
        return Verdict(True, "date", "the answer states the reference's date")
    return _among_dates(task, wanted[0])


def _among_dates(task: Task, wanted: Date) -> Verdict:
    """One of several dates is the answer's where the two words before it, and before no other, are the question's."""
    words, near = set(content(task.question)), []
    for text in statements(task.answer):
        near += [date for start, date in places_of(text) if set(content(" ".join(text[:start].split()[-2:]))) & words]
    opening = places_of(task.answer)[:1]
    if opening and not task.answer[: opening[0][0]].strip(" *(\"'"):
        near = [opening[0][1]]
    same = {same_date(wanted, date) for date in near}
    if len(same) != 1:
        return undecided("the answer states the reference's date, and another")
    return Verdict(
        same == {True},
        "date",
        f"of its dates the answer gives {'the reference' if same == {True} else 'another'}'s as the answer",
    )


def quarters(task: Task) -> Verdict | None:
    """A quarter or half-year: "Q4", "the fourth quarter"."""
    wanted = {name for period in periods_of(task.reference) for name in period.names if not name.isdigit()}
    if len(wanted) != 1 or len(content(task.reference)) > 4:
        return None
    given = {
        name
        for text in statements(task.answer)
        for period in periods_of(text)
        for name in period.names
        if not name.isdigit()
    }
    if len(given) != 1:
        return undecided("the answer names no quarter, or several") if given else None
    return Verdict(given == wanted, "period", f"the reference says {min(wanted)}, the answer {min(given)}")


def named_exactly(task: Task) -> Verdict | None:
    """A name that stands in the answer's statement as it stands in the reference."""
    words = content(task.reference)
    if not 0 < len(words) <= _NAME_WORDS or negated(task.reference) or is_yes_no(task.question) or has_figures(task):
        return None
    texts = statements(task.answer)
    if any(f" {plain(task.reference)} " in f" {plain(text)} " for text in texts):
        return _named(task, texts, words)
    return None


def listed(task: Task) -> Verdict | None:
    """Lists: every item must be in the answer, in any order."""
    items = items_of(task.reference)
    if len(items) < 2:
        return None
    absent = [item for item in items if not _holds(task.answer, item)]
    if not absent and not (negated(task.answer) and not negated(task.reference)):
        return Verdict(True, "list", f"all {len(items)} items are in the answer")
    if absent and len(absent) < len(items) and _is_part(task.answer, task.reference):
        return Verdict(False, "list", f"{absent[0]!r} is not in the answer")
    sure = len(items) > 2 or ";" in task.reference or "[" in task.reference
    if absent and sure and is_name_list(items) and len(task.answer.split()) <= _SHORT:
        return Verdict(False, "list", f"{absent[0]!r} is not in the answer")
    return undecided(f"{len(absent)} of {len(items)} items are not in the answer word for word")


def _is_part(answer: str, reference: str) -> bool:
    """Whether an answer is nothing but some of the reference's items."""
    given = items_of(answer)
    return bool(given) and all(_holds(reference, item) for item in given)


def _holds(answer: str, item: str) -> bool:
    return plain(item) in plain(answer) or (bool(content(item)) and coverage(item, answer) >= 1.0)


def name(task: Task) -> Verdict | None:
    """A name or term of a few words that the answer's statement holds, or clearly replaces."""
    words = content(task.reference)
    if not 0 < len(words) <= _NAME_WORDS or negated(task.reference) or is_yes_no(task.question):
        return None
    texts = statements(task.answer)
    fresh = [word for word in words if word not in set(content(task.question))] or words
    if set(fresh) <= set(content(" ".join(texts))):
        return _named(task, texts, fresh)
    return _another(task, fresh)


def _another(task: Task, fresh: Sequence[str]) -> Verdict | None:
    """A short answer that names something else; part of the name, or part of a phrase, is not for a program to judge."""
    if _REASON.search(task.question):
        return None
    asked = set(content(task.question))
    given = [word for word in content(task.answer) if word not in asked]
    if len(given) > _NAME_GIVEN or not given or set(given) <= set(fresh) or not is_name(task.reference):
        return None
    return Verdict(False, "name", "the answer names something else")


def _named(task: Task, texts: list[str], fresh: Sequence[str]) -> Verdict:
    holding = next((text for text in texts if set(fresh) <= set(content(text))), " ".join(texts))
    if _BEHIND.search(plain(holding).partition(plain(task.reference))[0]):
        return undecided("the answer names it behind something else")
    asked = max((coverage(task.question, text) for text in texts if text != holding), default=0.0)
    if asked > 0 and not coverage(task.question, holding) and not concludes(holding):
        return undecided("the answer names it, but another of its sentences takes up the question")
    if negated(holding) or missing_figures(task.reference, task.answer, task.ask):
        return undecided("the answer names it, in a sentence that denies something or with other figures")
    return Verdict(True, "name", "the answer states the reference's words")


def prose(task: Task) -> Verdict | None:
    """Short prose: right where nearly all content words, all figures and the polarity of the reference are there."""
    if _contains(task):
        return Verdict(True, "prose", "the answer holds the reference word for word")
    stated = " ".join(statements(task.answer))
    fresh = " ".join(word for word in content(task.reference) if word not in content(task.question)) or task.reference
    if (
        min(coverage(task.reference, stated), coverage(fresh, stated)) < _PROSE_COVERED
        or len(content(task.reference)) < 3
    ):
        return None
    if negated(task.reference) != negated(stated) or missing_figures(task.reference, task.answer, task.ask):
        return None
    return Verdict(True, "prose", "the answer holds the reference's words and figures")


def _contains(task: Task) -> bool:
    """Whether the answer holds the reference as it stands, and denies nothing beside it."""
    whole, part = f" {plain(task.answer)} ", plain(task.reference)
    return len(part.split()) > 3 and f" {part}" in whole and not negated(whole.replace(part, " "))


def has_figures(task: Task) -> bool:
    """Whether the reference states any figure."""
    return bool(figures_of(task.reference, task.ask))
