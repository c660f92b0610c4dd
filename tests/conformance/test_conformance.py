"""The worked cases of this folder: what each metric, rule and interval gives, in numbers worked out apart from the code.

A file holds one kind of case; a line one case, its name and mostly its reason (`why`). Whoever writes a metric a second time,
in another language too, can hold it against the same lines. The formulas: harness/scoring/README.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from harness import registry
from harness.bench import Bench
from harness.quantities.comparing import compare
from harness.quantities.reading import read_quantities
from harness.records import Answer, Case, Chunk, Citation, Found, Golden, Hit, PageRef, Search, Turn, ranked
from harness.scoring import intervals, paired, per_document
from harness.scoring.metric import Metric
from harness.scoring.scores import Score

HERE = Path(__file__).parent
Row = dict[str, Any]
near = partial(pytest.approx, abs=1e-5)


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def each(name: str, title: Callable[[Row], str] = lambda row: row["name"]) -> pytest.MarkDecorator:
    """A test for each case of a file, under the case's own name.

    A case that is `known_wrong` says what should be and why the code does not do it yet: mended, it must lose that word.
    """
    return pytest.mark.parametrize("row", [pytest.param(row, id=title(row), marks=_open(row)) for row in rows(name)])


def _open(row: Row) -> list[pytest.MarkDecorator]:
    why = row.get("known_wrong")
    return [pytest.mark.xfail(reason=why, strict=True, raises=AssertionError)] if why else []


@dataclass(frozen=True)
class Listed:
    title: str
    pages: int


@dataclass
class Pages:
    """Two documents, Fir of 120 pages and Elm of 40; what stands on a page, and what is printed as its number, is given."""

    texts: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, Listed] = field(
        default_factory=lambda: {"fir": Listed("Fir", 120), "elm": Listed("Elm", 40)}
    )

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, PageRef) and ref.doc in self.documents and ref.page <= self.documents[ref.doc].pages

    def text(self, ref: PageRef) -> str:
        return self.texts.get(str(ref), "")

    def label(self, ref: PageRef) -> str | None:
        return self.labels.get(str(ref))


def bench(**pages: Any) -> Bench:
    return Bench(corpus=cast(Any, Pages(**pages)))


def metric(label: str) -> Metric:
    name, _, k = label.partition("@")
    return cast(Metric, registry.load("metric", name, Metric)(k=int(k) if k else None))


def values(names: Iterable[str], case: Case, on: Bench) -> dict[str, float | None]:
    """The value of each metric; None where it does not apply. A metric that failed is no value at all."""
    scores = {name: metric(name).rate(case, on) for name in names}
    assert [score.reason for score in scores.values() if score.status == "failed"] == []
    return {name: score.value for name, score in scores.items()}


def found(refs: Iterable[str], kinds: Iterable[str] | None = None) -> tuple[Found, ...]:
    refs = list(refs)
    typed = zip(refs, kinds or ["text"] * len(refs), strict=True)
    return tuple(Found(chunk=f"{ref}#{i}", ref=ref, kind=kind, score=-i) for i, (ref, kind) in enumerate(typed))


def golden(row: Row, **fields: Any) -> Golden:
    known = {"id": "g", "question": "What were net sales?", "answer": "7", "expect": row.get("expect", "answer")}
    return Golden(**{**known, "evidence": row.get("evidence", ()), **fields})


def case(row: Row, answer: Answer, gold: Golden, **fields: Any) -> Case:
    """One golden with what a system made of it; `crashed` says that it made nothing."""
    crashed = row.get("crashed", False)
    return Case(golden=gold, answer=None if crashed else answer, error="KeyError: 'x'" if crashed else None, **fields)


# -- retrieve ---------------------------------------------------------------------------------------------------------


@each("retrieve")
def test_retrieve(row: Row) -> None:
    turns = [Turn(question="And before?", answer="3")] * row.get("turns", 0)
    gold = golden(row, turns=turns, standalone=row.get("standalone"), modality=row.get("modality", ["unlabelled"]))
    asked = Case(golden=gold, candidates=found(row["hits"], row.get("kinds")))
    assert values(row["expected"], asked, bench()) == near(row["expected"])


@each("ties")
def test_ties(row: Row) -> None:
    hits = ranked([Hit(Chunk(id=id, ref=ref, text="t"), score) for id, ref, score in row["hits"]])
    assert [hit.chunk.id for hit in hits] == row["order"]
    asked = Case(golden=golden(row), candidates=tuple(map(Found.of, hits)))
    assert values(row["expected"], asked, bench()) == near(row["expected"])


# -- generate ---------------------------------------------------------------------------------------------------------

CITATIONS = {
    "cited", "citation_resolved", "citation_retrieved", "citation_on_gold_page", "gold_page_cited",
    "answered_answerable", "refused_unanswerable",
}  # fmt: skip


@each("citations")
def test_citations(row: Row) -> None:
    cites = [Citation(raw=cite["raw"], ref=cite["page"]) for cite in row["citations"]]
    searches = [Search(query="q", hits=found(refs)) for refs in row["searches"]]
    answer = Answer(text="a", citations=cites, abstained=row["abstained"])
    asked, on = case(row, answer, golden(row), searches=searches), bench(labels=row["labels"])
    assert row["expected"].keys() >= CITATIONS
    assert values(row["expected"], asked, on) == near(row["expected"])
    detail = metric("citation_on_gold_page").rate(asked, on).detail
    assert {kind: count for kind, count in detail.items() if kind != "citations"} == row["kinds"]


@each("abstention")
def test_abstention(row: Row) -> None:
    kinds = {"answer": row["answerable"], "abstain": row["unanswerable"]}
    cases = [_habit(expect, how) for expect, counts in kinds.items() for how, n in counts.items() for _ in range(n)]
    expected = dict(row["expected"])
    low, high = expected.pop("low"), expected.pop("high")
    made = {name: metric(name).summary([metric(name).rate(one, bench()) for one in cases]) for name in expected}
    assert {name: summary.mean for name, summary in made.items()} == near(expected)
    assert {"low": made["abstention"].low, "high": made["abstention"].high} == near({"low": low, "high": high})


def _habit(expect: str, how: str) -> Case:
    row = {"expect": expect, "crashed": how == "crashed"}
    return case(row, Answer(text="a", abstained=how == "refused"), golden(row))


@each("figures")
def test_figures(row: Row) -> None:
    written = row.get("raw") or (row["answer"][slice(*row["span"])] if "span" in row else None)
    cites = [Citation(raw=written or ref, ref=ref, span=row.get("span")) for ref in row["cites"]]
    answer = Answer(text=row["answer"], citations=cites, abstained=row.get("abstained", False))
    score = metric("figure_on_cited_page").rate(
        case(row, answer, golden(row, question=row["question"])), bench(texts=row["pages"])
    )
    assert (score.status, score.value) == ("not_applicable" if row["expected"] is None else "scored", row["expected"])
    kinds = ("exact", "rounded", "derived", "missing")
    assert {kind: score.detail[kind] for kind in kinds if kind in score.detail} == row["how"]


# -- score ------------------------------------------------------------------------------------------------------------


@each("rounding", lambda row: f"{row['claim']} for {row['reference']}")
def test_rounding(row: Row) -> None:
    (claim,), (reference,) = read_quantities(row["claim"]), read_quantities(row["reference"])
    found = compare(claim, reference)
    assert (found.kind, found.right) == (row["kind"], row["right"])


@each("correctness")
def test_correctness(row: Row) -> None:
    fields = {"answer": row["reference"] or None, "accept": row.get("accept", ())}
    answer = Answer(text=row["answer"], abstained=row.get("abstained", False))
    asked = case(row, answer, golden(row, question=row["question"], **fields))
    given = None if answer.abstained else row["expected"]
    expected = {"correctness": row["expected"], "accuracy_when_answered": given}
    assert values(expected, asked, bench()) == expected


# -- sets -------------------------------------------------------------------------------------------------------------


@each("intervals", lambda row: f"{row['what']}: {row['why']}")
def test_intervals(row: Row) -> None:
    if row["what"] == "wilson":
        got = intervals.wilson(row["successes"], row["n"])
    else:
        got = intervals.interval(row["values"], binary=False, share=row["what"] == "share")
    nearly = (
        partial(pytest.approx, rel=1e-3) if row["what"] == "amount" and row["low"] is not None else near
    )  # Student's quantile is a series
    assert got._asdict() == nearly({"low": row["low"], "high": row["high"]})


def scores(given: Iterable[float | None]) -> list[Score]:
    """A score a question, in the order given; without a value, not applicable."""
    return [
        Score(metric="m", golden=f"g{i}", value=value, status="not_applicable" if value is None else "scored")
        for i, value in enumerate(given)
    ]


@each("paired")
def test_paired(row: Row) -> None:
    got = paired.paired(scores(row["first"]), scores(row["second"]), binary=row["binary"])
    assert {name: getattr(got, name) for name in row["expected"]} == near(row["expected"])


@each("documents")
def test_documents(row: Row) -> None:
    made = scores(value for _, value in row["rows"])
    docs = {score.golden: doc.split(" and ") for score, (doc, _) in zip(made, row["rows"], strict=True)}
    by_document, mean = per_document.by_document(made, docs)
    expected = row["expected"]
    assert intervals.mean_of(made) == near(expected["mean"])
    assert by_document == near(expected["by_document"])
    assert mean == near(expected["document_mean"])


@each("statuses")
def test_statuses(row: Row) -> None:
    lost = [Score(metric="m", golden=f"f{i}", status="failed") for i in range(row["failed"])]
    made = [*scores([*row["values"], *[None] * row["not_applicable"]]), *lost]
    summary = intervals.summarise("m", made, binary=True)
    assert {name: getattr(summary, name) for name in row["expected"]} == near(row["expected"])


def test_every_file_of_cases_is_read() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [path.name for path in HERE.glob("*.jsonl") if f'@each("{path.stem}"' not in text] == []
