"""How many figures a parser loses that two other readers both see, PDFium and PyMuPDF.

    python benchmarks/figures_lost.py $HARNESS_REAL_SETS/pack/finance/pdfs [--parser liteparse] [--pages] [--every 1]

A figure counts as often as both readers see it on the page. Running lines and printed page numbers are left out, as in
harness/documents/shortfall.py. Prints figures lost, pages that lost any, and seconds of parsing, for each document and for all;
`--pages` lists the pages with what they lost. `--every 17` takes every 17th page. Needs the extra `pymupdf`.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from harness.bench import Bench
from harness.cache.blobs import Blobs
from harness.documents.pdf import extract_reference
from harness.documents.shortfall import running_lines, without_running
from harness.documents.words import Token, missing, tokens
from harness.protocols import Parser
from harness.registry import load


class Loss(NamedTuple):
    """What a page lost of the figures that both readers see."""

    page: int
    figures: int
    lost: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parser", default="liteparse")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    every: list[Loss] = []
    for pdf in sorted(args.folder.glob("*.pdf")):
        losses, seconds = measured(pdf, args.parser)
        report(pdf.stem, losses[:: args.every], f"{seconds:.1f} s")
        every += losses[:: args.every]
        for loss in losses[:: args.every]:
            if args.pages and loss.lost:
                print(f"    p{loss.page}", *loss.lost)
    report("all", every, "")


def measured(pdf: Path, name: str) -> tuple[list[Loss], float]:
    """Each page's losses, and how long the parser took."""
    bench = Bench(blobs=Blobs(Path(mkdtemp())))
    start = time.perf_counter()
    pages = load("parser", name, Parser)().parse(pdf, pdf.stem, bench)
    seconds = time.perf_counter() - start
    both = agreed(pdf)
    return [
        Loss(page.ref.page, len(seen), [token.text for token in missing(seen, figures(page.text))])
        for page, seen in zip(pages, both, strict=True)
    ], seconds


def agreed(pdf: Path) -> Iterator[list[Token]]:
    """The figures of each page that both readers see, as often as both do."""
    import pymupdf

    reference = extract_reference(pdf)
    running = running_lines([page.text for page in reference])
    with pymupdf.open(pdf) as book:
        for page, shown in zip(book, reference, strict=True):
            other = Counter(figures(page.get_text()))
            seen = figures(without_running(shown.text, running, shown.label))
            yield [token for token, count in (Counter(seen) & other).items() for _ in range(count)]


def figures(text: str) -> list[Token]:
    return [token for token in tokens(text) if token.figure]


def report(name: str, losses: Sequence[Loss], seconds: str) -> None:
    figures, lost = sum(loss.figures for loss in losses), sum(len(loss.lost) for loss in losses)
    touched = sum(bool(loss.lost) for loss in losses)
    share = lost / max(figures, 1)
    print(
        f"{name:44} {lost:6} of {figures:7} figures lost ({share:.2%}) on {touched} of {len(losses)} pages  {seconds}"
    )


if __name__ == "__main__":
    main()
