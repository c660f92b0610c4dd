"""The READMEs of the rooms say what the code does: rooms, exit codes, metrics, floors and constants are those of the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from test_rooms import FLOOR

from harness import errors, registry
from harness.bench import Bench
from harness.quantities.comparing import TOLERANCE
from harness.quantities.pages import DIGITS
from harness.records import Answer, Case, Found, Golden
from harness.scoring import floors, intervals, paired, per_document
from harness.scoring.metric import Metric
from harness.scoring.metrics import figure_on_cited_page
from harness.scoring.summaries import STAGES, all_metrics

HARNESS, SCORING = ROOT / "harness" / "README.md", ROOT / "harness" / "scoring" / "README.md"
PAGES = [HARNESS, SCORING]
Cells = dict[str, str]


def section(page: Path, title: str) -> str:
    """What stands below a heading, up to the next one."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page.read_text(encoding="utf-8"), re.M | re.S)
    assert found, f"{page} has no section {title!r}"
    return found[1]


def table(page: Path, title: str) -> Iterator[Cells]:
    """The rows of the section's tables, by the names of the first one's columns."""
    lines = [line for line in section(page, title).splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    yield from (dict(zip(head, row, strict=True)) for row in rows)


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (page.parent / link).exists(), link
    for path in re.findall(r"`((?:tests|harness|judges|metrics)/[\w./]*|\w+\.py)`", text):
        assert (ROOT / path).exists() or (page.parent / path).exists(), path
    for command in re.findall(r"`harness ([a-z]+)", text):
        assert command in registry.files("command"), command


# -- harness/README.md ------------------------------------------------------------------------------------------------


def test_every_room_is_on_its_floor() -> None:
    rows = [(int(row["floor"]), *named(row["room"])) for row in table(HARNESS, "Rooms, and the one way of imports")]
    there = {path.parent.name for path in (ROOT / "harness").glob("*/*.py")}
    assert sorted(room for _, room in rows) == sorted(there)
    for floor, room in rows:
        for other_floor, other in rows:
            assert (floor < other_floor) == (FLOOR[room] < FLOOR[other]), (room, other)


def test_exit_codes() -> None:
    rows = {int(row["code"]): row["from"] for row in table(HARNESS, "Exit codes")}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.HarnessError)]
    for kind in kinds:
        assert kind is errors.HarnessError or f"`{kind.__name__}`" in rows[kind.exit_code]
    assert {0, 70, 130, *(kind.exit_code for kind in kinds)} <= rows.keys()


def test_codes_that_nothing_gives_are_said_to_be_free() -> None:
    """Whoever raises the first of them mends the table."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "harness").rglob("*.py"))
    free = {int(row["code"]) for row in table(HARNESS, "Exit codes") if "today" in row["from"]}
    assert (3 in free) == ("raise NotComparableError" not in code)
    assert (1 in free) == ("gate" not in registry.files("command"))


# -- harness/scoring/README.md ----------------------------------------------------------------------------------------


def rows_of_metrics() -> dict[str, tuple[str, Cells]]:
    """Stage and row of each metric, by its name."""
    rows = [(stage, row) for stage in STAGES for row in table(SCORING, stage.capitalize())]
    names = [name for _, row in rows for name in named(row["metric"])]
    assert len(names) == len(rows) == len(set(names)), "one row a metric"
    return dict(zip(names, rows, strict=True))


def test_the_tables_hold_every_metric_and_no_other() -> None:
    assert sorted(rows_of_metrics()) == sorted(registry.files("metric"))


@pytest.mark.parametrize("name", registry.files("metric"))
def test_a_metrics_row_is_what_its_class_says(name: str) -> None:
    stage, row = rows_of_metrics()[name]
    found = registry.load("metric", name, Metric)
    assert issubclass(found, Metric)
    assert stage == found.stage
    assert row["unit"] == found.unit
    assert row["k"] == (", ".join(map(str, found.at)) or "–")
    assert row["interval"] == interval_of(found())
    assert row["0 says"]
    assert row["value for one question"]


def interval_of(metric: Metric) -> str:
    """Which interval a mean of this metric has: it declares 0/1 values, or gives its scores strata."""
    case = Case(golden=Golden(id="g", question="q", answer="a"), answer=Answer(text="a"))
    if intervals.STRATUM in metric.rate(case, Bench()).detail:
        return "MOVER"
    return "Wilson" if metric.share else "Hall"


def test_which_side_is_better() -> None:
    (said,) = re.findall(r"^Lower is better for (.*?); (.*?) has no", section(SCORING, "Generate"), re.M | re.S)
    lower, neither = (set(named(part)) for part in said)
    metrics = {metric.name(): metric.higher_is_better for metric in all_metrics()}
    assert lower == {name for name, higher in metrics.items() if higher is False}
    assert neither == {name for name, higher in metrics.items() if higher is None}


def test_no_cut_off_is_named_that_no_metric_has() -> None:
    labels = {metric.label for metric in all_metrics()}
    text = SCORING.read_text(encoding="utf-8")
    assert set(re.findall(r"`(\w+@\d+)`", text)) <= labels


def test_floors_are_those_that_are_worked_out() -> None:
    said = {row["floor"]: set(named(row["metrics"])) for row in table(SCORING, "Floors")}
    pages = ["d:p1", "d:p2", "d:p3"]
    goldens = [Golden(id=p, question="q", answer="a", evidence=[[p]], modality=["text"]) for p in pages]
    hits = [Found(chunk=page, ref=page, score=1.0) for page in pages]
    blind = floors.blind([Case(golden=golden, candidates=hits) for golden in goldens])
    given = {metric.label: metric.floors(blind) for metric in all_metrics()}
    found: dict[str, set[str]] = {}
    for label, values in given.items():
        for name in values:
            found.setdefault(name, set()).add(label.partition("@")[0])
    habits = said.pop("always answer, always abstain")
    assert {**said, "always answer": habits, "always abstain": habits} == found


def test_constants() -> None:
    for title, words in {
        "Floors": [f"goldens, {floors.SHUFFLES} times", f"the {floors.FREQUENT} pages"],
        "Generate": [f"up to {figure_on_cited_page.OTHERS} other pages", {3: "three"}[DIGITS] + " significant digits"],
        "Score": [f"within {TOLERANCE:.1%} of it"],
        "Over a set": [
            f"Fewer than {({4: 'four'})[intervals.FEWEST]} values",
            f"From {per_document.MIN_DOCUMENTS} documents on",
            f'"{per_document.TOO_FEW}"',
            f"{paired._EXACT} non-zero differences",
        ],
    }.items():
        text = " ".join(section(SCORING, title).split())
        assert [word for word in words if word not in text] == [], title
