"""Reads the pages that a model cites, in the forms that models write, into PageRefs.

`[Company, p.12]`, `[doc_id:p12]`, `(page 12)`, `pp. 23–25`, `pages 3, 5 and 7`, `page 12 of Company`, `[One, p.3; Two, p.9]`,
and `[3]` for the third passage that was shown. A number is the page's place in the file, as passages are headed; where no
shown page has that place but one has that number printed on it, that page is meant. What names no page of the documents in
scope keeps its place with no PageRef: it is an invalid citation and never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.bench import Bench, Document
from harness.records import Citation, PageRef

_LONGEST_RANGE = 20
"""Pages of a range that are cited one by one; a longer one points at no page."""
_NUMBER = r"(?:[A-Z]{1,2}-)?\d{1,4}(?![\d%]|[.,]\d)|[ivxl]{1,7}\b"
_BETWEEN = r"\s*[-–—]\s*|\s+(?:to|through)\s+"
_NEXT = r"\s*(?:,\s*and|,|and|&)\s*"
_PAGES = re.compile(
    rf"(?<![^\W_])(?:(?P<many>pages|pp|pgs)\b\.?\s*(?P<list>(?:{_NUMBER})(?:(?:{_BETWEEN}|{_NEXT})(?:{_NUMBER}))*)"
    rf"|(?:page|pg|p)\.?\s*(?P<one>(?:{_NUMBER})(?:(?:{_BETWEEN})(?:{_NUMBER}))?))",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\[(?P<square>[^\[\]]{1,200})\]|【(?P<corner>[^【】]{1,200})】|\((?P<round>[^()]{1,200})\)")
_PASSAGES = re.compile(r"\s*\^?(?:passages?\s+)?\d{1,3}(?:\s*[-–,;&]\s*\d{1,3})*\s*", re.IGNORECASE)
_OF = re.compile(r"\s*,?\s+(?:of|in)\s+(?:the\s+)?(?P<name>[^.,;:()\[\]\n]{1,80})")
_FILLER = re.compile(
    r"\b(?:see|source|also|cf|from|on|in|at|the|and|table|note|section|figure|chart|item|passage|ref|pdf)\b\.?(?:\s*\d+)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class _Written:
    """What a text says of one page: a number as written, with the name before it, or the number of a passage."""

    span: tuple[int, int]
    number: str
    name: str = ""
    strict: bool = False
    """Whether a name that fits no document makes the citation invalid."""
    passage: bool = False


def citations(text: str, shown: Sequence[PageRef], bench: Bench) -> tuple[Citation, ...]:
    """Every page that `text` cites, in its order. `shown` are the pages of the passages, in the order of their numbers."""
    found = sorted(_written(text), key=lambda one: one.span)
    return tuple(Citation(raw=text[slice(*one.span)], ref=_resolved(one, shown, bench), span=one.span) for one in found)


# -- what is written ----------------------------------------------------------------------------------------------------


def _written(text: str) -> Iterator[_Written]:
    taken: list[tuple[int, int]] = []
    for bracket in _BRACKET.finditer(text):
        inside = list(_bracketed(bracket))
        if inside:
            taken.append(bracket.span())
        yield from inside
    for match in _PAGES.finditer(text):
        if not any(start <= match.start() < end for start, end in taken):
            of = _OF.match(text, match.end())
            for number in _numbers(match):
                yield _Written(match.span(), number, of["name"] if of else "")


def _bracketed(bracket: re.Match[str]) -> Iterator[_Written]:
    """The pages in one bracket; those of round brackets are often asides, so that a name there need not be a document's."""
    inside = bracket["square"] or bracket["corner"] or bracket["round"]
    if not bracket["round"] and _PASSAGES.fullmatch(inside):
        yield from (_Written(bracket.span(), number, passage=True) for number in _expanded(inside.strip(" ^")))
        return
    name = ""
    for part in inside.split(";"):
        matches = list(_PAGES.finditer(part))
        if matches:
            name = _name(part, matches) or name
        for match in matches:
            for number in _numbers(match):
                yield _Written(bracket.span(), number, name, strict=not bracket["round"])


def _name(part: str, matches: Sequence[re.Match[str]]) -> str:
    """The words before the first page, else those after the last one."""
    before, after = part[: matches[0].start()], part[matches[-1].end() :]
    plain = [" ".join(_FILLER.sub(" ", side).split()).strip(" ,:;–-") for side in (before, after)]
    return plain[0] or plain[1]


def _numbers(match: re.Match[str]) -> list[str]:
    return _expanded(match["list"] or match["one"])


def _expanded(written: str) -> list[str]:
    """ "3, 5-7" → 3, 5, 6, 7. A range that is too long, or falls, stays as it is written and names no page."""
    numbers: list[str] = []
    for part in re.split(r"[,;&]|\band\b", re.sub(r"^passages?\s+", "", written, flags=re.IGNORECASE)):
        ends = re.fullmatch(r"\s*(\d+)(?:\s*[-–—]\s*|\s+(?:to|through)\s+)(\d+)\s*", part)
        if ends and 0 <= int(ends[2]) - int(ends[1]) < _LONGEST_RANGE:
            numbers += map(str, range(int(ends[1]), int(ends[2]) + 1))
        elif part.strip():
            numbers.append(part.strip())
    return numbers


# -- which page it is ---------------------------------------------------------------------------------------------------


def _resolved(one: _Written, shown: Sequence[PageRef], bench: Bench) -> PageRef | None:
    if one.passage:
        place = int(one.number) if one.number.isdigit() else 0
        return shown[place - 1] if 1 <= place <= len(shown) else None
    docs = _named(one.name, bench.documents) if one.name else []
    if one.name and one.strict and not docs:
        return None
    docs = docs or [document.id for document in bench.documents]
    seen = list(dict.fromkeys(ref for ref in shown if ref.doc in docs))
    by_place = [ref for ref in seen if str(ref.page) == one.number]
    by_label = [ref for ref in seen if _label(ref, bench) == one.number.casefold()]
    return _only(by_place) if by_place else _only(by_label) if by_label else _elsewhere(one.number, docs, bench)


def _elsewhere(number: str, docs: Sequence[str], bench: Bench) -> PageRef | None:
    """A page that was not shown, where the number and the names leave one."""
    if not number.isdigit() or int(number) < 1:
        return None
    return _only([ref for ref in (PageRef(doc, int(number)) for doc in docs) if ref in bench.corpus])


def _only(refs: Sequence[PageRef]) -> PageRef | None:
    return refs[0] if len(refs) == 1 else None


def _label(ref: PageRef, bench: Bench) -> str:
    return (bench.corpus.label(ref) or "").casefold() if ref in bench.corpus else ""


def _named(name: str, documents: Sequence[Document]) -> list[str]:
    """The documents that a name fits best: equal, else part of a document's name, else holding one."""
    fits = {document.id: max(_fit(name, other) for other in _names(document)) for document in documents}
    best = max(fits.values(), default=0)
    return [doc for doc, fit in fits.items() if fit == best] if best else []


def _names(document: Document) -> tuple[str, ...]:
    return (document.id, document.title, *document.aliases)


def _fit(written: str, name: str) -> int:
    ours, theirs = _words(written), _words(name)
    if not ours or not theirs:
        return 0
    return 3 if ours == theirs else 2 if ours < theirs else 1 if theirs < ours else 0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold().replace("_", " ")))
