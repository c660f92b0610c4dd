"""What the lines above a table say of each of a row's figures: its year, its quarter, its segment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from systems.answerers._statements import vocabulary
from systems.answerers._statements.periods import years

_BARE = re.compile(
    rf"\(?\$?\s*(?:{vocabulary.HEAD_CURRENCY})?,?\s*in (?:{vocabulary.HEAD_SCALE})[^)|]*\)?", re.IGNORECASE
)
_VERSUS = re.compile(rf"\b(?:19|20)\d\d\s+(?:{vocabulary.VERSUS})[\s|]+(?:19|20)\d\d\b", re.IGNORECASE)
"""Over a column of changes, which often has a second beside it for the percentage."""
_NOTE = re.compile(r"\s*\(\w\)")


def columns(heads: Sequence[str], places: Sequence[int], width: int) -> list[str]:
    """For each figure, by the number of its cell, the words above it, upper line first. `width`: cells of its row.

    A line with as many names as figures names each; one with fewer names spans them evenly, save years, which repeat
    below such a span ("2021 2020" under "Consumer", "Business").
    """
    named = [""] * len(places)
    for line in heads:
        over = _over(line, places, width, spanned=any(named))
        named = [f"{above} {here}".strip() for above, here in zip(named, over, strict=True)]
    return named


def _over(line: str, places: Sequence[int], width: int, *, spanned: bool) -> list[str]:
    count = len(places)
    cells = [_clean(cell) for cell in _VERSUS.sub("Change", line).split("|")]
    if len(cells) == width and len(set(places)) == count and all(cells[place] for place in places):
        return [f"{cells[0]} {cells[place]}" for place in places]
    stem, readings = _readings(cells)
    for names in readings:
        if len(names) == count:
            return [f"{stem} {name}".strip() for name in names]
    for names in readings:
        if len(names) == count - 1 and names[-1:] == ["Change"]:
            return [f"{stem} {name}".strip() for name in (*names, "Change")]
        if 1 < len(names) < count and count % len(names) == 0 and (spanned or not _is_years(names)):
            return [f"{stem} {name}".strip() for name in _spread(names, count, cycle=_is_years(names))]
    named = years(line)
    return [line.replace("|", " ") if len(set(named)) == 1 and len(cells) < 3 else stem] * count


def _readings(cells: Sequence[str]) -> tuple[str, list[list[str]]]:
    """The words that go for all columns, and ways to read the names of the columns, likeliest first."""
    filled = [cell for cell in cells[1:] if cell]
    if filled:
        split = [part for cell in filled for part in _parts(cell)]
        return cells[0], [filled, split, [cells[0], *filled]]
    line = cells[0]
    first = re.search(r"\b(?:19|20)\d\d\b", line)
    if not first:
        return "", list(_stacked(line.split()))
    words = line[first.start() :].split()
    in_years, rest = [w for w in words if years(w)], [w for w in words if not years(w) and re.match(r"\w", w)]
    stem = line[: first.start()].strip()
    return (stem, [words, in_years]) if len(in_years) > 1 else (f"{stem} {in_years[0]}", [rest])


def _parts(cell: str) -> list[str]:
    """A cell that holds several years, parted."""
    return [str(year) for year in years(cell)] if len(years(cell)) > 1 else [cell]


def _stacked(words: Sequence[str]) -> Iterator[list[str]]:
    """A line of names, also where names of two words stand one line over the other: "First Second Quarter Quarter"."""
    yield list(words)
    half, odd = divmod(len(words), 2)
    if not odd and half > 1 and len(set(words[half:])) == 1:
        yield [f"{upper} {lower}" for upper, lower in zip(words[:half], words[half:], strict=True)]


def _spread(names: Sequence[str], count: int, *, cycle: bool) -> list[str]:
    times = count // len(names)
    return list(names) * times if cycle else [name for name in names for _ in range(times)]


def _is_years(names: Sequence[str]) -> bool:
    return any(years(name) for name in names)


def _clean(cell: str) -> str:
    return _NOTE.sub("", _BARE.sub("", cell)).replace("*", "").strip()
