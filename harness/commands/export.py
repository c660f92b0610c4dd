"""Write kept results for others: a spreadsheet's rows, a test report, a table for a paper, a bundle that can be checked.

csv has one row a golden and metric, junit one case a golden and yes/no metric, latex one table a set and split. A bundle holds
results with configs, versions and hashes, and `harness check BUNDLE` computes every score of it again; goldens are in it where
their set may be passed on, or with --with goldens, and replies that were paid for with --with calls. Its documents never are.

  harness export finance/hybrid_rerank northfield/hybrid_rerank --to latex --out paper
  harness export northfield/hybrid_rerank/dev --to bundle --out bundle
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness import registry
from harness.commands._arguments import place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results_named", nargs="+", metavar="RESULT", help="a system, <set>/<system>, or <set>/<system>/<split>"
    )
    parser.add_argument("--to", required=True, choices=tuple(registry.files("export")), help="what to write")
    parser.add_argument("--out", required=True, type=place, metavar="DIR", help="the folder to write into")
    parser.add_argument(
        "--with", action="append", default=[], choices=("goldens", "calls"), dest="extras", help="for a bundle"
    )
    parser.add_argument("--unseal", action="store_true", help="show single held-out questions; recorded")
    parser.add_argument("--goldens", type=place, metavar="DIR", help="where the golden set lies now, if it was moved")
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")
    parser.add_argument("--findings", type=place, default=Path("findings"), metavar="DIR", help="default: findings")


def run(args: argparse.Namespace) -> int:
    from harness.commands import _inputs
    from harness.errors import UserError
    from harness.reports.escaping import terminal
    from harness.runs.kept import open_kept
    from harness.runs.options import Options

    if args.extras and args.to != "bundle":
        raise UserError(f"--with {args.extras[0]} is for a bundle; leave it out, or write --to bundle.")
    _inputs.writable(args.out)
    options = Options(goldens=args.goldens, unseal=args.unseal, results=args.results, findings=args.findings)
    kept = open_kept(args.results_named, options)
    written = registry.module("export", args.to).export(kept, args.out, options, args.extras)
    for path in written:
        print(terminal(str(path)))
    for name in dict.fromkeys(one.manifest.set for one in kept if not one.corpus.redistributable):
        print(terminal(f"the set {name} may not be passed on: what quotes it, answers and reasons among it, neither."))
    return 0
