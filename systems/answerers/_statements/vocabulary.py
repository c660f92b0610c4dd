"""The words that the statements answerer knows, of US financial statements and of the English in which they are asked about.

All of them stand here, so that whoever adds a line item or a turn of phrase opens one file; how they are used stands in the
modules beside it, which read `vocabulary.NAME`. A module of literals and not YAML: it counts into the component's key like
any code, needs no entry in `files()` and no loader, and mypy reads the entries' fields.

Names in `_WORDS` are words with spaces between. ITEMS and MEASURES are what can be looked up and worked out: textbook
definitions only (the CFA curriculum's ratios, the captions of the primary statements under US GAAP and IFRS). The other
strings are alternatives of regular expressions, which the code puts into larger ones. They capture nothing: a group that is
read out of a match is written where it is read.
"""

from __future__ import annotations

from typing import Required, TypedDict

# ---- Statements, line items and measures

INCOME, BALANCE, CASH = "income", "balance", "cash"
STATEMENTS = {
    INCOME: "consolidated statements of income operations earnings net sales revenue cost of sales operating income",
    BALANCE: "consolidated balance sheets total current assets total assets total current liabilities total equity",
    CASH: "consolidated statements of cash flows operating activities depreciation purchases of property and equipment",
}
"""What each primary statement is searched for by."""
TITLES = {
    BALANCE: r"balance sheet|financial position",
    CASH: r"cash flow",
    INCOME: r"income|operations|earnings",
}
"""What the title of each names; the first that fits counts."""
GROUP_TITLE = "consolidated"
"""In the title of a table of the whole group's."""
TOTAL = "total"
"""The label of a sum begins with it."""


class Entry(TypedDict, total=False):
    """A line item or measure; `terms.Term` says what each field is."""

    called: Required[str]
    name: Required[str]
    statement: str
    labels: str
    formula: str
    percent: bool
    cost: bool


ITEMS: tuple[Entry, ...] = (
    {
        "called": "revenue",
        "name": r"(?:total |net |operating )*(?:sales|revenues?)|top ?line",
        "statement": INCOME,
        "labels": (
            "total net sales; total revenues; total net revenue; net sales; net revenues; revenues; "
            "operating revenues; sales"
        ),
    },
    {
        "called": "cost of sales",
        "name": r"cogs|costs? of (?:goods sold|sales|revenues?|products sold)",
        "statement": INCOME,
        "labels": (
            "cost of sales; cost of goods sold; cost of revenues; cost of products sold; "
            "total cost of revenues; merchandise costs"
        ),
        "cost": True,
    },
    {
        "called": "gross profit",
        "name": r"gross (?:profit|income)",
        "statement": INCOME,
        "labels": "gross profit; gross margin",
        "formula": "revenue - cost of sales",
    },
    {
        "called": "operating income",
        "name": r"operating (?:income|profit|earnings)|ebit|income from operations",
        "statement": INCOME,
        "labels": (
            "operating income; income from operations; operating profit; earnings from operations; operating loss"
        ),
    },
    {
        "called": "net income",
        "name": (
            r"net (?:income|earnings|profit|loss)(?: attributable to (?:\w+ )*(?:share|stock)holders)?|"
            r"bottom ?line"
        ),
        "statement": INCOME,
        "labels": (
            "net income; net earnings; net income attributable to shareholders; net loss; "
            "net income including noncontrolling interests"
        ),
    },
    {
        "called": "depreciation and amortization",
        "name": r"d&a|depreciation and amorti[sz]ation(?: expenses?)?",
        "statement": CASH,
        "labels": (
            "depreciation and amortization; depreciation, amortization and other; depreciation and amortisation"
        ),
        "cost": True,
    },
    {
        "called": "interest expense",
        "name": r"interest expenses?",
        "statement": INCOME,
        "labels": "interest expense; interest expense net",
        "cost": True,
    },
    {
        "called": "tax expense",
        "name": r"(?:provision for )?income tax(?:es)?(?: expenses?| provision)?|tax (?:expenses?|provision)",
        "statement": INCOME,
        "labels": "provision for income taxes; income tax expense; income taxes; provision for taxes on income",
        "cost": True,
    },
    {
        "called": "pretax income",
        "name": (
            r"(?:income|earnings|profit) before (?:provision for )?(?:income )?tax(?:es)?|pre-?tax (?:income|"
            r"earnings|profit)"
        ),
        "statement": INCOME,
        "labels": (
            "income before income taxes; income before provision for income taxes; "
            "earnings before income taxes; earnings before income tax expense; income before taxes"
        ),
    },
    {
        "called": "operating cash flow",
        "name": (
            r"(?:net )?(?:operating cash ?flows?|cash ?flows? from operat\w+(?: activities)?|"
            r"cash from operations|cash (?:provided|generated) by operat\w+(?: activities)?)"
        ),
        "statement": CASH,
        "labels": (
            "net cash provided by operating activities; net cash from operating activities; "
            "cash flows from operating activities; cash provided by operations"
        ),
    },
    {
        "called": "capital expenditures",
        "name": r"capex|capital (?:expenditures?|spending)",
        "statement": CASH,
        "labels": (
            "purchases of property and equipment; capital expenditures; "
            "purchases of property, plant and equipment; additions to property, plant and equipment; "
            "capital spending; additions to property and equipment"
        ),
        "cost": True,
    },
    {
        "called": "share repurchases",
        "name": r"(?:share |stock )?(?:repurchas\w+|buy-?backs?)(?: of (?:common )?(?:stock|shares))?",
        "statement": CASH,
        "labels": (
            "repurchases of common stock; purchases of treasury stock; repurchase of common stock; share repurchases"
        ),
        "cost": True,
    },
    {"called": "goodwill", "name": r"goodwill", "statement": BALANCE, "labels": "goodwill"},
    {
        "called": "dividends paid",
        "name": r"(?:cash )?dividends?(?: paid| payments?)?",
        "statement": CASH,
        "labels": "dividends paid; cash dividends paid; payment of dividends; cash dividend payments; dividends",
        "cost": True,
    },
    {
        "called": "current assets",
        "name": r"(?:total )?current assets",
        "statement": BALANCE,
        "labels": "total current assets",
    },
    {
        "called": "current liabilities",
        "name": r"(?:total )?current liabilities",
        "statement": BALANCE,
        "labels": "total current liabilities",
    },
    {"called": "total assets", "name": r"(?:total )?assets", "statement": BALANCE, "labels": "total assets"},
    {
        "called": "total liabilities",
        "name": r"(?:total )?liabilities",
        "statement": BALANCE,
        "labels": "total liabilities",
        "formula": "total assets - total equity",
    },
    {
        "called": "total equity",
        "name": r"(?:total |common )?(?:(?:share|stock)holders?['’]?s? ?['’]?)? ?equity",
        "statement": BALANCE,
        "labels": (
            "total stockholders' equity; total shareholders' equity; total equity; total shareowners' equity; "
            "stockholders' equity; shareholders' equity"
        ),
    },
    {
        "called": "inventories",
        "name": r"(?:merchandise |total )?inventor(?:y|ies)(?:,? net)?",
        "statement": BALANCE,
        "labels": "inventories; inventory; inventories net; merchandise inventories; total inventories",
    },
    {
        "called": "accounts receivable",
        "name": r"(?:net )?(?:accounts |trade )?(?:ar|receivables?)(?:,? net)?",
        "statement": BALANCE,
        "labels": (
            "accounts receivable net; accounts receivable; receivables net; trade receivables net; "
            "receivables; accounts and notes receivable net"
        ),
    },
    {
        "called": "accounts payable",
        "name": r"(?:accounts |trade )payables?",
        "statement": BALANCE,
        "labels": "accounts payable; trade payables; accounts payable trade",
    },
    {
        "called": "cash and cash equivalents",
        "name": r"cash(?: (?:and|&) cash equivalents)?",
        "statement": BALANCE,
        "labels": "cash and cash equivalents",
    },
    {
        "called": "short-term investments",
        "name": r"short-term investments|marketable securities",
        "statement": BALANCE,
        "labels": "short-term investments; marketable securities",
    },
    {
        "called": "fixed assets",
        "name": (
            r"(?:net )?(?:pp&?n?e|property,? plant,? (?:and|&) equipment|property (?:and|&) equipment|"
            r"fixed assets)(?:,? net)?"
        ),
        "statement": BALANCE,
        "labels": (
            "property and equipment net; property plant and equipment net; net property and equipment; "
            "net property plant and equipment"
        ),
    },
    {
        "called": "long-term debt",
        "name": r"long-term debt",
        "statement": BALANCE,
        "labels": "long-term debt; long-term debt net; long-term debt excluding current portion",
    },
    {
        "called": "short-term debt",
        "name": r"short-term debt|current debt",
        "statement": BALANCE,
        "labels": (
            "short-term debt; current portion of long-term debt; debt maturing within one year; short-term borrowings"
        ),
    },
    {
        "called": "total debt",
        "name": r"(?:total )?debt",
        "statement": BALANCE,
        "labels": "total debt",
        "formula": "long-term debt + short-term debt",
    },
)
MEASURES: tuple[Entry, ...] = (
    {
        "called": "free cash flow conversion",
        "name": r"(?:free cash ?flow|fcf) conversion(?: ratio)?",
        "formula": "free cash flow / net income",
        "percent": True,
    },
    {
        "called": "EBITDA",
        "name": r"ebitda|operating (?:income|profit) before depreciation(?: and amorti[sz]ation)?",
        "formula": "operating income + d&a",
    },
    {
        "called": "free cash flow",
        "name": r"free cash ?flows?|fcf",
        "statement": CASH,
        "labels": "free cash flow",
        "formula": "operating cash flow - capex",
    },
    {
        "called": "working capital",
        "name": r"(?:net )?working capital",
        "formula": "current assets - current liabilities",
    },
    {
        "called": "gross margin",
        "name": r"gross (?:profit |income )?margins?",
        "formula": "gross profit / revenue",
        "percent": True,
    },
    {
        "called": "operating margin before depreciation",
        "name": r"operating (?:profit |income )?margins? before depreciation",
        "formula": "ebitda / revenue",
        "percent": True,
    },
    {
        "called": "EBITDA margin",
        "name": r"ebitda (?:% |percent(?:age)? )?margins?",
        "formula": "ebitda / revenue",
        "percent": True,
    },
    {
        "called": "operating margin",
        "name": r"operating (?:profit |income )?(?:% )?margins?",
        "formula": "operating income / revenue",
        "percent": True,
    },
    {
        "called": "net margin",
        "name": r"(?:net )?(?:profit|income) margins?|net margins?|return on sales",
        "formula": "net income / revenue",
        "percent": True,
    },
    {
        "called": "effective tax rate",
        "name": r"effective (?:income )?tax (?:rate|ratio)",
        "statement": INCOME,
        "labels": "effective tax rate; effective income tax rate",
        "formula": "tax expense / pretax income",
        "percent": True,
    },
    {
        "called": "return on assets",
        "name": r"return on (?:total |average )*assets|roa",
        "formula": "net income / average total assets",
        "percent": True,
    },
    {
        "called": "return on equity",
        "name": r"return on (?:average )?(?:(?:share|stock)holders?['’]?s? |common |total )?equity|roe",
        "formula": "net income / average total equity",
        "percent": True,
    },
    {
        "called": "return on capital employed",
        "name": r"return on capital employed|roce",
        "formula": "operating income / (total assets - current liabilities)",
        "percent": True,
    },
    {"called": "payout ratio", "name": r"(?:dividend )?payout ratio", "formula": "dividends paid / net income"},
    {"called": "retention ratio", "name": r"retention ratio", "formula": "1 - dividends paid / net income"},
    {
        "called": "cash flow ratio",
        "name": r"(?:operating )?cash ?flow ratio",
        "formula": "operating cash flow / current liabilities",
    },
    {"called": "current ratio", "name": r"current ratio", "formula": "current assets / current liabilities"},
    {
        "called": "quick ratio",
        "name": r"quick ratio|acid.test(?: ratio)?",
        "formula": "(current assets - inventories) / current liabilities",
    },
    {
        "called": "asset turnover",
        "name": r"(?:total )?asset turnover(?: ratio)?",
        "formula": "revenue / average total assets",
    },
    {
        "called": "fixed asset turnover",
        "name": r"fixed asset turnover(?: ratio)?",
        "formula": "revenue / average fixed assets",
    },
    {
        "called": "inventory turnover",
        "name": r"inventory turnover(?: ratio)?",
        "formula": "cost of sales / average inventories",
    },
    {
        "called": "receivables turnover",
        "name": r"(?:accounts )?receivables? turnover(?: ratio)?",
        "formula": "revenue / average accounts receivable",
    },
    {
        "called": "interest coverage",
        "name": r"interest coverage(?: ratio)?",
        "formula": "operating income / interest expense",
    },
    {"called": "debt to equity", "name": r"debt[- ]to[- ]equity(?: ratio)?", "formula": "total debt / total equity"},
    {
        "called": "days sales outstanding",
        "name": r"days sales outstanding|dso",
        "formula": "365 * average accounts receivable / revenue",
    },
    {
        "called": "days inventory outstanding",
        "name": r"days (?:of )?inventory(?: outstanding)?|dio",
        "formula": "365 * average inventories / cost of sales",
    },
    {
        "called": "days payable outstanding",
        "name": r"days payables? outstanding|dpo",
        "formula": "365 * average accounts payable / (cost of sales + change in inventories)",
    },
    {"called": "cash conversion cycle", "name": r"cash conversion cycle|ccc", "formula": "dio + dso - dpo"},
)

NEUTRAL_CAPTION_WORDS = "total consolidated net"
"""Words that a caption may have or lack and be the same item's."""
CAPTION_SYNONYMS = {"before": "pretax"}
"""A word of captions and the one that it is read as: "income before taxes" is "pretax income"."""

# ---- Formulas in questions

SIGNS = {
    "less": "-",
    "minus": "-",
    "plus": "+",
    "times": "*",
    "divided by": "/",
    "multiplied by": "*",
    "−": "-",
    "–": "-",
    "×": "*",
    "÷": "/",
}
"""How signs of arithmetic are written beside "+", "-", "*" and "/"."""
FORMULA_ASIDE = r"from|as|in|per|using|i\.e\.|which|see"
"""Opens brackets of a formula that hold a remark."""
BEFORE_YEAR = r"between|from|for|in|of|at|over|as of"
FISCAL_YEAR = r"fiscal year |fiscal |fy ?|year "
AVERAGE = r"average|avg\.?|mean"
CHANGE = r"change in|increase in"
ITEM_OPENING = r"\A(?:total )?unadjusted |\A(?:the|its|their) "
"""Before the name of a line item, and no part of it."""
DEFINED = r"defined|calculated|computed"
"""Before "as" and a formula."""
OVER = r"divided by|over"
SHARE = r"%|percent(?:age)?|share|proportion"
LESS = r"less|minus"
QUOTIENT = r"\bratio\b|\bround|\bdecimal|\bproportion|\bpercent|%"
"""Tells that "a to b" is a quotient."""
OWN_MEASURE = r"\badjusted\b|\bnon-?\s?gaap\b"
"""A company's own measure, which no formula answers."""
REASON = r"what drove|why|explain|how (?:does|do|did)|drivers?|reasons?"
REASONED = r"change|margin|ratio"
"""Behind the word for a reason: asks for one, not for a value."""
GROWTH_KIND = r"percentage |percent |% |year-over-year |yoy |annual "
GROWTH = r"change|growth|growth rate|increase|decrease"
GROWTH_RATE = r"percent|%|growth|rate"
ITEM_NEUTRAL_WORDS = "spend spent pay paid report reported record total much consolidated end annual"
"""Words that say nothing of which line item is meant."""

# ---- Questions

FISCAL = r"fy|fiscal(?: year)?|q[1-4]"
AMOUNT_WORDS = (
    "amount number value total cost costs ratio margin rate percentage proportion price income revenue revenues sales "
    "expense expenses assets liabilities equity debt cash earnings provision goodwill obligation obligations profit"
)
"""What is asked for where a figure is."""
FIGURE_ASKED = r"how (?:much|many)|percent\w*|ratio|answer in|round"
FIGURE_VERB = r"what|which|specify|state|calculate|compute|determine|find|give"
OPENING = r"according to[^,]*|in \d{4}|as of[^,]*|for [^,]*"
"""May stand before the verb of a question, with a comma behind it."""
YES_NO = r"is|are|was|were|did|does|do|has|have|had|can|will"
PART_OF_YEAR = r"quarter(?:ly)?|(?:three|six|nine) months|q[1-4]"
COUNT = r"\bhow many\b|\bnumber of\b|\bratio\b|\bhow (?:long|old|often)\b"
"""Asks for a number of things, not for an amount."""
PEOPLE = r"ian|ish|ese|ean"
"""How the adjective of a country ends: the page may name the country."""
QUESTION_WORDS = """
    what how which when where who why did does do is are was were has have had in on of for the a an if using among
    according calculate answer round please define fy usd us u.s i we ceo cfo esg ebitda ebit gaap eps dpo dso roa roe
    december january february march april may june july august september october november compare during across total
    net average operating gross current per fiscal year company return profit here disclosure capital employed
    after-tax cogs income interest expense debt equity assets liabilities margin cash flow ratio
    specify state list name identify describe explain provide determine estimate give roughly approximately consider
    usa uk eu m&a d&a r&d g&a sg&a pp&e p&l fcf roi roce ccc dio capex kpi ipo ceo's free cashflow adjusted non-gaap
    put over since
"""
"""Words that may be written large and are no names."""
EMPTY_WORDS = (
    "answer question amount number value company year fiscal report document million ended roughly specify state"
)
"""Words of a question that no line is looked for by."""
OPERATION_WORDS = (
    "combined increase decrease change difference percent percentage compare calculate higher lower sum growth much"
)
"""Words of a question that say what to do with the figures."""
PART_SHARE = r"percent(?:age)?|share|proportion|portion|fraction|part"
PART_VERB = r"is|are|was|were|came|comes|consist\w*|did|does|do|had|ha(?:s|ve)"
"""What stands between the whole and its part: "what share of sales came from …"."""
GAIN = r"gain|profit|income|inflow|increase|positive"
LOSS = r"loss|outflow|decrease|negative|expense"
"""The two sides of "gain or loss": of a single figure its sign says which."""
DECIMALS = {"one": 1, "two": 2, "three": 3, "four": 4}
WHOLE_UNIT = r"percent|whole|integer|dollar|million"
"""Behind "nearest": no decimals."""
BEFORE_SCALE = r"in|usd|us\$|\$|dollars?"
ASKED_SCALE = r"thousand|million|billion"
PERCENT = r"percent|%"

# ---- Questions on several years

DIFFERENCE = (
    r"\bby (?:how (?:much|many)|what)\b|\bhow (?:much|many) (?:\w+ )*?(?:more|less|greater|higher|lower|fewer|increase|"
    r"decrease|grow|rise|fall|change)\b|\bdifference\b|\b(?:changes?|growth|increase|decrease)\b.*\b(?:from|between|over|"
    r"compared)\b|\b(?:higher|lower)\b.*\b(?:compared to|than)\b|\bhow did\b.*\bchange\b"
)
AND_HOW = r"how|what"
"""Behind "and by": asks for the figures beside their change."""
SUM = r"\bcombined\b|\bsum of\b"
TOTAL_ASKED = r"calculate|what (?:was|were)"
"""Before "the total" of years that are listed."""
COMPARISON = r"\bcompare\b|\bboth\b|\beach\b"
WHICH_YEAR = r"which|what|in which"
EXTREME = r"high|low|more|most|less|least|great|larg|small"
LEAST = ("low", "less", "least", "small")
"""Those of them that ask for the year of the least."""
RISE_OR = r"increase|improve|grow|rise|higher|up"
OR_FALL = r"decrease|decline|worsen|fall|lower|down"
UP = r"increas|improv|grow|grew|ris|rose|higher|more|greater|expand|exceed|gain"
DOWN = r"declin|decreas|drop|fell|fall|lower|less|reduc|shrink|fewer|worsen"
RATE = r"percent|%|growth rate"
SIGNED = r"\bchange\b|\bgrowth\b"
"""Asks for a value with its sign: a fall keeps its minus."""
MEASURE_TURN = r"improv\w*|declin\w*|increas\w*|decreas\w*|drop\w*|fall\w*|fell|higher|lower|grow\w*|grew"
MEASURE_DOWN = r"declin|decreas|drop|fall|fell|lower"
"""The same of measures that are worked out."""

# ---- Pages

MONTH = r"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
CALENDAR_WORDS = (
    "year years ended ending as of at december january february march april may june july august september october "
    "november fiscal months three six nine twelve"
)
"""Words over a column that say when, and tell for or against nothing."""
NEUTRAL_LABEL_WORDS = "total net"
"""Words of a label that may be there unasked: "net sales" is answered by the row "Total net sales"."""
COLUMN_OF_CHANGES = r"changes?|variance|vs\.?|versus|increase|decrease|growth"
COLUMN_OF_PART = r"quarter|(?:three|six|nine|3|6|9) months|q[1-4]"
"""Over a column that is of a part of a year."""
QUARTERS = r"\bquarter\b.*\bquarter\b|\bmonths ended\b"
"""In the line over such columns."""
VERSUS = r"vs?\.?|versus|from|over|compared to"
"""Between two years over a column of changes."""
HEAD_CURRENCY = r"dollars|amounts|u\.?s\.? dollars|usd|eur"
HEAD_SCALE = r"thousands|millions|billions"
"""In a head's remark that the figures are "in thousands"."""
BEFORE_TABLE_SCALE = r"in|\$|usd|eur"
TABLE_SCALE = r"thousands|millions|billions|crores?|lakhs?"
SCALES = {"thousand": 1e3, "lakh": 1e5, "million": 1e6, "crore": 1e7, "billion": 1e9, "trillion": 1e12}
"""What each multiplies by."""
OWN_SCALES = ("billion", "million")
"""Scales that prose would give an amount in, the largest first."""
NO_SCALE = r"\bper\b|\bratio\b|\brate\b"
"""In the words of a row that its table's scale does not go for."""
CURRENCY = r"[$€£¥₹]|US\$|Rs\.?"
NO_FIGURE = r"NM|N/M|N/A|n/a|nm"
"""Where a figure would stand: "not meaningful"."""
POINTS = r"pts?\.?|bps"
SENTENCE_SCALE = r"thousand|million|billion|trillion|crores?|lakhs?"
BARE_SCALE = r"thousand|million|billion|crores?|lakhs?"
"""Behind figures of prose, with a currency before them and without."""
NUMBERED = r"Note|Item|Section|Part|Rule|Exhibit|Topic|ASU|Level|Tier|page"
"""Before a number that is a name, no figure."""
NAME_WITH_NUMBER = r"COVID-19"
SENTENCE_ASIDE = r"including|excluding|of which|net of|after"
"""Opens brackets of a sentence whose figures are another's."""
TABLE_LEAD = r"\bas follows\b|\bfollowing table|\btable (?:below|above)"
"""In a sentence that only leads to a table."""
GROUP_LEAD = "follow"
"""In a line that ends in a colon and leads to a table, so that it is no heading inside one."""
JOINING_WORDS = "and of for the in from"
"""Words that a label goes on from, so that a capital behind them begins no other."""
SENTENCE_VERB = (
    r"is|are|was|were|be|has|have|had|will|totall?ed|amounted|reported|recorded|paid|issued|repurchased|generated|"
    r"incurred|recogni[sz]ed|increased|decreased|declined|grew|rose|fell|approximated|represented?|accounted|spent|sold"
)
"""What lacks one is a heading, or cells that the parser ran together."""
DENIAL = r"no|not|never|none|neither|nor|without|immaterial"
"""In what is quoted for a yes-or-no question: the answer is no."""
