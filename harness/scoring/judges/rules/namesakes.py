"""Two names for the same person or firm: initials, titles, legal forms written out, and who succeeded whom."""

from __future__ import annotations

import re

_TITLES = frozenset(
    re.findall(
        r"\w+",
        "mr mrs ms miss dr prof professor sir dame lord lady herr frau mme hon judge justice captain capt general gen sen "
        "senator rev phd md cpa cfa esq jr sr ii iii",
    )
)
_SHORT_FORMS = {
    "limited": "ltd",
    "incorporated": "inc",
    "corporation": "corp",
    "company": "co",
    "aktiengesellschaft": "ag",
}
_FORMS = _SHORT_FORMS | {
    word: word
    for word in re.findall(
        r"\w+", "na ltd inc corp co plc llc llp lp gmbh ag sa nv bv ab asa as oyj spa se kg pty holdings group"
    )
}
_LONG_FORMS = (
    (re.compile(r"\bpublic limited company\b", re.IGNORECASE), "plc"),
    (re.compile(r"\blimited liability company\b", re.IGNORECASE), "llc"),
    (re.compile(r"\blimited liability partnership\b", re.IGNORECASE), "llp"),
    (re.compile(r"\bgesellschaft mit beschränkter haftung\b", re.IGNORECASE), "gmbh"),
    (re.compile(r"\bs\.\s?a\.|\bsoci[ée]t[ée] anonyme\b|\bsociedad anónima\b", re.IGNORECASE), "sa"),
    (re.compile(r"\bn\.\s?v\.", re.IGNORECASE), "nv"),
    (re.compile(r"\bn\.\s?a\.", re.IGNORECASE), "na"),
    (re.compile(r"\bl\.\s?l\.\s?c\.", re.IGNORECASE), "llc"),
)
_LAST_FIRST = re.compile(
    r"(?:Mrs?\.? |Ms\.? |Dr\.? )?(?P<last>[A-ZÀ-Þ][\w'’-]+), (?P<first>[A-ZÀ-Þ][\w'’-]+(?: [A-Z]\.?)?)"
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*|&|\d+")
_PERSON = re.compile(
    r"[A-ZÀ-Þ][\w'’.-]*(?:\s+(?:(?:van|von|de|der|den|da|di|la|le|al|bin|ter)\s+)*[A-ZÀ-Þ][\w'’.-]*){1,3},?\Z"
)
_SUCCEEDED = re.compile(
    r"(?P<new>[^.;]+?)\s+(?:has\s+|have\s+|had\s+)?(?:succeeded|replaced|took over from|succeeds|replaces|"
    r"takes over from|followed)\s+"
    r"(?P<old>[^.;]+)",
    re.IGNORECASE,
)
_WAS_SUCCEEDED = re.compile(
    r"(?P<old>[^.;]+?)\s+(?:was|were|is|has been|had been)\s+(?:succeeded|replaced|"
    r"followed)\s+by\s+(?P<new>[^.;]+)",
    re.IGNORECASE,
)


def words_of_name(name: str) -> list[str]:
    """The words of a name in lower case, without titles, legal forms in their short spelling."""
    for pattern, short in _LONG_FORMS:
        name = pattern.sub(short, name)
    words = [word.lower().strip(".'’") for word in _WORD.findall(name)]
    words = [_FORMS.get(word, "and" if word == "&" else word) for word in words]
    return [word for word in words if word not in _TITLES]


def is_person(name: str) -> bool:
    """Whether a name looks like a person's: two to four capitalised words, no legal form."""
    bare = " ".join(word for word in name.split() if word.lower().strip(".,") not in _TITLES)
    return bool(_PERSON.match(bare)) and not set(words_of_name(name)) & set(_FORMS.values()) and "&" not in name


def same_person(one: str, other: str) -> bool | None:
    """Whether two names may be one person's: the same last name, and first names or initials that do not differ.

    None where only the last name agrees and no first name was given.
    """
    first, second = words_of_name(one), words_of_name(other)
    if not first or not second or first[-1] != second[-1]:
        return False
    given, other_given = first[:-1], second[:-1]
    if not given or not other_given:
        return None
    return _fits(given[0], other_given[0]) and _middle(given[1:], other_given[1:])


def _fits(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _middle(one: list[str], other: list[str]) -> bool:
    """Middle names: those that both give must agree."""
    return all(_fits(first, second) for first, second in zip(one, other, strict=False))


def same_firm(one: str, other: str) -> bool:
    """Whether two names are one firm's: the same words, a legal form that one leaves out aside."""
    first, second = words_of_name(one), words_of_name(other)
    forms = [{word for word in words if word in _FORMS.values()} for words in (first, second)]
    bare = [words_without_form(words) for words in (first, second)]
    return bool(bare[0]) and bare[0] == bare[1] and (forms[0] <= forms[1] or forms[1] <= forms[0])


def words_without_form(words: list[str]) -> list[str]:
    """The words of a firm's name less its legal form."""
    return [word for word in words if word not in _FORMS.values()]


def holder(statement: str) -> tuple[str, str] | None:
    """(who holds an office now, who held it) where a sentence says that one succeeded the other, else None."""
    found = _WAS_SUCCEEDED.search(statement) or _SUCCEEDED.search(statement)
    return (found["new"], found["old"]) if found else None


def persons_in(text: str) -> list[str]:
    """Names in a text that look like persons': runs of capitalised words and initials."""
    turned = _LAST_FIRST.fullmatch(text.strip(" ."))
    if turned:
        return [f"{turned['first']} {turned['last']}"]
    runs = re.findall(r"(?:(?:[A-ZÀ-Þ][\w'’-]+|[A-ZÀ-Þ]\.?|Mrs?\.|Ms\.|Dr\.|Prof\.)\s+){1,4}[A-ZÀ-Þ][\w'’-]*", text)
    return [run for run in runs if is_person(run)]
