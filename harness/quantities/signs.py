"""Words that give a figure its sign or hedge it: "fell 4%", "a decrease of $5 million", "nearly", "more than"."""

from __future__ import annotations

import re

DOWN = (
    r"decreas\w*|declin\w*|fell|fall(?:s|en|ing)?|drop(?:s|ped|ping)?|reduc\w+|lower(?:ed)?|down|shr[aiu]nk\w*|"
    r"los[ts]|loss(?:es)?|"
    r"negative|minus|contract(?:ed|ion)|outflows?|deficits?|worsen\w*|slipp\w*|slid|fewer|less"
)
UP = (
    r"increas\w*|grew|grow(?:s|n|th|ing)?|rose|rise[sn]?|rising|up|gain(?:s|ed)?|higher|improv\w+|climb\w*|"
    r"expan\w+|jump\w*|surg\w+|"
    r"positive|plus|inflows?|more"
)
_HOW = (
    r"slightly|sharply|significantly|only|just|further|year[- ]over[- ]year|yoy|by|of|in|to be|was|were|is|being|"
    r"equal to|amounting to|totall?ing"
)
_ABOUT = r"approximately|about|around|roughly|nearly|almost|some|an?|the|a total of|over|more than|less than"
_BEFORE = re.compile(
    rf"\b(?:(?P<down>{DOWN})|(?P<up>{UP}))(?:\s+(?:{_HOW}))*(?:\s+(?:{_ABOUT}))*\s*[~≈(]?\s*\Z", re.IGNORECASE
)
_USED = re.compile(r"\bcash (?:flows? )?used (?:in|for|by)\b[^.;$€\d]{0,40}\Z", re.IGNORECASE)
_BEGINNINGS = frozenset(word[:3] for word in re.findall(r"[a-z]{2,}", f"{DOWN}|{UP}"))
"""How the words of a direction begin: a text without one of these needs no closer look."""
_AFTER = re.compile(
    r"\)?\s*(?:(?:year[- ]over[- ]year|yoy|annual|net|overall|total)\s+)?(?:(?P<down>decreas\w*|declin\w*|drop|"
    r"fall|reduction|loss|"
    r"contraction|lower|less|fewer|deficit)|(?P<up>increas\w*|growth|rise|gain|higher|improvement|more|surplus))\b",
    re.IGNORECASE,
)
_QUALIFIER = re.compile(
    r"(?:(?P<about>approximately|about|around|roughly|nearly|almost|some|circa|ca\.?|c\.|~|≈|close to|just (?:over|"
    r"under|above|below))"
    r"|(?P<more>more than|over|above|at least|exceeding|in excess of|greater than|>|≥)"
    r"|(?P<less>less than|under|below|up to|at most|fewer than|<|≤))\s*(?:the\s+)?\Z",
    re.IGNORECASE,
)
_HEDGES = frozenset(
    re.findall(
        r"\w+",
        "approximately about around roughly nearly almost some circa ca c to over under above below than least exceeding of "
        "most the",
    )
)
_ADDED = re.compile(rf"\d|\b(?:{DOWN}|{UP})\s*\Z", re.IGNORECASE)
_CLAUSE = re.compile(r"[.!?;:]\s|\n")
_NOT_MORE = re.compile(r"\b(?:no|not|nor)\s+(?:more|less|fewer)\b", re.IGNORECASE)


def direction_at(text: str, start: int, end: int) -> int:
    """-1 or 1 where the words right before or behind a figure say down or up, else 0."""
    before = text[max(0, start - 60) : start]
    moves = any(word[:3] in _BEGINNINGS for word in before.lower().replace("(", " ").split())
    if "cash" in before.lower() and _USED.search(before):
        return -1
    found = (_BEFORE.search(before) if moves else None) or _AFTER.match(text, end)
    if not found or _NOT_MORE.search(found[0]):
        return 0
    return -1 if found["down"] else 1


def qualifier_at(text: str, start: int) -> str:
    """ "about", "more" or "less" where the words before a figure say so, else an empty string."""
    last = text[max(0, start - 24) : start].split()[-1:]
    if not last or (last[0][-1].isalnum() and last[0].lower().strip("(,") not in _HEDGES):
        return ""
    found = _QUALIFIER.search(text, max(0, start - 24), start)
    return (found.lastgroup or "") if found else ""


def is_aside(text: str, start: int) -> bool:
    """Whether brackets only add a figure to the one before ("fell to $5.8 million (4.2%)"), instead of negating it."""
    clause = _CLAUSE.split(text[max(0, start - 60) : start])[-1]
    return bool(_ADDED.search(clause))
