"""Compare a judge with labels that people gave: agreement, kappa, wrong accepts and rejects, the rows that differ.

harness judges --labels labels.jsonl
harness judges --labels labels.jsonl --judge program --json --out verdicts.jsonl

Each line of the file is {"id", "question", "reference", "answer", "label"}; label is correct, incorrect or refusal, and
optional keys are "accept" (other right answers) and "answer_type". A refusal counts as not correct.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.scoring.judges._agreement import Judged


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="JSON lines of labelled answers")
    parser.add_argument("--judge", default="program", metavar="NAME", help="default: program")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write each row's verdict and reason as JSON lines")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else on stdout")


def run(args: argparse.Namespace) -> int:
    import json

    from harness import registry
    from harness.errors import UserError
    from harness.files import output
    from harness.reports.escaping import terminal
    from harness.reports.judging import report
    from harness.scoring.judges._agreement import Judged
    from harness.scoring.judges._human_labels import read_labels
    from harness.scoring.judges._judge import Judge

    if args.out and args.out.resolve() == args.labels.resolve():
        raise UserError(f"--out {args.out} is the file of the labels, which it would replace; name another.")
    judge = registry.load("judge", args.judge, Judge)()
    rows = read_labels(args.labels)
    judged = [
        Judged(row, judge.verdict(row.question, row.reference, row.accept, row.answer, row.answer_type)) for row in rows
    ]
    figures = _figures(judged)
    if args.out:
        _write(args.out, judged)
    if args.json:
        output.document(json.dumps(figures, indent=1))
    else:
        print(terminal("\n".join(report(args.judge, figures, judged))))
    return 0


def _figures(judged: list[Judged]) -> dict[str, object]:
    from harness.scoring.judges._agreement import by_type, refusals, with_intervals
    from harness.scoring.judges.rules.judging import kind_of

    return {
        **with_intervals(judged),
        "refusals": refusals(judged),
        "by_type": by_type(judged, lambda row: row.answer_type or kind_of(row.question, row.reference)),
    }


def _write(path: Path, judged: list[Judged]) -> None:
    from harness.errors import HarnessError, UserError
    from harness.files import jsonl

    rows = [
        {"id": one.row.id, "label": one.row.label, "verdict": one.word, "kind": one.verdict.kind,
         "reason": one.verdict.reason, "detail": one.verdict.detail}
        for one in judged
    ]  # fmt: skip
    try:
        jsonl.write(path, rows)
    except HarnessError:
        raise
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}.") from None
