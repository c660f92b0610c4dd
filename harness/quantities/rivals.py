"""Words that exclude one another as the name of a figure: gross and net margin, assets and liabilities; plain data.

A figure said of one is not the figure of another. The words of a row are alternatives; those of one group mean the same.
"""

from __future__ import annotations

import re

_ROWS = (
    "gross | operating | net | pre-tax pretax | ebitda",
    "basic | diluted",
    "current | non-current noncurrent | long-term",
    "short-term | long-term",
    "assets | liabilities | equity | debt borrowings",
    "domestic | international foreign overseas abroad",
    "revenue revenues sales turnover | costs cost expenses expense expenditure charges |"
    " profit income earnings profits loss losses | "
    "assets | liabilities | debt borrowings | cash | dividend dividends | headcount employees staff",
    "minimum lowest smallest least | maximum highest largest most | average mean | median",
    "opening | closing",
    "men male | women female",
    "full-time | part-time",
    "permanent | temporary",
    "owned | leased rented",
    "north northern | south southern | east eastern | west western",
    "imports import imported | exports export exported",
    "purchased purchase purchases bought buy buys buying acquired acquire acquires |"
    " sold sell sells selling disposals divested",
    "hired joined | left departed",
    "budget budgeted planned target targeted forecast expected | actual",
    "residential | commercial | industrial",
    "onshore | offshore",
    "passenger passengers | freight cargo",
    "first | second | third | fourth",
    "upstream | downstream",
    "organic | reported",
    "retail | wholesale",
    "fcf | profit income earnings loss | ebitda",
    "full-year annual yearly | quarter quarterly | half-year",
    "ceo | cfo | coo | cto | chair chairman chairwoman chairperson",
    "capex | depreciation amortization | acquisitions",
    "book | market | fair | face nominal",
    "benefit benefits credit | expense expenses charge",
    "fixed | variable floating",
    "interest | principal",
    "scope-1 | scope-2 | scope-3",
    "operating | investing | financing",
    "received | paid",
    "payables payable | receivables receivable",
    "weekly | monthly | quarterly | annual annually yearly",
    "bronze | silver | gold",
    "daily | weekly | monthly",
)
_PHRASES = (
    (re.compile(r"\bcosts? of (?:sales|goods sold|revenues?|products?)\b|\bcogs\b", re.IGNORECASE), " expenses "),
    (
        re.compile(
            r"\b(?:income|cash flow|earnings) statements?\b|\bstatements? of \w+(?: \w+)?|\bprofit and loss\b",
            re.IGNORECASE,
        ),
        " ",
    ),
    (re.compile(r"\bcapital expenditures?\b|\bcapital spending\b", re.IGNORECASE), " capex "),
    (re.compile(r"\bfree cash flows?\b", re.IGNORECASE), " fcf "),
    (re.compile(r"\bfull[- ]year\b", re.IGNORECASE), " full-year "),
    (re.compile(r"\bscope\s+([123])\b", re.IGNORECASE), r" scope-\1 "),
    (re.compile(r"\b(non|short|long|full|part|pre)\s+(current|term|time|tax)\b", re.IGNORECASE), r"\1-\2"),
    (
        re.compile(
            r"\bcomprehensive (?:income|loss)\b|\bper share\b|\bcash flows?\b|\bincome tax(?:es)?\b", re.IGNORECASE
        ),
        " ",
    ),
    (re.compile(r"\bearnings? per share\b|\bEPS\b"), " "),
)
_WORD = re.compile(r"[a-z][a-z0-9-]+")


def _groups(row: str) -> list[frozenset[str]]:
    return [frozenset(group.split()) for group in row.split("|")]


RIVALS = [_groups(row) for row in _ROWS]
_PLACES: dict[str, list[tuple[int, int]]] = {}
for _i, _row in enumerate(RIVALS):
    for _j, _group in enumerate(_row):
        for _word in _group:
            _PLACES.setdefault(_word, []).append((_i, _j))


def _named(text: str) -> set[tuple[int, int]]:
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
    return {place for word in _WORD.findall(text.lower()) for place in _PLACES.get(word, ())}


def rival(asked: str, said: str) -> tuple[str, str] | None:
    """(what is asked for, what is said instead) where a text names only the rival of a word in the other, else None."""
    wanted, given = _named(asked), _named(said)
    for row, group in sorted(wanted):
        if sum(1 for i, _ in wanted if i == row) == 1 and (row, group) not in given:
            other = next((j for i, j in sorted(given) if i == row), None)
            if other is not None:
                return min(RIVALS[row][group]), min(RIVALS[row][other])
    return None
