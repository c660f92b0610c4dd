"""Floors: other goldens' evidence, a document's favourite pages, and one habit for every question."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest

from harness import registry
from harness.records import Case, Found, Golden
from harness.scoring.floors import _shuffled, blind
from harness.scoring.metric import Metric
from harness.scoring.per_document import document_of

RETRIEVE = ("page_hit", "page_coverage", "all_pages", "mrr", "ndcg", "modality_hit")


def metrics(*names: str) -> list[Metric]:
    classes = [registry.load("metric", name, Metric) for name in names]
    return [cls(k=k) for cls in classes if issubclass(cls, Metric) for k in cls.at or (None,)]


def floors(cases: Sequence[Case], metrics: Sequence[Metric]) -> dict[str, dict[str, float]]:
    """The floors of each metric that has one, by label and name."""
    found = {metric.label: metric.floors(blind(cases)) for metric in metrics}
    return {label: values for label, values in found.items() if values}


def case(name: str, gold: Sequence[str], hits: Sequence[str], kind: str = "text") -> Case:
    found = [Found(chunk=f"{ref}#{i}", ref=ref, score=1 / i) for i, ref in enumerate(hits, start=1)]
    golden = Golden(id=name, question="q", answer="a", evidence=[list(gold)] if gold else [], modality=[kind])
    return Case(golden=golden, candidates=found)


def perfect(n: int, doc: str = "d") -> list[Case]:
    """Each case finds its own gold page first and no other gold page."""
    return [case(f"{doc}{i}", [f"{doc}:p{i}"], [f"{doc}:p{i}", f"{doc}:p999"]) for i in range(1, n + 1)]


def test_shuffled_gold_of_a_perfect_ranking_is_zero() -> None:
    found = floors(perfect(8), metrics("page_hit", "mrr"))
    assert found["page_hit@5"]["shuffled gold"] == 0.0
    assert found["mrr@10"]["shuffled gold"] == 0.0


def test_shuffled_gold_of_one_ranking_for_all_is_as_good_as_the_gold() -> None:
    cases = [case(f"g{i}", ["d:p3"], ["d:p1", "d:p3"]) for i in range(6)]
    assert floors(cases, metrics("mrr"))["mrr@10"]["shuffled gold"] == 0.5


def test_no_golden_keeps_its_own_evidence_and_all_stay_in_their_document() -> None:
    cases = perfect(5, "d") + perfect(2, "e") + perfect(1, "f")
    pairs = _shuffled(cases)
    assert all(case.golden.id != other.id and document_of(case.golden) == document_of(other) for case, other in pairs)
    assert {case.golden.id for case, _ in pairs} == {c.golden.id for c in cases if not c.golden.id.startswith("f")}


def test_a_golden_on_two_documents_is_held_against_goldens_of_both() -> None:
    both = case("both", ["d:p9", "e:p9"], [])
    met = {other.id for case, other in _shuffled([*perfect(2, "d"), *perfect(2, "e"), both]) if case is both}
    assert {name[0] for name in met} == {"d", "e"}
    assert not [name for name in met if name == "both"]


def test_frequent_pages_are_those_of_the_documents_other_goldens() -> None:
    golds = ["d:p1"] * 6 + ["d:p2"] * 4 + ["d:p3"] * 2 + ["d:p4"] + ["e:p9"] * 9
    found = floors([case(f"g{i}", [gold], []) for i, gold in enumerate(golds)], metrics("page_hit", "mrr"))
    assert found["page_hit@1"]["frequent pages"] == pytest.approx((6 + 9) / 22)
    assert found["page_hit@3"]["frequent pages"] == pytest.approx((6 + 4 + 2 + 9) / 22), "nobody else needs page 4"
    assert found["mrr@10"]["frequent pages"] == pytest.approx((6 + 4 / 2 + 2 / 3 + 9) / 22)


def test_a_goldens_own_page_does_not_count_for_it() -> None:
    """Pages 1 and 2, one golden each: the one of page 1 does not know it, and for those of page 2 it is one of two."""
    cases = [case("a", ["d:p1"], []), case("b", ["d:p2"], []), case("c", ["d:p2"], [])]
    assert floors(cases, metrics("page_hit"))["page_hit@1"]["frequent pages"] == 0
    assert floors(cases, metrics("page_hit"))["page_hit@10"]["frequent pages"] == pytest.approx(2 / 3)


def test_frequent_pages_are_five() -> None:
    cases = [case(f"g{i}", [f"d:p{i // 2 + 1}"], []) for i in range(14)]
    assert floors(cases, metrics("page_hit"))["page_hit@10"]["frequent pages"] == 0


def test_goldens_without_evidence_stay_out() -> None:
    cases = [*perfect(4), case("none", [], ["d:p1"])]
    assert floors(cases, metrics("page_hit")) == floors(perfect(4), metrics("page_hit"))


def test_no_floor_where_there_is_nothing_to_shuffle() -> None:
    assert floors([*perfect(1, "d"), *perfect(1, "e")], metrics("page_hit")) == {}
    assert floors([], metrics("page_hit", "modality_hit")) == {}


def test_modality_hit_is_shuffled_and_ranks_no_pages() -> None:
    cases = [case(f"g{i}", ["d:p1"], ["d:p1"], kind="table" if i % 2 else "text") for i in range(10)]
    found = floors(cases, metrics("modality_hit"))["modality_hit@5"]
    assert set(found) == {"shuffled gold"}
    assert 0 < found["shuffled gold"] < 1


def test_one_habit_gives_half_of_abstention() -> None:
    found = floors(perfect(3), metrics("abstention", "cost", "agent_page_hit"))
    assert found == {"abstention": {"always answer": 0.5, "always abstain": 0.5}}


def many(n: int = 149, docs: int = 8) -> list[Case]:
    rng = random.Random(3)
    rows = []
    for i in range(n):
        doc = f"d{i % docs}"
        hits = [f"{doc}:p{rng.randint(1, 90)}" for _ in range(60)]
        rows.append(case(f"g{i}", [f"{doc}:p{rng.randint(1, 90)}" for _ in range(rng.randint(1, 3))], hits))
    return rows


def test_the_order_of_the_cases_changes_nothing() -> None:
    cases = many(60)
    assert floors(cases, metrics(*RETRIEVE)) == floors(random.Random(1).sample(cases, 60), metrics(*RETRIEVE))


def test_a_finance_sized_set_takes_under_half_a_second() -> None:
    cases, measured = many(), metrics(*RETRIEVE)
    started = time.process_time()
    floors(cases, measured)
    assert time.process_time() - started < 0.5
