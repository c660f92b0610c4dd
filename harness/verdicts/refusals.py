"""Refusals in prose: an answer that says it cannot answer, whatever the field `abstained` says."""

from __future__ import annotations

import re

_CANNOT = re.compile(
    r"\b(?:i(?:'m| am)? (?:sorry|unable|not able)|i (?:cannot|can't|can not|do(?:n't| not) (?:have|know|see|find)|could(?:n't| not) (?:find|locate|determine))|"
    r"i apologi[sz]e|as an ai|(?:it is|it's) (?:not possible|impossible|unclear)|(?:we|one) (?:cannot|can't|would need|need)|"
    r"(?:is|are|was|were|does|do) not (?:provide|contain|include|specif\w+|mention\w*|disclos\w+|state|given|available|explicitly|enough|sufficient)\w*|"
    r"(?:doesn't|don't|isn't|aren't|wasn't|weren't) (?:provide|contain|include|specify|mention|disclose|state|given|available|enough|sufficient)\w*|"
    r"no (?:information|data|mention|figures?|details?) (?:is|are|was|were|about|on|regarding|available|provided|given)|"
    r"cannot be (?:determined|calculated|answered|computed|found|provided|given)|can't be (?:determined|calculated)|could not be (?:found|determined|located)|"
    r"(?:would|will) need (?:to|the|access|more|additional)|(?:insufficient|not enough) (?:information|data|context|evidence)|"
    r"unable to (?:provide|answer|determine|calculate|find|locate|give|access|compute|assist)|not (?:possible|able) to (?:provide|answer|determine|calculate|find|give|compute)|"
    r"please provide|if you (?:can|could) provide|not (?:found|stated|given|disclosed|available|provided|specified|reported) (?:in|by|here))",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\W*(?:n/?a|none found|not (?:available|found|applicable|disclosed|stated|provided|answerable|specified)|unknown|unanswerable|no answer|insufficient (?:information|evidence|data)|i don'?t know|cannot (?:answer|say|determine)|idk)\W*\Z", re.IGNORECASE)


def is_refusal(answer: str) -> bool:
    """Whether the answer as a whole declines to answer: empty, a stock phrase, or prose that says so and asserts nothing."""
    if not answer.strip() or _SHORT.match(answer):
        return True
    return bool(_CANNOT.search(answer))


def hedges(answer: str) -> bool:
    """Whether an answer that gives something also says that something is missing."""
    return bool(_CANNOT.search(answer))
