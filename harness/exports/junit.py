"""A test report: one case a golden and yes/no metric, as build servers read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from harness.files.writing import write_text
from harness.reports.escaping import terminal
from harness.runs.kept import Kept, refuse_sealed
from harness.runs.options import Options
from harness.scoring.scores import Score
from harness.scoring.summaries import all_metrics

KINDS = {"undecided": "skipped", "failed": "error"}
"""What no value is: undecided is skipped, and what the instrument could not score is an error; 0 is a failure."""


def export(kept: Sequence[Kept], out: Path, options: Options, extras: Sequence[str]) -> list[Path]:
    """One file a result: a suite a metric. What a metric does not apply to is no case."""
    refuse_sealed(kept, options)
    return [_write(one, out / f"{one.file_name}.xml") for one in kept]


def _write(one: Kept, path: Path) -> Path:
    root = Element("testsuites", name=terminal(one.name))
    for metric in (metric.label for metric in all_metrics() if metric.binary):
        scores = [score for score in one.rows.scores if score.metric == metric and score.status != "not_applicable"]
        if scores:
            root.append(_suite(f"{one.name}/{metric}", scores))
    ElementTree.indent(root)
    write_text(path, f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n')
    return path


def _suite(name: str, scores: Sequence[Score]) -> Element:
    kinds = [_kind(score) for score in scores]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    numbers = {word: str(kinds.count(kind)) for word, kind in counts.items()}
    suite = Element("testsuite", {"name": terminal(name), "tests": str(len(scores)), **numbers})
    suite.extend(_cases(name, scores))
    return suite


def _cases(name: str, scores: Sequence[Score]) -> Iterator[Element]:
    for score in scores:
        case = Element("testcase", classname=terminal(name), name=terminal(score.golden))
        if kind := _kind(score):
            ElementTree.SubElement(case, kind, message=terminal(score.reason))
        yield case


def _kind(score: Score) -> str:
    """The element that says what is amiss; empty where nothing is."""
    return KINDS.get(score.status, "" if score.value else "failure")
