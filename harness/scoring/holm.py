"""Several tests at once: Holm's adjustment of their p values."""

from __future__ import annotations

from collections.abc import Sequence


def holm(values: Sequence[float]) -> list[float]:
    """The adjusted p of each test, in the order given; rejecting those up to .05 keeps the family error at .05 (Holm 1979)."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    adjusted, least = [1.0] * len(values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted
