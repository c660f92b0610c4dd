"""Hold systems to what was accepted of them: held-out scores of the tree as it is, against a baseline in git.

--accept opens held-out on a clean tree and writes goldens/<set>/accepted/<system>.json: the scores by question under salted
hashes, the margin, and what is fixed with it (--metric, --threshold, --must-pass). Without it, each config is checked against
its file: exit 1 for a significant drop (one-sided exact McNemar at .05, Holm over the metrics), a threshold that is missed or
a must-pass question that fails; 0 where nothing flipped or the 95% bound of the drop lies within the margin; 3 where that
cannot be told, with about how many questions would, or where goldens, documents, scope, metrics or judges are others. What is
unchanged is read back, so that only a changed system is asked. A check shows no question and is counted apart from openings.

  harness gate configs/hybrid_rerank.yaml --accept --must-pass nf-014
  harness gate configs/hybrid_rerank.yaml --junit results/gate.xml
  harness gate configs/hybrid_rerank.yaml --saved bundle      # documents are not here: saved answers are scored
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.commands._arguments import from_one, place, share

if TYPE_CHECKING:
    from harness.reports.progress import Progress
    from harness.runs.acceptance import Terms
    from harness.runs.gate import Check
    from harness.runs.jobs import Job
    from harness.runs.options import Options


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("configs", nargs="+", type=place, metavar="CONFIG", help="a system's YAML file")
    parser.add_argument("--goldens", type=place, metavar="DIR", help="another golden set than the config's")
    parser.add_argument("--accept", action="store_true", help="open held-out and write the baseline")
    fixed = parser.add_argument_group("fixed with --accept; what is not given stays as it was accepted before")
    fixed.add_argument("--metric", action="append", metavar="NAME", help="a gated metric (may be repeated)")
    fixed.add_argument("--margin", type=share, metavar="SHARE", help="the drop that is not minded (default 0.05)")
    fixed.add_argument(
        "--threshold", action="append", metavar="NAME=SHARE", help="what a metric may not fall below (may be repeated)"
    )
    fixed.add_argument(
        "--must-pass", action="append", metavar="ID", help="a question that has to be right (may be repeated)"
    )
    parser.add_argument(
        "--repeat", type=from_one, default=1, metavar="N", help="ask N times: a question counts by its majority"
    )
    parser.add_argument("--saved", type=place, metavar="DIR", help="score the answers saved in a bundle, ask nothing")
    parser.add_argument("--dirty", action="store_true", help="check a changed working tree; recorded")
    parser.add_argument("--unseal", action="store_true", help="name flaky questions; recorded")
    parser.add_argument("--workers", type=from_one, default=4, metavar="N", help="cases at a time (default 4)")
    parser.add_argument("--results", type=place, default=Path("results"), metavar="DIR", help="default: results")
    parser.add_argument("--junit", type=place, metavar="FILE", help="write a JUnit report too")
    parser.add_argument(
        "--summary", type=place, metavar="FILE", help="add Markdown to this file (default: $GITHUB_STEP_SUMMARY)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else on stdout")


def run(args: argparse.Namespace) -> int:
    from harness.commands import _inputs
    from harness.reports.progress import Progress
    from harness.runs import acceptance
    from harness.runs.jobs import open_jobs
    from harness.runs.options import Options
    from harness.runs.results import keep_out_of_git

    terms = _terms(args)
    options = Options(
        splits=("heldout",),
        goldens=args.goldens,
        dirty=args.dirty,
        unseal=args.unseal,
        workers=args.workers,
        results=args.results,
        saved=args.saved,
    )
    for folder in (options.results, options.cache, options.results / "calls"):
        _inputs.writable(folder)
    progress = Progress()
    jobs = open_jobs(args.configs, options, acceptance.refuse if args.accept else acceptance.refuse_unaccepted)
    keep_out_of_git(options.results)
    try:
        if args.accept:
            return _accept(jobs, options, terms, args, progress)
        return _check(jobs, options, args, progress)
    finally:
        progress.close()


def _terms(args: argparse.Namespace) -> Terms:
    """What is fixed with --accept. Raises UserError for terms without it, and for what accepting cannot do."""
    from harness.errors import UserError
    from harness.runs.acceptance import Terms

    given = {
        f"--{name.replace('_', '-')}": getattr(args, name) for name in ("metric", "margin", "threshold", "must_pass")
    }
    if not args.accept and (named := [option for option, value in given.items() if value is not None]):
        raise UserError(f"{named[0]} is fixed when a system is accepted: add --accept, or leave it out.")
    if args.accept and (args.dirty or args.saved):
        raise UserError(f"--accept opens held-out on a clean tree; leave out {'--dirty' if args.dirty else '--saved'}.")
    return Terms(
        tuple(dict.fromkeys(args.metric)) if args.metric else None,
        args.margin,
        dict(map(_threshold, args.threshold)) if args.threshold else None,
        tuple(dict.fromkeys(args.must_pass)) if args.must_pass else None,
    )


def _threshold(text: str) -> tuple[str, float]:
    from harness.errors import UserError

    name, _, least = text.partition("=")
    try:
        return name, share(least)
    except argparse.ArgumentTypeError as error:
        raise UserError(f"--threshold {text}: {error}; write page_hit@5=0.7.") from None


def _accept(jobs: Sequence[Job], options: Options, terms: Terms, args: argparse.Namespace, progress: Progress) -> int:
    from harness.files import output
    from harness.reports import gating
    from harness.reports.escaping import terminal
    from harness.runs.acceptance import accept

    made = [accept(job, options, terms, args.repeat, progress) for job in jobs]
    progress.close()
    if args.json:
        output.document(gating.document([gating.accepted_json(one) for one in made]))
    else:
        for one in made:
            print("\n".join(map(terminal, gating.accepted(one))))
    return 0


def _check(jobs: Sequence[Job], options: Options, args: argparse.Namespace, progress: Progress) -> int:
    from harness.files import output
    from harness.files.writing import write_text
    from harness.reports import gating
    from harness.reports.escaping import terminal
    from harness.runs.gate import check, worst

    checks = [check(job, options, args.repeat, progress) for job in jobs]
    progress.close()
    if args.junit:
        write_text(args.junit, gating.junit(checks))
    _add_summary(args.summary, checks)
    if args.json:
        output.document(gating.document([gating.as_json(one) for one in checks]))
    else:
        for one in checks:
            print("\n".join(map(terminal, gating.text(one, unsealed=args.unseal))))
    return worst(checks)


def _add_summary(named: Path | None, checks: Sequence[Check]) -> None:
    """Add Markdown to the file that is named, or to that of the job that this runs in."""
    from harness.files.writing import writing
    from harness.reports import gating

    path = named or (Path(os.environ["GITHUB_STEP_SUMMARY"]) if os.environ.get("GITHUB_STEP_SUMMARY") else None)
    if path is None:
        return
    with writing(path), path.open("a", encoding="utf-8") as file:
        for one in checks:
            file.write("\n".join(gating.summary(one)) + "\n\n")
