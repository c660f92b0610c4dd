"""Pages that nobody could read, and text that a parse lacks, in words: on screen, in findings, of a folder of PDFs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.files.wording import counted

_MOST = 5
"""Documents, or pages, that are named on a screen."""


def sentences(doc: str, pages: int, unread: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """A sentence for each way in which pages of a document were not read, with what would read them."""
    for why, numbers in unread.items():
        which = f" ({ranges(numbers)})" if len(numbers) < pages else ""
        one = len(numbers) == 1
        remedy = f"an OCR parser would read {'it' if one else 'them'}"
        said = {
            "picture": f"{'is a picture' if one else 'are pictures'}{which}; {remedy}",
            "unreadable": f"{'holds' if one else 'hold'} text that nobody can read{which}; {remedy}",
            "failed": f"could not be parsed{which}",
        }
        if why in said:
            yield f"{doc}: {len(numbers)} of {counted(pages, 'page')} {said[why]}"


def ranges(numbers: Sequence[int]) -> str:
    """ "p1-p3, p7" """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = [f"p{run[0]}-p{run[-1]}" if len(run) > 1 else f"p{run[0]}" for run in runs]
    more = [f"{len(said) - _MOST} more"] if len(said) > _MOST else []
    return ", ".join([*said[:_MOST], *more])


def lines(corpus: Mapping[str, Any]) -> list[str]:
    """What a run says of its documents, the worst first: what was not read, what another parser read, what parses lack."""
    whole = {doc: block for doc, block in corpus.items() if block.get("error") is None}
    most = sorted(whole, key=lambda doc: -sum(map(len, whole[doc].get("unread", {}).values())))
    unread = [line for doc in most for line in sentences(doc, total(whole[doc]), whole[doc].get("unread", {}))]
    instead = [f"{doc}: {block['instead']}" for doc, block in corpus.items() if block.get("instead")]
    lacking = [(share, f"{doc}: {text}") for doc, block in corpus.items() for share, text in _lacking(block)]
    worst = [text for _, text in sorted(lacking, key=lambda one: (-one[0], one[1]))]
    return [*_first("not read", unread), *_first("another reader", instead), *_first("the parse lacks", worst)]


def total(block: Mapping[str, Any]) -> int:
    """The pages of a document, as a manifest's block counts them by status."""
    return sum(block["pages"].values())


def _first(title: str, said: Sequence[str]) -> list[str]:
    more = [f"{title}: {len(said) - _MOST} more; all are on the page in findings"] if len(said) > _MOST else []
    return [*(f"{title}: {one}" for one in said[:_MOST]), *more]


def _lacking(block: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
    """How much of the worst page is lacking, and what is lacking in words; nothing where no page lacks a tenth."""
    lacking = block.get("lacking")
    if lacking and lacking["pages"]:
        parts = [f"{share_of(*lacking[what]):.1%} of its {what}" for what in ("words", "figures")]
        worst = [f"p{page} ({_worst(counts):.0%})" for page, *counts in lacking["pages"][:_MOST]]
        more = f" and {len(lacking['pages']) - _MOST} more" if len(lacking["pages"]) > _MOST else ""
        _, *first = lacking["pages"][0]
        yield _worst(first), f"{', '.join(parts)}; worst {', '.join(worst)}{more}"


def _worst(counts: Sequence[int]) -> float:
    words, of_words, figures, of_figures = counts
    return max(share_of(words, of_words), share_of(figures, of_figures))


def share_of(part: int, whole: int) -> float:
    """From 0 to 1; 0 of nothing."""
    return part / whole if whole else 0.0


def of_page(corpus: Mapping[str, Any], doc: str, page: int) -> str:
    """What the parse of one page lacks, for a line on it; empty where that is little, or not known."""
    pages = corpus.get(doc, {}).get("lacking", {}).get("pages", [])
    counts = next((counts for number, *counts in pages if number == page), None)
    if counts is None:
        return ""
    words, of_words, figures, of_figures = counts
    return f"the parse lacks {words} of {counted(of_words, 'word')} and {figures} of {counted(of_figures, 'figure')}"
