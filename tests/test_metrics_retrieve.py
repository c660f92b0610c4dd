"""The retrieve metrics, by worked cases (more of them in tests/conformance/) and against ir_measures."""

from __future__ import annotations

import random
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import registry
from harness.bench import Bench
from harness.records import Case, Chunk, Found, Golden, Hit, PageRef, Turn, ranked
from harness.runs.stages import Ranking
from harness.scoring.intervals import summarise
from harness.scoring.metric import Metric
from harness.scoring.scores import Score

BENCH = Bench()  # retrieve metrics look at the case alone
NAMES = ("page_hit", "page_coverage", "all_pages", "mrr", "ndcg", "modality_hit")


def metric(label: str) -> Metric:
    name, _, k = label.partition("@")
    built = registry.load("metric", name, Metric)(k=int(k) if k else None)
    assert isinstance(built, Metric)
    return built


def found(*refs: str, kind: Any = "text") -> tuple[Found, ...]:
    return tuple(Found(chunk=f"{ref}#{i}", ref=ref, kind=kind, score=1 / i) for i, ref in enumerate(refs, start=1))


def golden(*groups: list[str], **fields: Any) -> Golden:
    return Golden(**{"id": "g", "question": "q", "answer": "a", "evidence": groups, **fields})


def rate(label: str, hits: tuple[Found, ...], gold: Golden) -> Score:
    return metric(label).rate(Case(golden=gold, candidates=hits), BENCH)


WORKED = [
    # label, hits, groups, value
    ("page_hit@1", "d:p4 d:p9", [["d:p4"]], 1),
    ("page_hit@1", "d:p9 d:p4", [["d:p4"]], 0),
    ("page_hit@3", "d:p9 d:p9 d:p9 d:p9 d:p4", [["d:p4"]], 1),
    ("page_hit@3", "d:p1 d:p2 d:p3 d:p4", [["d:p4"]], 0),
    ("page_hit@5", "d:p9", [["d:p4", "d:p5"], ["d:p9"]], 1),
    ("page_hit@5", "e:p4", [["d:p4"]], 0),
    ("page_coverage@5", "d:p3 d:p1", [["d:p3", "d:p12"]], 0.5),
    ("page_coverage@5", "d:p4 d:p1", [["d:p4", "d:p5"], ["d:p9", "d:p10", "d:p11"]], 0.5),
    ("page_coverage@5", "d:p1 d:p2 d:p3 d:p4 d:p6 d:p5", [["d:p4", "d:p5"]], 0.5),
    ("page_coverage@5", "d:p4 d:p9", [["d:p4", "d:p5"], ["d:p9", "d:p10"]], 0.5),
    ("all_pages@5", "d:p5 d:p4", [["d:p4", "d:p5"]], 1),
    ("all_pages@5", "d:p4 d:p1", [["d:p4", "d:p5"]], 0),
    ("all_pages@5", "d:p4 d:p9", [["d:p4", "d:p5"], ["d:p9", "d:p10"]], 0),
    ("all_pages@5", "d:p1 d:p2 d:p3 d:p4 d:p6 d:p5", [["d:p4", "d:p5"]], 0),
    ("mrr@10", "d:p1 d:p1 d:p7", [["d:p7"]], 1 / 2),
    ("mrr@10", "d:p1 d:p2 d:p7 d:p8", [["d:p8"], ["d:p7"]], 1 / 3),
    ("mrr@3", "d:p1 d:p2 d:p3 d:p8", [["d:p8"]], 0),
    ("ndcg@10", "d:p1 d:p7", [["d:p7"]], 0.63093),
    ("ndcg@10", "d:p3 d:p1", [["d:p3", "d:p12"]], 0.613147),
    ("ndcg@10", "d:p1 d:p12 d:p2 d:p5 d:p3", [["d:p3", "d:p12"]], 0.624051),
    ("ndcg@10", "d:p9 d:p4 d:p5", [["d:p4", "d:p5"], ["d:p9"]], 1),
    ("ndcg@2", "d:p1 d:p2 d:p3", [["d:p1", "d:p2", "d:p3"]], 1),
]


@pytest.mark.parametrize(("label", "hits", "groups", "value"), WORKED)
def test_worked_cases(label: str, hits: str, groups: list[list[str]], value: float) -> None:
    assert rate(label, found(*hits.split()), golden(*groups)).value == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_query_without_hits_stays_in_the_denominator(name: str) -> None:
    score = rate(f"{name}@5", (), golden(["d:p4"], modality=["table"]))
    assert (score.status, score.value) == ("scored", 0.0)
    full = rate(f"{name}@5", found("d:p4", kind="table"), golden(["d:p4"], modality=["table"]))
    assert summarise(name, [score, full], binary=True).mean == 0.5


@pytest.mark.parametrize("name", NAMES)
def test_goldens_without_evidence_or_a_standalone_question_do_not_count(name: str) -> None:
    turns = [Turn(question="And before?", answer="3")]
    assert rate(f"{name}@5", found("d:p4"), golden(modality=["text"])).status == "not_applicable"
    alone = golden(["d:p4"], modality=["text"], turns=turns)
    assert rate(f"{name}@5", found("d:p4"), alone).status == "not_applicable"
    rewritten = golden(["d:p4"], modality=["text"], turns=turns, standalone="What was it in 2019?")
    assert rate(f"{name}@5", found("d:p4"), rewritten).value == 1.0


def test_default_cut_offs() -> None:
    assert {name: metric(name).at for name in NAMES} == {
        "page_hit": (1, 3, 5, 10), "page_coverage": (5, 10), "all_pages": (5, 10),
        "mrr": (10,), "ndcg": (10,), "modality_hit": (5, 10),
    }  # fmt: skip


def test_modality_hit_takes_chunks_up_to_the_kth_page() -> None:
    typed = (Found(chunk="t", ref="d:p1", kind="table", score=0), Found(chunk="f", ref="d:p3", kind="figure", score=0))
    hits = found("d:p1", "d:p2", "d:p1") + typed
    gold = golden(["d:p9"], modality=["table"])
    assert rate("modality_hit@2", hits, gold).value == 1.0
    assert rate("modality_hit@2", hits, golden(["d:p9"], modality=["figure"])).value == 0.0
    assert rate("modality_hit@3", hits, golden(["d:p9"], modality=["figure"])).value == 1.0


def test_a_chunk_that_is_listed_as_every_kind_has_one() -> None:
    hits = tuple(Found(chunk="c", ref="d:p1", kind=kind, score=1.0) for kind in ("text", "table", "figure"))
    assert rate("modality_hit@5", hits, golden(["d:p1"], modality=["text"])).value == 1.0
    assert rate("modality_hit@5", hits, golden(["d:p1"], modality=["table"])).value == 0.0
    assert rate("modality_hit@5", hits, golden(["d:p1"], modality=["table"])).reason == "no table among 1 chunks"


def test_the_same_text_under_three_ids_has_the_kind_of_its_first_hit() -> None:
    texts = {"a": "Sales  7", "b": "Sales 7", "c": "Costs 9", "d": "Sales 7"}
    kinds: dict[str, Any] = {"a": "text", "b": "table", "c": "table", "d": "figure"}
    pages = {"a": "d:p1", "b": "d:p1", "c": "d:p1", "d": "d:p2"}
    chunks = {name: Chunk(id=name, ref=pages[name], text=texts[name], kind=kinds[name]) for name in texts}
    kept = Ranking.of([Hit(chunk, 1.0) for chunk in chunks.values()], chunks)
    assert {hit.chunk: hit.kind for hit in kept.hits} == {"a": "text", "b": "text", "c": "table", "d": "figure"}
    assert [hit.chunk.kind for hit in kept.restore(chunks)] == ["text", "table", "table", "figure"], (
        "systems see their own"
    )


@pytest.mark.parametrize("label", ["figure", "chart", "layout"])
def test_charts_and_layouts_count_as_figures(label: str) -> None:
    assert rate("modality_hit@5", found("d:p1", kind="figure"), golden(["d:p9"], modality=[label])).value == 1.0
    assert rate("modality_hit@5", found("d:p1", kind="text"), golden(["d:p9"], modality=[label])).value == 0.0


def test_any_of_several_modalities_counts_and_unlabelled_does_not_apply() -> None:
    hits = found("d:p1", kind="text")
    assert rate("modality_hit@5", hits, golden(["d:p9"], modality=["table", "text"])).value == 1.0
    assert rate("modality_hit@5", hits, golden(["d:p9"], modality=["unlabelled"])).status == "not_applicable"
    assert rate("modality_hit@5", hits, golden(["d:p9"], modality=["unlabelled", "table"])).value == 0.0


def test_the_reason_names_gold_pages_and_ranks() -> None:
    score = rate("page_hit@5", found("d:p1", "d:p4"), golden(["d:p4", "d:p12"]))
    assert score.reason == "gold among the first 2 pages: d:p4 rank 2, d:p12 missing"
    crashed = Case(golden=golden(["d:p4"]), error="the retriever raised ValueError")
    assert metric("page_hit@5").rate(crashed, BENCH).reason == (
        "nothing was found (the system failed: the retriever raised ValueError); gold: d:p4"
    )


def random_runs(n: int = 200, seed: int = 7) -> list[tuple[list[Hit], set[PageRef]]]:
    """Runs with tied scores, several chunks a page, and empty results; one group of gold pages each."""
    rng = random.Random(seed)
    runs = []
    for i in range(n):
        size = 0 if i % 10 == 0 else rng.randint(1, 40)
        refs = [PageRef("d", rng.randint(1, 15)) for _ in range(size)]
        hits = [Hit(Chunk(id=f"{ref}#{rng.random():.9f}", ref=ref, text="t"), float(rng.randint(0, 4))) for ref in refs]
        runs.append((hits, {PageRef("d", rng.randint(1, 15)) for _ in range(rng.randint(1, 4))}))
    return runs


def test_agrees_with_ir_measures_on_random_runs_with_ties_and_empty_results() -> None:
    runs = random_runs()
    rr, ndcg, success, recall = ir_measures.RR, ir_measures.nDCG, ir_measures.Success, ir_measures.R
    wanted = {"mrr@10": rr @ 10, "ndcg@10": ndcg @ 10, "page_hit@1": success @ 1, "page_hit@5": success @ 5,
              "page_hit@10": success @ 10, "page_coverage@5": recall @ 5, "page_coverage@10": recall @ 10}  # fmt: skip
    qrels = {str(i): {str(ref): 1 for ref in gold} for i, (_, gold) in enumerate(runs)}
    run = {str(i): by_first_hit(hits) for i, (hits, _) in enumerate(runs)}
    for label, measure in wanted.items():
        ours = [
            rate(label, tuple(Found.of(hit) for hit in ranked(hits)), golden(sorted(map(str, gold)))).value
            for hits, gold in runs
        ]
        values = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
        assert ours == pytest.approx([values.get(str(i), 0.0) for i in range(len(runs))], abs=1e-9), label


def by_first_hit(hits: list[Hit]) -> dict[str, float]:
    """Each page with the rank of its best chunk as its score, worked out apart from harness.scoring.page_ranks."""
    best: dict[str, tuple[float, str]] = {}
    for hit in hits:
        key = (-hit.score, hit.chunk.id)
        best[str(hit.chunk.ref)] = min(best.get(str(hit.chunk.ref), key), key)
    return {page: -float(rank) for rank, page in enumerate(sorted(best, key=lambda page: best[page]))}


pages = st.integers(1, 12).map(lambda number: f"d:p{number}")


@given(
    hits=st.lists(pages, max_size=30),
    groups=st.lists(st.lists(pages, min_size=1, max_size=5), min_size=1, max_size=3),
    k=st.integers(1, 12),
)
def test_every_value_is_a_share_and_a_deeper_cut_never_lowers_a_hit(
    hits: list[str], groups: list[list[str]], k: int
) -> None:
    gold = golden(*groups, modality=["table"])
    for name in NAMES:
        value = rate(f"{name}@{k}", found(*hits), gold).value
        assert value is not None
        assert 0 <= value <= 1
        if name != "ndcg":
            assert value <= (rate(f"{name}@{k + 1}", found(*hits), gold).value or 0)


@given(hits=st.lists(pages, max_size=20), groups=st.lists(st.lists(pages, min_size=1, max_size=4), min_size=1))
def test_gold_as_prediction_is_perfect(hits: list[str], groups: list[list[str]]) -> None:
    first = list(dict.fromkeys(groups[0]))
    for name in ("page_hit", "page_coverage", "all_pages", "mrr", "ndcg"):
        assert rate(f"{name}@5", found(*first, *hits), golden(*groups)).value == pytest.approx(1.0)
