"""The years that a text names."""

from __future__ import annotations

import re

_YEAR = re.compile(r"(?<![\d,.$€£])(?:19|20)\d\d(?!\d|,\d|\.\d|%)")


def years(text: str) -> list[int]:
    """The years named in `text`, in order."""
    return [int(year) for year in _YEAR.findall(text)]
