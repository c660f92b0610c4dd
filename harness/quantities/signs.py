"""Words that give a figure its sign or hedge it: "fell 4%", "a decrease of $5 million", "nearly", "more than"."""

from __future__ import annotations

import re
from functools import lru_cache

from harness.quantities.direction_words import (
    BETWEEN,
    DOWN_EAST,
    DOWN_STEMS,
    LOSS_EAST,
    LOSS_STEMS,
    UP_EAST,
    UP_STEMS,
)

DOWN = (
    r"decreas\w*|declin\w*|fell|fall(?:s|en|ing)?|drop(?:s|ped|ping)?|reduc\w+|lower(?:ed)?|down|shr[aiu]nk\w*|"
    r"los[ts]|loss(?:es)?|"
    r"negative(?:\s+(?:effects?|impacts?|contribution|amount|growth|result|change))?|narrow\w*|minus|contract(?:ed|ion)|outflows?|deficits?|worsen\w*|slipp\w*|slid|fewer|less"
)
UP = (
    r"increas\w*|grew|grow(?:s|n|th|ing)?|rose|rise[sn]?|rising|up|gain(?:s|ed)?|higher|improv\w+|climb\w*|"
    r"expan\w+|jump\w*|surg\w+|"
    r"positive(?:\s+(?:effects?|impacts?|contribution|amount|growth|result|change))?|widen\w*|plus|inflows?|more"
)
_HOW = (
    r"slightly|sharply|significantly|only|just|further|year[- ]over[- ]year|yoy|by|of|in|to be|was|were|is|being|"
    r"equal to|amounting to|totall?ing"
)
_ABOUT = r"approximately|about|around|roughly|nearly|almost|some|an?|the|a total of|over|more than|less than"
_BEFORE = re.compile(
    rf"\b(?:(?P<down>{DOWN})|(?P<up>{UP}))(?:(?:\s+(?!to\b)[a-z]+){{1,3}}\s+by|(?:\s+(?:{_HOW}))*)(?:\s+(?:{_ABOUT}))*\s*[~≈(]?\s*\Z",
    re.IGNORECASE,
)
_USED = re.compile(
    r"\bcash (?:flows? )?used (?:in|for|by)\b[^.;$€\d]{0,40}\Z"
    r"|\b(?:used|spent|consumed|absorbed|paid(?: out)?|burn(?:ed|t))\s+(?:(?:a|about|some|up|total|of|nearly|almost|"
    r"approximately|"
    r"net)\s+){0,3}\W{0,2}\Z",
    re.IGNORECASE,
)
_USED_BEHIND = re.compile(
    r"\)?\s*(?:(?:was|were|is|are|had been|has been)\s+)?(?:used|spent|consumed|absorbed)\b", re.IGNORECASE
)
_LOSS = re.compile(
    r"\b(?:loss(?:es)?|lost|deficits?|shortfall|headwinds?|drag|hit|negative|minus|outflows?)\b(?:\s+(?:of|was|were|is|came to|"
    r"amounted to|"
    r"totall?ed|for|the|year|in|about|approximately|some|roughly|nearly|a|total|attributable|to|equity|holders|before|after|tax|"
    r"[12]\d{3},?))*\s*[(:~≈]?\s*\Z",
    re.IGNORECASE,
)
_LOSS_BEHIND = re.compile(
    r"\)?\s*(?:(?:net|operating|pre-?tax)\s+)?(?:loss|deficit|outflow|shortfall)\b", re.IGNORECASE
)
_PROFIT = re.compile(
    r"\b(?:profits?|added|tailwinds?|surplus|inflows?|gain(?:s|ed)?|earned|earnings)\b(?:\s+(?:of|was|were|is|came to|"
    r"about|some|roughly|"
    r"nearly|a))*\s*\W?\Z",
    re.IGNORECASE,
)


def _stems(words: list[str]) -> str:
    return "|".join(rf"{word}\w*" for word in sorted(words, key=len, reverse=True))


_ABROAD_BEFORE = re.compile(
    rf"(?:(?<!\w)(?:(?P<down>{_stems(DOWN_STEMS)})|(?P<up>{_stems(UP_STEMS)}))(?:\s+(?:{'|'.join(BETWEEN)}))?\s*(?:ב-?|ب)?|"
    rf"(?:(?P<east_down>{'|'.join(DOWN_EAST)})|(?P<east_up>{'|'.join(UP_EAST)}))(?:了|约|約|しました)?)\s*\Z",
    re.IGNORECASE,
)
_ABROAD_BEHIND = re.compile(
    rf"\s*(?:(?P<down>{_stems(DOWN_STEMS)})|(?P<up>{_stems(UP_STEMS)})|(?:の|の?\s)?(?:(?P<east_down>{'|'.join(DOWN_EAST)})|"
    rf"(?P<east_up>{'|'.join(UP_EAST)})))",
    re.IGNORECASE,
)
_ABROAD_LOSS = re.compile(
    rf"(?:(?<!\w)(?:{_stems(LOSS_STEMS)})(?:\s+\w{{1,3}})?\s*|(?:{'|'.join(LOSS_EAST)})(?:了|为|は|:)?\s*)\Z",
    re.IGNORECASE,
)
_NEAR = 60
"""Characters on either side of a figure that are looked at."""
_MOVING = frozenset(word[:3] for word in re.findall(r"[a-z]{2,}", f"{DOWN}|{UP}"))
_MOVING_ABROAD = frozenset(word[:3] for word in (*UP_STEMS, *DOWN_STEMS) if word.isascii())
_USING = frozenset(("cas", "use", "spe", "con", "abs", "pai", "bur"))
"""How the words of each kind begin: a text without one of these needs no closer look."""
_EARNING = re.findall(
    r"\w+",
    "loss lost defic short headwind drag hit added tailwind negativ minus outflow profit surplus inflow gain earn used "
    "spent consumed absorbed paid burn "
    "verlust pert",
)
_FLOW = re.compile(r"\b(?:activities|cash flows?|operations|net cash)\b", re.IGNORECASE)
_AFTER = re.compile(
    r"\)?\s*(?:(?:year[- ]over[- ]year|yoy|annual|net|overall|total)\s+)?(?:(?P<down>decreas\w*|declin\w*|drop|"
    r"fall|reduction|loss|"
    r"contraction|lower|less|fewer|deficit)|(?P<up>increas\w*|growth|rise|gain|higher|improvement|more|surplus))\b",
    re.IGNORECASE,
)
_QUALIFIER = re.compile(
    r"(?:(?P<about>approximately|about|around|roughly|nearly|almost|some|circa|ca\.?|c\.|~|≈|close to|just (?:over|"
    r"under|above|below))"
    r"|(?P<most>no (?:more|greater|higher|later|longer) than|not (?:more|greater|higher|longer) than|"
    r"not (?:to )?exceed(?:ing)?|up to|at most|"
    r"(?:a )?maximum of|as (?:much|many) as|≤|at the most|capped at|limited to|max\.?)"
    r"|(?P<least>no (?:less|fewer|lower|earlier|shorter) than|not (?:less|fewer|lower) than|at least|(?:a )?minimum of|≥|"
    r"min\.?|at the least)"
    r"|(?P<more>(?:more|greater|higher|longer|larger) than|over|above|exceed(?:s|ed|ing)?|in excess of|upwards of|north of|>)"
    r"|(?P<less>(?:less|fewer|lower|smaller|shorter) than|under|below|<))\s*(?:the\s+|a total of\s+)?\Z",
    re.IGNORECASE,
)
_QUALIFIER_BEHIND = re.compile(
    r"['’]?(?:[ ](?!or\b|and\b|at\b)[a-z]+)?[ ,(]{1,2}(?:(?P<least>or (?:more|above|greater|longer|higher)|and (?:above|"
    r"over|more|"
    r"up)|minimum|at (?:the )?least|"
    r"at a minimum)"
    r"|(?P<most>or (?:less|fewer|below|under)|and (?:below|under)|maximum|at (?:the )?most|at a maximum))\b",
    re.IGNORECASE,
)
_HEDGES = frozenset(
    re.findall(
        r"\w+",
        "approximately about around roughly nearly almost some circa ca c to over under above below than least exceeding of "
        "most the exceed exceeds exceeded as many much at max min",
    )
)
_AVOIDED = re.compile(
    r"\b(?:no|not|without|before|excluding|loan|credit)\s+(?:\w+\s+)?(?:loss|losses|deficit)\b|comprehensive (?:income|loss)",
    re.IGNORECASE,
)
BOUNDS = {"more": 1, "least": 1, "less": -1, "most": -1}
"""Qualifiers that bound a figure from below and from above."""
_ADDED = re.compile(rf"\d|\b(?:{DOWN}|{UP})\s*\Z", re.IGNORECASE)
_GOES_ON = re.compile(r"[)\s]*\s[a-z]{2,}")
_NOUN_BEFORE = re.compile(
    r"(?<!\bwas)(?<!\bis)(?<!\bwere)(?<!\bare)(?<!\bof)(?<!\bat)(?<!\bto)(?<!\bby)(?<!\bwith)[a-z]\s*\Z"
)
_CLAUSE = re.compile(r"[.!?;:]\s|\n")
_NOT_MORE = re.compile(r"\b(?:no|not|nor)\s+(?:more|less|fewer)\b", re.IGNORECASE)


@lru_cache(maxsize=512)
def _beginnings(before: str) -> frozenset[str]:
    """How the words in front of a figure begin, so that patterns are tried only where one of theirs may stand."""
    return frozenset(word[:3] for word in before.lower().replace("(", " ").split())


def direction_at(text: str, start: int, end: int) -> int:
    """-1 or 1 where the words right before or behind a figure say down or up, else 0."""
    before = text[max(0, start - _NEAR) : start]
    begin = _beginnings(before)
    if (begin & _USING and _USED.search(before)) or _USED_BEHIND.match(text, end):
        return -1
    found = (
        (_BEFORE.search(before) if begin & _MOVING else None) or _AFTER.match(text, end) or _abroad(before, text, end)
    )
    if not found or _NOT_MORE.search(found[0]):
        return 0
    groups = found.groupdict()
    return -1 if groups["down"] or groups.get("east_down") else 1


def _abroad(before: str, text: str, end: int) -> re.Match[str] | None:
    if before.isascii() and text[end : end + 12].isascii():
        return _ABROAD_BEFORE.search(before) if _beginnings(before) & _MOVING_ABROAD else None
    return _ABROAD_BEHIND.match(text, end) or _ABROAD_BEFORE.search(before)


def outcome_at(text: str, start: int, end: int) -> int:
    """-1 where the words beside a figure call it a loss, a deficit or an outflow, 1 where a profit or an inflow, else 0."""
    before = text[max(0, start - _NEAR) : start]
    around = f"{before} {text[end : end + _NEAR // 2]}".lower()
    if around.isascii() and not any(hint in around for hint in _EARNING):
        return 0
    if _LOSS.search(before) or _LOSS_BEHIND.match(text, end) or _ABROAD_LOSS.search(before):
        return 0 if _AVOIDED.search(before) else -1
    if (_USED.search(before) or _USED_BEHIND.match(text, end)) and _FLOW.search(
        text, max(0, start - _NEAR), end + _NEAR
    ):
        return -1
    return 1 if _PROFIT.search(before) else 0


def qualifier_at(text: str, start: int, end: int) -> str:
    """ "about", "more", "less", "least" or "most" where the words beside a figure say so, else an empty string."""
    behind = _QUALIFIER_BEHIND.match(text, end)
    if behind:
        return behind.lastgroup or ""
    last = text[max(0, start - 28) : start].split()[-1:]
    if not last or (last[0][-1].isalnum() and last[0].lower().strip("(,") not in _HEDGES):
        return ""
    found = _QUALIFIER.search(text, max(0, start - 28), start)
    return (found.lastgroup or "") if found else ""


def is_aside(text: str, start: int, end: int) -> bool:
    """Whether brackets only add a figure to what stands before ("fell to $5.8 million (4.2%)", "customers (3.1%) are"),
    instead of negating it."""
    before = text[max(0, start - _NEAR) : start]
    if _ADDED.search(_CLAUSE.split(before)[-1]):
        return True
    return bool(_GOES_ON.match(text, end)) and bool(_NOUN_BEFORE.search(before))
