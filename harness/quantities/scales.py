"""Scale words and their factors, language by language; plain data.

Where a word means two things ("billion" on the two sides of the Rhine, "mil" in Madrid and in Boston), English usage decides;
"mil" is a thousand only where a word of its own language follows.
"""

from __future__ import annotations

from decimal import Decimal

_FACTORS = {"h": 2, "k": 3, "lakh": 5, "m": 6, "crore": 7, "b": 9, "t": 12}

ENGLISH: dict[str, str] = {
    "hundred hundreds": "h",
    "thousand thousands k 000s '000 ’000": "k",
    "million millions m mm mn mln mio mill mil": "m",
    "billion billions b bn bln mrd milliard milliards": "b",
    "trillion trillions tn trn tln": "t",
    "lakh lakhs lac lacs": "lakh",
    "crore crores cr": "crore",
}
EUROPEAN: dict[str, str] = {
    "tausend tsd tsd. tausende mille milliers k€ mila mil_euros mil_pesos mil_dólares mil_reales mil_reais mil_de": "k",
    "mio. mill. millionen milliones millones millón milioni milione milhões milhão miljoen miljoner miljoonaa milionów "
    "mln.": "m",
    "mrd. milliarden milliarde md mds miliardi miliardo miljard miljarder milliarder mia mia. mil_millones mil_milhões "
    "miliardów": "b",
    "bilhões bilhão": "b",
    "billionen billones billón": "t",
}
"""Words of languages that write 1.234,5; the number in front of one is read their way."""
CYRILLIC_GREEK: dict[str, str] = {
    "тыс тыс. тысяча тысячи тысяч тысячами": "k",
    "млн млн. миллион миллиона миллионов миллионы": "m",
    "млрд млрд. миллиард миллиарда миллиардов миллиарды мільярд мільярда мільярдів": "b",
    "трлн трлн. триллион триллиона триллионов": "t",
    "χιλ. χιλ χιλιάδες χιλιάδων": "k",
    "εκατ. εκατ εκ. εκατομμύρια εκατομμυρίων εκατομμύριο": "m",
    "δισ. δισ δις δισεκατομμύρια δισεκατομμυρίων δισεκατομμύριο": "b",
    "τρισ. τρισεκατομμύρια τρισεκατομμυρίων": "t",
}
SOUTHERN: dict[str, str] = {
    "ألف آلاف الف": "k", "مليون ملايين مليونا": "m", "مليار مليارات بليون": "b", "تريليون": "t",
    "אלף אלפים אלפי": "k", "מיליון מיליוני מליון": "m", "מיליארד מיליארדי": "b", "טריליון": "t",
    "हज़ार हजार": "k", "लाख": "lakh", "मिलियन": "m", "करोड़ करोड": "crore", "अरब": "b",
}  # fmt: skip
EAST_ASIAN: dict[str, int] = {
    "千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "十万": 5, "百万": 6, "百萬": 6, "백만": 6, "千万": 7, "千萬": 7, "천만": 7,
    "亿": 8, "億": 8, "억": 8, "十亿": 9, "十億": 9, "십억": 9, "百亿": 10, "百億": 10, "千亿": 11, "千億": 11, "万亿": 12,
    "萬億": 12, "兆": 12, "조": 12,
}  # fmt: skip
"""Without a space behind them and to powers of ten; written against the number and against what follows."""


def _worded(*tables: dict[str, str]) -> dict[str, Decimal]:
    return {
        word.replace("_", " "): Decimal(10) ** _FACTORS[size]
        for table in tables
        for words, size in table.items()
        for word in words.split()
    }


SCALES: dict[str, Decimal] = {
    **_worded(ENGLISH, EUROPEAN, CYRILLIC_GREEK, SOUTHERN),
    **{word: Decimal(10) ** power for word, power in EAST_ASIAN.items()},
}
"""Every scale word, in lower case, to its factor."""
COMMA_DECIMAL = frozenset(_worded(EUROPEAN, CYRILLIC_GREEK)) | {"mrd", "mio", "milliard", "milliards"}
"""Scale words of languages whose decimal mark is the comma."""
