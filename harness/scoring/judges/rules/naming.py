"""Names and terms: the reference's words in the answer's statement, the same person or firm spelled otherwise, or another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from harness.quantities.rivals import rival
from harness.scoring.judges.rules.abroad import EAST, OTHER_SCRIPT
from harness.scoring.judges.rules.answers import concludes, statements
from harness.scoring.judges.rules.figures import figures_of, missing_figures
from harness.scoring.judges.rules.hedges import leaves_open
from harness.scoring.judges.rules.lists import is_name, items_of
from harness.scoring.judges.rules.namesakes import (
    holder,
    is_person,
    persons_in,
    same_firm,
    same_person,
    words_of_name,
    words_without_form,
)
from harness.scoring.judges.rules.subjects import named_of_another
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.verdict import Verdict, undecided
from harness.scoring.judges.rules.words import content, coverage, negated, plain
from harness.scoring.judges.rules.yesno import is_yes_no

_NAME_WORDS = 8
_NAME_GIVEN = 6
_CANDIDATES = 3
"""Names in a row from which an answer to a question for one is a list of candidates."""
_BEHIND = re.compile(
    r"\b(?:ahead of|followed by|than|rather than|instead of|unlike|behind|except|excluding|apart from|other than|besides|"
    r"competitors? of|rivals? of|predecessor of|successor to|formerly) (?:the )?\Z"
)
_REASON = re.compile(r"\b(?:why|how|reasons?|drove|explain|describe)\b", re.IGNORECASE)
_NOT_BEFORE = re.compile(r"(?:\b(?:not|never|nor|no longer|neither)|n't)\s+(?:\w+\s+){0,2}\Z")
_NOT_BEHIND = re.compile(
    r"\W{0,2}\s*(?:is|are|was|were|does|do|did|has|have|had|will|can|could|would)(?: not|n't)\b|\s+(?:never|no longer|"
    r"denied|declined|refused)\b"
)
_ANOTHER_DENIED = re.compile(
    r"[,;(]\s*(?:and )?(?:not|never|rather than|instead of|but not) (?:the )?[^,;.]*|\bnot (?:only|just)\b"
)
_MAY_BE = re.compile(r"\b(?:may|might|could) be\b[^.]*\bor\b|\bor (?:it )?(?:may|might|could) be\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:one of (?:these|them|the following|those)|either one)\b", re.IGNORECASE)
_PREVIOUS = re.compile(r"\b(?:former|previous|predecessor|before)\b", re.IGNORECASE)
_FORMER = re.compile(
    r"\b(?:former|previous|predecessor|before|until|used to|first|old|(?:was|were) (?:replaced|succeeded)|whom|did [\w ]+ "
    r"(?:replace|succeed))\b",
    re.IGNORECASE,
)


def named_exactly(task: Task) -> Verdict | None:
    """A name that stands in the answer's statement as it stands in the reference."""
    words = content(task.reference)
    if not 0 < len(words) <= _NAME_WORDS or negated(task.reference) or is_yes_no(task.question) or _has_figures(task):
        return None
    if len(items_of(task.reference)) > 1:
        return None
    texts = statements(task.answer)
    if any(_stands(plain(task.reference), plain(text)) for text in texts):
        return _named(task, texts, words, task.reference)
    return None


def _stands(part: str, whole: str) -> bool:
    """Whether a text holds another as whole words; scripts without spaces have none to look at."""
    return (
        part in whole
        if EAST.match(part)
        else f" {part} " in f" {whole} " or re.search(rf"(?<!\w){re.escape(part)}(?!\w)", whole) is not None
    )


def namesake(task: Task) -> Verdict | None:
    """The same person or firm in another spelling, or another of the same last name."""
    if (
        not is_name(task.reference)
        or is_yes_no(task.question)
        or _has_figures(task)
        or len(items_of(task.reference)) > 1
    ):
        return None
    return _person(task) if is_person(task.reference) else _firm(task)


def _person(task: Task) -> Verdict | None:
    texts = statements(task.answer)
    known = [(person, same_person(task.reference, person)) for text in texts for person in persons_in(text)]
    same = next((person for person, is_same in known if is_same), None)
    if same:
        return _named(task, texts, content(same), same)
    if known and all(is_same is False for _, is_same in known) and len(task.answer.split()) <= _NAME_GIVEN:
        return Verdict(False, "name", f"the answer names {known[0][0]!r}")
    return None


def _firm(task: Task) -> Verdict | None:
    """A firm's name but for its legal form; the words must stand side by side."""
    wanted = words_of_name(task.reference)
    for text in statements(task.answer):
        if any(same_firm(task.reference, some) for some in _runs(words_of_name(text), len(wanted))):
            settled = _settled(task, text, " ".join(words_without_form(wanted)))
            return settled or Verdict(True, "name", "the answer names the same firm")
    return None


def _runs(words: list[str], size: int) -> Iterator[str]:
    """Runs of words of about that length."""
    for length in (size - 1, size, size + 1):
        yield from (" ".join(words[i : i + length]) for i in range(len(words) - length + 1) if length > 0)


def name(task: Task) -> Verdict | None:
    """A name or term of a few words that the answer's statement holds, or clearly replaces."""
    words = content(task.reference)
    if not 0 < len(words) <= _NAME_WORDS or negated(task.reference) or is_yes_no(task.question):
        return None
    texts = statements(task.answer)
    fresh = [word for word in words if word not in set(content(task.question))] or words
    if set(fresh) <= set(content(" ".join(texts))):
        return _named(task, texts, fresh, task.reference)
    return _another(task, fresh)


def _another(task: Task, fresh: Sequence[str]) -> Verdict | None:
    """A short answer that names something else; part of the name, or part of a phrase, is not for a program to judge."""
    if _REASON.search(task.question):
        return None
    asked = set(content(task.question))
    given = [word for word in content(task.answer) if word not in asked]
    if len(given) > _NAME_GIVEN or not given or set(given) <= set(fresh) or not is_name(task.reference):
        return None
    if EAST.search(task.reference) and set(task.reference) & set(task.answer) - set(task.question):
        return undecided("the answer shares characters with the reference's name")
    if _has_figures(task) and not missing_figures(task.reference, task.answer, task.ask):
        return undecided("the answer states the reference's figures, but not its words")
    runs = (given[i : i + len(fresh)] for i in range(len(given) - len(fresh) + 1))
    if any(all(map(_inflected, fresh, run)) for run in runs):
        return undecided("a word of the answer may be a form of the reference's name")
    return Verdict(False, "name", "the answer names something else")


def _inflected(one: str, other: str) -> bool:
    """Whether two words of a script other than Latin share all but their endings."""
    short = min(len(one), len(other))
    return (
        bool(OTHER_SCRIPT.match(one)) and not EAST.match(one) and one[: max(3, short - 2)] == other[: max(3, short - 2)]
    )


def _named(task: Task, texts: list[str], fresh: Sequence[str], name: str) -> Verdict:
    holding = next((text for text in texts if set(fresh) <= set(content(text))), " ".join(texts))
    settled = _settled(task, holding, name)
    if settled:
        return settled
    if _BEHIND.search(plain(holding).partition(plain(name))[0]):
        return undecided("the answer names it behind something else")
    if re.fullmatch(rf"{re.escape(name.strip())}, [A-Z]\w+\.?", task.answer.strip()) and not is_person(name):
        return undecided("the answer names it and, behind a comma, something else")
    another = named_of_another(task, task.answer.find(name))
    if another:
        return undecided(another.replace("figure", "name"))
    if any(concludes(text) for text in texts) and not concludes(holding):
        return undecided("the answer names it, but concludes in another sentence")
    asked = max((coverage(task.question, text) for text in texts if text != holding), default=0.0)
    if asked > 0 and not coverage(task.question, holding) and not concludes(holding):
        return undecided("the answer names it, but another of its sentences takes up the question")
    if negated(_ANOTHER_DENIED.sub(" ", holding)) or missing_figures(task.reference, task.answer, task.ask):
        return undecided("the answer names it, in a sentence that denies something or with other figures")
    return Verdict(True, "name", "the answer states the reference's words")


def _settled(task: Task, holding: str, name: str) -> Verdict | None:
    """What the words around a name settle: one of two, denied, succeeded by another, only its owner."""
    open_ = leaves_open(task, name) or _candidates(task) or _one_of(holding)
    if open_:
        return Verdict(False, "hedge", open_)
    before, found, behind = plain(holding).partition(plain(name))
    if found and (_NOT_BEFORE.search(before) or _NOT_BEHIND.match(behind)):
        return Verdict(False, "denied", f"the answer denies {name!r}")
    verb = rival(task.question, re.split(r"\band\b|[,;]", before)[-1]) if found else None
    if verb:
        return Verdict(
            False, "another's", f"the question asks for {verb[0]!r}, the answer names {name!r} as {verb[1]!r}"
        )
    change = holder(holding)
    if (
        change
        and not _FORMER.search(task.question)
        and plain(name) in plain(change[1])
        and plain(name) not in plain(change[0])
    ):
        return Verdict(False, "name", f"{name!r} was succeeded")
    if (
        change
        and _PREVIOUS.search(task.question)
        and plain(name) in plain(change[0])
        and plain(name) not in plain(change[1])
    ):
        return Verdict(False, "name", f"{name!r} succeeded the other, the question asks for who came before")
    if found and re.match(r"['’]s \w", behind) and len(plain(holding).split()) > len(plain(name).split()) + 3:
        return undecided(f"the answer names something of {name!r}") if coverage(task.question, behind) == 0 else None
    return None


def _one_of(text: str) -> str:
    unsure = _ONE_OF.search(text) or _MAY_BE.search(text)
    return "the answer names several and says that it may be one of them" if unsure else ""


def _candidates(task: Task) -> str:
    """Why an answer to a question for one name is a row of candidates; empty where it is not."""
    if len(items_of(task.reference)) > 1:
        return ""
    for text in statements(task.answer):
        items = [item for item in re.split(r",\s*(?:and |or )?|;\s*|\s+or\s+|\s+and\s+", text.strip(" .")) if item]
        names = [item for item in items if re.match(r"(?:[\w' ]{0,20}\s)?[A-Z][\w-]*(?:\s[A-Z][\w-]*){0,3}\Z", item)]
        if len(names) >= _CANDIDATES and len(names) == len(items):
            return f"the answer lists {len(names)} names where one is asked for"
    return ""


def _has_figures(task: Task) -> bool:
    return bool(figures_of(task.reference, task.ask))
