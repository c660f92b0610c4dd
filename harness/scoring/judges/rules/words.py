"""Words for comparing short texts: plain stems, without the words that carry nothing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from harness.scoring.judges.rules.abroad import EAST, NEGATION

_MARKED = (
    r"[^\W_\u3040-\u9fff\uac00-\ud7a3](?:[^\W_\u3040-\u9fff\uac00-\ud7a3]|[\u0591-\u05c7\u064b-\u065f\u0900-\u0dff])*"
)
_WORD = re.compile(rf"{_MARKED}(?:['’&./-]{_MARKED})*|[\u3040-\u9fff\uac00-\ud7a3]+")
_NOTHING = frozenset(
    _WORD.findall(
        "a an the of and or to in on at by for from with as is are was were be been being it its this that "
        "these those there their they has have had do does did which who whom whose what when where why how "
        "will would can could may might shall should also such than then so but not no nor yes both each any "
        "all some s company companys companies inc corp ltd plc llc llp gmbh asa co group fiscal year fy "
        "about into over during within between i we our his her he she you your if because due primarily "
        "mainly approximately based according provided "
    )
)
"""Words that carry nothing."""
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
_IRREGULAR: dict[str, str] = dict(
    re.findall(
        r"(\w+):(\w+)",
        "paid:pay made:make sold:sell bought:buy held:hold grew:grow rose:rise fell:fall "
        "met:meet spent:spend won:win lost:lose "
        "built:build kept:keep took:take gave:give began:begin ran:run sent:send led:lead wrote:writ became:becom found:find",
    )
)
"""Past forms to the stem of the present one."""
_LAST_ACCENTED = "\u052f"
_SUFFIX = re.compile(r"(?:'s|’s|ies|ied|ing|ed|es|s|ly|ment|ation|ations|ion|ions)\Z")


def plain(text: str) -> str:
    """The text without case, accents, quotes, closing marks and double spaces."""
    bare = text if text.isascii() else _unaccented(text)
    return " ".join(bare.casefold().replace("’", "'").replace(" & ", " and ").split()).strip(" .!;:,\"'“”`*")


def _unaccented(text: str) -> str:
    """Without the accents of Latin, Greek and Cyrillic letters; marks of other scripts carry meaning."""
    return "".join(char if char > _LAST_ACCENTED else _bare(char) for char in text)


@lru_cache(maxsize=4096)
def _bare(char: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A plain stem: the word without its usual endings, never shorter than four letters."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    short = _SUFFIX.sub("", word)
    if len(short) < 4:
        short = word.removesuffix("'s").removesuffix("s") if len(word) > 3 else word
    return short.removesuffix("e") if len(short) > 4 else short


@lru_cache(maxsize=1024)
def content(text: str) -> tuple[str, ...]:
    """The stems of a text's content words, in order."""
    return tuple(part for word in _WORD.findall(plain(text)) if word not in _NOTHING for part in _parts(word))


def _parts(word: str) -> tuple[str, ...]:
    """A word's stem; pairs of characters where a script has no spaces between words."""
    if not EAST.match(word):
        return (stem(word),)
    return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)


def coverage(wanted: str, given: str) -> float:
    """The share of the content words of `wanted` that `given` holds; 0 where there are none."""
    words = set(content(wanted))
    return len(words & set(content(given))) / len(words) if words else 0.0


def negated(text: str) -> bool:
    """Whether a text holds a word of negation."""
    return bool(_NEGATION.search(text) or NEGATION.search(text))
