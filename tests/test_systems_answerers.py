"""Answerers: what is quoted stands on the page that is cited; weak evidence is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.bench import Bench
from harness.blobs import Blobs
from harness.records import Chunk, Golden, Hit, PageRef
from systems.answerers.always_abstain import AlwaysAbstain
from systems.answerers.extractive import Extractive
from systems.answerers.oracle import Oracle

TABLE = """Consolidated income statement (USD in millions)
 | 2025 | 2024
Revenue | 1,284 | 1,101
Cost of sales | (812) | (700)
Net loss from discontinued operations | (35) | (12)"""
PROSE = "The group employs 5,200 people. Its head office is in Bergen. The auditor was appointed in May 2019."


def hits(*texts: str) -> list[Hit]:
    refs = [PageRef("nf_2025", 41 + number) for number in range(len(texts))]
    return [Hit(Chunk(id=f"{ref}-01", ref=ref, text=text), 1.0) for ref, text in zip(refs, texts, strict=True)]


def search_over(*texts: str) -> Callable[[str], list[Hit]]:
    return lambda query: hits(*texts)


def bench(gold: Golden | None = None) -> Bench:
    return Bench(corpus=None, blobs=Blobs(Path("unused")), gold=gold)  # type: ignore[arg-type]


def test_the_row_is_quoted_with_its_page() -> None:
    said = Extractive().answer("What was the cost of sales in 2024?", search_over(PROSE, TABLE), (), bench())
    assert not said.abstained
    assert "Cost of sales" in said.text
    (citation,) = said.citations
    assert citation.raw == "[nf_2025, p.42]"
    assert citation.ref == PageRef("nf_2025", 42)
    assert citation.quote is not None
    assert citation.quote.splitlines() == ["| 2025 | 2024", "Cost of sales | (812) | (700)"]
    assert said.text.startswith("Cost of sales (2024): (700) (in millions)")
    assert citation.span is not None
    assert said.text[slice(*citation.span)] == citation.raw


def test_the_sentence_is_quoted_for_prose() -> None:
    said = Extractive().answer("Where is the head office of the group?", search_over(TABLE, PROSE), (), bench())
    assert "Its head office is in Bergen." in said.text


@pytest.mark.parametrize("texts", [(), (TABLE, PROSE), ("",)])
def test_what_is_not_there_is_refused(texts: tuple[str, ...]) -> None:
    said = Extractive().answer("How many satellites did Orion launch from Kourou?", search_over(*texts), (), bench())
    assert said.abstained
    assert said.confidence is not None
    assert said.confidence < Extractive().threshold


def test_always_abstain_does_not_search() -> None:
    def search(query: str) -> list[Hit]:
        raise AssertionError("it searched")

    assert AlwaysAbstain().answer("?", search, (), bench()).abstained


def golden(**more: Any) -> Golden:
    evidence = [["nf_2025:p1", "nf_2025:p2"], ["nf_2025:p7"]]
    return Golden.model_validate({"id": "g", "question": "?", "answer": "USD 5", "evidence": evidence, **more})


def test_the_oracle_answers_from_the_golden_and_searches_once() -> None:
    asked: list[str] = []
    said = Oracle().answer("Q?", lambda query: asked.append(query) or [], (), bench(golden()))  # type: ignore[func-returns-value]
    assert asked == ["Q?"]
    assert said.text == "USD 5"
    assert [citation.ref for citation in said.citations] == [PageRef("nf_2025", 7)]


@pytest.mark.parametrize("expect", ["abstain", "deflect"])
def test_the_oracle_refuses_what_is_to_be_refused(expect: str) -> None:
    said = Oracle().answer("Q?", search_over(), (), bench(golden(expect=expect, answer=None)))
    assert said.abstained
    assert not said.citations
