"""Who and what a figure is said of: another company, item, segment or period than the question's makes it another figure."""

from __future__ import annotations

import re

from harness.quantities.numerals import NUMBER_WORDS
from harness.quantities.rivals import rival
from harness.scoring.judges.rules.sentences import sentences_of
from harness.scoring.judges.rules.task import Task

_NAME = re.compile(r"(?<![.!?\n] )(?<!^)(?<!\A)\b[A-Z][\w&-]*[a-z][\w&-]*(?:\s+(?:&\s+)?[A-Z][\w&-]*)*")
_OWNER = re.compile(r"\b([A-Z][\w&-]+(?:\s+(?:&\s+)?(?:[A-Z][\w&.-]+|plc|gmbh|llc))*)['’]s?\b")
_SUBJECT = re.compile(
    r"(?:^|[.;:,]\s+|\b(?:and|while|whereas|but|at|of|for|in)\s+)([A-Z][\w&-]+(?:\s+(?:&\s+)?[A-Z][\w&.-]+)*)\s+"
    r"(?:had|has|reported|recorded|posted|earned|made|generated|spent|paid|employed|employs|sold|recorded|achieved|was|is|stood|"
    r"segment|division|unit|business|plant|site|region|branch|area|office|store|factory|mine|fund|brand|"
    r"sales|revenues?|profits?|income|costs?|margin|output|production|earnings)\b"
)
_OF = re.compile(
    r"\b(?:of|for|at|in|by)\s+(?:the\s+)?([A-Z][\w&-]+(?:\s+(?:&\s+)?[A-Z][\w&.-]+)*)(?=\s+(?:segment|division|unit|business|"
    r"plant|site|region|branch|was|were|is|had|in|amounted|came)\b|[,.:;]|\Z)"
)
_NUMBERED = re.compile(
    r"\b((?!(?:In|By|Of|At|For|From|To|And|Or|Page|Note|Item|Table|Form|FY|Since|Year|Until|May|March|June|"
    r"July)\b)[A-Z][a-z]{2,}) "
    r"(\d{1,3}|[A-Z])\b(?![\d,.%'’&])"
)
_BOUND = re.compile(r"\b(from|in|to|for|of|at|within) (?:the )?([A-Z][a-z][\w-]+)")
_OTHERS = re.compile(
    r"\b(?:a|an|one|its|their|the|another|some)?\s*(?:competitors?|rivals?|peers?|peer group|industry average|"
    r"another (?:company|firm|segment|"
    r"unit|site|plant|year)|other compan(?:y|ies)|sister company|different (?:company|segment|year|item|metric)|"
    r"unrelated)\b(?:['’]s?)?",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\b(from|of|for|in|on|by) (?:the |its |all )?([a-z]{4,})")
_HAS = re.compile(r"^\W*(?:the |its )?([a-z]{4,}) (?:has|have|had)\b")
_TOTAL = re.compile(r"\b(total)\b")
_CUT = re.compile(r";\s|\n|\(|\swhile\s|\swhereas\s|\sbut\s")
_STEM = 5
_GENERIC = frozenset(
    re.findall(
        r"\w+",
        "sales revenue revenues goods products company group firm about around "
        "approximately over nearly roughly that this these fiscal year years full they their half excess which million "
        "billion thousand percent figure answer amount value rate account table report statement note page line item end",
    )
)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "The A An In It Its This That These Those For As At On By From Based According Therefore Thus Hence So Total "
        "Revenue Sales "
        "Net Gross Operating Company Group Corporation Inc Ltd Board Report Annual Form Item Note Table Page Year "
        "Fiscal FY Quarter "
        "January February March April May June July August September October November December Consolidated Statement "
        "Statements "
        "Balance Sheet Income Cash Flow Flows Financial Management USD EUR GBP US Yes No However Overall Final Answer "
        "Given Using "
        "Per Our We They He She There Here And But Or Cost Costs Profit Earnings Assets Liabilities Equity EPS EBITDA "
        "EBIT GAAP "
        "Growth Rate Ratio Margin Tax Interest Capital Expenditures Expenditure Depreciation Amortization Working "
        "Current Property "
        "Plant Equipment Inventory Inventories Accounts Payable Receivable Average Change Dividend Dividends Share "
        "Shares Common "
        "Stock Operations Million Billion Headcount Employees Number Price Value Segment Division After Before During "
        "Since While "
        "Although Diluted Basic Free Return Days Ending Beginning Both All One Two Three Most Only Also Not If When "
        "Where Which "
        "Who What How Why Mr Mrs Ms Dr Prof Chief Executive Officer President Chair Chairman Director",
    )
)


def said_of_another(task: Task, place: int) -> str:
    """Why the figure at that place of the answer is another's; empty where nothing says so."""
    clause, sentence = _around(task.answer, place)
    found = rival(task.question, clause) if rival(task.question, sentence) else rival(task.reference, clause)
    if found:
        return f"the question asks for {found[0]!r}, the answer's figure is said of {found[1]!r}"
    other = _OTHERS.search(clause)
    if other and not _OTHERS.search(task.question):
        return f"the figure is said of {other[0].strip()!r}"
    return _other_number(task, clause) or _other_place(task, clause) or _other_name(task, clause)


def _other_number(task: Task, clause: str) -> str:
    """Asked about "Pier 4", the clause says "Pier 5"."""
    for head, number in _NUMBERED.findall(task.question):
        said = {other for name, other in _NUMBERED.findall(clause) if name.lower() == head.lower()}
        if said and number not in said:
            return f"the question asks about {head} {number}, the figure is said of {head} {min(said)}"
    return ""


def _other_place(task: Task, clause: str) -> str:
    """Asked about what comes "from Asia", the clause says "from Europe"."""
    for word, name in _BOUND.findall(task.question):
        said = [
            other for joint, other in _BOUND.findall(clause) if joint.lower() == word.lower() and other not in _COMMON
        ]
        if said and name not in _COMMON and name.lower() not in clause.lower() and said[0] not in task.question:
            return f"the question asks {word} {name!r}, the figure is said {word} {said[0]!r}"
    return ""


def other_item(task: Task, place: int) -> str:
    """Why a figure may be another item's: asked for what comes "from licensing", the clause says "from services"."""
    clause, question = _around(task.answer, place)[0].lower(), task.question.lower()
    for joint, noun in _JOINED.findall(task.question):
        if noun[:_STEM] in clause or noun in _GENERIC:
            continue
        said = [
            *re.findall(rf"\b{joint} (?:the |its |all )?([a-z]{{4,}})", clause),
            *_HAS.findall(clause),
            *_TOTAL.findall(clause),
        ]
        other = next(
            (word for word in said if word[:_STEM] not in question and word not in _GENERIC | NUMBER_WORDS), ""
        )
        if other:
            return f"the question asks {joint} {noun!r}, the answer says {other!r}"
    return ""


def _around(answer: str, place: int) -> tuple[str, str]:
    """The clause and the sentence that hold a place."""
    start = 0
    for sentence in sentences_of(answer):
        at = answer.find(sentence, start)
        start = at + len(sentence)
        if at <= place < start:
            return _clause(sentence, place - at), sentence
    return answer, answer


def _clause(sentence: str, place: int) -> str:
    """The part of a sentence that holds a place; a figure alone in brackets belongs to what stands in front of them."""
    cuts = [match.end() for match in _CUT.finditer(sentence, 0, place) if _letters(sentence[match.end() : place])]
    behind = _CUT.search(sentence, place)
    return sentence[cuts[-1] if cuts else 0 : behind.start() if behind else len(sentence)]


def _letters(text: str) -> bool:
    return any(char.isalpha() for char in text)


def _other_name(task: Task, clause: str) -> str:
    """A name that owns the figure where the question names another, and the answer nowhere names that one."""
    asked = _names(task.question)
    if not asked or _heard(asked, clause):
        return ""
    other = _owners(clause, task.question)
    return f"the question asks about {min(asked)!r}, the figure is said of {other[0]!r}" if other else ""


def named_of_another(task: Task, place: int) -> str:
    """Why a name at that place of the answer is another's: the question asks about a company that its clause does not name."""
    return _other_name(task, _around(task.answer, place)[0]) if place >= 0 else ""


def owner_at(task: Task, place: int) -> str:
    """The name that owns the figure at that place and is none of the question's; empty where there is none."""
    return next(iter(_owners(_around(task.answer, place)[0], task.question)), "")


def _owners(clause: str, question: str) -> list[str]:
    given = {name for pattern in (_OWNER, _SUBJECT, _OF) for name in pattern.findall(clause)}
    given = {name for name in given if not set(name.split()) <= _COMMON}
    return sorted(name for name in given if not _heard({name}, question))


def _names(question: str) -> set[str]:
    names = {match[0] for match in _NAME.finditer(question)} | set(_OWNER.findall(question))
    return {name for name in names if not set(name.split()) <= _COMMON}


def _heard(names: set[str], text: str) -> bool:
    """Whether a text holds a word of the names, or their initials."""
    lowered = text.lower()
    words = {word for name in names for word in re.findall(r"[\w&]+", name) if word not in _COMMON and len(word) > 2}
    initials = {"".join(word[0] for word in name.split()) for name in names}
    return any(word.lower() in lowered for word in words) or any(
        re.search(rf"\b{re.escape(i)}\b", text) for i in initials if len(i) > 1
    )
