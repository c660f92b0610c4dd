"""The words that name a figure: a row's label, a question's subject, in a plain stem."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z][a-z]{2,}|[A-Z]{2,}")
_NAME = re.compile(r"(?<=[a-z,;'’] )[A-Z][A-Za-z]{3,}")
_ENDING = re.compile(r"(?:ies|es|s|ing|ed|e)\Z")
_SAME = {"sal": "revenu", "shareholder": "stockholder", "shareowner": "stockholder"}
"""Stems that name the same row."""
_STOP = frozenset(
    _WORD.findall(
        "the and for was were are what how much many did does with from that this its has have had which who "
        "whom when where why per answer round rounded percent percentage million millions billion thousand "
        "usd year years fiscal company total amount according report ended december january february march "
        "april may june july august september october november between during compared only into than then "
        "them their there been being not one two three net place places decimal term units based "
    )
)


def label_words(text: str) -> frozenset[str]:
    """The words of a text that may name a figure."""
    return frozenset(stem(word) for word in _WORD.findall(text) if word.lower() not in _STOP)


def stem(word: str) -> str:
    """A word without its usual endings, in lower case."""
    bare = _ENDING.sub("", word.lower())
    return _SAME.get(bare, bare)


def names_in(text: str) -> frozenset[str]:
    """The stems of a text's proper names: capitalised words that open no sentence."""
    return frozenset(stem(word) for word in _NAME.findall(text) if word.lower() not in _STOP)
