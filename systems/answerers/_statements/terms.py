"""Line items and measures of financial analysis: how reports label them, and how they are computed from one another.

Textbook definitions only (the CFA curriculum's ratios, the captions of the primary statements under US GAAP and IFRS).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

INCOME, BALANCE, CASH = "income", "balance", "cash"
STATEMENTS = {
    INCOME: "consolidated statements of income operations earnings net sales revenue cost of sales operating income",
    BALANCE: "consolidated balance sheets total current assets total assets total current liabilities total equity",
    CASH: "consolidated statements of cash flows operating activities depreciation purchases of property and equipment",
}
"""What each primary statement is searched for by."""


@dataclass(frozen=True)
class Term:
    """A line item or a measure."""

    called: str
    """A plain name, one of those that the pattern takes."""
    name: str
    """What questions call it: a pattern for lower case."""
    statement: str = ""
    labels: tuple[str, ...] = ()
    """Its captions, usual one first."""
    formula: str = ""
    """How it is computed where no caption is found."""
    percent: bool = False
    cost: bool = False
    """Printed with or without brackets, and meant without sign."""


def _labels(text: str) -> tuple[str, ...]:
    return tuple(label.strip() for label in text.split(";"))


_ITEMS = (
    Term(
        "revenue",
        r"(?:total |net |operating )*(?:sales|revenues?)|top ?line",
        INCOME,
        _labels(
            "total net sales; total revenues; total net revenue; net sales; net revenues; "
            "revenues; operating revenues; sales"
        ),
    ),
    Term(
        "cost of sales",
        r"cogs|costs? of (?:goods sold|sales|revenues?|products sold)",
        INCOME,
        _labels(
            "cost of sales; cost of goods sold; cost of revenues; cost of products sold; "
            "total cost of revenues; merchandise costs"
        ),
        cost=True,
    ),
    Term(
        "gross profit",
        r"gross (?:profit|income)",
        INCOME,
        _labels("gross profit; gross margin"),
        "revenue - cost of sales",
    ),
    Term(
        "operating income",
        r"operating (?:income|profit|earnings)|ebit|income from operations",
        INCOME,
        _labels("operating income; income from operations; operating profit; earnings from operations; operating loss"),
    ),
    Term(
        "net income",
        r"net (?:income|earnings|profit|loss)(?: attributable to (?:\w+ )*(?:share|"
        r"stock)holders)?|bottom ?line",
        INCOME,
        _labels(
            "net income; net earnings; net income attributable to shareholders; net loss; "
            "net income including noncontrolling interests"
        ),
    ),
    Term(
        "depreciation and amortization",
        r"d&a|depreciation and amorti[sz]ation(?: expenses?)?",
        CASH,
        _labels("depreciation and amortization; depreciation, amortization and other; depreciation and amortisation"),
        cost=True,
    ),
    Term(
        "interest expense", r"interest expenses?", INCOME, _labels("interest expense; interest expense net"), cost=True
    ),
    Term(
        "tax expense",
        r"(?:provision for )?income tax(?:es)?(?: expenses?| provision)?|tax (?:expenses?|provision)",
        INCOME,
        _labels("provision for income taxes; income tax expense; income taxes; provision for taxes on income"),
        cost=True,
    ),
    Term(
        "pretax income",
        r"(?:income|earnings|profit) before (?:provision for )?(?:income )?tax(?:es)?|"
        r"pre-?tax (?:income|earnings|profit)",
        INCOME,
        _labels(
            "income before income taxes; income before provision for income taxes; "
            "earnings before income taxes; earnings before income tax expense; "
            "income before taxes"
        ),
    ),
    Term(
        "operating cash flow",
        r"(?:net )?(?:operating cash ?flows?|cash ?flows? from operat\w+(?: activities)?|"
        r"cash from operations|cash (?:provided|generated) by operat\w+(?: activities)?)",
        CASH,
        _labels(
            "net cash provided by operating activities; net cash from operating activities; "
            "cash flows from operating activities; cash provided by operations"
        ),
    ),
    Term(
        "capital expenditures",
        r"capex|capital (?:expenditures?|spending)",
        CASH,
        _labels(
            "purchases of property and equipment; capital expenditures; "
            "purchases of property, plant and equipment; "
            "additions to property, plant and equipment; capital spending; "
            "additions to property and equipment"
        ),
        cost=True,
    ),
    Term(
        "share repurchases",
        r"(?:share |stock )?(?:repurchas\w+|buy-?backs?)(?: of (?:common )?(?:stock|shares))?",
        CASH,
        _labels(
            "repurchases of common stock; purchases of treasury stock; repurchase of common stock; share repurchases"
        ),
        cost=True,
    ),
    Term("goodwill", r"goodwill", BALANCE, _labels("goodwill")),
    Term(
        "dividends paid",
        r"(?:cash )?dividends?(?: paid| payments?)?",
        CASH,
        _labels("dividends paid; cash dividends paid; payment of dividends; cash dividend payments; dividends"),
        cost=True,
    ),
    Term("current assets", r"(?:total )?current assets", BALANCE, _labels("total current assets")),
    Term("current liabilities", r"(?:total )?current liabilities", BALANCE, _labels("total current liabilities")),
    Term("total assets", r"(?:total )?assets", BALANCE, _labels("total assets")),
    Term(
        "total liabilities",
        r"(?:total )?liabilities",
        BALANCE,
        _labels("total liabilities"),
        "total assets - total equity",
    ),
    Term(
        "total equity",
        r"(?:total |common )?(?:(?:share|stock)holders?['’]?s? ?['’]?)? ?equity",
        BALANCE,
        _labels(
            "total stockholders' equity; total shareholders' equity; total equity; "
            "total shareowners' equity; stockholders' equity; shareholders' equity"
        ),
    ),
    Term(
        "inventories",
        r"(?:merchandise |total )?inventor(?:y|ies)(?:,? net)?",
        BALANCE,
        _labels("inventories; inventory; inventories net; merchandise inventories; total inventories"),
    ),
    Term(
        "accounts receivable",
        r"(?:net )?(?:accounts |trade )?(?:ar|receivables?)(?:,? net)?",
        BALANCE,
        _labels(
            "accounts receivable net; accounts receivable; receivables net; "
            "trade receivables net; receivables; accounts and notes receivable net"
        ),
    ),
    Term(
        "accounts payable",
        r"(?:accounts |trade )payables?",
        BALANCE,
        _labels("accounts payable; trade payables; accounts payable trade"),
    ),
    Term(
        "cash and cash equivalents",
        r"cash(?: (?:and|&) cash equivalents)?",
        BALANCE,
        _labels("cash and cash equivalents"),
    ),
    Term(
        "short-term investments",
        r"short-term investments|marketable securities",
        BALANCE,
        _labels("short-term investments; marketable securities"),
    ),
    Term(
        "fixed assets",
        r"(?:net )?(?:pp&?n?e|property,? plant,? (?:and|&) equipment|property (?:and|&) equipment|"
        r"fixed assets)(?:,? net)?",
        BALANCE,
        _labels(
            "property and equipment net; property plant and equipment net; "
            "net property and equipment; net property plant and equipment"
        ),
    ),
    Term(
        "long-term debt",
        r"long-term debt",
        BALANCE,
        _labels("long-term debt; long-term debt net; long-term debt excluding current portion"),
    ),
    Term(
        "short-term debt",
        r"short-term debt|current debt",
        BALANCE,
        _labels(
            "short-term debt; current portion of long-term debt; debt maturing within one year; short-term borrowings"
        ),
    ),
    Term("total debt", r"(?:total )?debt", BALANCE, _labels("total debt"), "long-term debt + short-term debt"),
)

_MEASURES = (
    Term(
        "free cash flow conversion",
        r"(?:free cash ?flow|fcf) conversion(?: ratio)?",
        formula="free cash flow / net income",
        percent=True,
    ),
    Term(
        "EBITDA",
        r"ebitda|operating (?:income|profit) before depreciation(?: and amorti[sz]ation)?",
        "",
        (),
        "operating income + d&a",
    ),
    Term("free cash flow", r"free cash ?flows?|fcf", CASH, _labels("free cash flow"), "operating cash flow - capex"),
    Term("working capital", r"(?:net )?working capital", "", (), "current assets - current liabilities"),
    Term("gross margin", r"gross (?:profit |income )?margins?", "", (), "gross profit / revenue", percent=True),
    Term(
        "operating margin before depreciation",
        r"operating (?:profit |income )?margins? before depreciation",
        "",
        (),
        "ebitda / revenue",
        percent=True,
    ),
    Term("EBITDA margin", r"ebitda (?:% |percent(?:age)? )?margins?", "", (), "ebitda / revenue", percent=True),
    Term(
        "operating margin",
        r"operating (?:profit |income )?(?:% )?margins?",
        "",
        (),
        "operating income / revenue",
        percent=True,
    ),
    Term(
        "net margin",
        r"(?:net )?(?:profit|income) margins?|net margins?|return on sales",
        "",
        (),
        "net income / revenue",
        percent=True,
    ),
    Term(
        "effective tax rate",
        r"effective (?:income )?tax (?:rate|ratio)",
        INCOME,
        _labels("effective tax rate; effective income tax rate"),
        "tax expense / pretax income",
        percent=True,
    ),
    Term(
        "return on assets",
        r"return on (?:total |average )*assets|roa",
        "",
        (),
        "net income / average total assets",
        percent=True,
    ),
    Term(
        "return on equity",
        r"return on (?:average )?(?:(?:share|stock)holders?['’]?s? |common |total )?equity|roe",
        "",
        (),
        "net income / average total equity",
        percent=True,
    ),
    Term(
        "return on capital employed",
        r"return on capital employed|roce",
        "",
        (),
        "operating income / (total assets - current liabilities)",
        percent=True,
    ),
    Term("payout ratio", r"(?:dividend )?payout ratio", "", (), "dividends paid / net income"),
    Term("retention ratio", r"retention ratio", "", (), "1 - dividends paid / net income"),
    Term("cash flow ratio", r"(?:operating )?cash ?flow ratio", "", (), "operating cash flow / current liabilities"),
    Term("current ratio", r"current ratio", "", (), "current assets / current liabilities"),
    Term(
        "quick ratio",
        r"quick ratio|acid.test(?: ratio)?",
        "",
        (),
        "(current assets - inventories) / current liabilities",
    ),
    Term("asset turnover", r"(?:total )?asset turnover(?: ratio)?", "", (), "revenue / average total assets"),
    Term("fixed asset turnover", r"fixed asset turnover(?: ratio)?", "", (), "revenue / average fixed assets"),
    Term("inventory turnover", r"inventory turnover(?: ratio)?", "", (), "cost of sales / average inventories"),
    Term(
        "receivables turnover",
        r"(?:accounts )?receivables? turnover(?: ratio)?",
        "",
        (),
        "revenue / average accounts receivable",
    ),
    Term("interest coverage", r"interest coverage(?: ratio)?", "", (), "operating income / interest expense"),
    Term("debt to equity", r"debt[- ]to[- ]equity(?: ratio)?", "", (), "total debt / total equity"),
    Term(
        "days sales outstanding", r"days sales outstanding|dso", "", (), "365 * average accounts receivable / revenue"
    ),
    Term(
        "days inventory outstanding",
        r"days (?:of )?inventory(?: outstanding)?|dio",
        "",
        (),
        "365 * average inventories / cost of sales",
    ),
    Term(
        "days payable outstanding",
        r"days payables? outstanding|dpo",
        "",
        (),
        "365 * average accounts payable / (cost of sales + change in inventories)",
    ),
    Term("cash conversion cycle", r"cash conversion cycle|ccc", "", (), "dio + dso - dpo"),
)
TERMS = (*_MEASURES, *_ITEMS)
_COMPILED = tuple((re.compile(term.name), term) for term in TERMS)


def term_of(phrase: str) -> Term | None:
    """The term that the phrase is a name of."""
    return next((term for name, term in _COMPILED if name.fullmatch(phrase)), None)


def measure_in(question: str) -> Term | None:
    """The computed measure that a question, in lower case, names: of several the longest."""
    found = [
        (match.end() - match.start(), -number)
        for number, term in enumerate(_MEASURES)
        if (match := re.search(rf"\b(?:{term.name})\b", question))
    ]
    return _MEASURES[-max(found)[1]] if found else None
