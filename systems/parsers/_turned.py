"""Pages whose text is set turned: which way, and where boxes of the page turned upright stand on the page as it is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

Box = tuple[float, float, float, float]


def quarter(items: Sequence[Any]) -> int:
    """By how many degrees (0, 90, 180, 270) most of a page's text is turned, counted in its characters."""
    letters = Counter[int]()
    for item in items:
        letters[round(item.rotation / 90) % 4 * 90] += len(item.text.strip())
    most = max(letters, key=lambda turn: letters[turn], default=0)
    return most if letters[most] > sum(letters.values()) / 2 else 0


def shown(box: Box, degrees: int, width: float, height: float) -> Box:
    """A box of a page that was turned upright by `degrees`, where it stands on the page as it is shown.

    `width` and `height` are those of the upright page, in points.
    """
    x0, y0, x1, y1 = box
    if degrees == 90:
        return height - y1, x0, height - y0, x1
    if degrees == 180:
        return width - x1, height - y1, width - x0, height - y0
    return (y0, width - x1, y1, width - x0) if degrees == 270 else box
