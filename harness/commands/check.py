"""Check that goldens, locks, configs and findings are sound: what they say is what they are.

Golden sets: files, sha256, page counts, goldens, locks. Configs: every key and component. Findings: each page is rendered
again from its data file and compared, each mean is computed again from its rows, and compared with results/ where they are
there (else "not verified here").
"""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--goldens", action="append", type=Path, metavar="DIR", help="a golden set (default: each of goldens/)")
    parser.add_argument("--configs", type=Path, default=Path("configs"), metavar="DIR", help="default: configs")
    parser.add_argument("--results", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    parser.add_argument("--findings", type=Path, default=Path("findings"), metavar="DIR", help="default: findings")


def run(args: argparse.Namespace) -> int:
    from harness import check
    from harness.errors import UserError
    from harness.markdown import terminal

    sets = args.goldens or sorted(path.parent for path in Path("goldens").glob("*/corpus.yaml"))
    lines = [
        *check.goldens_of(sets, args.results / "cache"),
        *check.configs_in(args.configs),
        *check.findings_in(args.findings, args.results),
    ]
    for line in lines:
        print(terminal(f"{line.mark:<5} {line.text}"))
    faults = [line for line in lines if not line.sound]
    if faults:
        raise UserError(f"{len(faults)} of {len(lines)} checks failed")
    return 0
