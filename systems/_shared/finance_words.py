"""How reports spell what analysts ask for: a measure is not printed, the line items that it is computed from are.

What is printed under its own name ("operating income", "debt") is left to its own words: adding to them was tried, and
led away from the page (findings/ranking-steps.md).

Textbook definitions only (the CFA curriculum's ratios, the names of the primary statements under US GAAP and IFRS); no
entry was made for a document.
"""

from __future__ import annotations

import re

_INCOME = "consolidated statements of income operations earnings"
_BALANCE = "consolidated balance sheets statement of financial position"
_CASH = "consolidated statements of cash flows"
_SALES = "net sales revenue revenues"
_COST = "cost of sales cost of goods sold cost of revenue"
_FIXED = "property plant and equipment net"
_CAPEX = f"purchases of {_FIXED} additions capital expenditures investing activities {_CASH}"
_CURRENT = f"total current assets total current liabilities {_BALANCE}"

_TERMS: tuple[tuple[str, str], ...] = (
    (
        r"income statement|statements? of (?:consolidated )?(?:income|operations|earnings)|p&l|profit (?:and|&) loss",
        _INCOME,
    ),
    (r"balance sheet|statements? of financial position", f"{_BALANCE} total assets total liabilities"),
    (
        r"cash ?flow statement|statements? of (?:consolidated )?cash ?flows?",
        f"{_CASH} operating investing financing activities",
    ),
    (r"gross (?:profit )?margin|gross profit", f"gross profit {_SALES} {_COST} {_INCOME}"),
    (r"operating (?:profit )?margin|\bebit\b", f"operating income {_SALES} {_INCOME}"),
    (r"(?:net )?profit margin|net margin|bottom ?line", f"net income {_SALES} {_INCOME}"),
    (r"\bebitda", f"operating income depreciation and amortization {_INCOME}"),
    (r"\bd&a\b", f"depreciation and amortization {_CASH}"),
    (r"top ?line|sales growth|growth company", f"{_SALES} growth"),
    (r"\bcapex\b|capital expenditures?|capital spending", _CAPEX),
    (r"capital.intens", f"{_FIXED} capital expenditures total assets net income {_SALES} {_BALANCE}"),
    (r"free cash ?flow|\bfcf\b", f"net cash provided by operating activities {_CAPEX}"),
    (r"operating cash ?flow|cash (?:flows? )?from operat", f"net cash provided by operating activities {_CASH}"),
    (r"quick ratio|acid.test", f"cash and cash equivalents accounts receivable inventories {_CURRENT}"),
    (r"current ratio|working capital|liquidity (?:profile|ratio|position)", _CURRENT),
    (r"inventory turnover|sold (?:its|their) inventory|days inventory|\bdio\b", f"inventories {_COST} {_BALANCE}"),
    (r"payables? outstanding|\bdpo\b|payables? turnover", f"accounts payable {_COST} inventories {_BALANCE}"),
    (r"sales outstanding|\bdso\b|receivables? turnover", f"accounts receivable net {_SALES} {_BALANCE}"),
    (r"cash conversion cycle", f"accounts receivable inventories accounts payable {_COST} {_BALANCE}"),
    (r"asset turnover", f"{_FIXED} total assets {_SALES} {_BALANCE} {_INCOME}"),
    (r"pp&e|\bppne\b|\bppe\b|fixed assets?", f"{_FIXED} {_BALANCE}"),
    (r"return on (?:total )?assets|\broa\b", f"net income total assets {_BALANCE} {_INCOME}"),
    (
        r"return on (?:shareholders'? |common )?equity|\broe\b",
        f"net income total shareholders equity {_BALANCE} {_INCOME}",
    ),
    (r"effective tax rate", f"provision for income taxes income before income taxes effective tax rate {_INCOME}"),
    (r"interest coverage", f"interest expense operating income {_INCOME}"),
    (r"payout ratio|retention ratio", f"cash dividends paid net income {_CASH}"),
    (r"\bcogs\b", _COST),
    (r"\beps\b", "earnings per share diluted basic"),
    (r"\bsg&a\b", "selling general and administrative expenses"),
    (r"r&d\b", "research and development expenses"),
    (
        r"leverage ratio|debt.to.equity|net debt|average (?:total |long.term )?debt",
        "long-term debt short-term debt due within one year total debt",
    ),
    (r"legal (?:battle|dispute|matter|case)|lawsuit|litigation", "legal proceedings litigation claims contingencies"),
    (r"m&a\b|acquired|acquisitions?", "acquisitions divestitures business combinations purchase price"),
    (r"geograph|\bregions?\b", "geographic regions net sales by geographic area"),
    (r"customers? concentration|largest customers?", "customers accounted for percent of net sales concentration"),
    (r"headcount|how many (?:people|employees)|workforce", "employees full-time human capital"),
    (r"share ?buy.?backs?|repurchase", "repurchases of common stock share repurchase program"),
)

_QUARTERS = {"1": "first", "2": "second", "3": "third", "4": "fourth"}


def line_items(question: str) -> str:
    """The words under which reports print what the question asks for; empty where it names nothing that is known."""
    asked = question.lower()
    found = [words for pattern, words in _TERMS if re.search(pattern, asked)]
    quarters = [f"{_QUARTERS[number]} quarter three months ended" for number in re.findall(r"\bq([1-4])", asked)]
    return " ".join(dict.fromkeys(" ".join(found + quarters).split()))


_INSTRUCTIONS = re.compile(
    r"""
    (?:^|(?<=[.?!;]\s))
    (?:
        (?:please\s+)?(?:round|answer|give|respond|provide|state|express|report|assume|base|address|utili[sz]e|use|make)\b[^.?!]*[.?!]?
      | if\b[^.?!]*\b(?:state|explain|please|then)\b[^.?!]*[.?!]?
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def without_instructions(question: str) -> str:
    """The question without its sentences on how to answer ("Round to two decimals."); whole where nothing else is left."""
    left = " ".join(_INSTRUCTIONS.sub(" ", question).split())
    return left if len(left) >= 12 else question
