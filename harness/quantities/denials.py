"""Figures that a sentence denies: "is not 31%", "did not rise by 3%", "27% rather than 31%"."""

from __future__ import annotations

import re

_BETWEEN = (
    r"(?!only|just|merely|more|less|fewer|greater|higher|lower|later|earlier|exceed|until|yet|because|including|least|know|sure|clear|"
    r"limited|that|if|whether|which|and|but|or|including|quite|included|include|includes|necessarily|adjusted|material|provided|mention\w*)"
    r"[a-z]+"
)
_DENIED = re.compile(
    rf"(?:\b(?:not|never|nor)|n['’]t|\bcannot)(?:\s+{_BETWEEN}){{0,4}}\s*[(\"'“~≈]?\s*\Z"
    r"|\b(?:rather than|instead of|as opposed to|and not|contrary to|anything but|by no means|nowhere near|far from|wrongly|"
    r"incorrectly|mistakenly)(?:\s+(?:reported|"
    r"stated|given)\s+as)?"
    r"\s+(?:the\s+|a\s+)?\W?\Z",
    re.IGNORECASE,
)
_HINTS = (
    "not",
    "n't",
    "n’t",
    "ever",
    "nor",
    "han",
    "stead",
    "pposed",
    "rary",
    "ongly",
    "rectly",
    "takenly",
    "Not",
    " but",
    "where",
    "far ",
    "means",
)
"""A text without one of these, or a word behind the figure, denies nothing."""
_NEAR, _CLOSE = 90, 48
"""Characters in front of a figure in which "it is false that" is looked for, and a "not"."""
_UNTRUE = re.compile(
    r"\b(?:incorrect|false|untrue|wrong|mistaken|not (?:true|correct|the case|right)) (?:that|to say|to claim)\b[^.;]*\Z",
    re.IGNORECASE,
)
_DENIED_ABROAD = re.compile(
    r"(?:不是|并非|並非|не\s|pas de\s|nicht\s|no es (?:de\s)?|δεν είναι\s|ليس\s|ליאו\s|नहीं\s)\s*\Z", re.IGNORECASE
)
_DENIED_BEHIND = re.compile(
    r"\s*(?:ではありません|ではない|이 아니|가 아니|नहीं|(?:is|was|would be|are) (?:not|wrong|incorrect|false)\b)"
)


def denied_at(text: str, start: int, end: int) -> bool:
    """Whether the words right beside a figure deny it."""
    before = text[max(0, start - _NEAR) : start]
    if (
        before.isascii()
        and not any(hint in before for hint in _HINTS)
        and not text[end : end + 6].strip()[:1].isalpha()
    ):
        return False
    if _UNTRUE.search(before) or _DENIED.search(before[-_CLOSE:]) or _DENIED_BEHIND.match(text, end):
        return True
    return not before.isascii() and bool(_DENIED_ABROAD.search(before))
