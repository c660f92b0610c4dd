"""Run systems over a golden set: retrieve, generate, score; prints a table and writes findings.

Dev runs. A locked held-out split opens with --split heldout or all, where harness, set, configs and your own components
are committed; each opening is numbered and recorded in results/<set>/openings.jsonl. What was opened before, by the same
config, prompts and goldens, is printed with dev's table again. What is unchanged since an earlier run is read back, so that
a second run takes seconds and a stopped one goes on where it was.

  harness run configs/hybrid_rerank.yaml
  harness run configs/bm25_only.yaml configs/dense_only.yaml --goldens path/to/my_set
  harness run configs/hybrid_rerank.yaml --set answerer.keep=4 --limit 20
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.commands._arguments import from_one, place, usd
from harness.errors import UserError

if TYPE_CHECKING:
    from harness.reports.progress import Progress
    from harness.runs.jobs import Job
    from harness.runs.options import Options
    from harness.runs.run import Result


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("configs", nargs="+", type=place, metavar="CONFIG", help="a system's YAML file")
    parser.add_argument("--goldens", type=place, metavar="DIR", help="another golden set than the config's")
    parser.add_argument("--split", choices=("dev", "heldout", "all"), help="default: dev, and what was opened before")
    parser.add_argument(
        "--limit", type=from_one, metavar="N", help="only the first N goldens; the result is marked partial"
    )
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="only this golden (may be repeated)")
    parser.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="PATH=VALUE", help="change a setting"
    )
    parser.add_argument("--dirty", action="store_true", help="open held-out on a changed working tree; recorded")
    parser.add_argument("--unseal", action="store_true", help="show held-out rows by question; recorded")
    parser.add_argument(
        "--claim",
        action="append",
        default=[],
        dest="claims",
        metavar="CLAIM",
        help='"A > B on METRIC", written down before held-out is opened and judged after it (may be repeated)',
    )
    parser.add_argument(
        "--time", action="store_true", help="measure latency: one case at a time, warmed, three repeats"
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="try again what failed before: documents, pages, answers"
    )
    parser.add_argument(
        "--retry-bad", action="store_true", help="ask models again whose kept replies were cut, filtered or misshapen"
    )
    parser.add_argument("--offline", action="store_true", help="call no model: answer from kept replies alone")
    parser.add_argument(
        "--max-usd", type=usd, metavar="USD", help="stop before models cost more than this; what was answered is kept"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        dest="allowed_hosts",
        metavar="HOST",
        help="a host, or HOST=VARIABLE, that a config may send a key to beside its provider's own (may be repeated)",
    )
    parser.add_argument(
        "--workers", type=from_one, metavar="N", help="cases at a time (default 4, or as its models allow)"
    )
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")
    parser.add_argument("--findings", type=place, default=Path("findings"), metavar="DIR", help="default: findings")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else on stdout")


def run(args: argparse.Namespace) -> int:
    from harness.commands import _inputs
    from harness.reports import screen
    from harness.reports.escaping import terminal
    from harness.reports.progress import Progress
    from harness.runs import claims
    from harness.runs.jobs import open_jobs
    from harness.runs.results import keep_out_of_git

    options = _options(args)
    for folder in (options.results, options.cache, options.results / "calls", args.findings):
        _inputs.writable(folder)
    progress = Progress()
    jobs = open_jobs(args.configs, options, lambda jobs: _inputs.refuse_places(jobs, options, args.findings))
    _refuse_timing(jobs, options.time)
    for note in dict.fromkeys(job.note for job in jobs if job.note):
        progress.note(note)
    made_before = claims.made_before(jobs, options)
    keep_out_of_git(options.results)
    for note in claims.write(made_before):
        progress.note(note)
    results = _run(jobs, options, progress, args)
    if not args.json:
        screen.show_comparisons(results, options)
    for claim in made_before:
        said = claim.judged(results, options)
        progress.note(said) if args.json else print(terminal(said))
    if args.json:
        screen.print_json(results)
    return 0


def _options(args: argparse.Namespace) -> Options:
    from harness.runs.options import Options

    return Options(
        splits={"all": ("dev", "heldout"), None: None}.get(args.split, (args.split,)),
        goldens=args.goldens,
        settings=tuple(args.settings),
        limit=args.limit,
        only=tuple(dict.fromkeys(args.only)),
        dirty=args.dirty,
        unseal=args.unseal,
        claims=tuple(dict.fromkeys(args.claims)),
        time=args.time,
        retry_failed=args.retry_failed,
        retry_bad=args.retry_bad,
        offline=args.offline,
        max_usd=args.max_usd,
        allowed_hosts=tuple(args.allowed_hosts),
        workers=args.workers,
        results=args.results,
        findings=args.findings,
    )


def _run(jobs: Sequence[Job], options: Options, progress: Progress, args: argparse.Namespace) -> list[Result]:
    """Run the jobs one after the other; each one's tables and page are there when it ends."""
    from harness.reports import findings, screen
    from harness.runs.doors import open_door
    from harness.runs.run import run as run_job

    results: list[Result] = []
    door = open_door([job.system for job in jobs], options)
    try:
        for job in jobs:
            progress.begin(f"{job.system.name}: documents")
            made = run_job(job, options, progress, door)
            results += made
            page = None if not options.is_default else findings.write(args.findings, made, unsealed=args.unseal)
            progress.close()
            if not args.json:
                screen.show(made, page, unsealed=args.unseal)
    finally:
        door.close()
        progress.close()
    return results


def _refuse_timing(jobs: Sequence[Job], wanted: bool) -> None:
    """Replies that are kept come at once: what would be measured is not what a user of the system waits for."""
    for job in jobs:
        if wanted and any(component.models() for component in job.system.components.values()):
            raise UserError(
                f"{job.system.name} asks a model, whose kept replies come at once: --time measures systems that ask none. "
                "The seconds of each call are in results/calls/."
            )
