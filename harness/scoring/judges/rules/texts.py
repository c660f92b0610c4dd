"""Answers in words: yes/no, one of two, dates, lists, names, short prose. Each rule returns a verdict, or None to pass on."""

from __future__ import annotations

import re

from harness.quantities.periods import periods_of
from harness.scoring.judges.rules.answers import statements
from harness.scoring.judges.rules.dates import Date, dates_of, is_dates, meets, places_of, same_date
from harness.scoring.judges.rules.directions import axis_of, side_of
from harness.scoring.judges.rules.figures import figures_of, missing_figures, without
from harness.scoring.judges.rules.namesakes import persons_in
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.verdict import Verdict, undecided
from harness.scoring.judges.rules.words import content, coverage, negated, plain
from harness.scoring.judges.rules.yesno import contradicts, implied, more_asked, polarity

_PROSE_COVERED = 0.8
_DIRECTION_WORDS = 4
_OFFERS = re.compile(r"\b(?P<one>[\w-]+)(?: or |, or )(?:a |an |the )?(?P<two>[\w-]+)\s*\?", re.IGNORECASE)
_BRIEF = 10
"""Words of an answer whose yes or no is all that it says."""
_EITHER = re.compile(r"\w or \w", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|rather than|instead of|never|n't)\s+(?:a |an |the )?[\w-]+", re.IGNORECASE)
_YEAR_ALONE = re.compile(r"\W*\d{4}\W*\Z")
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
    sure = said is not None and len(task.answer.split()) <= _BRIEF
    if (
        given != wanted
        and not sure
        and has_figures(task)
        and not missing_figures(task.reference, task.answer, task.ask)
    ):
        return undecided("yes and no differ, but the answer states the reference's figures")
    if given != wanted and said is None and not _BARE.match(task.reference):
        return undecided("the answer seems to say the opposite, without saying yes or no")
    if given != wanted:
        return Verdict(False, "yes/no", f"the reference says {_word(wanted)}, the answer {_word(given)}")
    if said is not None and contradicts(task.question, task.answer, given):
        return Verdict(False, "hedge", f"the answer says {_word(given)} and then the opposite")
    if _BARE.match(task.reference) or not more_asked(task.question):
        return _same_polarity(task, wanted)
    return undecided("yes or no agrees; the rest of what is asked is prose")


def _same_polarity(task: Task, wanted: bool) -> Verdict:
    missing = [] if _BARE.match(task.reference) else missing_figures(task.reference, task.answer, task.ask)
    if missing:
        return undecided(f"both say {_word(wanted)}, but {missing[0].text!r} of the reference is not in the answer")
    unnamed = [
        name for name in persons_in(task.reference) if name not in task.question and not _heard(name, task.answer)
    ]
    if unnamed:
        return undecided(f"both say {_word(wanted)}, but {unnamed[0]!r} of the reference is not in the answer")
    return Verdict(True, "yes/no", f"both say {_word(wanted)}")


def _heard(name: str, answer: str) -> bool:
    return name.split()[-1] in answer


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


def periods(task: Task) -> Verdict | None:
    """A year, quarter or half-year by name: "Q4", "the fourth quarter", "FY22", "fiscal 2022"."""
    wanted = _names_of(task.reference)
    if not wanted or len(content(_without_periods(task.reference))) > 1 or has_figures(task):
        return None
    asked = _names_of(task.question)
    given = {name for text in statements(task.answer) for name in _names_of(text)}
    given = (given - asked) or given
    if not given or len(given) > len(wanted):
        return undecided("the answer names no period, or several") if given else None
    fits = given <= wanted if wanted - asked <= given else False
    return Verdict(
        fits, "period", f"the reference says {' '.join(sorted(wanted))}, the answer {' '.join(sorted(given))}"
    )


def _names_of(text: str) -> set[str]:
    return {name for period in periods_of(text) for name in period.names}


def _without_periods(text: str) -> str:
    for period in reversed(periods_of(text)):
        text = f"{text[: period.start]} {text[period.end :]}"
    return text


def choice(task: Task) -> Verdict | None:
    """One of the two that the question offers ("leased or owned?")."""
    found = _OFFERS.search(task.question)
    if not found:
        return None
    one, two = (set(content(found[side])) for side in ("one", "two"))
    wanted = [side for side in (one, two) if side and side <= set(content(task.reference))]
    if len(wanted) != 1 or not (one and two) or one & two or len(content(task.reference)) > len(wanted[0]) + 1:
        return None
    stated = set(content(_DENIED.sub(" ", " ".join(statements(task.answer))).replace("-", " ")))
    given = [side for side in (one, two) if side <= stated]
    if len(given) == 2 and _EITHER.search(task.answer):
        return Verdict(False, "hedge", "the answer names both that the question offers")
    if len(given) != 1:
        return None
    return Verdict(
        given == wanted, "choice", "of the two that the question offers the answer names " + " ".join(sorted(given[0]))
    )


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
