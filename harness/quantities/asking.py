"""What a question asks for: unit, scale, sign, period. A bare number is read by it, in the reference and in the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from harness.quantities.direction_words import DOWN_EAST, DOWN_STEMS, LOSS_EAST, LOSS_STEMS, UP_EAST, UP_STEMS
from harness.quantities.headers import headers_of
from harness.quantities.periods import periods_of
from harness.quantities.reading import read_quantities
from harness.quantities.units import BARE, BASIS_POINT, PERCENT, POINT, SCALES, UNITS, Unit

_IN_SCALE = re.compile(
    r"\b(?:answer|unit|units|express\w*|round\w*|in)\b[^.?]{0,25}?\bin\s+(?:\w+\s+){0,2}?(thousand|million|billion|"
    r"trillion)s?\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"%|\bper\s?cents?\b|\bpercentage\b(?!\s+points?)", re.IGNORECASE)
_POINTS = re.compile(r"\bpercentage points?\b|\bpp\b", re.IGNORECASE)
_BASIS = re.compile(r"\bbasis points?\b|\bbps\b", re.IGNORECASE)
_DOWN = re.compile(
    r"\b(?:decreas\w*|declin\w*|fell|fall|falls|drop(?:ped|s)?|reduc\w+|(?<!comprehensive )(?<!credit )(?<!loan )loss(?:es)?|"
    r"lost|lower|less|fewer|shr[iau]nk\w*|outflows?|deficit|downward|negative|narrow\w*|weaken\w*|slip\w*)\b",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:increas\w*|grow\w*|grew|rise|rose|risen|gain\w*|higher|more|improv\w*|inflows?|income|profit|upward|widen\w*|climb\w*|"
    r"greater)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:chang\w+|growth|grow|grew|increas\w+|decreas\w+|differ\w+|ris(?:e|en)|rose|fall|fell|declin\w+|drop\w*|"
    r"widen\w*|narrow\w*|climb\w*|shr[iau]nk|develop\w*|evol\w+|variation|swing|movement|year[- ]over[- ]year|yoy)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"\b(?:what|which|in what|by what)\s+(?:\w+\s+)?years?\b|\bwhen\b|\bwhat date\b|\bsince what\b", re.IGNORECASE
)
_COMPUTED = re.compile(
    r"\b(?:calculat\w+|comput\w+|average|mean|divided|minus|defined? as|define|return on|cagr|round(?:ed|ing)?|"
    r"in (?:units of )?percents?|"
    r"(?:percent(?:age)?|%|year[- ]over[- ]year|yoy) (?:chang|increas|decreas)\w+|days (?:payable|sales|inventory)|"
    r"conversion cycle)\b",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"\b(?:ratio|turnover|margin|yield|growth|share of|rate|per (?:share|employee|store|unit))\b|%", re.IGNORECASE
)
_MEASURE = re.compile(
    r"\b(?:how (?:many|much)|number of|in)\s+(?:(?:million|thousand|billion|"
    r"metric)\s+)?(?P<unit>[A-Za-z³²]+(?: (?:metres|meters|feet|hours))?)",
    re.IGNORECASE,
)
_MANY = re.compile(r"\bhow many\b|\bnumber of\b", re.IGNORECASE)
_BY_HOW_MUCH = re.compile(
    r"\bby (?:how (?:much|many)|what (?:amount|percentage|percent))\b|\bhow much (?:more|less|higher|lower|greater|"
    r"did\b[^?]*\b(?:increas|decreas|chang|grow|fall|rise|declin|drop)\w*)"
    r"|\b(?:change|difference|increase|decrease|decline|growth) (?:in|of|between)\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"\b(?:(?:start|begin|began)\w* (?:the |its |their )?(?:\w+ )?(?:year|period|quarter|month)|at the (?:start|"
    r"beginning|outset)|opening|initial(?:ly)?|original(?:ly)?|beginning (?:of|balance)|"
    r"before (?:the|its|their|this|that|any)|prior to|start(?:ed|ing)? (?:at|from|with|value|level|price|figure)|"
    r"from (?:what|which) (?:level|figure|amount|value))\b",
    re.IGNORECASE,
)
_OUTLAY = re.compile(
    r"\b(?:spen[dt]s?|spending|pa(?:y|ys|id|yments?|youts?)|purchases?d?|bought|buy|repurchas\w+|buybacks?|"
    r"cap(?:ital)? ?ex(?:penditures?)?|capex|outlays?|"
    r"expens\w+|costs?|dividends?|acqui\w+|invest(?:ed|ing|ments?)? in|taxes|interest|repa(?:y|id)\w*|used?|uses|disburs\w+|"
    r"charges?|write-?(?:down|off)s?|"
    r"impairments?|depreciation|amorti[sz]ation|contribut\w+)\b",
    re.IGNORECASE,
)
_LEAST = re.compile(r"\b(?:minimum|at least|lowest|least|floor)\b", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:maximum|at most|limit(?:ed)?|cap(?:ped)?|up to|ceiling|how long may|how (?:much|many) (?:may|can))\b",
    re.IGNORECASE,
)
_NET = re.compile(
    r"\b(?:net (?:cash|change|income|profit|increase|gain)|cash flows?|(?:income|gain|profit)s? (?:\(|or )loss\w*|"
    r"changes?|result|balance|differen\w+|surplus)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\bhow (?!(?:did|do|does|is|are|was|were|has|have|can|could|will|would|should|the|it|they)\b)[a-z]+\b"
    r"|\bwhat (?:\w+ ){0,3}?(?:percentage|percent|amount|number|share|proportion|value|rate|ratio|price|total)\b"
    r"|\b(?:what|calculate|compute|determine|give|state)\b(?:'s| is| was| are| were)?"
    r"(?! (?:the )?(?:nature|purpose|reason|cause|main|primary|key|name|impact|effect|type|kind|basis)\b)",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:what|which) (?:\w+ ){0,2}?(?:temperature|speed|pressure|age|weight|height|length|width|depth|distance|stake|"
    r"salary|dose|"
    r"percentage|frequency|voltage)\b",
    re.IGNORECASE,
)
_ABROAD = re.compile(
    r"多少|几|幾|いくら|いくつ|何[%パ人年円個社件か]|どれ(?:くらい|だけ)|얼마|몇|(?<!\w)(?:сколько|каков\w*|как(?:ая|ой|ое)|πόσ\w*|ποι[αοέ]\w*|كم|ما|"
    r"כמה|מה|कितन\w*|क्या|wie (?:hoch|stark|sehr|lange|weit|oft|viel\w*|groß)|wieviel\w*|combien|hvor|hur|hoeveel|ile|"
    r"kolik|kuinka|quel\w*|"
    r"cuánt\w*|cuál\w*|quant\w*|qual\w*)",
    re.IGNORECASE,
)
"""How other languages ask for a figure."""
_OTHER = re.compile(
    r"\b(?:which|who|whom|whose|why|drove|nature|reasons?|explain|describe|list|name)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """What a question asks for; empty fields where it does not say.

    `start`: for the level before a change, `outlay`: for money spent, paid or bought, whose sign is a statement's habit;
    `bound`: 1 where it asks for a minimum, -1 for a maximum. `down`, `up`: it names a direction; `change`: it asks about a
    change, `difference`: for the size of one; `computed`: for a figure that is worked out, `ratio`: for one that usually
    is; `given`: the figures that the question states itself.
    """

    unit: Unit = BARE
    scale: Decimal | None = None
    down: bool = False
    up: bool = False
    change: bool = False
    difference: bool = False
    year: bool = False
    many: bool = False
    computed: bool = False
    ratio: bool = False
    start: bool = False
    outlay: bool = False
    bound: int = 0
    measure: Unit = BARE
    periods: tuple[str, ...] = ()
    given: frozenset[Decimal] = frozenset()

    @property
    def percent(self) -> bool:
        return self.unit in (PERCENT, POINT, BASIS_POINT)

    @property
    def falling(self) -> bool:
        """Whether the question names a fall or a loss itself, so that the answer's sign is open."""
        return self.down and not self.up

    @property
    def signs(self) -> tuple[int, ...]:
        """The signs that leave an answer right."""
        return (1, -1) if self.falling else (1,)


def _moves(stems: list[str], east: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(stems)})|{'|'.join(east)}", re.IGNORECASE)


_MOVES = {
    "up": _moves(UP_STEMS, UP_EAST),
    "down": _moves(DOWN_STEMS + LOSS_STEMS, DOWN_EAST + LOSS_EAST),
    "change": _moves(UP_STEMS + DOWN_STEMS, UP_EAST + DOWN_EAST),
}
"""How other languages name a direction in a question."""


@lru_cache(maxsize=4096)
def ask_of(question: str) -> Ask:
    """Read what a question asks for."""
    scale, currency = _scale(question)
    tests = {
        "down": _DOWN, "up": _UP, "change": _CHANGE, "difference": _BY_HOW_MUCH, "year": _YEAR, "many": _MANY,
        "computed": _COMPUTED, "ratio": _RATIO, "start": _START,
    }  # fmt: skip
    names = tuple(dict.fromkeys(name for period in periods_of(question) for name in period.names))
    given = frozenset(abs(quantity.mantissa) for quantity in read_quantities(question))
    flags = {name: bool(pattern.search(question)) for name, pattern in tests.items()}
    for name, pattern in _MOVES.items():
        flags[name] |= bool(pattern.search(question))
    return Ask(
        unit=_unit(question, scale, currency),
        scale=scale,
        measure=_measure(question),
        periods=names,
        given=given,
        bound=1 if _LEAST.search(question) else -1 if _MOST.search(question) else 0,
        outlay=bool(_OUTLAY.search(question)) and not _NET.search(question),
        **flags,
    )


def asks_quantity(question: str) -> bool:
    """Whether a question asks for a figure, and not for a name or a reason."""
    if _MEASURED.search(question):
        return True
    return bool(_QUANTITY.search(question) or _ABROAD.search(question)) and not _OTHER.search(question)


def _unit(question: str, scale: Decimal | None, currency: Unit) -> Unit:
    if _POINTS.search(question):
        return POINT
    if _BASIS.search(question):
        return BASIS_POINT
    return PERCENT if _PERCENT.search(question) and scale is None else currency


def _measure(question: str) -> Unit:
    """The measure that a question names: "how many tonnes", "in GWh"."""
    for match in _MEASURE.finditer(question):
        unit = UNITS.get(match["unit"].lower(), BARE)
        if unit.dimension not in ("", "currency", "ratio", "points", "times") and match["unit"].lower() not in (
            "t",
            "cf",
        ):
            return unit
    return BARE


def _scale(question: str) -> tuple[Decimal | None, Unit]:
    headers = headers_of(question)
    if headers:
        return headers[-1].scale, headers[-1].unit
    found = _IN_SCALE.search(question)
    return (SCALES[found[1].lower()], BARE) if found else (None, BARE)
