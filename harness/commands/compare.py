"""Compare systems on the same questions: a table, then for each pair and metric whether a difference can be told.

Arguments are kept results as `harness explain` takes them, or configs whose results are kept; the first is the baseline.
Nothing is run. Results of other goldens, scope or metrics are refused (exit 3) unless --force.

  harness compare bm25_only hybrid_rerank
  harness compare finance/hybrid_rerank@1a2b3c4d finance/hybrid_rerank
  harness compare my_set/bm25_only my_set/hybrid_rerank --split dev --metrics page_hit@5 correctness
  harness compare my_set/bm25_only my_set/hybrid_rerank --findings findings
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.commands._arguments import place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "systems",
        nargs="+",
        metavar="SYSTEM",
        help="a system's name, or <set>/<system>[/<split>]; @KEY names an earlier result; or a config",
    )
    parser.add_argument(
        "--baseline", metavar="SYSTEM", help="which of them the others are held against (default: the first)"
    )
    parser.add_argument("--metrics", nargs="+", default=[], metavar="METRIC", help="the columns, in this order")
    parser.add_argument("--split", choices=("dev", "heldout"), help="default: dev where it is there")
    parser.add_argument("--slices", action="store_true", help="show parts of the split too: by document, modality, …")
    parser.add_argument("--force", action="store_true", help="compare what is not comparable; the title says so")
    parser.add_argument(
        "--unseal", action="store_true", help="name held-out questions that flipped; recorded as an opening"
    )
    parser.add_argument("--goldens", type=place, metavar="DIR", help="where the golden set lies now, if it was moved")
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")
    parser.add_argument(
        "--findings", type=place, metavar="DIR", help="write the set's page there: <set>.md with its plots"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else on stdout")


def run(args: argparse.Namespace) -> int:
    from harness.reports import screen, set_findings
    from harness.runs import comparing
    from harness.runs.options import Options

    options = Options(goldens=args.goldens, results=args.results, unseal=args.unseal)
    names = list(dict.fromkeys(args.systems))
    if args.baseline is not None:
        names = list(dict.fromkeys([args.baseline, *names]))
    places = comparing.choose(args.results, names, args.split)
    if args.unseal:
        comparing.unseal(places, options)
    found = comparing.compare(places, options, metrics=args.metrics, force=args.force)
    page = set_findings.publish(args.findings, found) if args.findings else None
    if args.json:
        screen.print_comparison_json(found)
    else:
        screen.show_comparison(found, page, slices=args.slices)
    return 0
