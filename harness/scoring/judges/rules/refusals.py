"""Refusals in prose: an answer that says it cannot answer, whatever the field `abstained` says.

Sentences decide, not phrases: "we need to divide" is working, "the filing does not mention Halden" may stand beside a full
answer. An answer refuses where a sentence declines and nothing after it concludes.
"""

from __future__ import annotations

import re

from harness.quantities.reading import read_quantities
from harness.scoring.judges.rules.sentences import sentences_of

_STOCK = re.compile(
    r"\W*(?:n/?a|none found|not (?:available|found|applicable|disclosed|stated|provided|answerable|specified|"
    r"mentioned|reported)"
    r"|unknown|unanswerable|no answer|(?:insufficient|not enough) (?:information|evidence|data|context)|"
    r"i don['’]?t know"
    r"|cannot (?:answer|say|tell|determine)|idk|no (?:information|data)(?: available| found)?)\W*\Z",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:the |any |enough |sufficient |specific |necessary |required |relevant |exact |explicit |direct |detailed |"
    r"requested |such |clear |additional |more |further |these |this |that |full |complete |financial )*"
)
_NEEDED = (
    r"(?:information|data|details?|figures?|numbers?|statements?|documents?|filing|report|context|evidence|values?|"
    r"amounts?|answer|access|balance sheet|balances)"
)
_ABLE = (
    r"(?:answer|say|tell|determin|calculat|comput|provid|giv|find|locat|identif|access|assist|conclu|confirm|"
    r"assess|ascertain|deriv|help|comment|state|evaluat|make|accurately|directly|definitively|browse|perform)"
)
_DECLINES = re.compile(
    rf"\bi(?:'m|’m| am) (?:sorry|unable|not able)|\bi apologi[sz]e|\bapologies\b|\b(?:i|we|one) (?:cannot|can['’]t|"
    rf"can not|could(?:n['’]t| not)|(?:am|are|was|were) (?:unable|not able) to)\s+(?:\w+ly\s+)?{_ABLE}"
    rf"|\bi (?:do(?:n['’]t| not)|did(?:n['’]t| not)) (?:currently )?(?:have|see|find|know)\b|\b(?:it is|"
    rf"it['’]s) (?:not possible|impossible|unclear|difficult) to\b(?! overstate)"
    rf"|\b(?:it is|it['’]s) unclear\b|\b(?:cannot|can['’]t|can not|could not|"
    rf"couldn['’]t) be (?:\w+ly )?(?:determined|calculated|answered|computed|found|provided|located|ascertained|"
    rf"derived|identified|assessed|confirmed|made|given|extracted|obtained)"
    rf"|\b(?:insufficient|not enough|lack of|no specific|no sufficient) {_NOUN}{_NEEDED}|\bunable to {_ABLE}|"
    rf"\bnot (?:possible|able) to {_ABLE}"
    rf"|\b(?:i|we|you|one)(?:['’]d| would| will|['’]ll) (?:also )?need (?:access|{_NOUN}{_NEEDED})|"
    rf"\bwould (?:be )?need(?:ed)? (?:to (?:have|know|see|access|refer|consult|be provided)|access|"
    rf"{_NOUN}{_NEEDED})"
    rf"|\bwithout (?:access|{_NOUN}{_NEEDED}|knowing|having)\b|\b(?:please|kindly) (?:provide|share|supply|consult|"
    rf"refer)|\bif you (?:can|could) (?:provide|share|supply)\b|\bas an ai\b|\bno answer\b"
    r"|\bneed(?:s|ed)? more (?:information|context|data|details)",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    rf"\b(?:document|text|context|evidence|filing|report|information|statement|excerpt|passage|section|page|data|"
    rf"10-?k|10-?q|source|table|material|extract)s?\b[^.;]{{0,60}}\b(?:do(?:es)?(?:n['’]t| not)|did(?:n['’]t|"
    rf" not)) (?:\w+ly )?(?:provide|contain|include|specify|mention|disclose|state|give|report|list|offer|present|"
    rf"show|address|indicate|break|name|tell|say|identify|quantify|reveal)"
    rf"|\b(?:is|are|was|were)(?: not|n['’]t) (?:\w+ly )?(?:provided|given|available|included|disclosed|stated|"
    rf"mentioned|specified|reported|contained|found|listed|present|shown|detailed|outlined|defined)\b"
    rf"|\b(?:there (?:is|are|was|were) )?no (?:\w+ )??{_NOUN}{_NEEDED} (?:(?:is|are|was|were) )?(?:about|on|"
    rf"regarding|available|provided|given|for|of|in|that)\b|\bthere(?: is|['’]s| are| was| were) no (?:mention|indication|"
    rf"information|data|explicit|specific)"
    r"|\bnot (?:found|stated|given|disclosed|available|provided|specified|reported|mentioned) in\b",
    re.IGNORECASE,
)
_PREFACE = re.compile(
    r"(?:\A|(?<=[,;]\s))\W*(?:(?:as of|based on|according to|up to|given) my (?:last|latest|most recent|knowledge|"
    r"training)[^,.]*(?:,|\Z)"
    r"|my (?:knowledge|training data)[^,.]*(?:cut-?off|ends|until|extends)[^,.]*[,.]?(?:\s*(?:but|however),?)?|"
    r"as an ai(?: language)?(?: model| assistant)?(?:"
    r" with[^,]*| trained[^,]*)?,|(?:please )?note that (?:as of )?my (?:knowledge|training)[^,.]*[,.]?)\s*",
    re.IGNORECASE,
)
_CONCEDES = re.compile(
    r"\W*(?P<first>(?:although|while|though|even though|even if|whilst)\b[^,]*),\s*(?P<rest>.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
_TURNS = re.compile(
    r"(?P<first>.*?)[,;.]?\s+(?:but|however|yet|nevertheless|nonetheless|still),?\s+(?P<rest>.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
_SAYS_NOT = re.compile(
    r"\W*(?:it |they )?(?:do|does|did)(?: not|n['’]t) (?:\w+ly )?(?:say|state|disclose|mention|give|provide|specify|show|"
    r"report|explain|break)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:consult|refer|recommend|suggest|you (?:can|may|could|should|might)|please|general(?:ly)?|typically|usually|"
    r"would need|if you|"
    r"found (?:in|on|at)|available|check|i can|happy to|likely|may|might|could)\b",
    re.IGNORECASE,
)
_HALF = 5
"""Words of half a sentence that states something."""
_SUPPOSES = re.compile(r"\b(?:if|suppose|supposing)\b[^.]*\b(?:were|was|had been)\b[^.]*\bwould\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^)]*\)")
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|in (?:summary|conclusion)|to summari[sz]e|the answer is|we can (?:infer|conclude|"
    r"say)|"
    r"it can be (?:inferred|concluded)|(?:this|which) (?:suggest|indicat|mean|impl)\w*|suggesting|indicating)\b|"
    r"(?:^|\W)(?:yes|no)[,.:]",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\bhowever,? it (?:does |also )?(?:mention|state|note|say|list|show|report|describe)s?\b|"
    r"\b(?:overall|so,|based on (?:this|these|the (?:above|available))|appears? (?:to|that)|suggests?|indicat\w+|"
    r"likely|approximately|"
    r"estimated? (?:at|to be))\b|[=≈]",
    re.IGNORECASE,
)


def is_refusal(answer: str) -> bool:
    """Whether the answer as a whole declines: empty, a stock phrase, or prose that declines and then concludes nothing."""
    return refusal_of(answer) is not None


def refusal_of(answer: str) -> str | None:
    """ "declines" where the answer says that it cannot answer, "absent" where it only says that the source does not tell
    (which may itself be the answer), None where it answers."""
    if not answer.strip() or _STOCK.match(answer):
        return "declines"
    kinds = [_kind(sentence) for sentence in _sentences(answer)]
    if not kinds:
        return "declines"
    if "declines" in kinds:
        return "declines" if _stays(kinds) else None
    absent = "absent" in kinds and not {"concludes", "leans"} & set(kinds)
    return "absent" if absent and (kinds[0] == "absent" or len(kinds) < 3) else None


def declined_at(answer: str, place: int) -> bool:
    """Whether the sentence at that place of an answer declines, or says that the source does not tell."""
    return _kind(_without_preface(sentence_at(answer, place))) in ("declines", "absent")


def declined_before(answer: str, place: int) -> bool:
    """Whether a sentence in front of that place declines, or says that the source does not tell."""
    return any(_denies(_without_preface(sentence)) for sentence in sentences_of(answer[:place])[:-1])


def supposed_at(answer: str, place: int) -> bool:
    """Whether the sentence at that place only supposes: "If revenue were 1,000, it would be 7.7%"."""
    return bool(_SUPPOSES.search(sentence_at(answer, place)))


def sentence_at(answer: str, place: int) -> str:
    """The sentence of an answer that holds a place."""
    start = 0
    for sentence in sentences_of(answer):
        at = answer.find(sentence, start)
        start = at + len(sentence)
        if at <= place < start:
            return sentence
    return ""


def _sentences(answer: str) -> list[str]:
    """The sentences of an answer, less what only says when or by whom it was written."""
    sentences = [_without_preface(sentence) for sentence in sentences_of(answer)]
    return [sentence for sentence in sentences if sentence.strip(" ,.;")]


def _without_preface(sentence: str) -> str:
    """A sentence without its preface, and without a concession where the other half answers."""
    bare = _PREFACE.sub("", sentence)
    for pattern in (_CONCEDES, _TURNS):
        found = pattern.match(bare)
        if not found:
            continue
        for one, other in (("first", "rest"), ("rest", "first")):
            if _denies(found[one]) and not _denies(found[other]) and _states(found[other]):
                return found[other]
    return bare


def _denies(text: str) -> bool:
    return bool(_DECLINES.search(text) or _ABSENT.search(text) or _SAYS_NOT.match(text))


def _states(text: str) -> bool:
    """Whether a half sentence states something: a figure, or a handful of words that do not send the reader elsewhere."""
    return bool(read_quantities(text)) or (len(text.split()) >= _HALF and not _ELSEWHERE.search(text))


def _stays(kinds: list[str]) -> bool:
    """Whether nothing that follows the declining sentence takes it back."""
    first, last = kinds.index("declines"), len(kinds) - 1 - kinds[::-1].index("declines")
    if "concludes" in kinds[last:]:
        return False
    return first <= 1 or (last >= len(kinds) - 3 and "leans" not in kinds[last:])


def _kind(sentence: str) -> str:
    sentence = _ASIDE.sub(" ", sentence) if "(" in sentence else sentence
    patterns = {"declines": _DECLINES, "absent": _ABSENT, "concludes": _CONCLUDES, "leans": _LEANS}
    return next((kind for kind, pattern in patterns.items() if pattern.search(sentence)), "")
