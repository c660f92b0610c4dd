"""Answers that do not commit themselves: two candidates, the question said back, passages read out. They are wrong."""

from __future__ import annotations

import re

from harness.scoring.judges.rules.answers import concludes
from harness.scoring.judges.rules.sentences import sentences_of
from harness.scoring.judges.rules.task import Task
from harness.scoring.judges.rules.words import content, coverage, plain
from harness.scoring.judges.rules.yesno import is_yes_no, polarity

_CUE = re.compile(
    r"\d\S{0,2}\?|\b(?:either|could be|might be|may be|possibl[ey]|possibilities|perhaps|maybe|some (?:sources|reports|"
    r"documents|"
    r"tables|pages)|"
    r"alternatively|not (?:sure|certain)|unsure|uncertain|hard to say|not clear|unclear|one of (?:the following|these)|"
    r"depending on|candidates?|"
    r"other (?:sources|reports|pages))\b",
    re.IGNORECASE,
)
_BOTH_WAYS = re.compile(
    r"\b(?:yes and no|yes or no|yes, (?:and|or|but) (?:also |possibly |perhaps |maybe )?no\b|no and yes|may or may not|"
    r"might or might not|maybe|"
    r"perhaps yes|"
    r"yes in part and no|it could go either way|both yes and no|perhaps not|possibly not)\b|\A(?:\w+ ){1,3}(?:may|might|"
    r"could) (?:be|have|not)(?: \w+){0,2}\W*\Z|\Ayes/no\W*\Z",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"(?:^|\n)\s*(?:\[\d+\]|#*\s*(?:passage|excerpt|chunk|source|document|page|context|snippet|result|p\.)\s*\W?\d+)",
    re.IGNORECASE,
)
"""The mark of a passage that is read out: "[3]", "Passage 3"."""
_PASSAGES = 10
"""Passages from which an answer that states nothing of its own reads them out."""
_LONG, _MARKED_LONG = 400, 100
"""Words up to which an answer is not counted as read out, and those of one whose passages are marked."""
_BURIED = 150
_TAKES_UP = 0.6


def commits(task: Task) -> str:
    """Why an answer, whatever it holds, states nothing; empty where it states something."""
    if _both_ways(task):
        return "the answer says yes and no"
    if _said_back(task):
        return "the answer repeats the question"
    if reads_out(task.answer) and not _opens_with_it(task):
        return "the answer reads out passages and states nothing"
    return ""


def hedges(text: str) -> bool:
    """Whether a text says that it is not sure, or lists what may be."""
    return bool(_CUE.search(text))


def reads_out(answer: str) -> bool:
    """Whether an answer is a row of passages without a statement of its own."""
    words = len(answer.split())
    if words < _MARKED_LONG:
        return False
    marked = len(_MARKED.findall(answer)) >= _PASSAGES
    sentences = sentences_of(answer)
    loose = words >= _LONG and max(answer.count("\n") + 1, len(sentences) // 2) >= _PASSAGES
    return (marked or loose) and not any(concludes(sentence) for sentence in sentences)


def buried(task: Task) -> bool:
    """Whether a long answer takes up the question nowhere near its beginning, its end or a conclusion."""
    if len(task.answer.split()) < _BURIED:
        return False
    sentences = sentences_of(task.answer)
    open_ = [*sentences[:3], *sentences[-2:], *(sentence for sentence in sentences if concludes(sentence))]
    return not any(coverage(task.question, sentence) >= 0.5 for sentence in open_)


def _opens_with_it(task: Task) -> bool:
    """Whether the first sentence takes up the question: then it is the statement."""
    sentences = sentences_of(task.answer)
    return coverage(task.question, sentences[0]) >= _TAKES_UP


def _both_ways(task: Task) -> bool:
    return (
        len(task.answer.split()) <= 30
        and bool(_BOTH_WAYS.search(task.answer))
        and not _BOTH_WAYS.search(task.reference)
    )


def _said_back(task: Task) -> bool:
    """Whether every content word of an answer stands in the question, and not every one of the reference."""
    answer, question = set(content(task.answer)), set(content(task.question))
    if plain(task.answer) == plain(task.question):
        return True
    if is_yes_no(task.question) or polarity(task.reference) is not None or set(content(task.reference)) <= question:
        return False
    return len(answer) > 1 and answer <= question and not any(char.isdigit() for char in task.answer)


def leaves_open(task: Task, name: str) -> str:
    """Why a statement that holds a name does not settle on it: another one joined by "or". Empty where it does."""
    whole, part = f" {plain(task.answer)} ", re.escape(plain(name))
    found = re.search(
        rf"\b(?:and/)?or (?:\w+ ){{0,2}}{part}(?!\w)|(?<!\w){part},? (?:and/)?or (?!(?:so|about|more|less|rather|roughly)\b)\w",
        whole,
    )
    if found and " or " not in f" {plain(task.reference)} ":
        return f"the answer leaves open whether it is {name!r}"
    return ""
