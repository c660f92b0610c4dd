"""Show one question from page to verdict: gold pages, candidates with ranks, answer, citations, every score's reason.

harness explain hybrid_rerank nf-014
harness explain finance/hybrid_rerank "some:id"
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.commands._arguments import from_zero, place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "system", metavar="SYSTEM", help="a system's name, or <set>/<system>[/<split>]; @KEY names an earlier result"
    )
    parser.add_argument("golden", metavar="ID", help="the golden's id")
    parser.add_argument(
        "--candidates", type=from_zero, default=12, metavar="N", help="how many candidates to list (default 12)"
    )
    parser.add_argument("--unseal", action="store_true", help="allow a held-out question; recorded as an opening")
    parser.add_argument("--goldens", type=place, metavar="DIR", help="where the golden set lies now, if it was moved")
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")


def run(args: argparse.Namespace) -> int:
    from harness.commands import _inputs
    from harness.reports import explain
    from harness.reports.escaping import terminal
    from harness.reports.wrapping import width
    from harness.runs import addresses
    from harness.runs.options import Options

    _inputs.writable(args.results)
    options = Options(goldens=args.goldens, results=args.results, unseal=args.unseal)
    places = addresses.find(args.results, args.system)
    print(terminal(explain.explain(places, args.golden, options, args.candidates, width())))
    return 0
