"""The model of a company: from drivers to statements that add up, for every year and as each report presents them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

from drivers import Drivers

FIRST = 2019
ZERO = Decimal(0)
Ledger = dict[tuple[str, int], Decimal]


def rounded(value: Decimal, places: int) -> Decimal:
    """Commercial rounding, half away from zero, as a reader would round by hand."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def _spread(rows: dict[str, tuple[str, ...]], start: int) -> Ledger:
    return {(key, start + i): Decimal(text) for key, row in rows.items() for i, text in enumerate(row)}


# Sums over one year, in order: a later one may use an earlier one. A minus before a key subtracts it.
SUMS: dict[str, str] = {
    "revenue": "seg1 seg2 seg3",
    "gross": "revenue -cost",
    "geo3": "revenue -geo1 -geo2",
    "depreciation": "dep_owned dep_rou",
    "da": "depreciation amortisation",
    "current_tax": "tax -deferred_tax_flow",
    "finance_net": "-interest_expense interest_income other_net",
    "acquisitions": "acq_ppe acq_goodwill acq_intangibles",
    "proceeds": "disposals gain",
    "other_restructuring": "restructuring -severance",
    "oci_fx": "fx_cash fx_goodwill",
    "oci": "oci_fx remeasurement",
}
AFTER_PROFIT: dict[str, str] = {
    "pretax": "operating finance_net",
    "net": "pretax -tax",
    "comprehensive": "net oci",
    "ebitda": "operating da impairment restructuring",
    "corporate": "operating -ebit1 -ebit2 -ebit3",
    "cfi": "-capex -software -acquisitions proceeds",
    "cff": "drawn -repaid -lease_paid -dividends -buybacks",
}
# A year's balance is last year's plus these.
ROLLS: dict[str, str] = {
    "ppe": "capex acq_ppe -dep_owned -disposals",
    "rou": "lease_added -dep_rou",
    "leases": "lease_added -lease_paid",
    "goodwill": "acq_goodwill -impairment fx_goodwill",
    "intangibles": "software acq_intangibles -amortisation",
    "debt": "drawn -repaid",
    "deferred_tax": "deferred_tax_flow",
    "pension": "-remeasurement",
    "capital": "sbc",
    "treasury": "-buybacks",
    "aoci": "oci",
    "cash": "cfo cfi cff fx_cash",
    "retained": "net -dividends",
}
WORKING = {
    "receivables": -1,
    "inventories": -1,
    "prepaid": -1,
    "other_assets": -1,
    "payables": 1,
    "accrued": 1,
    "contract_liabilities": 1,
}
NONCASH = "net depreciation amortisation impairment sbc deferred_tax_flow -gain"
TOTALS: dict[str, str] = {
    "current_assets": "cash receivables inventories prepaid",
    "noncurrent_assets": "ppe rou goodwill intangibles other_assets",
    "assets": "current_assets noncurrent_assets",
    "current_liabilities": "payables accrued contract_liabilities debt_short lease_short",
    "debt_long": "debt -debt_short",
    "lease_long": "leases -lease_short",
    "noncurrent_liabilities": "debt_long lease_long deferred_tax pension",
    "liabilities": "current_liabilities noncurrent_liabilities",
    "equity": "capital retained treasury aoci",
    "liabilities_equity": "liabilities equity",
    "net_debt": "debt leases -cash",
    "working": "receivables inventories -payables",
    "receivables_gross": "receivables allowance",
    "receivables_current": "receivables_gross -receivable_overdue",
    "inventory_other": "inventories -inventory_parts",
    "debt_other": "debt -debt_term -debt_notes",
    "fcf": "cfo -capex -software",
}


class Figures:
    """One company's ledger. `value("revenue", 2024, report=2025)` is the figure as the 2025 report presents it."""

    def __init__(self, drivers: Drivers) -> None:
        self.drivers = drivers
        self.ledger: Ledger = _spread(drivers.flows, FIRST + 1) | _spread(drivers.balances, FIRST)
        self.ledger |= {(key, FIRST): Decimal(text) for key, text in drivers.opening.items()}
        self._open_retained()
        for year in range(FIRST + 1, 2026):
            self._roll(year)
        self.operating = _spread({key: row for key, (_, row) in drivers.operating.items()}, 2021)

    def sum(self, terms: str, year: int) -> Decimal:
        """Add up keys of one year; what a company does not have counts as nothing."""
        total = ZERO
        for term in terms.split():
            amount = self.ledger.get((term.lstrip("-"), year), ZERO)
            total += -amount if term.startswith("-") else amount
        return total

    def _book(self, sums: dict[str, str], year: int) -> None:
        for key, terms in sums.items():
            self.ledger[key, year] = self.sum(terms, year)

    def _open_retained(self) -> None:
        self._book(TOTALS, FIRST)
        self.ledger["retained", FIRST] = self.ledger["assets", FIRST] - self.ledger["liabilities_equity", FIRST]
        self._book(TOTALS, FIRST)

    def _roll(self, year: int) -> None:
        self._book(SUMS, year)
        self.ledger["operating", year] = self._operating(year)
        self._book(AFTER_PROFIT, year)
        for key, sign in WORKING.items():
            self.ledger["d_" + key, year] = sign * (self.ledger[key, year] - self.ledger[key, year - 1])
        self.ledger["d_working", year] = self.sum(" ".join("d_" + key for key in WORKING), year)
        self.ledger["cfo", year] = self.sum(NONCASH + " d_working", year)
        self.ledger["cash_change", year] = self.sum("cfo cfi cff fx_cash", year)
        for key, terms in ROLLS.items():
            self.ledger[key, year] = self.ledger[key, year - 1] + self.sum(terms, year)
        self._book(TOTALS, year)
        self._check(year)

    def _operating(self, year: int) -> Decimal:
        return self.sum("revenue " + " ".join(self.drivers.credits), year) - self.sum(
            " ".join(self.drivers.charges), year
        )

    def _check(self, year: int) -> None:
        if self.ledger["assets", year] != self.ledger["liabilities_equity", year]:
            raise ValueError(f"{self.drivers.code} {year}: assets and liabilities with equity differ")

    def recast(self, key: str, year: int, report: int) -> Decimal:
        """What the report changes in a figure of an earlier year: only the 2025 reports restate."""
        changes = self.drivers.recast
        if report < 2025:
            return ZERO
        if key == "revenue":
            return sum((self.recast(seg, year, report) for seg in ("seg1", "seg2", "seg3")), ZERO)
        if key == "gross":
            return self.recast("revenue", year, report) - self.recast("cost", year, report)
        return Decimal(changes.get(key, {}).get(year, "0"))

    def value(self, key: str, year: int, report: int) -> Decimal:
        """The figure as printed. Raises KeyError where neither the ledger nor a ratio knows it."""
        if (key, year) in self.operating:
            return self.operating[key, year]
        if key.startswith("was_"):
            return self.ledger[key[4:], year]
        if key.startswith("recast_"):
            return self.recast(key[7:], year, report)
        if key.endswith("_before"):
            return self.value(key[:-7], year - 1, report)
        if key.endswith("%"):
            return self._growth(key[:-1], year, report)
        if key in RATIOS:
            return RATIOS[key](lambda name: self.value(name, year, report))
        return self.ledger[key, year] + self.recast(key, year, report)

    def _growth(self, key: str, year: int, report: int) -> Decimal:
        now, before = self.value(key, year, report), self.value(key, year - 1, report)
        return rounded((now - before) / before * 100, 1)


Look = Callable[[str], Decimal]


def _percent(top: str, bottom: str) -> Callable[[Look], Decimal]:
    return lambda look: rounded(look(top) / look(bottom) * 100, 1)


def _over(top: str, bottom: str) -> Callable[[Look], Decimal]:
    return lambda look: rounded(look(top) / look(bottom), 2)


RATIOS: dict[str, Callable[[Look], Decimal]] = {
    "eps": _over("net", "shares"),
    "eps_diluted": _over("net", "shares_diluted"),
    "margin": _percent("operating", "revenue"),
    "ebitda_margin": _percent("ebitda", "revenue"),
    "tax_rate": _percent("tax", "pretax"),
    "leverage": _over("net_debt", "ebitda"),
    "rnd_share": _percent("rnd", "revenue"),
    "seg1_margin": _percent("ebit1", "seg1"),
    "seg2_margin": _percent("ebit2", "seg2"),
    "seg3_margin": _percent("ebit3", "seg3"),
    "book_to_bill": _over("orders", "revenue"),
    "equity_ratio": _percent("equity", "assets"),
}
