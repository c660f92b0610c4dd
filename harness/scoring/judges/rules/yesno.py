"""Yes or no: the polarity of a reference and of an answer, which may say it without the word."""

from __future__ import annotations

import re

from harness.scoring.judges.rules.abroad import polarity_abroad
from harness.scoring.judges.rules.directions import AXES, is_direction, side_of
from harness.scoring.judges.rules.sentences import sentences_of
from harness.scoring.judges.rules.words import content, coverage, negated, stem

_LEAD = re.compile(
    r"[\W_]*(?:(?:the )?(?:short |final )?answer(?: is)?\s*:?\s*)?[\W_]*(?P<word>yes|no|true|false|correct|"
    r"incorrect|nope|yeah|yep)\b"
    r"(?![ ](?:doubt|question|wonder|one|other|data|information|company|single|longer|more|such|specific|mention|"
    r"(?-i:[a-z]+s\b)))",
    re.IGNORECASE,
)
_LATE = re.compile(
    r"\b(?:therefore|thus|hence|the answer is|in conclusion|in summary|so|short),?\W{0,4}(?P<word>yes|"
    r"no)\b(?=[,.:;!\s*])(?!\s\w+s?\s(?:is|are|was|were)\b)",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\W*(?:none|never|nothing|neither|(?:(?:un)?fortunately,? |regrettably,? |apparently |certainly |"
    r"definitely )?not(?: at all| yet| really| so)?)\W*\Z",
    re.IGNORECASE,
)
_YES = frozenset({"yes", "true", "correct", "yeah", "yep"})
_OPENING = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\b", re.IGNORECASE
)
_WH = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:not|never|neither|cannot|no longer)\b|n['’]t\b|\b(?:there (?:is|are|was|were|has been|have been) no|"
    r"has no|have no|had no|with no|no (?:significant|material|such))\b"
    r"|\b(?:failed|refused|declined) to\b|\A\W*no \w+",
    re.IGNORECASE,
)
_ASSURES = re.compile(
    r"\A\W*(?:there(?: is|['’]s) (?:no|little) (?:doubt|question)|no doubt|(?:un|without )?doubt(?:edly)?|certainly|"
    r"indeed|of course|"
    r"it is (?:certain|clear|true)),?\s*(?:that\s+)?",
    re.IGNORECASE,
)
_ECHO = re.compile(
    r"\W*(?:it|they|he|she|we|the \w+(?: \w+)?) (?:(?:certainly|indeed|clearly|definitely|of course|surely) )?(?:does|do|"
    r"did|is|are|was|were|has|have|had|will|can|would)"
    r"(?P<denied> not|n['’]t)?(?:,? (?:without (?:question|doubt)|beyond doubt|indeed|of course))?\W*",
    re.IGNORECASE,
)
_NO_SUCH = re.compile(r"\bno (?:\w+ )?(\w{4,})", re.IGNORECASE)
_BRIEF = 14
"""Words of a sentence that says up or down and little else."""
_SHORT = 30
"""Words of an answer that may take back its own yes."""
_YEARS = re.compile(r"\b(?:FY)?\d+\b")
_PART = re.compile(r"\bnot (?:only|just|including|limited|necessarily|considering)\b", re.IGNORECASE)


def polarity(text: str) -> bool | None:
    """True for a text that says yes, False for one that says no, None where it uses neither word for an answer."""
    if _NONE.match(text):
        return False
    found = _LEAD.match(text) or _LATE.search(text)
    return polarity_abroad(text) if found is None else found["word"].lower() in _YES


def is_yes_no(question: str) -> bool:
    """Whether yes or no answers a question: it has an auxiliary before any question word."""
    clause = re.split(r"[,;:]\s+(?=\w+\s+(?:the|a|any|its|it|there)?\b)|(?<=[.?!])\s+", question.strip())
    return any(_opens(part) for part in (question, *clause[-2:]))


def _opens(clause: str) -> bool:
    first = _OPENING.match(clause.strip())
    return bool(first) and not _WH.match(clause.strip())


def more_asked(question: str) -> bool:
    """Whether a yes/no question also asks for something else ("and if so, which …")."""
    return bool(
        re.search(
            r"\b(?:and|if so|if yes|or)\b[^?]*\b(?:what|which|who|why|how|when|where|by how much|specify|name|list|"
            r"explain)\b",
            question,
            re.IGNORECASE,
        )
    )


def implied(question: str, answer: str) -> bool | None:
    """The polarity of an answer that repeats the question as a statement: "The company did not declare …" says no."""
    sentences = sentences_of(answer)
    if not sentences:
        return None
    first = _ASSURES.sub("", sentences[0])
    echoed = _ECHO.fullmatch(first)
    if echoed:
        return not echoed["denied"]
    if any(stem(word) in content(question) for word in _NO_SUCH.findall(first)) and not negated(question):
        return False
    turned = _direction(question, first)
    if turned is not None:
        return turned
    if coverage(_YEARS.sub(" ", question), first) < 0.65 or negated(question) or len(first.split()) > 45:
        return None
    denied = bool(_DENIES.search(_PART.sub(" ", first)))
    return denied if _opposed(question, first) else not denied


def _direction(question: str, first: str) -> bool | None:
    """Whether a short sentence says the question's direction of what the question asks about, None where it says neither."""
    axis = next((axis for axis in AXES if side_of(question, axis) and side_of(first, axis)), None)
    if axis is None or len(first.split()) > _BRIEF or negated(first) or negated(question):
        return None
    bare = " ".join(word for word in _YEARS.sub(" ", question).split() if not is_direction(word.strip("?.,")))
    return side_of(question, axis) == side_of(first, axis) if coverage(bare, first) >= 0.6 else None


def contradicts(question: str, answer: str, said: bool) -> bool:
    """Whether a short answer that says yes goes on to deny what is asked: "Yes. They hold no such permits."."""
    if not said or len(answer.split()) > _SHORT or negated(question):
        return False
    rest = sentences_of(_LEAD.sub("", answer, count=1))
    return any(negated(sentence) and coverage(question, sentence) >= 0.5 for sentence in rest)


def _opposed(question: str, statement: str) -> bool:
    """Whether a statement uses only the other word of a pair: asked "has it increased", it says "decreased"."""
    return any(side_of(question, axis) * side_of(statement, axis) < 0 for axis in AXES)
