"""References that are lists, and their items."""

from __future__ import annotations

import re

_BRACKETED = re.compile(r"\s*\[(.*)\]\s*\Z", re.DOTALL)
_QUOTED = re.compile(r"""(?:'((?:[^']|'(?=\w))*)'|"([^"]*)")(?=\s*(?:,|\Z))""")
_BULLET = re.compile(r"(?:^|\n)\s*(?:[-•*·]|\(?\d{1,2}[.)])\s+")
_LEAD = re.compile(
    r"\A(?:(?:the|they|these|it|there)\b[^:,]{0,80}?\b(?:are|include|includes|were|is):?\s+|[^:]{0,120}:\s+)",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"\s*;\s*|,\s+(?!(?:Inc|Ltd|Limited|LLC|LLP|LP|N\.?A|S\.?A|plc|PLC|Corp|Co|Jr|Sr|AG|NV|GmbH)\b)(?:and\s+|or\s+)?|\s+and\s+"
)


def items_of(reference: str) -> list[str]:
    """The items of a list: ['a', 'b'], bulleted or numbered lines, semicolons, or commas with "and". One item: no list."""
    bracketed = _BRACKETED.match(reference)
    if bracketed:
        return [one or other for one, other in _QUOTED.findall(bracketed[1])] or [
            part.strip() for part in bracketed[1].split(",")
        ]
    bullets = [part.strip() for part in _BULLET.split(reference) if part.strip()]
    if len(bullets) > 1:
        return bullets[1:] if len(bullets) > 2 and bullets[0].endswith(":") else bullets
    parts = [part.strip(" .") for part in _SPLIT.split(_LEAD.sub("", reference.strip())) if part.strip(" .")]
    return (
        parts
        if len(parts) > 1
        and all(len(part.split()) <= 6 for part in parts)
        and ("," in reference or ";" in reference or len(parts) == 2)
        else []
    )


def is_name_list(items: list[str]) -> bool:
    """Whether the items are names or figures, which have no other wording."""
    return all(re.match(r"[\W\d]*[A-Z0-9]", item) and len(item.split()) <= 5 for item in items)


def is_name(reference: str) -> bool:
    """Whether a reference is a name: few words, and those that carry it capitalised, or three words at most."""
    words = [word for word in re.findall(r"[^\W\d_][\w'’-]*", reference) if word.lower() not in _SMALL]
    return bool(words) and (len(words) <= 2 or all(word[0].isupper() for word in words[:6]))


_SMALL = frozenset(("of", "the", "and", "for", "in", "a", "an", "de", "la", "von", "van"))
