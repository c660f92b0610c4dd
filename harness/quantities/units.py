"""Units and scale words: what may be compared with what, and by which factor.

A unit has a dimension and a factor to that dimension's base. Currencies are never converted into one another. Percent,
basis point and bare fraction share one dimension ("ratio"); a percentage point is its own: 3 pp more is not 3% more.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


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

_HUNDRED, _THOUSAND, _MILLION, _BILLION, _TRILLION = (Decimal(10) ** n for n in (2, 3, 6, 9, 12))

SCALES: dict[str, Decimal] = {
    **dict.fromkeys(("hundred", "hundreds"), _HUNDRED),
    **dict.fromkeys(("thousand", "thousands", "k", "000s", "'000", "’000"), _THOUSAND),
    **dict.fromkeys(("million", "millions", "m", "mm", "mn", "mln", "mio", "mill", "mil"), _MILLION),
    **dict.fromkeys(("billion", "billions", "b", "bn", "bln", "mrd", "milliard", "milliards"), _BILLION),
    **dict.fromkeys(("trillion", "trillions", "tn", "trn", "tln"), _TRILLION),
    **dict.fromkeys(("lakh", "lakhs", "lac", "lacs"), Decimal(100_000)),
    **dict.fromkeys(("crore", "crores", "cr"), Decimal(10_000_000)),
}

_CURRENCIES: dict[str, tuple[str, ...]] = {
    "USD": ("us$", "usd", "us dollars", "us dollar", "u.s. dollars", "u.s. dollar"),
    "$": ("$", "dollars", "dollar"),
    "EUR": ("€", "eur", "euro", "euros"),
    "GBP": ("£", "gbp", "pounds sterling", "pound sterling", "pounds"),
    "JPY": ("¥", "jpy", "yen"),
    "INR": ("₹", "inr", "rs.", "rs", "rupees", "rupee"),
    "CAD": ("c$", "cad", "canadian dollars"),
    "AUD": ("a$", "aud", "australian dollars"),
    "HKD": ("hk$", "hkd"),
    "SGD": ("s$", "sgd"),
    "CHF": ("chf", "swiss francs"),
    "CNY": ("cny", "rmb", "yuan"),
    "NOK": ("nok", "norwegian kroner"),
    "SEK": ("sek", "swedish kronor"),
    "DKK": ("dkk", "danish kroner"),
    "BRL": ("r$", "brl"),
    "KRW": ("₩", "krw", "won"),
    "ZAR": ("zar", "rand"),
    "MXN": ("mxn", "pesos"),
    "ILS": ("₪", "ils", "shekels"),
    "TRY": ("₺", "try"),
    "RUB": ("₽", "rub", "roubles", "rubles"),
    "PLN": ("pln",),
    "CZK": ("czk",),
    "THB": ("thb", "baht"),
    "IDR": ("idr", "rupiah"),
    "SAR": ("sar",),
    "AED": ("aed",),
}
DOLLARS = frozenset({"$", "USD", "CAD", "AUD", "HKD", "SGD"})
"""Currencies that "$" alone may stand for."""

_MEASURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # name: (dimension, factor, spellings)
    "kg": ("mass", "1", ("kg", "kilogram", "kilograms", "kilos")),
    "t": ("mass", "1000", ("t", "tonne", "tonnes", "metric tons", "metric ton", "mt co2e", "tco2e", "tco2", "tco2-e")),
    "ton": ("mass", "1000", ("ton", "tons")),
    "kt": ("mass", "1000000", ("kt", "kilotonnes", "ktco2e", "kilotons")),
    "Mt": ("mass", "1000000000", ("megatonnes", "mtpa", "mtco2e", "mmt")),
    "lb": ("mass", "0.45359237", ("lb", "lbs", "pounds weight")),
    "oz": ("mass", "0.0311034768", ("ounces", "ounce", "oz", "koz")),
    "boe": ("oil", "1", ("boe", "barrels of oil equivalent", "bboe")),
    "kboe": ("oil", "1000", ("kboe", "mboe")),
    "mmboe": ("oil", "1000000", ("mmboe",)),
    "boe/d": ("oil rate", "1", ("boe/d", "boed", "boe per day", "barrels of oil equivalent per day")),
    "kboe/d": ("oil rate", "1000", ("kboe/d", "mboe/d", "mboed", "kboed", "mboe per day")),
    "bbl": ("barrels", "1", ("bbl", "bbls", "barrels", "barrel")),
    "kbbl": ("barrels", "1000", ("mbbl", "kbbl")),
    "mmbbl": ("barrels", "1000000", ("mmbbl", "mmbbls")),
    "l": ("volume", "0.001", ("litres", "liters", "litre", "liter")),
    "Ml": ("volume", "1000", ("megalitres", "megaliters")),
    "m3": ("volume", "1", ("m3", "m³", "cubic metres", "cubic meters", "cubic metre")),
    "bcm": ("volume", "1000000000", ("bcm",)),
    "gal": ("volume", "0.003785411784", ("gallons", "gallon")),
    "cf": ("volume", "0.028316846592", ("cubic feet", "scf", "cf")),
    "kWh": ("energy", "3600000", ("kwh", "kilowatt hours", "kilowatt-hours")),
    "MWh": ("energy", "3600000000", ("mwh", "megawatt hours", "megawatt-hours")),
    "GWh": ("energy", "3600000000000", ("gwh", "gigawatt hours", "gigawatt-hours")),
    "TWh": ("energy", "3600000000000000", ("twh", "terawatt hours", "terawatt-hours")),
    "GJ": ("energy", "1000000000", ("gj", "gigajoules")),
    "TJ": ("energy", "1000000000000", ("tj", "terajoules")),
    "PJ": ("energy", "1000000000000000", ("pj", "petajoules")),
    "kW": ("power", "1", ("kw", "kilowatts")),
    "MW": ("power", "1000", ("mw", "megawatts")),
    "GW": ("power", "1000000", ("gw", "gigawatts")),
    "km": ("length", "1000", ("km", "kilometres", "kilometers")),
    "mile": ("length", "1609.344", ("miles", "mile")),
    "metre": ("length", "1", ("metres", "meters", "metre", "meter")),
    "ft": ("length", "0.3048", ("feet",)),
    "m2": ("area", "1", ("m2", "m²", "sqm", "square metres", "square meters")),
    "sq ft": ("area", "0.09290304", ("square feet", "square foot", "sq ft", "sq. ft.", "sqft")),
    "ha": ("area", "10000", ("hectares", "hectare", "ha")),
    "acre": ("area", "4046.8564224", ("acres", "acre")),
    "day": ("days", "1", ("days", "day")),
    "week": ("days", "7", ("weeks", "week")),
    "month": ("months", "1", ("months", "month")),
    "year": ("months", "12", ("years", "year")),
    "hour": ("hours", "1", ("hours", "hour")),
    "share": ("shares", "1", ("shares", "share")),
    "person": ("people", "1", ("employees", "employee", "people", "persons", "staff")),
    "minute": ("minutes", "1", ("minutes", "minute")),
}


def _spellings() -> dict[str, Unit]:
    units = {"%": PERCENT, "percent": PERCENT, "per cent": PERCENT, "pct": PERCENT, "percents": PERCENT}
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
            "pts",
        ),
        POINT,
    )
    units |= dict.fromkeys(("bps", "bp", "basis points", "basis point", "basis-point", "bpts"), BASIS_POINT)
    units |= dict.fromkeys(("x", "×", "times", "-fold", "fold", "-times"), TIMES)
    for name, words in _CURRENCIES.items():
        units |= {word: Unit(name, "currency") for word in words}
    units |= dict.fromkeys(("cents", "cent", "¢"), Unit("$", "currency", Decimal("0.01")))
    units["pence"] = Unit("GBP", "currency", Decimal("0.01"))
    for name, (dimension, factor, words) in _MEASURES.items():
        units |= {word: Unit(name, dimension, Decimal(factor)) for word in words}
    return units


UNITS: dict[str, Unit] = _spellings()
"""Every spelling, in lower case, to its unit."""

CASED = {"Mt": Unit("Mt", "mass", Decimal(10) ** 9), "MT": UNITS["t"], "Mtonnes": Unit("Mt", "mass", Decimal(10) ** 9)}
"""Spellings whose case carries the meaning."""


def unit_named(word: str) -> Unit:
    """The unit of a spelling. Raises KeyError where there is none."""
    spelling = " ".join(word.split())
    return CASED.get(spelling) or UNITS[spelling.lower()]


def same_dimension(first: Unit, second: Unit) -> bool:
    """Whether two units may be compared by value; currencies must be the same, "$" standing for any dollar."""
    if first.dimension != second.dimension:
        return {first.dimension, second.dimension} == {"ratio", "times"} or {first.name, second.name} == {"bps", "pp"}
    if first.dimension != "currency" or first.name == second.name:
        return True
    return "$" in (first.name, second.name) and {first.name, second.name} <= DOLLARS
