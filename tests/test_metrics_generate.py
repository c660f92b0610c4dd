"""The generate and score metrics, by worked cases; more of them in tests/conformance/."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import registry
from harness.bench import Bench, NoPages
from harness.errors import UserError
from harness.records import Answer, Case, Citation, Found, Golden, PageRef, Search, Usage
from harness.scoring.intervals import summarise
from harness.scoring.metric import Metric
from harness.scoring.metrics import _answers
from harness.scoring.scores import Score

CITATIONS = ("cited", "citation_resolved", "citation_retrieved", "citation_on_gold_page", "gold_page_cited")
USAGE = ("searches", "capped", "tokens", "cost")
ANSWERED = (*CITATIONS, "figure_on_cited_page", "correctness", "accuracy_when_answered")


@dataclass
class SmallCorpus(NoPages):
    """A document `d` of 200 pages, most of them without text or printed label."""

    texts: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)
    documents: dict[str, Any] = field(default_factory=lambda: {"d": SimpleNamespace(pages=200)})

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, PageRef) and ref.doc in self.documents and ref.page <= self.documents[ref.doc].pages

    def text(self, ref: PageRef) -> str:
        return self.texts.get(str(ref), "")

    def label(self, ref: PageRef) -> str | None:
        return self.labels.get(str(ref))

    def doubt(self, ref: PageRef) -> str | None:
        return self.doubts.get(str(ref))


def bench(**fields: Any) -> Bench:
    return Bench(corpus=SmallCorpus(**fields))


def metric(label: str) -> Metric:
    name, _, k = label.partition("@")
    built = registry.load("metric", name, Metric)(k=int(k) if k else None)
    assert isinstance(built, Metric)
    return built


def case(
    text: str = "It was 7.",
    *,
    expect: str = "answer",
    cites: Sequence[str | None] = (),
    shown: Sequence[str] = (),
    evidence: Sequence[Sequence[str]] = (("d:p4",),),
    abstained: bool = False,
    reference: str = "7",
    question: str = "How many plants did it run?",
) -> Case:
    citations = [Citation(raw=str(ref).rpartition(":p")[2], ref=PageRef.parse(ref) if ref else None) for ref in cites]
    return Case(
        golden=Golden(id="g", question=question, expect=expect, answer=reference, evidence=evidence),
        searches=(search(*shown),),
        answer=Answer(text=text, citations=citations, abstained=abstained),
    )


def search(*refs: str) -> Search:
    return Search(query="q", hits=[Found(chunk=f"{ref}#1", ref=ref, score=1.0) for ref in refs])


def rate(label: str, what: Case, on: Bench | None = None) -> Score:
    return metric(label).rate(what, on or bench())


def crashed(expect: str = "answer") -> Case:
    return case(expect=expect).model_copy(update={"answer": None, "error": "the answerer raised KeyError"})


# -- citations --------------------------------------------------------------------------------------------------------

WORKED = [
    # what, case, expected (absent: not applicable)
    ("right page, shown", case(cites=["d:p4"], shown=["d:p4", "d:p9"]), (1, 1, 1, 1, 1)),
    ("next page", case(cites=["d:p5"], shown=["d:p4", "d:p5"]), (1, 1, 1, 0, 0)),
    ("not shown", case(cites=["d:p4"], shown=["d:p9"]), (1, 1, 0, 1, 1)),
    ("one invented, one unreadable", case(cites=[None, "d:p77", "d:p4"], shown=["d:p4"]), (1, 2 / 3, 1 / 3, 1 / 3, 1)),
    ("a page that does not exist", case(cites=["d:p999", "d:p4"], shown=["d:p4"]), (1, 0.5, 0.5, 0.5, 1)),
    ("nothing cited", case(shown=["d:p4"]), (0, 0, 0, 0, 0)),
    ("only unreadable", case(cites=[None], shown=["d:p4"]), (1, 0, 0, 0, 0)),
    ("refused", case(abstained=True, shown=["d:p4"]), (None,) * 5),
    ("refused, with a page", case(abstained=True, cites=["d:p8"], shown=["d:p4"]), (None, 1, 0, None, None)),
    ("a trap answered", case(expect="abstain", cites=["d:p8"], shown=["d:p8"]), (1, 1, 1, None, None)),
    ("no evidence", case(cites=["d:p8"], shown=["d:p8"], evidence=[]), (1, 1, 1, None, None)),
    ("one of two groups", case(cites=["d:p9"], shown=["d:p9"], evidence=[["d:p4"], ["d:p9"]]), (1, 1, 1, 1, 1)),
    ("to be deflected", case(expect="deflect", cites=["d:p8"], shown=["d:p8"]), (None,) * 5),
]


@pytest.mark.parametrize(("what", "given", "expected"), WORKED)
def test_worked_citations(what: str, given: Case, expected: tuple[float | None, ...]) -> None:
    got = tuple(rate(name, given).value for name in CITATIONS)
    assert got == pytest.approx(expected), what


def test_inventing_citations_hurts_every_share() -> None:
    honest = case(cites=["d:p4"], shown=["d:p4"])
    padded = case(cites=["d:p4", "d:p90", "d:p91", None], shown=["d:p4"])
    for name in ("citation_retrieved", "citation_on_gold_page"):
        assert rate(name, padded).value == 0.25
        assert rate(name, honest).value == 1.0
    assert rate("citation_resolved", padded).value == 0.75


def test_counts_stand_beside_every_share() -> None:
    given = case(cites=[None, "d:p77", "d:p4"], shown=["d:p4"])
    for name in CITATIONS:
        assert rate(name, given).detail["citations"] == 3
    assert rate("citation_on_gold_page", given).detail == {"citations": 3, "gold": 1, "other": 1, "unresolved": 1}


def test_how_a_citation_misses_the_gold_page() -> None:
    labels = {"d:p139": "51", "d:p60": "F-12", "d:p70": "69"}
    on = bench(labels=labels)

    def kinds(cites: Sequence[str | None], gold: str, raw: str = "") -> dict[str, int]:
        given = case(cites=cites, evidence=[[gold]])
        if raw and given.answer:
            answer = given.answer.model_copy(update={"citations": (Citation(raw=raw),)})
            given = given.model_copy(update={"answer": answer})
        counts = dict(rate("citation_on_gold_page", given, on).detail)
        counts.pop("citations")
        return counts

    assert kinds(["d:p51"], "d:p139") == {"printed": 1}
    assert kinds(["d:p138", "d:p140", "d:p137"], "d:p139") == {"neighbour": 2, "other": 1}
    assert kinds(["d:p69"], "d:p70") == {"neighbour": 1, "neighbour_as_printed": 1}
    assert kinds([None], "d:p60", raw="[p. F-12]") == {"printed": 1}
    assert kinds([None], "d:p60", raw="[p. 12]") == {"unresolved": 1}
    assert kinds(["d:p51"], "d:p140") == {"other": 1}


def test_a_printed_number_of_another_document_is_no_excuse() -> None:
    on = bench(labels={"d:p139": "51"}, documents={"d": SimpleNamespace(pages=200), "e": SimpleNamespace(pages=200)})
    detail = rate("citation_on_gold_page", case(cites=["e:p51"], evidence=[["d:p139"]]), on).detail
    assert detail == {"citations": 1, "other": 1}


# -- refusing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("expect", "abstained", "value"), [
    ("answer", False, 1), ("answer", True, 0), ("abstain", True, 1), ("abstain", False, 0),
])  # fmt: skip
def test_refusals(expect: str, abstained: bool, value: float) -> None:
    given = case(expect=expect, abstained=abstained)
    mine, other = ("answered_answerable", "refused_unanswerable")[:: 1 if expect == "answer" else -1]
    assert rate(mine, given).value == value
    assert rate(other, given).status == "not_applicable"
    assert rate("abstention", given).value == value


@pytest.mark.parametrize("expect", ["deflect", "greet"])
@pytest.mark.parametrize("name", [*ANSWERED, "answered_answerable", "refused_unanswerable", "abstention"])
def test_a_greeting_or_deflection_is_neither(name: str, expect: str) -> None:
    assert rate(name, case(expect=expect, cites=["d:p4"])).status == "not_applicable"


def test_abstention_is_the_mean_of_two_means() -> None:
    def summary(refuses: bool) -> float | None:
        cases = [case(abstained=refuses)] * 9 + [case(expect="abstain", abstained=refuses)]
        return metric("abstention").summary([rate("abstention", each) for each in cases]).mean

    assert summary(refuses=True) == 0.5
    assert summary(refuses=False) == 0.5
    mixed = [case(), case(), case(), case(abstained=True), case(expect="abstain", abstained=True), crashed("abstain")]
    assert metric("abstention").summary([rate("abstention", each) for each in mixed]).mean == pytest.approx(0.625)


# -- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ANSWERED, "answered_answerable", "abstention", "agent_page_hit@5"])
def test_a_system_that_failed_scores_zero_with_the_reason(name: str) -> None:
    score = rate(name, crashed())
    assert (score.status, score.value) == ("scored", 0.0)
    assert "KeyError" in score.reason


def test_a_system_that_failed_did_not_refuse() -> None:
    assert rate("refused_unanswerable", crashed("abstain")).value == 0.0


def test_a_failed_judge_is_never_a_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> None:
        raise RuntimeError("the verdict cannot be read")

    monkeypatch.setattr("harness.scoring.metrics._verdicts._judged", unreadable)
    scores = [rate("correctness", case()), rate("correctness", case(abstained=True))]
    assert [(score.status, score.value) for score in scores] == [("failed", None), ("scored", 0.0)]
    assert "cannot be read" in scores[0].reason
    summary = metric("correctness").summary(scores)
    assert (summary.mean, summary.failed, summary.worst, summary.best) == (0.0, 1, 0.0, 0.5)


def test_a_value_that_is_no_number_fails_instead_of_entering_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.scoring.page_ranks.page_hit", lambda *_: float("nan"))
    assert rate("agent_page_hit@5", case(shown=["d:p4"])).status == "failed"


# -- searches and expense ---------------------------------------------------------------------------------------------


def test_agent_page_hit_takes_the_pages_of_all_searches_in_call_order() -> None:
    given = case().model_copy(update={"searches": (search("d:p1", "d:p2", "d:p1"), search("d:p2", "d:p4"))})
    assert rate("agent_page_hit@3", given).value == 1.0
    assert rate("agent_page_hit@2", given).value == 0.0
    assert rate("agent_page_hit@3", given).detail == {"pages": 3, "searches": 2}
    assert rate("agent_page_hit@3", case(evidence=[])).status == "not_applicable"


def test_agent_page_hit_carries_the_raw_questions_value() -> None:
    given = case(shown=["d:p4"]).model_copy(update={"candidates": search("d:p9", "d:p4").hits})
    assert rate("agent_page_hit@1", given).detail["raw"] == 0.0
    assert rate("agent_page_hit@2", given).detail["raw"] == 1.0


def test_expense_counts_also_where_the_system_failed() -> None:
    usage = Usage(calls=3, input_tokens=900, cached_tokens=100, output_tokens=50, cost=0.002)
    given = crashed("greet").model_copy(update={"usage": usage, "capped": True, "searches": (search(), search())})
    assert [rate(name, given).value for name in USAGE] == [2, 1, 950, 0.002]
    assert rate("tokens", given).detail == {"calls": 3, "cached": 100, "input": 900, "output": 50}
    assert rate("capped", case()).value == 0.0


def test_a_price_that_is_not_known_is_not_zero() -> None:
    given = case().model_copy(update={"usage": Usage(calls=1, cost=None)})
    assert rate("cost", given).status == "not_applicable"


def test_amounts_are_summarised_as_amounts() -> None:
    summary = metric("tokens").summary([rate("tokens", case())] * 5)
    assert (summary.mean, summary.low, summary.high) == (0.0, None, None)


# -- figures ----------------------------------------------------------------------------------------------------------

REVENUE = "What was revenue in 2019?"
PAGE = "Consolidated statement of income\n(in millions)\nRevenue 1,577 1,402\nOperating income 312 280\n"


def figures(text: str, *, cites: Sequence[str] = ("d:p4",), texts: dict[str, str] | None = None) -> Score:
    return rate("figure_on_cited_page", case(text, cites=cites, question=REVENUE), bench(texts=texts or {"d:p4": PAGE}))


def test_a_figure_on_the_cited_page() -> None:
    score = figures("Revenue was $1,577 million.")
    assert score.value == 1.0
    assert score.detail["exact"] == 1
    assert "d:p4" in score.reason


def test_a_figure_on_another_page_only() -> None:
    score = figures("Revenue was $1,577 million.", cites=["d:p5"])
    assert (score.value, score.detail["missing"]) == (0.0, 1)


def test_a_cited_page_that_cannot_be_read_is_the_instruments_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def text(corpus: SmallCorpus, ref: PageRef) -> str:
        if str(ref) in unreadable:
            raise UserError(f"{ref}: page {ref.page} cannot be read")
        return corpus.texts.get(str(ref), "")

    monkeypatch.setattr(SmallCorpus, "text", text)
    unreadable = {"d:p5"}
    assert figures("Revenue was $1,577 million.", cites=["d:p5"]).status == "failed"
    unreadable = {f"d:p{number}" for number in range(50, 201)}
    spared = figures("Revenue was $1,577 million.", cites=["d:p5"])
    assert (spared.status, spared.value) == ("scored", 0.0)
    assert spared.detail["other_pairs"] < 10


def test_a_figure_that_is_missing_where_the_reference_text_is_in_doubt_is_not_called_absent() -> None:
    doubtful = bench(texts={"d:p4": PAGE}, doubts={"d:p4": "a second reader sees more", "d:p5": "it cannot be read"})
    missing = rate(
        "figure_on_cited_page", case("Revenue was $1,599 million.", cites=["d:p4"], question=REVENUE), doubtful
    )
    assert (missing.status, missing.value) == ("undecided", None)
    assert "d:p4: a second reader sees more" in missing.reason
    found = rate(
        "figure_on_cited_page", case("Revenue was $1,577 million.", cites=["d:p4"], question=REVENUE), doubtful
    )
    assert (found.status, found.value) == ("scored", 1.0)


def test_a_figure_without_any_citation_is_on_no_cited_page() -> None:
    assert figures("Revenue was $1,577 million.", cites=[]).value == 0.0


def test_half_of_the_figures() -> None:
    score = figures("Revenue was $1,577 million and net debt $9,876 million.")
    assert (score.value, score.detail["quantities"]) == (0.5, 2)


def test_an_answer_without_a_quantity_does_not_count() -> None:
    assert figures("Revenue fell.").status == "not_applicable"


def test_a_refusal_has_no_figures() -> None:
    refused = case("Revenue was $1,577 million.", abstained=True)
    assert rate("figure_on_cited_page", refused).status == "not_applicable"


def test_a_page_number_in_a_citation_is_no_figure() -> None:
    text = "Revenue fell [d:p104]."
    answer = Answer(text=text, citations=[Citation(raw="[d:p104]", ref="d:p104", span=(13, 21))])
    assert _answers.words_of(answer) == "Revenue fell         ."
    assert rate("figure_on_cited_page", case().model_copy(update={"answer": answer})).status == "not_applicable"


def test_false_hits_are_counted_on_ten_other_pages_and_printed_beside() -> None:
    everywhere = {f"d:p{page}": PAGE for page in range(1, 201)}
    score = figures("Revenue was $1,577 million.", texts=everywhere)
    assert (score.detail["other_pairs"], score.detail["other_hits"]) == (10, 10)
    alone = figures("Revenue was $1,577 million.")
    assert (alone.detail["other_pairs"], alone.detail["other_hits"]) == (10, 0)
    note = metric("figure_on_cited_page").summary([score, alone]).note
    assert note == "50.0% on random other pages; 0 of 2 quantities derived"


def test_the_other_pages_are_the_same_each_time_and_neither_cited_nor_gold() -> None:
    from harness.scoring.metrics.figure_on_cited_page import _others

    given, cited = case(cites=["d:p9"], evidence=[["d:p4"]]), [PageRef("d", 9)]
    small, large = bench(documents={"d": SimpleNamespace(pages=11)}), bench()
    assert _others(given, cited, small) == [PageRef("d", page) for page in (1, 2, 3, 5, 6, 7, 8, 10, 11)]
    assert len(_others(given, cited, large)) == 10
    assert _others(given, cited, large) == _others(given, cited, large)


def test_a_derived_figure_counts_as_found_and_apart() -> None:
    question = "What was the change in revenue, in millions, to 2019?"
    text = "Consolidated statement of income\n(in millions)\n2019 2018\nRevenue 1,577 1,402\n"
    given = case("It rose by $175 million.", cites=["d:p4"], question=question)
    score = rate("figure_on_cited_page", given, bench(texts={"d:p4": text}))
    assert (score.value, score.detail["derived"]) == (1.0, 1)


def test_the_quoted_operands_of_a_golden_may_be_worked_with() -> None:
    given = case("The gap was $1,265 million.", cites=["d:p4"], question="How large was the gap?")
    quoted = given.golden.model_copy(update={"quotes": {"d:p4": ("1,577", "312")}})
    on = bench(texts={"d:p4": PAGE})
    assert rate("figure_on_cited_page", given, on).value == 0.0
    score = rate("figure_on_cited_page", given.model_copy(update={"golden": quoted}), on)
    assert (score.value, score.detail["derived"]) == (1.0, 1)


# -- correctness ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "right"), [("It was $1,577 million.", 1), ("It was $1,402 million.", 0)])
def test_correctness_of_a_figure(text: str, right: float) -> None:
    given = case(text, reference="$1,577 million", question=REVENUE)
    assert rate("correctness", given).value == right
    assert rate("accuracy_when_answered", given).value == right


def test_a_refusal_is_not_correct_but_no_answer_either() -> None:
    given = case("I do not know.", abstained=True)
    assert rate("correctness", given).value == 0.0
    assert rate("accuracy_when_answered", given).status == "not_applicable"
    assert rate("correctness", case(expect="abstain")).status == "not_applicable"


def test_what_no_program_can_decide_is_counted_as_undecided() -> None:
    reference = "Management blames weaker demand and the strength of the dollar."
    given = case("Mostly the economy, they say.", reference=reference, question="Why did revenue fall?")
    score = rate("correctness", given)
    assert (score.status, score.value) == ("undecided", None)
    summary = metric("correctness").summary([score, rate("correctness", case("It ran 7 plants."))])
    assert (summary.scored, summary.not_applicable, summary.undecided) == (1, 0, 1)
    assert (summary.worst, summary.mean, summary.best) == (0.5, 1.0, 1.0)
    assert rate("accuracy_when_answered", given).status == "not_applicable"


def test_other_accepted_answers_are_right() -> None:
    golden = Golden(id="g", question=REVENUE, answer="$1,577 million", accept=("$1,402 million",))
    given = case("It was $1,402 million.").model_copy(update={"golden": golden})
    assert rate("correctness", given).value == 1.0


# -- all of them ------------------------------------------------------------------------------------------------------


pages = st.none() | st.integers(1, 250).map(lambda number: f"d:p{number}")


@given(cites=st.lists(pages, max_size=6), shown=st.lists(st.integers(1, 12).map(lambda n: f"d:p{n}"), max_size=6))
def test_every_share_stays_in_0_to_1_and_a_resolved_share_bounds_the_retrieved_one(
    cites: list[str | None], shown: list[str]
) -> None:
    given = case(cites=cites, shown=shown, evidence=[["d:p4", "d:p5"]])
    values = {name: rate(name, given).value for name in CITATIONS}
    assert all(value is not None and 0 <= value <= 1 for value in values.values())
    assert (values["citation_retrieved"] or 0) <= (values["citation_resolved"] or 0)
    assert ((values["citation_on_gold_page"] or 0) > 0) == (values["gold_page_cited"] == 1)


@given(extra=st.lists(pages, max_size=4))
def test_adding_a_golden_never_changes_anothers_score(extra: list[str | None]) -> None:
    first = case(cites=["d:p4", None], shown=["d:p4"])
    before = [rate(name, first) for name in CITATIONS]
    for name in CITATIONS:
        rate(name, case(cites=extra))
    assert [rate(name, first) for name in CITATIONS] == before


def test_every_metric_has_its_file_one_class_and_a_description() -> None:
    names = registry.files("metric")
    assert set(names) >= {
        "page_hit", "page_coverage", "all_pages", "mrr", "ndcg", "modality_hit", "agent_page_hit", *CITATIONS,
        "figure_on_cited_page", "refused_unanswerable", "answered_answerable", "abstention", *USAGE,
        "correctness", "accuracy_when_answered",
    }  # fmt: skip
    for name, path in names.items():
        assert metric(name).name() == name
        assert registry.describe(path).endswith((".", "?"))


def test_an_empty_set_has_no_mean() -> None:
    for name in registry.files("metric"):
        summary = metric(name).summary([])
        assert (summary.mean, summary.scored) == (None, 0)
    assert summarise("m", [], binary=True).low is None
