"""Direction: whether a short text says up or down, better or worse, before or after, gain or loss."""

from __future__ import annotations

import re

from harness.quantities.direction_words import DOWN_EAST, DOWN_STEMS, LOSS_EAST, LOSS_STEMS, UP_EAST, UP_STEMS

_PAIRS = (
    (
        r"increas\w*|rose|rise[ns]?|rising|grew|grow(?:s|n|th|ing)?|climb\w*|higher|up(?! to\b)|expan\w+|surg\w+|"
        r"accelerat\w*|greater|more|larger",
        r"decreas\w*|declin\w*|fell|fall(?:s|en|ing)?|drop\w*|lower\w*|down|reduc\w+|shr[aiu]nk\w*|contract(?:ed|"
        r"ion)|decelerat\w*|fewer|less|smaller",
    ),
    (
        r"improv\w+|better|strengthen\w*|favou?rabl[ey]",
        r"worsen\w*|deteriorat\w*|worse|weaken\w*|unfavou?rabl[ey]|declin\w*",
    ),
    (r"gains?|profits?|inflows?|income", r"loss(?:es)?|outflows?"),
    (r"after|later", r"before|earlier|prior"),
    (r"positive", r"negative"),
    (r"asset", r"liability"),
)
_ABROAD = {0: (UP_STEMS, UP_EAST, DOWN_STEMS, DOWN_EAST), 2: ([], [], LOSS_STEMS, LOSS_EAST)}


def _compiled(side: str, stems: list[str], east: list[str]) -> re.Pattern[str]:
    abroad = [rf"(?<!\w)(?:{'|'.join(stems)})\w*"] * bool(stems) + ["|".join(east)] * bool(east)
    return re.compile("|".join([rf"\b(?:{side})\b", *abroad]), re.IGNORECASE)


_COMPILED = [
    (_compiled(up, *_ABROAD.get(i, ([],) * 4)[:2]), _compiled(down, *_ABROAD.get(i, ([],) * 4)[2:]))
    for i, (up, down) in enumerate(_PAIRS)
]
AXES = range(len(_COMPILED))
_UNCHANGED = re.compile(
    r"\b(?:unchanged|flat|the same|no change|remain\w* (?:stable|constant|the same|unchanged|flat)|stable)\b",
    re.IGNORECASE,
)


def axis_of(text: str) -> tuple[int, int] | None:
    """(pair, side) of the first direction word where the text opens with one ("Decrease, $418 million"), else None."""
    opening = re.match(
        r"\W*(?:(?:it|a|an|the|net|they|was|were|is|has|have|had|been)\s+)*(?!up to\b|\w+ than\b)([A-Za-z]+)",
        text,
        re.IGNORECASE,
    )
    if not opening:
        return None
    for place, sides in enumerate(_COMPILED):
        for sign, side in zip((1, -1), sides, strict=True):
            if side.fullmatch(opening[1]):
                return place, sign
    return None


def side_of(text: str, axis: int) -> int:
    """1 or -1 where the text holds words of one side of a pair only, 0 where of both or of none."""
    up, down = (bool(side.search(text)) for side in _COMPILED[axis])
    if _UNCHANGED.search(text) or up == down:
        return 0
    return 1 if up else -1


def is_direction(word: str) -> bool:
    """Whether a word, or the beginning of one, gives a direction."""
    return any(side.match(word) for sides in _COMPILED for side in sides)
