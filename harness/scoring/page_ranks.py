"""Formulas over ranked pages, as plain functions: metrics, floors and tests call the same ones.

`pages` are distinct pages, best first, already cut at k. `groups` are a golden's groups of evidence; any one group, taken
whole, supports the answer, and U is their union. Formulas: README.md in this folder. nDCG: Järvelin and Kekäläinen (2002),
binary gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from harness.records import Found, PageRef, Search

Groups = Sequence[Iterable[PageRef]]


def distinct_pages(found: Iterable[Found], k: int | None = None) -> list[PageRef]:
    """The first k distinct pages in order of first hit (all of them where k is None)."""
    pages: dict[PageRef, None] = {}
    for hit in found:
        if len(pages) == k:
            break
        pages[hit.ref] = None
    return list(pages)


def searched(searches: Iterable[Search]) -> Iterator[Found]:
    """The hits of all searches, in call order."""
    return (hit for search in searches for hit in search.hits)


def up_to_page(found: Iterable[Found], k: int | None) -> Iterator[Found]:
    """The hits that come before the first hit on a (k+1)-th distinct page."""
    seen: set[PageRef] = set()
    for hit in found:
        seen.add(hit.ref)
        if k is not None and len(seen) > k:
            return
        yield hit


def union(groups: Groups) -> frozenset[PageRef]:
    """U: every page of every group."""
    return frozenset(ref for group in groups for ref in group)


def first_rank(pages: Sequence[PageRef], groups: Groups) -> int | None:
    """Rank, from 1, of the first page in U; None where there is none."""
    gold = union(groups)
    return next((rank for rank, page in enumerate(pages, start=1) if page in gold), None)


def page_hit(pages: Sequence[PageRef], groups: Groups) -> float:
    """1 if one of the pages is in U, else 0."""
    return float(not union(groups).isdisjoint(pages))


def page_coverage(pages: Sequence[PageRef], groups: Groups) -> float:
    """The best group's share of pages that are among `pages`; 0 without groups."""
    shown = set(pages)
    return max((len(shown & group) / len(group) for group in map(set, groups)), default=0.0)


def all_pages(pages: Sequence[PageRef], groups: Groups) -> float:
    """1 if a whole group is among the pages, else 0."""
    return float(any(set(pages).issuperset(group) for group in groups))


def reciprocal_rank(pages: Sequence[PageRef], groups: Groups) -> float:
    """1 / rank of the first page in U; 0 where there is none."""
    rank = first_rank(pages, groups)
    return 1 / rank if rank else 0.0


def ndcg(pages: Sequence[PageRef], groups: Groups, k: int | None = None) -> float:
    """DCG of the pages in U over the DCG of the smallest group ranked first (within k), capped at 1."""
    gold = union(groups)
    smallest = min((len(set(group)) for group in groups), default=0)
    ideal = _dcg(range(1, (smallest if k is None else min(smallest, k)) + 1))
    gained = _dcg(rank for rank, page in enumerate(pages, start=1) if page in gold)
    return min(1.0, gained / ideal) if ideal else 0.0


def _dcg(ranks: Iterable[int]) -> float:
    return math.fsum(1 / math.log2(rank + 1) for rank in ranks)
