"""Answerers: what is quoted stands on the page that is cited; weak evidence is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.bench import Bench, Chunks
from harness.cache.blobs import Blobs
from harness.records import Chunk, Golden, Hit, PageRef
from systems.answerers._statements.columns import columns
from systems.answerers._statements.formulas import Formula, Item, Operation, formula_of
from systems.answerers._statements.pages import pages_of
from systems.answerers._statements.terms import TERMS, Term, term_of
from systems.answerers.always_abstain import AlwaysAbstain
from systems.answerers.oracle import Oracle
from systems.answerers.statements import Statements

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
    said = Statements().answer("What was the cost of sales in 2024?", search_over(PROSE, TABLE), (), bench())
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


def told(question: str, *texts: str) -> str:
    """The answer's text without its citations; empty for a refusal."""
    given = Statements().answer(question, search_over(*texts), (), bench())
    return "" if given.abstained else given.text.split(" [nf_2025")[0]


@pytest.mark.parametrize("between", [" ", "\n"])
def test_text_that_never_stops_is_quoted_in_part(between: str) -> None:
    page = between.join(["Freight and storage for shippers of grain and ore in the north 81 and"] * 4000)
    said = Statements(threshold=0).answer("Who are the shippers of grain?", search_over(page), (), bench())
    assert not said.abstained
    assert "shippers of grain" in said.text
    assert len(said.text) < 1200


QUARTERS = """Note 9 - Quarterly results (in millions, except per share data)
Year Ended December 31, 2024
First Second Third Fourth Quarter Quarter Quarter Quarter
Net sales | $128 | $ 134 | $141 | $ 160
Diluted earnings per share | 1.09 | 1.81 | 0.53 | 1.57"""
SEGMENTS = """Segment results (in thousands)
 | Freight | Storage
 | 2025 | 2024 | Change | 2025 | 2024 | Change
Operating expense | 7,202 | 7,269 | (1) | 3,104 | 2,955 | 5"""
SPANS = """Segment results
 | Freight | Storage
 | 2025 2024
Rental cost | 31 | 32 | 33 | 34"""
PARTS = """Rental cost by period (in millions)
 | Three months ended December 31, 2025 | Year ended December 31, 2025
Rental cost | 25 | 95"""
GROUPS = """Leases (in millions)
 | 2025 | 2024
Finance leases: | |
Weighted-average term of the leases | 11 | 12
Gross lease payments | 480 | 470
Operating leases: | |
Gross lease payments | 950 | 930"""


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("What were net sales in the third quarter of 2024?", QUARTERS, "Net sales (2024): $141 (in millions)"),
        ("What were diluted earnings per share in the first quarter of 2024?", QUARTERS, "1.09"),
        ("What was the operating expense of the Storage segment in 2024?", SEGMENTS, "(2024): 2,955 (in thousands)"),
        ("What was the operating expense of the Freight segment in 2025?", SEGMENTS, "(2025): 7,202 (in thousands)"),
        ("What was the rental cost of the Storage segment in 2025?", SPANS, "(2025): 33"),
        ("What was the rental cost in 2025?", PARTS, "(2025): 95 (in millions)"),
        ("What was the rental cost in the three months to December 2025?", PARTS, "(2025): 25 (in millions)"),
        ("What were the gross lease payments for operating leases in 2025?", GROUPS, "(2025): 950 (in millions)"),
        ("What were the gross lease payments for finance leases in 2024?", GROUPS, "(2024): 470 (in millions)"),
    ],
)
def test_the_column_is_chosen_by_quarter_segment_and_year_and_the_row_by_its_heading(
    question: str, table: str, answer: str
) -> None:
    assert told(question, table).endswith(answer)


def test_a_column_of_changes_is_no_year() -> None:
    table = """(dollars in millions)
Years Ended December 31, | 2025 2024 | 2025 vs. | 2024
Cost of services | 16,562 16,936 | (374) | (2.2)"""
    assert told("What was the cost of services in 2024?", table) == "Cost of services (2024): 16,936 (in millions)"
    assert told("What was the cost of services in 2025?", table) == "Cost of services (2025): 16,562 (in millions)"
    over = columns(table.splitlines()[1:2], (1, 1, 2, 3), 4)
    assert [name.rsplit(" ", 1)[1] for name in over] == ["2025", "2024", "Change", "Change"]


def test_a_label_is_parted_from_the_heading_that_follows_and_joined_to_the_line_above() -> None:
    given = told("What were the total current assets in 2025?", BALANCE)
    assert given == "Total current assets (2025): 600 (in millions)"
    table = """Compensation (in millions)
 | 2025 | 2024
Noncash expense related to the share-based
incentive plans of employees | 548 | 414"""
    given = told("What was the noncash expense for incentive plans of employees in 2025?", table)
    assert given == "Noncash expense related to the share-based incentive plans of employees (2025): 548 (in millions)"


def test_a_heading_with_a_number_is_no_figure() -> None:
    table = "Exhibit\n | 2025 | 2024\nRatio of earnings to fixed charges, computed | 4.53 | 7.19"
    heading = "12.1 Computation of ratio of earnings to fixed charges."
    given = told("What was the ratio of earnings to fixed charges?", heading, PROSE, PROSE, PROSE, PROSE, table)
    assert given.endswith("(2025): 4.53")


STACKED = """Contractual commitments (in millions)
Year Ended December 31,
2026 2027 Total
Debt principal Lease obligations Total commitments | $ 967 84 1,051 | $ 34 88 122 | $ 1,001 172 1,173"""
IN_TURN = """Consolidated balance sheets (in millions)
As of December 31, 2025 2024
Total shareholders' equity 523 457 Total liabilities and shareholders' equity $ 1,202 $ 1,042"""
DETACHED = """Assets under supervision
$ in billions
Equity
Fixed income
Liquidity products
The mix of our assets shifted slightly, as rates rose in the second half of the year and clients moved.
2025 | 2024
256 | 247
578 | 530
326 | 272"""


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("What are the lease obligations for 2027?", STACKED, "Lease obligations (2027): 88 (in millions)"),
        (
            "What was the total shareholders' equity in 2024?",
            IN_TURN,
            "Total shareholders' equity (2024): 457 (in millions)",
        ),
        ("What was the amount of fixed income in 2024?", DETACHED, "Fixed income (2024): 530 (in billions)"),
    ],
)
def test_tables_that_the_parser_ran_together_or_took_apart_are_put_right(
    question: str, table: str, answer: str
) -> None:
    assert told(question, table) == answer


def test_a_figure_of_a_table_cut_by_chunks_is_read_with_the_header_of_its_page() -> None:
    ref = PageRef("nf_2025", 7)
    whole = "Income statement (in millions)\n | 2025 | 2024\nRevenue | 1,284 | 1,101\nRental expense | 95 | 91\nOther | 3 | 4"
    first = Chunk(id="a", ref=ref, text=whole[:70])
    second = Chunk(id="b", ref=ref, text=whole[60:])
    there = replace(bench(), chunks=Chunks(lambda: [first, second]))
    given = Statements().answer("What was the rental expense in 2024?", lambda query: [Hit(second, 1.0)], (), there)
    assert given.text == "Rental expense (2024): 91 (in millions) [nf_2025, p.7]"
    assert pages_of([Hit(second, 1.0)], there)[0].lines == tuple(line.strip() for line in whole.splitlines())


def test_a_sentence_over_two_lines_is_put_together() -> None:
    text = (
        "We have organized all of our operations for the year into these three segments: North\nand South, and Online."
    )
    assert "North and South, and Online." in told("What are the three segments of our operations?", text)


INCOME = """Consolidated statements of income (in millions)
Year Ended December 31, 2025 2024
Net sales | $1,500 | $1,200
Cost of sales | (900) | (780)
Operating income | 150 | 90
Interest expense | (25) | (20)
Net income | 96 | 54"""
BALANCE = """Consolidated balance sheets (in millions)
December 31, 2025 2024
Inventories | 220 | 180
Total current assets Non-current assets: | 600 | 500
Total assets | 2,000 | 1,800
Accounts payable | 130 | 110
Total current liabilities | 400 | 350
Total equity | 900 | 850"""
CASH = """Consolidated statements of cash flows (in millions)
Year Ended December 31, 2025 2024
Depreciation and amortization | 60 | 50
Inventories | (40) | (15)
Net cash provided by operating activities | 210 | 160
Purchases of property and equipment | (80) | (70)"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the current ratio for FY2025? Round to two decimals.", "current ratio (2025): 1.50 = 600 / 400"),
        ("What is the FY2025 operating margin in percent?", "operating margin (2025): 10.00% = 150 / $1,500"),
        ("What is the FY2025 EBITDA margin?", "EBITDA margin (2025): 14.00% = (150 + 60) / $1,500"),
        ("What is the inventory turnover for 2025?", "inventory turnover (2025): 4.5 = (900) / ((180 + 220) / 2)"),
        ("What was the free cash flow in 2025?", "free cash flow (2025): 130 (in millions) = 210 - (80)"),
        ("What is net income to total assets in 2025? Round to three decimals.", "0.048 = 96 / 2,000"),
        ("What was capex as a percent of revenue in 2024?", "5.83% = (70) / $1,200"),
        ("What were the total liabilities in 2025?", "1,100 (in millions) = 2,000 - 900"),
        ("What was the growth in revenue from FY2024 to FY2025 in percent?", "25.00% = ($1,500 - $1,200) / $1,200"),
        (
            "What is the FY2025 DPO? DPO is defined as: 365 * (average accounts payable between FY2024 and FY2025) / "
            "(FY2025 COGS + change in inventory between FY2024 and FY2025). Round to two decimals.",
            "46.60 = 365 * ((110 + 130) / 2) / ((900) + (220 - 180))",
        ),
        (
            "What is the FY2025 reserve cover? Reserve cover is defined as: (cash from operations - capex) / total assets.",
            "0.065 = (210 - (80)) / 2,000",
        ),
        ("Has the gross margin improved between FY2024 and FY2025?", "Yes. gross margin (2025): 40.00%"),
    ],
)
def test_a_measure_is_worked_out_from_the_statements_and_shows_its_working(question: str, answer: str) -> None:
    assert answer in told(question, CASH, INCOME, BALANCE)


def test_a_measure_cites_the_pages_of_its_figures_and_quotes_their_rows() -> None:
    given = Statements().answer("What is the asset turnover for 2025?", search_over(CASH, INCOME, BALANCE), (), bench())
    assert "0.7895 = $1,500 / ((1,800 + 2,000) / 2)" in given.text
    assert [citation.raw for citation in given.citations] == ["[nf_2025, p.42]", "[nf_2025, p.43]"]
    assert all(citation.span and given.text[slice(*citation.span)] == citation.raw for citation in given.citations)
    assert given.citations[1].quote == "December 31, 2025 2024\nTotal assets | 2,000 | 1,800"


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("What is the current ratio for FY2025?", (INCOME, CASH)),  # no balance sheet: no ratio from another figure
        ("What is the current ratio for FY2021?", (INCOME, BALANCE)),  # another year's
        ("What was the adjusted EBITDA in FY2025?", (PROSE,)),  # a company's own measure
        ("What is the inventory turnover for 2025?", (INCOME, CASH)),  # the cash flow statement's are changes
    ],
)
def test_a_measure_without_its_figures_is_refused(question: str, texts: tuple[str, ...]) -> None:
    assert told(question, *texts) == ""


def test_figures_of_two_sheets_or_two_documents_are_not_worked_with_together() -> None:
    lines = BALANCE.splitlines()
    assets, rest = "\n".join(lines[:4]), "\n".join([*lines[:2], *lines[4:]])
    question = "What is the current ratio for FY2025?"
    assert "1.5 = 600 / 400" in told(question, assets, rest)
    assert "=" not in told(question, assets, PROSE, rest)
    other = [Hit(Chunk(id="b", ref=PageRef("other_2025", 3), text=rest), 1.0)]
    given = Statements().answer(question, lambda query: [*hits(assets), *other], (), bench())
    assert "=" not in given.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the combined operating income of 2024 and 2025?", "240 (in millions) = 90 + 150"),
        ("By how much did interest expense increase from 2024 to 2025?", "5 (in millions) = (25) (2025) - (20) (2024)"),
        ("What was the total cost of sales for 2024 and 2025 combined?", "-1,680 (in millions) = (780) + (900)"),
        ("Compare the operating income in 2024 and 2025.", "$150 (in millions) in 2025".replace("$", "")),
        ("Did operating income increase from 2024 to 2025?", "Yes. Operating income: 150"),
        ("Did operating income decrease from 2024 to 2025?", "No. Operating income: 150"),
        ("Did net sales increase or decrease from 2024 to 2025?", "Increase. Net sales: 300 (in millions)"),
        ("In which year was the cost of sales higher in amount, 2024 or 2025?", "2024."),
    ],
)
def test_several_years_are_compared(question: str, answer: str) -> None:
    assert answer in told(question, INCOME)


def test_years_that_a_sentence_lists_are_compared() -> None:
    text = "Our lease liabilities were $9.7 billion and $39.8 billion as of December 31, 2024 and 2025."
    given = told("What was the change in lease liabilities from 2024 to 2025?", text)
    assert given.endswith("30.1 (in billions) = $39.8 billion (2025) - $9.7 billion (2024)")


def test_the_sign_of_a_figure_says_which_of_two_sides() -> None:
    table = "Net results (in millions)\n | 2025 | 2024\nNet gains (losses) on sales of loans | (35) | 12"
    assert told("Was there a net gain or loss on sales of loans in 2025?", table).startswith("Loss. Net gains (losses)")
    assert told("Was there a net gain or loss on sales of loans in 2024?", table).startswith("Gain. Net gains (losses)")


def test_a_part_is_given_as_share_of_its_whole() -> None:
    table = "Sales by region (in millions)\n | 2025 | 2024\nNordic countries | 368 | 300\nTotal sales | 500 | 390"
    given = told("What percentage of total sales was made in the Nordic countries in 2025?", table)
    assert given == "Nordic countries, of Total sales (2025): 73.60% = 368 / 500"


def test_a_year_that_no_line_names_is_refused() -> None:
    assert told("What was the cost of sales in 2019?", TABLE) == ""
    text = "The auditor of the group is Brandt Meijer. Its fee is USD 5 million."
    assert told("What is the fee of the auditor of the group?", text)
    assert told("What was the fee in 2019?", text) == ""


def test_acronyms_and_verbs_are_no_names_of_strangers() -> None:
    assert told("Roughly, what was the COGS in 2024?", INCOME)


def items_of(formula: Formula | None) -> list[Item]:
    if isinstance(formula, Operation):
        return items_of(formula.left) + items_of(formula.right)
    return [formula] if isinstance(formula, Item) else []


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.called)
def test_every_term_is_found_by_its_name_and_every_formula_is_of_terms(term: Term) -> None:
    assert term_of(term.called.lower()) is term
    assert term.labels or term.formula
    assert not term.formula or items_of(formula_of(term.formula))
    assert all(term_of(item.phrase) for item in items_of(formula_of(term.formula) if term.formula else None))


@pytest.mark.parametrize("text", ["(revenue", "revenue / ", "* revenue", "revenue) / 2", ""])
def test_what_is_no_formula_is_none(text: str) -> None:
    assert formula_of(text) is None


def test_the_sentence_is_quoted_for_prose() -> None:
    said = Statements().answer("Where is the head office of the group?", search_over(TABLE, PROSE), (), bench())
    assert "Its head office is in Bergen." in said.text


@pytest.mark.parametrize("texts", [(), (TABLE, PROSE), ("",)])
def test_what_is_not_there_is_refused(texts: tuple[str, ...]) -> None:
    said = Statements().answer("How many satellites did Orion launch from Kourou?", search_over(*texts), (), bench())
    assert said.abstained
    assert said.confidence is not None
    assert said.confidence < Statements().threshold


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
