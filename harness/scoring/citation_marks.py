"""An answer's words without its citations: what a judge reads must be what the reader of the answer read.

The system says where its citations stand, so it must not be able to take a "not", or a second figure, out of its answer by
calling it one. A span is believed where it covers the citation as written and nothing else; and of that, only what names a
document or a page is taken out. Other words stay.
"""

from __future__ import annotations

import re

from harness.records import Answer, Citation

_PAGE = re.compile(
    r"(?<![^\W_])(?:pp?|pgs?|pages?|seiten?|s)\.?\s*\d+(?:\s*(?:[-–,;&]|and|und)\s*(?:pp?\.?\s*)?\d+)*(?!\w)", re.I
)
""" "p. 41", "pp. 41-43", "page 41", ":p41"."""
_NUMBERED = re.compile(r"\s*[\[【](?:[\d\s,;†-]|source|doc|document)*[\]】]\s*|[\s⁰¹²³⁴-⁹]*", re.I)
""" "[3]", "[doc 3]", "【4†source】", "³": a number that is the citation."""
_FILE = re.compile(r"\w*_\w*(?:\.pdf)?|\w+\.pdf", re.I)
"""A word that only a file has for a name: "annual_report_2025"."""


def words(answer: Answer) -> str:
    """The answer's text with blanks in the place of its citations, so that a page number is not read as a figure."""
    text = answer.text
    for citation in answer.citations:
        if citation.span is not None and _covers(citation, answer.text[slice(*citation.span)]):
            start, end = citation.span
            text = text[:start] + _remainder(citation, answer.text[start:end]) + text[end:]
    return text


def _covers(citation: Citation, written: str) -> bool:
    return written.strip() == citation.raw.strip()


def _remainder(citation: Citation, written: str) -> str:
    """As many characters as `written`; all blank where nothing but names of documents and pages stood there."""
    if _NUMBERED.fullmatch(written) or (citation.ref and written.strip() == f"({citation.ref.page})"):
        return " " * len(written)
    own = [re.compile(re.escape(citation.ref.doc) + r"(?:\.pdf)?")] if citation.ref else []
    left = written
    for pattern in (*own, _FILE, _PAGE):
        left = pattern.sub(lambda found: " " * len(found[0]), left)
    return left if any(char.isalnum() for char in left) else " " * len(written)
