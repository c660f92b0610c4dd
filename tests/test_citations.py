"""Citations in the forms that models write, read into pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.bench import Bench, Document, NoPages
from harness.records import PageRef
from systems._shared.citations import citations


class _Pages(NoPages):
    """Two reports of forty pages; the page printed as 23 is the 25th of the file, and so on."""

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, PageRef) and ref.doc in {"orion_2024", "vega_2024"} and 1 <= ref.page <= 40

    def label(self, ref: PageRef) -> str | None:
        return "iv" if ref.page == 2 else str(ref.page - 2)


BOTH = (
    Document("orion_2024", "Orion plc Annual Report 2024", ("Orion",), 40),
    Document("vega_2024", "Vega Holding Annual Report 2024", ("Vega",), 40),
)
SHOWN = [PageRef("orion_2024", 12), PageRef("vega_2024", 12), PageRef("orion_2024", 2), PageRef("vega_2024", 37)]


def read(text: str, documents: Sequence[Document] = BOTH, shown: Sequence[PageRef] = SHOWN) -> list[str | None]:
    bench = replace(Bench(corpus=_Pages()), documents=tuple(documents))
    return [str(citation.ref) if citation.ref else None for citation in citations(text, shown, bench)]


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("Sales rose [Orion, p.12].", ["orion_2024:p12"]),
        ("Sales rose [Orion plc Annual Report 2024, p. 12].", ["orion_2024:p12"]),
        ("Sales rose [Orion, page 12, page 14].", ["orion_2024:p12", "orion_2024:p14"]),
        ("Sales rose [orion_2024:p12].", ["orion_2024:p12"]),
        ("Both [Orion, p.12; Vega, p.37].", ["orion_2024:p12", "vega_2024:p37"]),
        ("Twice [Orion, p.12; p.13].", ["orion_2024:p12", "orion_2024:p13"]),
        ("Sales [Orion, pp. 23–25].", ["orion_2024:p23", "orion_2024:p24", "orion_2024:p25"]),
        ("Sales [Orion, pages 3, 5 and 7].", ["orion_2024:p3", "orion_2024:p5", "orion_2024:p7"]),
        ("Sales rose (page 37).", ["vega_2024:p37"]),
        ("Sales rose (Vega, p. 12).", ["vega_2024:p12"]),
        ("Sales rose (see note 4, page 37).", ["vega_2024:p37"]),
        ("It stands on page 12 of the Vega report.", ["vega_2024:p12"]),
        ("As in [3].", ["orion_2024:p2"]),
        ("As in [1, 4].", ["orion_2024:p12", "vega_2024:p37"]),
        ("As in [1][2].", ["orion_2024:p12", "vega_2024:p12"]),
        ("As in [2-4].", ["vega_2024:p12", "orion_2024:p2", "vega_2024:p37"]),
        ("As in 【4】.", ["vega_2024:p37"]),
        ("As in [passage 2].", ["vega_2024:p12"]),
        ("Printed [Orion, p. iv].", ["orion_2024:p2"]),
        ("Printed [Vega, p. 35].", ["vega_2024:p37"]),
        ("Not shown [Vega, p. 30].", ["vega_2024:p30"]),
    ],
)
def test_forms_that_name_a_page(text: str, pages: list[str]) -> None:
    assert read(text) == pages


@pytest.mark.parametrize(
    "text",
    [
        "An invented company [Zenith, p.12].",
        "A page after the end [Orion, p.400].",
        "A passage that was not shown [9].",
        "Which of two reports? (page 12)",
        "A whole report [Orion, pp. 1–40].",
    ],
)
def test_what_names_no_page_stays_as_an_invalid_citation(text: str) -> None:
    assert read(text) == [None]


@pytest.mark.parametrize(
    "text", ["Revenue of 12 million in [2024].", "Up 3 p.p.", "It employs 12 people.", "P&L, step 12"]
)
def test_figures_are_no_citations(text: str) -> None:
    assert read(text) == []


def test_a_year_after_a_page_is_not_a_page() -> None:
    assert read("On page 37, 2023 is restated.") == ["vega_2024:p37"]


def test_spans_hold_what_was_written_in_its_order() -> None:
    text = "A (page 37), B [Orion, p.12], C on page 37."
    found = citations(text, SHOWN, replace(Bench(corpus=_Pages()), documents=BOTH))
    assert [citation.raw for citation in found] == ["(page 37)", "[Orion, p.12]", "page 37"]
    assert all(text[slice(*citation.span)] == citation.raw for citation in found if citation.span)
