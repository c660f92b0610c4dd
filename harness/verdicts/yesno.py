"""Yes or no: the polarity of a reference and of an answer."""

from __future__ import annotations

import re

_LEAD = re.compile(r"[\W_]*(?:(?:answer|short answer|final answer)\s*:?\s*)?[\W_]*(?P<word>yes|no|true|false|correct|incorrect|nope|yeah|yep)\b(?!\s+(?:one|other|data|information|company|single|longer|more|single|such))", re.IGNORECASE)
_LATE = re.compile(r"(?:therefore|thus|hence|answer(?: is| would be)?|conclusion|so|summary)\W+(?:[\w\s]{0,40}\W)?(?P<word>yes|no)\b(?!\s+\w+ing)\W", re.IGNORECASE)
_YES = frozenset({"yes", "true", "correct", "yeah", "yep"})
_OPENS = re.compile(r"\W*(?:[\w\s,'’()&.-]{0,90}[,.:]\s+)?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\s", re.IGNORECASE)


def polarity(text: str) -> bool | None:
    """True for a text that says yes, False for one that says no, None where it leads with neither."""
    found = _LEAD.match(text) or _LATE.search(text)
    return None if found is None else found["word"].lower() in _YES


def is_yes_no(question: str) -> bool:
    """Whether a question opens as one that yes or no answers."""
    return bool(_OPENS.match(question))
