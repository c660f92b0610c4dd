"""Write results in the form of another tool: an inspect-ai log with samples, model calls, scores and errors.

After `harness export findocrag --to inspect`, `inspect view --log-dir exports` shows it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.commands._arguments import place


def arguments(parser: argparse.ArgumentParser) -> None:
    from harness import registry

    parser.add_argument(
        "results_named", nargs="+", metavar="RESULT", help="a system's name, <set>/<system>, or <set>/<system>/<split>"
    )
    parser.add_argument("--to", required=True, choices=tuple(registry.files("export")), help="the form")
    parser.add_argument("--out", type=place, default=Path("exports"), metavar="DIR", help="default: exports")
    parser.add_argument("--goldens", type=place, metavar="DIR", help="where the golden set lies now, if it was moved")
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")


def run(args: argparse.Namespace) -> int:
    from harness import registry
    from harness.commands import _inputs
    from harness.reports.escaping import terminal
    from harness.runs import addresses
    from harness.runs.options import Options

    _inputs.writable(args.out)
    export = registry.module("export", args.to)
    options = Options(goldens=args.goldens, results=args.results)
    for kept in dict.fromkeys(kept for one in args.results_named for kept in addresses.find(args.results, one)):
        print(terminal(str(export.write(_saved(kept, options), args.out))))
    return 0


def _saved(kept: Path, options: object) -> object:
    """A result, read back. Raises UserError for a sealed one: an export holds every row."""
    from harness.errors import UserError
    from harness.exports._saved import Saved
    from harness.models.calls import Calls
    from harness.runs import results
    from harness.runs.options import Options
    from harness.runs.rescore import reopen
    from harness.scoring.summaries import all_metrics, summarise

    assert isinstance(options, Options)
    name, manifest = "/".join(kept.parts[-4:-1]), results.read_manifest(kept)
    if manifest.split == "heldout":
        raise UserError(
            f"{name} is sealed, and an export holds every question's row; export dev, or name it: {name[:-7]}dev"
        )
    _, loaded = reopen(manifest, options)
    rows = results.read_rows(kept, loaded.goldens)
    summaries = tuple(summarise(all_metrics(), rows.retrieved, rows.scores))
    return Saved(name, manifest, rows, summaries, Calls(options.results / "calls" / "replies"))
