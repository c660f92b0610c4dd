"""Scripts without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese; and Korean, whose endings hang on words.

Without a dictionary the words in such a run of letters are not known. Its pairs of neighbouring letters are, and question and
page have them in common wherever they have a word of two letters in common: what Lucene's CJKAnalyzer does for Chinese,
Japanese and Korean. A letter of the others is a base letter with the vowel and tone marks on it.
"""

from __future__ import annotations

import re
from itertools import pairwise

_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_HAN_AND_KANA = (
    "\u3005-\u3007\u3031-\u3035\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SOUTHEAST_ASIAN = (
    "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3\ua9e0-\ua9ef\uaa60-\uaa7f"
)
LETTER = _HAN_AND_KANA + _SOUTHEAST_ASIAN + _HANGUL
"""The letters of these scripts with their marks, and without their digits, for a class of a regular expression."""

_MARK = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060\u17b4-\u17d3"
_CLUSTER = re.compile(f"[{LETTER}][{_MARK}]*")
RUN = re.compile(f"([{LETTER}]+)")
"""A run of such letters; `RUN.split` gives other text and runs in turn."""
_BROKEN = re.compile(rf"(?<=[{_HAN_AND_KANA}{_SOUTHEAST_ASIAN}])\s+(?=[{_HAN_AND_KANA}{_SOUTHEAST_ASIAN}])")


def joined(text: str) -> str:
    """The text without white space inside a run: a line that is full breaks a word anywhere. Korean words stay apart."""
    return _BROKEN.sub("", text)


def apart(text: str) -> str:
    """The text with a space around each such letter, so that a name can be looked for among words."""
    return RUN.sub(lambda run: f" {' '.join(_CLUSTER.findall(run[0]))} ", text)


def pairs(run: str) -> list[str]:
    """The overlapping pairs of letters of a run, in order; a letter that stands alone as it is."""
    letters = _CLUSTER.findall(run)
    return [first + second for first, second in pairwise(letters)] or letters
