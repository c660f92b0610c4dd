"""Show one question from page to verdict: gold pages, candidates with ranks, answer, citations, every score's reason.

harness explain hybrid_rerank nf-014
harness explain finance/hybrid_rerank "some:id"
"""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "system", metavar="SYSTEM", help="a system's name, or <set>/<system>, or <set>/<system>/<split>"
    )
    parser.add_argument("golden", metavar="ID", help="the golden's id")
    parser.add_argument(
        "--candidates", type=_count, default=12, metavar="N", help="how many candidates to list (default 12)"
    )
    parser.add_argument("--unseal", action="store_true", help="allow a held-out question; recorded as an opening")
    parser.add_argument("--goldens", type=Path, metavar="DIR", help="where the golden set lies now, if it was moved")
    parser.add_argument("--results", type=Path, default=Path("results"), metavar="DIR", help="default: results")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def run(args: argparse.Namespace) -> int:
    from harness import explain, inputs, store
    from harness.markdown import terminal
    from harness.request import Request

    inputs.writable(args.results)
    request = Request(goldens=args.goldens, results=args.results, unseal=args.unseal)
    names = store.matching(args.results, args.system)
    print(terminal(explain.explain(names, args.golden, request, args.candidates)))
    return 0
