"""Score the saved answers of earlier runs again, with the metrics as they are now; no system is called.

harness score hybrid_rerank
harness score finance/hybrid_rerank/dev
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.commands._arguments import place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "system", metavar="SYSTEM", help="a system's name, or <set>/<system>[/<split>]; @KEY names an earlier result"
    )
    parser.add_argument("--goldens", type=place, metavar="DIR", help="where the golden set lies now, if it was moved")
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")
    parser.add_argument("--findings", type=place, default=Path("findings"), metavar="DIR", help="default: findings")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else on stdout")


def run(args: argparse.Namespace) -> int:
    from harness.commands import _inputs
    from harness.reports import findings, screen
    from harness.runs import addresses, results
    from harness.runs.options import Options
    from harness.runs.rescore import rescore

    for folder in (args.results, args.findings):
        _inputs.writable(folder)
    options = Options(goldens=args.goldens, results=args.results)
    rescored = [rescore(place, options) for place in addresses.find(args.results, args.system)]
    for result in rescored:
        whole = result.is_default and results.is_latest(result.folder)
        page = findings.write(args.findings, [result], unsealed=False) if whole else None
        if not args.json:
            screen.show([result], page)
    if args.json:
        screen.print_json(rescored)
    return 0
