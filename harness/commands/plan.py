"""What a run would take and cost, before anything is paid: calls, tokens, seconds and USD by stage, as ranges.

Reads documents, where no model is asked for that, and asks nobody. What is kept from earlier runs is not to be done again.

harness plan configs/hybrid_rerank.yaml
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.commands._arguments import from_one, place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("configs", nargs="+", type=place, metavar="CONFIG", help="a system's YAML file")
    parser.add_argument("--goldens", type=place, metavar="DIR", help="another golden set than the config's")
    parser.add_argument("--limit", type=from_one, metavar="N", help="only the first N goldens")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="only this golden (may be repeated)")
    parser.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="PATH=VALUE", help="change a setting"
    )
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else on stdout")


def run(args: argparse.Namespace) -> int:
    import json

    from harness.commands import _inputs
    from harness.files import output
    from harness.reports import planning
    from harness.reports.escaping import terminal
    from harness.reports.progress import Progress
    from harness.runs.doors import open_door
    from harness.runs.jobs import open_jobs
    from harness.runs.options import Options
    from harness.runs.plan import plan
    from harness.runs.results import keep_out_of_git
    from harness.runs.session import Session

    only = tuple(dict.fromkeys(args.only))
    options = Options(("dev",), args.goldens, tuple(args.settings), args.limit, only, results=args.results)
    _inputs.writable(options.results)
    jobs = open_jobs(args.configs, options)
    keep_out_of_git(options.results)
    progress, door = Progress(), open_door([job.system for job in jobs], options)
    try:
        plans = {job.system.name: plan(job, Session(job, options, progress, door)) for job in jobs}
    finally:
        progress.close()
    if args.json:
        output.document(json.dumps(planning.as_json(plans), indent=1))
    else:
        print("\n".join(map(terminal, planning.lines(plans))))
    return 0
