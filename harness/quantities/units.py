"""Units and scale words: what may be compared with what, and by which factor.

A unit has a dimension and a factor to that dimension's base. Currencies are never converted into one another. Percent,
basis point and bare fraction share one dimension ("ratio"); a percentage point is its own: 3 pp more is not 3% more.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from harness.quantities.measures import CURRENCIES, MEASURES
from harness.quantities.scales import SCALES as SCALES


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its canonical name, the dimension it measures and its size in that dimension's base."""

    name: str
    dimension: str
    factor: Decimal = Decimal(1)


BARE = Unit("", "")
PERCENT = Unit("%", "ratio", Decimal("0.01"))
POINT = Unit("pp", "points", Decimal("0.01"))
BASIS_POINT = Unit("bps", "ratio", Decimal("0.0001"))
TIMES = Unit("x", "times")

SHARED_SIGNS = {"$": frozenset({"USD", "CAD", "AUD", "HKD", "SGD", "MXN"}), "¥": frozenset({"JPY", "CNY"}),
                "kr": frozenset({"NOK", "SEK", "DKK"})}  # fmt: skip
"""Currencies that a sign alone may stand for."""

_PERCENTS = (
    "prozent", "pour cent", "por ciento", "por cento", "procent", "процент", "процента", "процентов", "τοις εκατό", "بالمئة",
    "بالمائة", "في المئة", "في المائة", "אחוז", "אחוזים", "प्रतिशत", "फीसदी", "パーセント", "퍼센트", "프로",
)  # fmt: skip


def _spellings() -> dict[str, Unit]:
    units = {"%": PERCENT, "percent": PERCENT, "per cent": PERCENT, "pct": PERCENT, "percents": PERCENT}
    units |= dict.fromkeys(_PERCENTS, PERCENT)
    units |= dict.fromkeys(
        (
            "pp",
            "pps",
            "ppt",
            "ppts",
            "p.p.",
            "percentage points",
            "percentage point",
            "percent points",
            "percentage-point",
            "percentage-points",
            "% points",
            "%-points",
            "pct pts",
            "个百分点",
            "個百分點",
            "百分点",
            "ポイント",
            "퍼센트포인트",
            "%포인트",
            "п.п.",
            "п. п.",
            "процентных пункта",
            "процентных пунктов",
            "pts",
        ),
        POINT,
    )
    units |= dict.fromkeys(("bps", "bp", "basis points", "basis point", "basis-point", "bpts"), BASIS_POINT)
    units |= dict.fromkeys(("x", "×", "times", "-fold", "fold", "-times", "倍", "배"), TIMES)
    for name, words in CURRENCIES.items():
        units |= {word: Unit(name, "currency") for word in words}
    units |= dict.fromkeys(("cents", "cent", "¢"), Unit("$", "currency", Decimal("0.01")))
    units["pence"] = Unit("GBP", "currency", Decimal("0.01"))
    for name, (dimension, factor, words) in MEASURES.items():
        units |= {word: Unit(name, dimension, Decimal(factor)) for word in words}
    return units


UNITS: dict[str, Unit] = _spellings()
"""Every spelling, in lower case, to its unit."""

LOOSE = {"m": Unit("m", "length"), "mm": Unit("mm", "length", Decimal("0.001"))}
"""Letters that stand for a length, or for a million of something."""
CASED = {
    "Mt": Unit("Mt", "mass", Decimal(10) ** 9),
    "MT": UNITS["t"],
    "Mtonnes": Unit("Mt", "mass", Decimal(10) ** 9),
    "MJ": Unit("MJ", "energy", Decimal(10) ** 6),
    "MB": Unit("MB", "data", Decimal(10) ** 6),
    "g": Unit("g", "mass", Decimal("0.001")),
    "J": Unit("J", "energy"),
    "K": Unit("K", "kelvin"),
    "A": Unit("A", "current"),
    "MPa": Unit("MPa", "pressure", Decimal(10) ** 6),
    "W": Unit("W", "power", Decimal("0.001")),
    "V": Unit("V", "voltage"),
    **LOOSE,
}
"""Spellings whose case carries the meaning."""


def unit_named(word: str) -> Unit:
    """The unit of a spelling. Raises KeyError where there is none."""
    spelling = " ".join(word.split())
    return CASED.get(spelling) or UNITS[spelling.lower()]


def same_dimension(first: Unit, second: Unit) -> bool:
    """Whether two units may be compared by value; currencies must be the same; "$" is any dollar, "¥" yen or yuan."""
    if first.dimension != second.dimension:
        return {first.dimension, second.dimension} == {"ratio", "times"} or {first.name, second.name} == {"bps", "pp"}
    if first.dimension != "currency" or first.name == second.name:
        return True
    return any(
        other in SHARED_SIGNS.get(sign, ()) for sign, other in ((first.name, second.name), (second.name, first.name))
    )
