"""Words of other languages that settle a matter: yes, no, negation; plain data."""

from __future__ import annotations

import re

YES = re.compile(
    r"\W*(?:да|ναι|نعم|أجل|כן|हाँ|हां|是的|是|对|對|有|はい|ええ|예|네|ja|oui|sí|sim|tak|evet|igen|kyllä)(?=[\s,.;:!、。]|\Z)",
    re.IGNORECASE,
)
NO = re.compile(
    r"\W*(?:нет|όχι|لا|كلا|לא|नहीं|否|不是|不|没有|沒有|いいえ|いや|아니요|아니오|아뇨|nein|non|nej|não|nie|hayır|nem|ei)"
    r"(?=[\s,.;:!、。]|\Z)",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"[不没沒未]|ない|ません|なし|없|아니|않|못 |(?<!\w)(?:не|нет|ни|без|никто|δεν|όχι|μη|χωρίς|لا|لم|ليس|ليست|لن|بدون|"
    r"לא|אין|בלי|"
    r"नहीं|बिना|nicht|kein\w*|niemals|ohne|pas|aucune?|jamais|sans|sin|nunca|ningun\w*|ningún|não|sem|non|senza)(?!\w)",
    re.IGNORECASE,
)
EAST = re.compile(r"[\u3040-\u9fff\uac00-\ud7a3]")
OTHER_SCRIPT = re.compile(r"[\u0370-\u03bb\u03bd-\u1fff\u3040-\u9fff\uac00-\ud7a3]")
"""Letters beyond Latin ones."""


_DOTS = re.compile(
    r"[\u0370-\u03ff]|(?<!\w)(?:сколько|каков\w*|wie (?:hoch|viel\w*|groß)|wieviel\w*|welche[rsnm]?|combien|quel\w*|"
    r"cuánt\w*|cuál\w*|"
    r"quanto\w*|quanti|quant[ae]s?|qual|quais|hvor|hoeveel|hur m\w+)(?!\w)",
    re.IGNORECASE,
)


def groups_by_dots(question: str) -> bool:
    """Whether a question is of a language that writes 1.234,5."""
    return bool(_DOTS.search(question))


def polarity_abroad(text: str) -> bool | None:
    """True or False where a text opens with another language's yes or no, else None."""
    if YES.match(text):
        return True
    return False if NO.match(text) else None
