"""Pages about a set: made from the numbers alone, the same bytes again, and checked against data and rows."""

from __future__ import annotations

from pathlib import Path

from conftest import Cli

from harness.reports import set_findings
from harness.reports.set_findings import Asked, Finding, Told
from harness.scoring.compare import Arena, Contestant
from harness.scoring.metric import Metric
from harness.scoring.scores import Score
from harness.scoring.summaries import all_metrics

METRICS: dict[str, Metric] = {metric.label: metric for metric in all_metrics()}
SHOWN = ("page_hit@1", "page_hit@3", "page_hit@5", "page_hit@10", "correctness")


def scores(label: str, right: int) -> list[Score]:
    return [Score(metric=label, golden=f"g{at}", value=float(at < right)) for at in range(40)]


def told_of(one: Contestant, right: int) -> Told:
    summaries = tuple(METRICS[label].summary(list(one.by_metric[label].values())) for label in SHOWN)
    return Told(name=one.name, rows="0" * 64, summaries=summaries, lost={"answer": {"rank": 40 - right, "none": right}})


def finding(**right: int) -> Finding:
    """A finding on 40 questions; of each system the first so many are right, in every metric."""
    systems = [
        Contestant(name, [score for label in SHOWN for score in scores(label, count)]) for name, count in right.items()
    ]
    arena = Arena(systems, [METRICS[label] for label in SHOWN])
    told = [told_of(one, right[one.name]) for one in systems]
    asked = Asked(set="tiny", split="dev", config={"scope": "golden"}, goldens={"asked": 40, "of": 40},
                  stamp={"documents": 2, "pages": 7})  # fmt: skip
    groups = {label: arena.tie_groups(METRICS[label]) for label in SHOWN}
    return Finding(
        asked=asked, metrics=SHOWN, systems=tuple(told), pairs=tuple(arena.pairs(systems[0])), tie_groups=groups
    )


def test_opposite_results_get_opposite_verdicts() -> None:
    first, second = (
        " ".join(set_findings.verdict(finding(**right))) for right in ({"a": 35, "b": 12}, {"a": 12, "b": 35})
    )
    assert "`a` has 0.875" in first
    assert "`b` has 0.875" in second
    assert "each other system is told apart and behind" in first


def test_what_cannot_be_told_is_not_called_a_lead() -> None:
    said = " ".join(set_findings.verdict(finding(a=30, b=29)))
    assert "`b` cannot be told from it" in said
    assert "told apart" not in said
    page = set_findings.render(finding(a=30, b=29))
    assert "## What would change the conclusion" in page
    assert "| `b` | `page_hit@5` | 40 |" in page


def test_a_second_rendering_is_the_same_to_the_byte() -> None:
    one = finding(a=30, b=20, c=29)
    assert set_findings.files(one) == set_findings.files(Finding.model_validate_json(one.model_dump_json()))
    assert set(set_findings.files(one)) == {"tiny.md", "tiny-hits.svg", "tiny-pairs.svg"}
    assert b"date" not in set_findings.files(one)["tiny-hits.svg"]


def test_a_page_is_written_checked_and_found_out_when_it_was_changed(project: Path, cli: Cli) -> None:
    (project / "other.yaml").write_text("extends: plain.yaml\nanswerer: {use: always_abstain}\n")
    cli("run", "plain.yaml", "other.yaml", "--split", "dev")
    assert not (project / "findings" / "tiny.md").exists(), "a run writes the pages of its systems only"
    cli("compare", "plain", "other", "--findings", "findings")
    page, data = project / "findings" / "tiny.md", project / "findings" / f"tiny{set_findings.SUFFIX}"
    text = page.read_text()
    assert "(tiny.md)" in (project / "findings" / "README.md").read_text()
    for part in (str(project), "t:1", "Lindqvist"):
        assert part not in text + data.read_text()
    assert "tiny/plain/dev: agrees with" in cli("check", "--goldens", "tiny").stdout
    page.write_text(text.replace("1.000", "0.999", 1))
    assert "tiny.md: not what its data gives" in cli("check", "--goldens", "tiny", code=2).stdout
    page.write_text(text)
    data.write_text(data.read_text().replace('"mean": 1.0', '"mean": 0.9'))
    for name, content in set_findings.files(set_findings.read(data)).items():
        (data.parent / name).write_bytes(content)
    assert "does not agree with" in cli("check", "--goldens", "tiny", code=2).stdout
    cli("run", "plain.yaml", "--split", "dev", "--set", "answerer.keep=9")
    refused = cli("compare", "plain", "plain+answerer.keep=9", "--findings", "findings", code=2).stderr
    assert "findings are of whole dev results" in refused
