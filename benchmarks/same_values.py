"""Whether two folders of findings hold the same values: every mean, interval, count, floor and question.

    python benchmarks/same_values.py BEFORE AFTER

For a change that must change no figure. Reads `*.data.jsonl` of any version of the format: what cites rows, keys and commits
is left out, and questions that are undecided count with those that a metric does not apply to, where they once stood.
Exit code 1 where a value differs or a file of BEFORE is missing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Values = dict[tuple[str, ...], dict[str, Any]]
SUMMARY = ("mean", "low", "high", "scored", "failed", "floors", "by_document", "document_mean")
QUESTION = ("rank", "values", "document", "expect")


def values(path: Path) -> Values:
    """The values of a data file by what they are of."""
    found: Values = {}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if row["kind"] == "summary":
            without = row.get("not_applicable", 0) + row.get("undecided", 0)
            found["summary", row["split"], row["metric"]] = {**_of(row, SUMMARY), "without": without}
        elif row["kind"] == "question":
            found["question", row["split"], row["id"]] = _of(row, QUESTION)
    return found


def _of(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row.get(name) for name in names}


def main(before: Path, after: Path) -> int:
    """Print a line for each file of `before`; 1 where one of them differs or is missing."""
    faults = 0
    for path in sorted(before.glob("*.data.jsonl")):
        other = after / path.name
        if not other.exists():
            print(f"{path.name}: missing")
            faults += 1
            continue
        first, second = values(path), values(other)
        differ = [key for key in sorted(first.keys() | second.keys()) if first.get(key) != second.get(key)]
        print(f"{path.name}: {len(first)} compared, {len(differ)} differ{': ' if differ else ''}{differ[:3] or ''}")
        faults += bool(differ)
    return int(faults > 0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} BEFORE AFTER")
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
