"""Check that goldens, locks, openings, configs and findings are sound: what they say is what they are.

Golden sets: files, sha256, page counts, goldens, locks. Openings: no line is missing that another record, git, a result or a
finding tells of. Configs: every key and component. Findings: each page, a set's plots too, is rendered
again from its data file and compared, each mean is computed again from its rows, and compared with results/ where they are
there (else "not verified here"). A bundle that is named (`harness export --to bundle`) is checked alone: its files, its pages,
and every score, computed again from its rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.commands._arguments import place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundles", nargs="*", type=place, metavar="BUNDLE", help="a bundle of exported results")
    parser.add_argument(
        "--goldens", action="append", type=place, metavar="DIR", help="a golden set (default: each of goldens/)"
    )
    parser.add_argument("--configs", type=place, metavar="DIR", help="default: configs")
    parser.add_argument("--results", type=place, metavar="DIR", help="default: results")
    parser.add_argument("--findings", type=place, metavar="DIR", help="default: findings")


def run(args: argparse.Namespace) -> int:
    from harness.commands import _bundles, _checks, _inputs
    from harness.errors import UserError
    from harness.files.wording import counted
    from harness.reports.escaping import terminal

    for named in (args.configs, args.results, args.findings):
        if named is not None:
            _inputs.existing(named)
    configs, results, findings = (getattr(args, name) or Path(name) for name in ("configs", "results", "findings"))
    sets = args.goldens or sorted(path.parent for path in Path("goldens").glob("*/corpus.yaml"))
    lines = [line for folder in args.bundles for line in _bundles.bundle(folder, args.goldens or [])]
    if not args.bundles:
        lines = [
            *_checks.goldens_of(sets, results / "cache"),
            *_checks.openings_of(sets, results, findings),
            *_checks.configs_in(configs),
            *_checks.findings_in(findings, results),
            *_checks.sets_in(findings, results),
        ]
    for line in lines:
        print(terminal(f"{line.mark:<5} {line.text}"))
    faults = [line for line in lines if not line.sound]
    if faults:
        raise UserError(f"{len(faults)} of {counted(len(lines), 'check')} failed")
    return 0
