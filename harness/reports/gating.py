"""A gate check for people, programs, test reports and a job's summary: verdicts and means, never a question.

What rests on fewer than five questions shows no number, since that would tell single answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from harness.files.wording import counted
from harness.reports.escaping import cell, table, terminal
from harness.runs.acceptance import Acceptance
from harness.runs.gate import Check
from harness.scoring import gate
from harness.scoring.gate import Finding
from harness.scoring.sealing import LEAST

_COLUMNS = ("metric", "accepted", "now", "n", "won", "lost", "drop at most", "p", "verdict")


def text(check: Check, *, unsealed: bool = False) -> Iterator[str]:
    """The check as lines: the verdict, a table, and a sentence for what decided; unsealed, the flaky questions by name."""
    old = check.accepted
    yield f"{old.set} / {old.system} / gate: {_said(check.verdict)}"
    yield f"against {old.key}, margin {_points(old.margin)}; {_counts(check)}"
    yield ""
    if check.findings:
        yield from _columns([_COLUMNS, *(_row(*one) for one in check.findings.items())])
        yield ""
    yield from reasons(check)
    for name, ids in check.flaky.items() if unsealed else ():
        yield f"flaky on {name}: {', '.join(sorted(ids))}"


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows with their columns in line, words to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = (0, len(widths) - 1)
    for row in rows:
        cells = [
            f"{one:<{width}}" if at in words else f"{one:>{width}}"
            for at, (one, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(cells)}".rstrip()


def _row(name: str, finding: Finding) -> tuple[str, ...]:
    flips = finding.flips
    if flips.n < LEAST:
        return (name, "-", "-", str(flips.n), "-", "-", "-", "-", finding.verdict)
    means, counts = (f"{flips.accepted:.3f}", f"{flips.now:.3f}"), (str(flips.n), str(flips.wins), str(flips.losses))
    return (name, *means, *counts, f"{max(0.0, -finding.lower):.3f}", f"{finding.p_holm:.3f}", finding.verdict)


def reasons(check: Check) -> list[str]:
    """What decided, in a sentence each."""
    old = check.accepted
    found = [*check.reasons, *(one for name, finding in check.findings.items() if (one := _reason(name, finding)))]
    found += [f"{name}{_shown(check, name)}: below its threshold of {old.thresholds[name]:g}" for name in check.missed]
    if check.must_pass_failed:
        asked = len(old.must_pass)
        found.append(f"{check.must_pass_failed} of {counted(asked, 'must-pass question')} not right")
    for name, ids in check.flaky.items():
        found.append(f"{name}: {counted(len(ids), 'question')} flaky over {check.times} times")
    return found


def _shown(check: Check, name: str) -> str:
    """What a metric with a threshold is now, where that may be shown."""
    return f" {check.thresholds[name]:.3f}" if _open(check, name) else ""


def _open(check: Check, name: str) -> bool:
    return name in check.findings and check.findings[name].flips.n >= LEAST


def _reason(name: str, finding: Finding) -> str:
    flips = finding.flips
    if finding.verdict == "pass":
        return ""
    if flips.n < LEAST:
        return f"{name}: {finding.verdict} on fewer than {LEAST} questions"
    lost = f"{name}: {flips.losses} lost and {flips.wins} won of {flips.n}"
    if finding.verdict == "regression":
        return f"{lost}: a drop of {_points(-flips.difference)}, p = {finding.p_holm:.4f}"
    enough = (
        f"about {counted(finding.needed, 'question')} would decide"
        if finding.needed
        else "no number of questions would decide"
    )
    bound = f"the drop may be {_points(-finding.lower)}, more than the margin of {_points(finding.margin)}"
    return f"{lost}: {bound}; {enough}"


def _said(verdict: str) -> str:
    return verdict.replace("_", " ")


def _counts(check: Check) -> str:
    opening = f"opening {check.opening}" if check.opening is not None else "this config was never opened"
    return f"{opening}, {counted(check.checks, 'gate check')}"


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def accepted(made: Acceptance) -> Iterator[str]:
    """What was accepted, and what its number of questions can decide."""
    old = made.accepted
    yield f"{old.set} / {old.system} / held-out, opening no. {made.opening}: accepted in {made.path}"
    for metric, rows in old.scores.items():
        n = len(rows)
        value = f"{gate.share(rows):.3f}" if n >= LEAST else "-"
        margins = ", ".join(f"{100 * gate.smallest_margin(n, losses):.1f}" for losses in range(3))
        yield f"  {metric}: {value} on {counted(n, 'question')}; with 0, 1, 2 losses they decide a margin of {margins} points"
    needed = ", ".join(str(gate.questions_for(old.margin, losses)) for losses in range(3))
    yield f"  the margin of {_points(old.margin)} takes {needed} questions with 0, 1, 2 losses"


# -- for programs -----------------------------------------------------------------------------------------------------


def as_json(check: Check) -> dict[str, Any]:
    """The check as one JSON object; no golden ids, and no number on fewer than five questions."""
    old = check.accepted
    return {
        "verdict": check.verdict,
        "exit": check.exit,
        "reasons": reasons(check),
        "set": old.set,
        "system": old.system,
        "key": check.key,
        "accepted_key": old.key,
        "n": check.asked,
        "metrics": {name: _numbers(finding) for name, finding in check.findings.items()},
        "thresholds": {
            name: {"least": least, "now": check.thresholds.get(name) if _open(check, name) else None}
            for name, least in old.thresholds.items()
        },
        "must_pass": {"asked": len(old.must_pass), "failed": check.must_pass_failed},
        "flaky": {name: len(ids) for name, ids in check.flaky.items()},
        "opening": check.opening,
        "checks": check.checks,
        "usd": check.usd,
    }


def _numbers(finding: Finding) -> dict[str, Any]:
    flips = finding.flips
    shown: dict[str, Any] = {
        "accepted": flips.accepted,
        "now": flips.now,
        "difference": flips.difference,
        "lower": finding.lower,
        "p_holm": finding.p_holm,
    }
    sealed = flips.n < LEAST
    return {
        "n": flips.n,
        **{name: None if sealed else round(value, 6) for name, value in shown.items()},
        "margin": finding.margin,
        "beyond": flips.difference < -finding.margin,
        "verdict": finding.verdict,
        "needed": None if sealed else finding.needed,
    }


def accepted_json(made: Acceptance) -> dict[str, Any]:
    """What was accepted as one JSON object."""
    old = made.accepted
    return {
        "verdict": "accepted",
        "exit": 0,
        "set": old.set,
        "system": old.system,
        "accepted_key": old.key,
        "path": str(made.path),
        "margin": old.margin,
        "metrics": {name: {"n": len(rows)} for name, rows in old.scores.items()},
        "opening": made.opening,
    }


def document(found: Sequence[dict[str, Any]]) -> str:
    """The JSON document: an object, or a list of them where several systems were gated."""
    return json.dumps(found[0] if len(found) == 1 else found, indent=1)


def junit(checks: Sequence[Check]) -> str:
    """A JUnit report: a case for each metric and threshold, one for the must-pass questions; inconclusive is skipped."""
    root = ElementTree.Element("testsuites", name="harness gate")
    for check in checks:
        cases = list(_cases(check))
        failed, skipped = (sum(kind == wanted for _, kind, _ in cases) for wanted in ("failure", "skipped"))
        name = terminal(f"{check.accepted.set}/{check.accepted.system}")
        suite = ElementTree.SubElement(
            root, "testsuite", name=name, tests=str(len(cases)), failures=str(failed), skipped=str(skipped), errors="0"
        )
        for title, kind, message in cases:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=title)
            if kind:
                ElementTree.SubElement(case, kind, message=terminal(message))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


_KINDS = {"pass": "", "regression": "failure", "inconclusive": "skipped"}


def _cases(check: Check) -> Iterator[tuple[str, str, str]]:
    """Title, kind of outcome and message of each thing that was looked at."""
    if check.verdict == "not_comparable":
        yield "comparable", "skipped", "; ".join(check.reasons)
    for name, finding in check.findings.items():
        yield name, _KINDS[finding.verdict], _reason(name, finding)
    for name in check.thresholds:
        least = check.accepted.thresholds[name]
        yield f"{name} from {least:g}", "failure" if name in check.missed else "", f"{name}{_shown(check, name)}"
    if check.findings and (asked := len(check.accepted.must_pass)):
        failed = check.must_pass_failed
        yield "must pass", "failure" if failed else "", f"{failed} of {counted(asked, 'question')} not right"


def summary(check: Check) -> Iterator[str]:
    """The check as Markdown, for the summary of a job."""
    old = check.accepted
    yield f"### Gate: {cell(old.set)} / {cell(old.system)}: {_said(check.verdict)}"
    yield ""
    if check.findings:
        yield from table(_COLUMNS, [tuple(map(cell, _row(*one))) for one in check.findings.items()])
        yield ""
    yield from (f"- {cell(one)}" for one in reasons(check))
    yield f"- margin {_points(old.margin)}, against {old.key}; {_counts(check)}"
