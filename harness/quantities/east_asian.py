"""Chinese, Japanese and Korean numbers in digits: "三亿五千万" and "1億2000万" as one number, "百分之五" as "5%"."""

from __future__ import annotations

import re
from decimal import Decimal

_DIGITS = {char: n for n, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_STEPS = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "萬": 10**4, "만": 10**4, "亿": 10**8, "億": 10**8, "억": 10**8, "兆": 10**12, "조": 10**12}
_RUN = "".join(_DIGITS) + "".join(_STEPS)
_SPELLED = re.compile(rf"(?<![\d{_RUN}])[{_RUN}]*[{_RUN}{''.join(_GROUPS)}]{{2,}}")
_SIZES = _GROUPS | {"千": 10**3, "천": 10**3, "百": 10**2}
_SIZE = f"[{''.join(_SIZES)}]"
_CHAIN = re.compile(
    rf"(?:\d[\d,]*(?:\.\d+)?[ ]?{_SIZE}[ ]?){{2,}}(?!{_SIZE})|(?:\d[\d,]*[ ]?{_SIZE}[ ]?)+\d[\d,]*(?![\d.]|[ ]?{_SIZE})"
)
_PART = re.compile(rf"(\d[\d,]*(?:\.\d+)?)[ ]?({_SIZE}?)")
_PERCENT = re.compile(rf"百分之[ ]?(\d+(?:\.\d+)?|[{_RUN}]+(?:点[{''.join(_DIGITS)}]+)?)")
_TENTHS = re.compile(rf"(?<![\d{_RUN}])([{''.join(_DIGITS)}])成(?![立为員员本果功長长就])")
_BESIDE = re.compile(r"(?:大约|大約|约|約|近|每股|每人|[1１]?株(?:当|あ)たり)(?=\s?[\d０-９一二三四五六七八九])")
"""Words in front of a number that do not change it."""
_IDEOGRAPH = re.compile(r"[\u3040-\u9fff\uac00-\ud7a3]")


def numbers_written_out(text: str) -> str:
    """The text with its spelled and compound numbers in digits; texts in other scripts come back as they are."""
    if not _IDEOGRAPH.search(text):
        return text
    text = _PERCENT.sub(_percent, _BESIDE.sub(" ", text))
    text = _TENTHS.sub(lambda match: f"{10 * _DIGITS[match[1]]}%", text)
    text = _SPELLED.sub(_spelled, text)
    return _CHAIN.sub(lambda match: _chained(match[0]), text)


def _percent(match: re.Match[str]) -> str:
    whole, _, decimals = match[1].partition("点")
    if whole[0].isascii():
        return f"{match[1]}%"
    return f"{_small(whole)}{'.' if decimals else ''}{''.join(str(_DIGITS[char]) for char in decimals)}%"


def _spelled(match: re.Match[str]) -> str:
    """A run of numerals that holds a ten thousand or more; shorter runs are names as often as numbers ("三一", "十和田")."""
    text = match[0]
    if not set(text) & set(_GROUPS) or text[0] in _GROUPS:
        return text
    total, group = 0, ""
    for char in text:
        if char in _GROUPS:
            total, group = total + _small(group or "一") * _GROUPS[char], ""
        else:
            group += char
    return str(total + (_small(group) if group else 0))


def _small(run: str) -> int:
    """The value of a run of numerals below ten thousand."""
    total, digit = 0, 0
    for char in run:
        if char in _STEPS:
            total, digit = total + (digit or 1) * _STEPS[char], 0
        else:
            digit = digit * 10 + _DIGITS[char] if digit else _DIGITS[char]
    return total + digit


def _chained(text: str) -> str:
    """ "1億2000万" in its smallest group: "12000万"."""
    parts = [(Decimal(number.replace(",", "")), group) for number, group in _PART.findall(text)]
    sizes = [_SIZES.get(group, 1) for _, group in parts]
    if sizes != sorted(sizes, reverse=True) or len(set(sizes)) < len(sizes):
        return text
    total = sum((value * size for (value, _), size in zip(parts, sizes, strict=True)), Decimal(0)) / sizes[-1]
    return f"{total}{parts[-1][1]}"
