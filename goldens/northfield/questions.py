"""From questions that name facts to goldens that name pages: evidence is looked up where the drawing put each fact."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import yaml
from figures import Figures, rounded
from report import Drawn
from words import Speaker

NAMES = {"northfield": ("northfield",), "averholt": ("averholt",)}
TYPES = {"numeric", "short answer", "yes/no", "unanswerable"}
_CALL = re.compile(r"\{(?P<name>\w+)\((?P<args>[^)]*)\)(?:\.(?P<places>\d))?\}")
_PLAIN = re.compile(r"\{(?P<key>[a-z_0-9]+%?(?:@\d{4})?)(?:\|(?P<form>\w+))?\}")

COMPUTE: dict[str, Callable[[list[Decimal]], Decimal]] = {
    "growth": lambda v: (v[0] - v[1]) / v[1] * 100,
    "share": lambda v: v[0] / v[1] * 100,
    "diff": lambda v: v[0] - v[1],
    "points": lambda v: v[0] - v[1],
    "ratio": lambda v: v[0] / v[1],
    "sum": lambda v: sum(v, Decimal(0)),
}
PLACES = {"growth": 1, "share": 1, "ratio": 2}
TAILS = {"growth": "%", "share": "%", "points": " percentage points"}


@dataclass(frozen=True)
class Library:
    """The finished reports and the models behind them."""

    drawn: dict[str, Drawn]
    figures: dict[str, Figures]

    def speaker(self, doc: str) -> Speaker:
        company, _, year = doc.rpartition("_")
        return Speaker(self.figures[company], int(year))

    def pages(self, fact: str, scope: list[str]) -> dict[str, list[str]]:
        """Where a fact stands in the scope: `doc:p12` -> strings printed there. `doc/fact` holds it to one document."""
        doc, _, key = fact.rpartition("/")
        docs = [doc] if doc else scope
        return {
            f"{d}:p{page}": shown for d in docs for page, shown in sorted(self.drawn[d].placed.get(key, {}).items())
        }

    def elsewhere(self, facts: list[str], scope: list[str]) -> bool:
        """Whether one other report of the company carries all these facts, perhaps with other values."""
        company, keys = scope[0].rpartition("_")[0], [fact.rpartition("/")[2] for fact in facts]
        others = [drawn for doc, drawn in self.drawn.items() if doc not in scope and doc.startswith(company)]
        return any(all(key in drawn.placed for key in keys) for drawn in others)


def read(path: Path) -> list[dict[str, Any]]:
    """The authored questions of a split."""
    loaded: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def goldens(path: Path, prefix: str, width: int, library: Library) -> list[dict[str, Any]]:
    """All goldens of a split, numbered in the order in which they were written."""
    return [_golden(f"{prefix}{i:0{width}d}", asked, library) for i, asked in enumerate(read(path), 1)]


def _golden(name: str, asked: dict[str, Any], library: Library) -> dict[str, Any]:
    scope = [asked["doc"]] if isinstance(asked["doc"], str) else list(asked["doc"])
    golden: dict[str, Any] = {
        "id": name,
        "question": asked["ask"],
        "expect": "answer" if "answer" in asked else "abstain",
    }
    needs = [[alt] if isinstance(alt, str) else alt for alt in asked.get("needs", [])]
    if "answer" in asked:
        golden |= _answered(asked, needs, scope, library)
    golden["scope"] = scope
    if _bound(asked, needs, scope, library):
        golden["valid_scope"] = "golden"
    golden["answer_type"] = _type(asked)
    golden["modality"] = [asked["modality"]] if isinstance(asked["modality"], str) else asked["modality"]
    golden |= {key: asked[key] for key in ("turns", "standalone", "notes") if key in asked}
    return golden | {"source": "northfield", "verified": "by construction", "tags": asked.get("tags", [])}


def _answered(asked: dict[str, Any], needs: list[list[str]], scope: list[str], library: Library) -> dict[str, Any]:
    groups = _groups(needs, scope, library)
    found: dict[str, Any] = {"answer": fill(asked["answer"], scope, library)}
    if "accept" in asked:
        found["accept"] = [fill(text, scope, library) for text in asked["accept"]]
    found["evidence"] = groups
    found["quotes"] = _quotes(groups, needs, scope, library)
    return found


def _type(asked: dict[str, Any]) -> str:
    kind = "unanswerable" if "answer" not in asked else asked.get("type", "numeric")
    if kind not in TYPES:
        raise ValueError(f"{asked['ask']!r}: type {kind!r} is not one of {sorted(TYPES)}")
    return str(kind)


def _bound(asked: dict[str, Any], needs: list[list[str]], scope: list[str], library: Library) -> bool:
    """Whether the expectation holds for this scope only: company not named, or the fact stands in another report too."""
    company = scope[0].rpartition("_")[0]
    named = any(name in (asked.get("standalone") or asked["ask"]).lower() for name in NAMES[company])
    return asked.get("bound", False) or not named or any(library.elsewhere(facts, scope) for facts in needs)


def _groups(needs: list[list[str]], scope: list[str], library: Library) -> list[list[str]]:
    """All page sets that carry a whole alternative: single pages where there are any, else the smallest sets."""
    ranks: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for rank, facts in enumerate(needs):
        where = [library.pages(fact, scope) for fact in facts]
        missing = [fact for fact, pages in zip(facts, where, strict=True) if not pages]
        if missing:
            raise ValueError(f"{missing} stand nowhere in {scope}")
        for group in _covers(where):
            ranks.setdefault(tuple(group), (_bare(group, where), rank, len(group)))
    kept = [group for group in ranks if not any(set(other) < set(group) for other in ranks)]
    return [list(group) for group in sorted(kept, key=lambda group: _order(*ranks[group]))]


def _order(bare: int, rank: int, size: int) -> tuple[bool, int, int, int]:
    """Groups that print the answer in parentheses last; before that, alternatives as written, and print with unit first."""
    return bare == 2, rank, bare, size


def _covers(where: list[dict[str, list[str]]]) -> list[list[str]]:
    singles = [page for page in where[0] if all(page in pages for pages in where)]
    if singles:
        return [[page] for page in singles]
    sets = {tuple(sorted(set(choice), key=_place)) for choice in product(*where)}
    return [list(group) for group in sorted(sets, key=lambda s: (len(s), [_place(p) for p in s]))]


def _place(ref: str) -> tuple[str, int]:
    doc, _, page = ref.rpartition(":p")
    return doc, int(page)


def _bare(group: list[str], where: list[dict[str, list[str]]]) -> int:
    """How far the print is from what is needed: 2 in parentheses, else 1 where figures to be combined differ in kind or
    a single one stands without its unit, else 0."""
    shown = [texts for pages in where for page, texts in pages.items() if page in group]
    if any(all(text.startswith("(") for text in texts) for texts in shown):
        return 2
    kinds = [{bool(re.search(r"[A-Za-z%]", text)) for text in texts} for texts in shown]
    return int(not set.intersection(*kinds)) if len(where) > 1 else int(kinds == [{False}])


def _quotes(
    groups: list[list[str]], needs: list[list[str]], scope: list[str], library: Library
) -> dict[str, list[str]]:
    quotes: dict[str, list[str]] = {}
    for page in sorted({page for group in groups for page in group}, key=_place):
        for fact in dict.fromkeys(fact for facts in needs for fact in facts):
            for shown in library.pages(fact, scope).get(page, []):
                if shown not in quotes.setdefault(page, []):
                    quotes[page].append(shown)
    return quotes


def fill(text: str, scope: list[str], library: Library) -> str:
    """An answer with its figures: `{revenue@2025}`, `{growth(revenue@2025, revenue@2024)}`, `{ceo}`."""
    text = _CALL.sub(lambda match: _computed(match, scope, library), text)
    return _PLAIN.sub(lambda match: _stated(match["key"], match["form"] or "", scope, library), text)


def _amount(fact: str, scope: list[str], library: Library) -> Decimal:
    doc, _, key = fact.strip().rpartition("/")
    name, _, year = key.partition("@")
    try:
        return library.speaker(doc or scope[-1]).value(name, int(year))
    except (KeyError, ValueError):
        shown = next(iter(library.pages(fact.strip(), scope).values()))[0]
        return Decimal(re.sub(r"[^\d.]", "", shown))


def _computed(match: re.Match[str], scope: list[str], library: Library) -> str:
    facts = match["args"].split(",")
    amount = COMPUTE[match["name"]]([_amount(fact, scope, library) for fact in facts])
    speaker, key = library.speaker(scope[-1]), facts[0].strip().rpartition("/")[2].partition("@")[0]
    if match["name"] in TAILS or match["name"] == "ratio":
        places = int(match["places"] or PLACES.get(match["name"], 1))
        return f"{rounded(amount, places)}{TAILS.get(match['name'], '')}"
    return speaker.formal(key, amount) if "@" in facts[0] else f"{amount:,}"


def _stated(fact: str, form: str, scope: list[str], library: Library) -> str:
    key, _, year = fact.partition("@")
    speaker = library.speaker(scope[-1])
    try:
        amount = speaker.value(key, int(year))
    except (KeyError, ValueError):
        return next(iter(library.pages(fact, scope).values()))[0]
    return speaker.number(key, amount) if form == "n" else speaker.formal(key, amount)
