"""How often a gold answer's figures are found on its gold pages, and on ten random other pages of the same document.

python benchmarks/figures_on_gold_pages.py $HARNESS_REAL_SETS/goldens/finance $HARNESS_REAL_SETS/goldens/filings
python benchmarks/figures_on_gold_pages.py goldens/northfield --missing

Hits on other pages are counted over (figure, page) pairs. They are no faults where a report states a fact twice: the rate is
an upper bound of what chance does. Prints counts by significant digits and by kind; `--missing` lists what was not found.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from harness.documents.corpus import Corpus
from harness.goldens.loading import read
from harness.quantities.pages import FigureFound, find_on_pages, read_page
from harness.records import Golden, PageRef

OTHERS = 10


class Tally(NamedTuple):
    """A figure of a gold answer on its gold pages, and its hits on other pages."""

    golden: Golden
    figure: FigureFound
    other_hits: int
    other_pages: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--missing", action="store_true")
    args = parser.parse_args()
    for folder in args.sets:
        corpus = Corpus.open(folder, verify=False)
        tallies = [tally for golden in goldens(folder, args.split, corpus) for tally in tallied(golden, corpus)]
        report(folder.name, tallies, args.missing)


def goldens(folder: Path, split: str, corpus: Corpus) -> list[Golden]:
    rows = read(folder / f"{split}.jsonl", split, corpus).goldens
    return [golden for golden in rows if golden.expect == "answer" and golden.evidence]


def tallied(golden: Golden, corpus: Corpus) -> Iterator[Tally]:
    quotes = [quote for texts in golden.quotes.values() for quote in texts]
    page = lru_cache(maxsize=None)(lambda ref: read_page(corpus.text(ref)))
    found = find_on_pages(
        golden.answer or "", {ref: page(ref) for ref in sorted(golden.gold_pages)}, golden.question, quotes
    )
    hits: Counter[int] = Counter()
    others = other_pages(golden, corpus)
    for ref in others:
        for place, figure in enumerate(
            find_on_pages(golden.answer or "", {ref: _read(corpus, ref)}, golden.question, quotes)
        ):
            hits[place] += figure.how is not None
    for place, figure in enumerate(found):
        yield Tally(golden, figure, hits[place], len(others))


_pages: dict[tuple[int, PageRef], object] = {}


def _read(corpus: Corpus, ref: PageRef):  # type: ignore[no-untyped-def]
    key = (id(corpus), ref)
    if key not in _pages:
        _pages[key] = read_page(corpus.text(ref))
    return _pages[key]


def other_pages(golden: Golden, corpus: Corpus) -> list[PageRef]:
    doc = min(golden.gold_pages).doc
    pool = [ref for ref in corpus.refs(doc) if ref not in golden.gold_pages]
    return sorted(random.Random(golden.id).sample(pool, min(OTHERS, len(pool))))


def kind_of(figure: FigureFound) -> str:
    quantity = figure.quantity
    if quantity.unit.dimension in ("ratio", "points"):
        return "percent"
    return "amount with scale or unit" if quantity.scale is not None or quantity.unit.name else "bare number"


def report(name: str, tallies: list[Tally], missing: bool) -> None:
    print(f"{name}: {len(tallies)} figures of {len({tally.golden.id for tally in tallies})} gold answers")
    print(
        f"  {'':<28}{'figures':>8}{'exact':>7}{'rounded':>9}{'derived':>9}{'missing':>9}{'found':>8}{'on others':>11}"
    )
    groups: dict[str, list[Tally]] = defaultdict(list)
    for tally in tallies:
        groups["all"].append(tally)
        groups["3 digits or more" if tally.figure.quantity.digits >= 3 else "1 or 2 digits"].append(tally)
        groups[kind_of(tally.figure)].append(tally)
        groups[f"answer type {tally.golden.answer_type}"].append(tally)
    for group in sorted(groups, key=lambda key: (key != "all", key)):
        print(f"  {group:<28}{line(groups[group])}")
    for tally in tallies if missing else ():
        if tally.figure.how is None:
            places = ", ".join(map(str, sorted(tally.golden.gold_pages)))
            print(f"    {tally.golden.id}: {tally.figure.quantity.text!r} is not on {places}")


def line(tallies: list[Tally]) -> str:
    counts = Counter(tally.figure.how or "missing" for tally in tallies)
    hits, pages = sum(tally.other_hits for tally in tallies), sum(tally.other_pages for tally in tallies)
    found = 1 - counts["missing"] / len(tallies)
    numbers = f"{len(tallies):>8}{counts['exact']:>7}{counts['rounded']:>9}{counts['derived']:>9}{counts['missing']:>9}"
    return f"{numbers}{found:>8.1%}{hits / max(1, pages):>11.2%}"


if __name__ == "__main__":
    main()
