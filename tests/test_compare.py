"""Systems side by side: what may be, what is said of a pair, ties, variants, addresses, the JSON document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

from harness.reports.comparison import sentence
from harness.runs import differences
from harness.runs.results import Manifest
from harness.runs.variants import base_name, variant_name
from harness.scoring.compare import Arena, Contestant, Pair
from harness.scoring.metric import Metric
from harness.scoring.scores import Score
from harness.scoring.summaries import all_metrics

METRICS: dict[str, Metric] = {metric.label: metric for metric in all_metrics()}


def contestant(name: str, values: str, metric: str = "page_hit@5") -> Contestant:
    """A system with a value a question: 1, 0, or ? for undecided."""
    scores = [
        Score(metric=metric, golden=f"g{at}", status="undecided") if one == "?"
        else Score(metric=metric, golden=f"g{at}", value=float(one))
        for at, one in enumerate(values)
    ]  # fmt: skip
    return Contestant(name, scores)


def pair_of(a: str, b: str, metric: str = "page_hit@5") -> Pair:
    first, second = contestant("a", a, metric), contestant("b", b, metric)
    (pair,) = Arena([first, second], [METRICS[metric]]).pairs(first)
    return pair


def said(a: str, b: str, metric: str = "page_hit@5") -> str:
    return sentence(pair_of(a, b, metric), METRICS[metric])


# -- pairs ------------------------------------------------------------------------------------------------------------


def test_a_difference_is_b_minus_a_and_wins_are_bs() -> None:
    pair = pair_of("1" * 30 + "0" * 10, "1" * 30 + "1" * 8 + "00")
    assert (pair.difference, pair.wins, pair.losses, pair.n) == (pytest.approx(0.2), 8, 0, 40)
    assert pair.p == pytest.approx(2 / 2**8)
    assert pair.low is not None
    assert pair.low > 0
    assert pair.is_significant
    assert [flip.golden for flip in pair.flips or ()] == [f"g{at}" for at in range(30, 38)]


def test_what_can_be_told_is_said_and_what_cannot_names_the_questions_that_would_tell() -> None:
    assert said("0" * 12 + "1" * 8, "1" * 20).startswith("better: +60.0 points [")
    assert said("1" * 20, "0" * 12 + "1" * 8).startswith("worse: -60.0 points [")
    text = said("0" * 4 + "1" * 36, "1" * 3 + "0" + "1" * 34 + "00")
    assert text.startswith("cannot tell: +2.5 points [")
    assert "3 won, 2 lost, p=1.000; about " in text
    assert text.endswith("questions would be needed")


def test_a_set_that_could_have_shown_nothing_is_blind() -> None:
    assert "5 questions are blind to any difference" in said("00000", "11111")
    assert "blind" not in said("000000", "111111")


def test_undecided_counts_against_the_system_in_the_bound() -> None:
    pair = pair_of("0000000000", "11111111?0", "correctness")
    assert (pair.n, pair.worst, pair.best) == (9, pytest.approx(0.8), pytest.approx(0.9))
    assert "+80.0 to +90.0 by how what is undecided is judged" in said("0000000000", "11111111?0", "correctness")


def test_the_same_undecided_answer_is_judged_the_same() -> None:
    first, second = contestant("a", "01?", "correctness"), contestant("b", "11?", "correctness")
    alike = [Contestant(one.name, one.scores, answers={"g2": ("so", False)}) for one in (first, second)]
    assert Arena(alike, []).pair(*alike, METRICS["correctness"]).worst == pytest.approx(1 / 3)
    assert Arena([first, second], []).pair(first, second, METRICS["correctness"]).worst == pytest.approx(0.0)


@pytest.mark.parametrize("metric", ["gold_page_cited", "accuracy_when_answered", "abstention", "searches"])
def test_conditional_metrics_and_means_of_means_are_not_tested(metric: str) -> None:
    first, second = contestant("a", "0" * 20, metric), contestant("b", "1" * 20, metric)
    arena = Arena([first, second], [METRICS[metric]])
    assert (arena.pairs(first), arena.tie_groups(METRICS[metric])) == ([], [])


def test_p_is_adjusted_over_the_pairs_of_a_metric() -> None:
    base, *others = (
        contestant(name, ones) for name, ones in (("a", "0" * 12), ("b", "1" * 7 + "0" * 5), ("c", "0" * 12))
    )
    pairs = {pair.b: pair for pair in Arena([base, *others], [METRICS["page_hit@5"]]).pairs(base)}
    assert pairs["b"].p_holm == pytest.approx(2 * (pairs["b"].p or 0))
    assert pairs["c"].p_holm == 1.0


def test_from_fifteen_documents_on_whole_documents_are_drawn() -> None:
    first, second = contestant("a", "0" * 30), contestant("b", "1" * 10 + "0" * 20)
    one_each = {f"g{at}": (f"d{at}",) for at in range(30)}
    few = {f"g{at}": (f"d{at % 14}",) for at in range(30)}
    lumped = {f"g{at}": ("all" if at < 10 else f"d{at % 15}",) for at in range(30)}
    by_docs = [Arena([], [], docs).pair(first, second, METRICS["page_hit@5"]) for docs in (one_each, few, lumped)]
    assert [pair.test for pair in by_docs] == [
        "sign-flip by 30 documents", "exact McNemar", "sign-flip by 16 documents"]  # fmt: skip
    assert by_docs[0].p == pytest.approx(2 / 2**10)
    assert by_docs[2].p == 1.0, "ten wins on one document are one win"


# -- tie groups -------------------------------------------------------------------------------------------------------


def test_systems_that_cannot_be_told_from_the_best_are_one_group() -> None:
    systems = [
        contestant("low", "0" * 40),
        contestant("best", "1" * 30 + "0" * 10),
        contestant("near", "1" * 29 + "0" * 11),
    ]
    assert Arena(systems, []).tie_groups(METRICS["page_hit@5"]) == [["best", "near"], ["low"]]


def test_an_oracle_is_in_no_group_and_in_no_pair() -> None:
    oracle = Contestant("oracle", contestant("oracle", "1" * 40).scores, oracle=True)
    low = contestant("low", "0" * 40)
    arena = Arena([low, oracle], [METRICS["page_hit@5"]])
    assert (arena.pairs(low), arena.tie_groups(METRICS["page_hit@5"])) == ([], [["low"]])


# -- names and differences --------------------------------------------------------------------------------------------


def test_a_variant_is_named_by_what_was_set_whatever_the_order() -> None:
    assert variant_name("plain", {}) == "plain"
    assert variant_name("plain", {"retriever.k1": 1.2, "answerer.keep": 4}) == "plain+answerer.keep=4+retriever.k1=1.2"
    names = {
        variant_name("plain", {"retriever": value}) for value in ({"use": "a b"}, {"use": "a/b"}, "a-b", "x" * 300)
    }
    assert len(names) == 4, "two values are never one name"
    assert not any(set(name) & set('/\\ :"') for name in names)
    assert all(len(name) < 80 and base_name(name) == "plain" for name in names)


def manifest(**changes: Any) -> Manifest:
    block = {"set": "tiny", "system": "plain", "split": "dev", "key": "0" * 8, "goldens": {}, "corpus": {}, "keys": {},
             "config": {"retriever": {"use": "bm25", "k1": 1.5}, "scope": "golden"}, "stamp": {"scope": "golden"}}  # fmt: skip
    return Manifest.model_validate({**block, **changes})


def test_differences_name_the_setting_or_what_no_config_names() -> None:
    other = manifest(config={"retriever": {"use": "bm25", "k1": 1.2}, "scope": "golden"})
    assert differences.settings(manifest(), other) == ["retriever.k1: 1.5 -> 1.2"]
    first = manifest(commits={"harness": "a" * 40}, packages={"bm25s": "1.0"}, corpus={"d": {"sha256": "0"}})
    second = manifest(commits={"harness": "b" * 40}, packages={"bm25s": "1.1"}, corpus={"d": {"sha256": "1"}})
    assert differences.unnamed(first, second) == [
        f"commit of harness {'a' * 12} -> {'b' * 12}", "bm25s 1.0 -> 1.1", "document d is another file"]  # fmt: skip
    assert differences.unnamed(first, first) == []


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def compared(project: Path, cli: Cli) -> Path:
    """A project with results of a system and of two variants, one of which changes nothing."""
    cli("run", "plain.yaml", "--split", "dev")
    cli("run", "plain.yaml", "--split", "dev", "--set", "answerer.keep=9")
    return project


def test_compare_shows_table_pairs_and_where_questions_were_lost(compared: Path, cli: Cli) -> None:
    before = (compared / "findings" / "tiny-plain.md").read_bytes()
    shown = cli("compare", "plain", "plain+answerer.keep=9", COLUMNS="80").stdout
    for part in ("tiny / dev: 2 systems on 4 questions", "differs in answerer.keep: 8 -> 9", "inert: no ranking and no answer",
                 "where the answer was lost", "left out of refused_unanswerable: 3 questions"):  # fmt: skip
        assert part in shown
    assert max(map(len, shown.splitlines())) <= 80
    latest = (compared / "results" / "tiny" / "plain" / "dev" / "latest").read_text().strip()
    assert f"dev@{latest}" in cli("explain", f"plain@{latest[:5]}", "t:1").stdout
    assert "answerer.keep=9" in cli("explain", "plain+answerer.keep=9", "t:1").stdout
    assert (compared / "findings" / "tiny-plain.md").read_bytes() == before, "a variant writes no page"
    assert [path.name for path in (compared / "findings").glob("*.md")] == ["tiny-plain.md"]

    told = json.loads(cli("compare", "plain", "plain+answerer.keep=9", "--json").stdout)
    assert (told["set"], told["split"], told["baseline"]) == ("tiny", "dev", "plain")
    variant = told["systems"]["plain+answerer.keep=9"]
    assert (variant["overrides"], variant["inert"], variant["opening"]) == ({"answerer.keep": 9}, True, None)
    assert sum(variant["lost_at"].values()) == 4
    assert {"a", "b", "metric", "n", "difference", "low", "high", "p", "p_holm", "test", "wins", "losses", "flips",
            "detectable"} <= told["pairs"][0].keys()  # fmt: skip
    assert told["tie_groups"]["page_hit@5"] == [["plain", "plain+answerer.keep=9"]]

    assert "name two systems" in cli("compare", "plain", code=2).stderr
    assert "There are: tiny/plain/dev@" in cli("compare", "plain@ffff", "plain", code=2).stderr
    assert (
        "unknown metric 'page_hit@7'"
        in cli("compare", "plain", "plain+answerer.keep=9", "--metrics", "page_hit@7", code=2).stderr
    )


def test_results_of_another_scope_are_refused_unless_forced_and_the_title_says_so(compared: Path, cli: Cli) -> None:
    cli("run", "plain.yaml", "--split", "dev", "--set", "scope=corpus")
    refused = cli("compare", "plain", "plain+scope=corpus", code=3)
    assert "not comparable: scope golden (plain) against corpus (plain+scope=corpus)" in refused.stderr
    assert refused.stdout == ""
    assert "NOT COMPARABLE, forced: scope golden" in cli("compare", "plain", "plain+scope=corpus", "--force").stdout


def test_a_run_ends_with_the_comparison(project: Path, cli: Cli) -> None:
    (project / "other.yaml").write_text("extends: plain.yaml\nchunker: {use: page_windows, size: 300}\n")
    first = cli("run", "plain.yaml", "--split", "dev").stdout
    assert "against" not in first
    both = cli("run", "plain.yaml", "other.yaml", "--split", "dev").stdout
    assert "tiny / dev: 2 systems on 4 questions" in both
    assert "other against plain" in both
    assert "plain against other" in cli("run", "other.yaml", "--split", "dev").stdout
    partial = cli("run", "other.yaml", "--split", "dev", "--limit", "2").stdout
    assert "against" not in partial


def test_flips_of_a_sealed_split_are_shown_only_unsealed(project: Path, cli: Cli) -> None:
    for words in ([], ["--set", "answerer.use=always_abstain"]):
        cli("run", "plain.yaml", "--split", "heldout", "--dirty", *words)
    words = ("compare", "plain", "plain+answerer.use=always_abstain", "--split", "heldout", "--json")
    sealed = json.loads(cli(*words).stdout)
    assert {pair["flips"] is None and pair["difference"] is None for pair in sealed["pairs"]} == {True}
    assert sealed["systems"]["plain"]["lost_at"] is None
    assert sealed["systems"]["plain"]["metrics"]["page_hit@5"]["mean"] is None
    openings = (project / "results" / "tiny" / "openings.jsonl").read_text().count('"unsealed": true')
    unsealed = json.loads(cli(*words, "--unseal").stdout)
    assert any(pair["flips"] for pair in unsealed["pairs"])
    assert (project / "results" / "tiny" / "openings.jsonl").read_text().count('"unsealed": true') > openings
