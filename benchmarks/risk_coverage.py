"""Risk and coverage: how often answers are wrong when only the surest share of them is given.

    python benchmarks/risk_coverage.py finance/hybrid_rerank/dev [--results results]

Reads a kept run; runs no system. Orders the answers that a program could decide by the system's own confidence, and
writes findings/risk-coverage-<set>-<system>.jsonl (golden id, confidence, right), a page and, where matplotlib is
there, a plot. Also says how well the confidence is calibrated: its mean against the share that is right, by fifths.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from harness.files.writing import write_text
from harness.runs.results import latest, read_scores


class Row(NamedTuple):
    """A decided answer."""

    golden: str
    confidence: float
    right: float


def rows(results: Path, name: str) -> list[Row]:
    """The answers given and decided, surest first."""
    place = latest(results, name)
    lines = [json.loads(line) for line in (place / "generation.jsonl").read_text(encoding="utf-8").splitlines()]
    sure = {line["golden"]: line["answer"]["confidence"] for line in lines if not line["answer"].get("abstained")}
    judged = {s.golden: s.value for s in read_scores(place) if s.metric == "correctness" and s.value is not None}
    found = [Row(golden, sure[golden], judged[golden]) for golden in sure.keys() & judged.keys()]
    return sorted(found, key=lambda row: (-row.confidence, row.golden))


def curve(found: Sequence[Row]) -> list[tuple[float, float]]:
    """(coverage, risk) after each answer."""
    wrong = 0.0
    points = []
    for number, row in enumerate(found, start=1):
        wrong += 1 - row.right
        points.append((number / len(found), wrong / number))
    return points


def page(name: str, found: Sequence[Row]) -> str:
    points = curve(found)
    table = ["| surest share of the answers | n | wrong |", "|---|---|---|"]
    for share in (0.1, 0.25, 0.5, 0.75, 1.0):
        count = max(1, round(share * len(found)))
        table.append(f"| {share:.0%} | {count} | {points[count - 1][1]:.1%} |")
    calibrated = ["| confidence, by fifths | n | mean | right |", "|---|---|---|---|"]
    for part in fifths(found):
        mean, right = (sum(getattr(row, field) for row in part) / len(part) for field in ("confidence", "right"))
        calibrated.append(
            f"| {part[-1].confidence:.2f} to {part[0].confidence:.2f} | {len(part)} | {mean:.2f} | {right:.2f} |"
        )
    head = f"# Risk and coverage: {name}\n\n{len(found)} answers that a program could decide, refusals aside."
    return "\n".join([head, "", *table, "", *calibrated, ""])


def fifths(found: Sequence[Row]) -> list[Sequence[Row]]:
    cuts = [round(len(found) * part / 5) for part in range(6)]
    return [found[a:b] for a, b in itertools.pairwise(cuts) if b > a]


def plot(path: Path, name: str, found: Sequence[Row]) -> None:
    try:
        import matplotlib
    except ModuleNotFoundError:
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "risk-coverage"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.5))
    axes.plot(*zip(*curve(found), strict=True))
    axes.set(xlabel="share of answers given", ylabel="share of them wrong", title=name, xlim=(0, 1), ylim=(0, 1))
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="set/system/split")
    parser.add_argument("--results", type=Path, default=Path("results"))
    args = parser.parse_args()
    found = rows(args.results, args.name)
    target = Path("findings") / f"risk-coverage-{'-'.join(args.name.split('/')[:2])}.jsonl"
    write_text(target, "".join(json.dumps(row._asdict()) + "\n" for row in found))
    write_text(target.with_suffix(".md"), page(args.name, found))
    plot(target.with_suffix(".svg"), args.name, found)
    print(page(args.name, found))


if __name__ == "__main__":
    main()
