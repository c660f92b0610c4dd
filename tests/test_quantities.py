"""Quantities: what is read, how it is compared, where it is found on pages."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.quantities.comparing import compare
from harness.quantities.headers import headers_of
from harness.quantities.pages import find_on_pages, read_page
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all, read_quantities
from harness.records import PageRef

NORTHFIELD = Path(__file__).parents[1] / "goldens" / "northfield"


def only(text: str) -> Quantity:
    (quantity,) = read_quantities(text)
    return quantity


# -- reading ----------------------------------------------------------------------------------------------------------

READ = [
    # text, value in the unit's base, unit
    ("$1,577 million", "1577000000", "$"),
    ("1.577bn", "1577000000", ""),
    ("US$ 3.4bn", "3400000000", "USD"),
    ("USD 8.70", "8.70", "USD"),
    ("NOK 7.8 million", "7800000", "NOK"),
    ("1.2 million euros", "1200000", "EUR"),
    ("$300-million", "300000000", "$"),
    ("36k", "36000", ""),
    ("nearly 2 thousand", "2000", ""),
    ("1,23,456 lakh", "12345600000", ""),
    ("₹12 crore", "120000000", "INR"),
    ("1.234,5", "1234.5", ""),
    ("€1.234.567,89", "1234567.89", "EUR"),
    ("12,5 %", "0.125", "%"),
    ("1 234 567", "1234567", ""),
    ("5’123", "5123", ""),
    (".75", "0.75", ""),
    ("(123)", "-123", ""),
    ("$ (1,234)", "-1234", "$"),
    ("$(0.35)", "-0.35", "$"),
    ("($12.5) million", "-12500000", "$"),
    ("(2.4)%", "-0.024", "%"),
    ("−0.02", "-0.02", ""),
    ("–5.5%", "-0.055", "%"),
    ("-$5", "-5", "$"),
    ("$-5", "-5", "$"),
    ("12.5%", "0.125", "%"),
    ("18.5 percent", "0.185", "%"),
    ("3 pp", "0.03", "pp"),
    ("12 percentage points", "0.12", "pp"),
    ("45 bps", "0.0045", "bps"),
    ("25 basis points", "0.0025", "bps"),
    ("2.4x", "2.4", "x"),
    ("3.4-fold", "3.4", "x"),
    ("870 cents", "8.70", "$"),
    ("12.4 million tonnes", "12400000000", "t"),
    ("3.5 kt", "3500000", "kt"),
    ("450 mboe per day", "450000", "kboe/d"),
    ("45 days", "45", "day"),
    ("twenty-five percent", "0.25", "%"),
    ("two hundred and twelve", "212", ""),
    ("one and a half million dollars", "1500000", "$"),
    ("half a million", "500000", ""),
    ("a dozen", "12", ""),
    ("$ 0.1$ billion", "100000000", "$"),
]


@pytest.mark.parametrize(("text", "value", "unit"), READ, ids=[text for text, _, _ in READ])
def test_reads_value_and_unit(text: str, value: str, unit: str) -> None:
    quantity = only(text)
    assert (quantity.value, quantity.unit.name) == (Decimal(value), unit)


NOT_FIGURES = [
    ("in 2018", "year"),
    ("FY2018", "year"),
    ("December 31, 2018", "date"),
    ("31/12/2018", "date"),
    ("see page 12", "page"),
    ("pp. 41-43", "page"),
    ("note 5", "note"),
    ("Table 3", "label"),
    ("Form 10-K", "label"),
    ("the 3-year average", "label"),
    ("as shown [2]", "label"),
    ("ISO 9001", "label"),
    ("at 10:30", "label"),
    ("Form S-3", "label"),
    ("(1) Dairy and (2) Frozen", "label"),
]


@pytest.mark.parametrize(("text", "role"), NOT_FIGURES, ids=[text for text, _ in NOT_FIGURES])
def test_years_dates_pages_notes_and_labels_are_no_figures(text: str, role: str) -> None:
    assert read_quantities(text) == []
    assert {quantity.role for quantity in read_all(text)} <= {role, "year"}


def test_list_numbers_and_numbers_inside_words_are_no_figures() -> None:
    assert [q.text for q in read_quantities("1. First: 20 units\n2) Second: 30 units")] == ["20", "30"]
    assert read_quantities("5G masts, the A380 and COVID19") == []


def test_a_number_that_could_be_a_year_is_a_figure_with_a_currency_or_a_scale() -> None:
    assert [str(q.value) for q in read_quantities("$2018, 2,018 and 2018 million")] == ["2018", "2018", "2018000000"]


def test_precision_is_the_last_stated_digit_and_span_is_where_it_stands() -> None:
    text = "Revenue was $1.50 million."
    quantity = only(text)
    assert quantity.precision == Decimal("10000")
    assert quantity.digits == 3
    assert text[quantity.start : quantity.end] == "$1.50 million"


def test_words_give_a_direction_and_hedges() -> None:
    assert [q.direction for q in read_quantities("Sales fell 4%, costs rose by 3% and staff was 120.")] == [-1, 1, 0]
    assert only("a decrease of $5 million").directed == -5_000_000
    assert only("It fell to $18 million").direction == 0
    assert [q.qualifier for q in read_quantities("about 5, more than 6, up to 7, just 8")] == [
        "about",
        "more",
        "most",
        "",
    ]


def test_brackets_negate_unless_they_only_add_a_figure() -> None:
    assert [str(q.value) for q in read_quantities("Net income (1,284)")] == ["-1284"]
    assert [str(q.value) for q in read_quantities("It fell to $5 million (4.2%).")] == ["5000000", "0.042"]


def test_the_ends_of_a_range_share_scale_and_unit() -> None:
    for text in ("$61.25–64.75 billion", "between $61.25 and $64.75 billion", "$61.25 to 64.75 billion"):
        low, high = read_quantities(text)
        assert (low.edge, high.edge) == ("low", "high")
        assert (low.value, high.value) == (Decimal("61.25e9"), Decimal("64.75e9"))
        assert low.unit.name == high.unit.name == "$"
    assert [q.edge for q in read_quantities("$5 million - $3 million = $2 million")] == ["", "", ""]


def test_periods_are_given_by_the_sentence() -> None:
    text = "In 2018 revenue fell to $1.2 billion (2017: $1.25 billion). In Q2 2019 it was $0.4 billion."
    assert [q.period for q in read_quantities(text)] == [("2018",), ("2017",), ("2019", "Q2")]
    pair = read_quantities("It was $5 million and $6 million in 2019 and 2020, respectively.")
    assert [q.period for q in pair] == [("2019",), ("2020",)]
    assert [q.period for q in read_quantities("FY22: 12%, FY21: 11%")] == [("2022",), ("2021",)]


GROUPED = {"1,234": lambda n: f"{n:,}", "1 234": lambda n: f"{n:,}".replace(",", "\u00a0"), "plain": str}


@given(st.integers(min_value=2101, max_value=10**12), st.sampled_from(sorted(GROUPED)), st.booleans())
def test_a_whole_number_is_read_as_it_was_written(number: int, style: str, negative: bool) -> None:
    text = GROUPED[style](number)
    quantity = only(f"The total was ({text})." if negative else f"The total was {text}.")
    assert quantity.value == (-number if negative else number)


@given(st.text(max_size=200))
def test_any_text_can_be_read_and_spans_hold(text: str) -> None:
    for quantity in read_all(text):
        assert 0 <= quantity.start < quantity.end <= len(text)
        assert any(char.isdigit() for char in text[quantity.start : quantity.end]) or quantity.spelled


def test_numbers_longer_than_any_amount_are_keys_and_no_figures() -> None:
    assert read_quantities("Account 123456789012345678901234567890123 holds $5.")[0].text == "$5"
    assert read_quantities("1234567890" * 500) == []


# -- comparing: harness/scoring/README.md, Score ------------------------------------------------------------------------

COMPARED = [
    # claim, reference, kind
    ("$1,577 million", "$1.577 billion", "exact"),
    ("12.5%", "0.125", "exact"),
    ("45 bps", "0.45%", "exact"),
    ("300 bps", "3 pp", "exact"),
    ("1.23bn", "1,234 million", "rounded"),  # coarser, its correct rounding, 0.3% off
    ("1.2bn", "1,234 million", "too coarse"),  # its correct rounding, but 2.8% off
    ("1.24bn", "1,234 million", "near"),  # within 0.5%, but no rounding of it
    ("1,234.4 million", "1,234 million", "rounded"),  # finer, rounds to it
    ("1,234.6 million", "1,234 million", "near"),
    ("1,233.5 million", "1,234 million", "rounded"),  # a tie may go up
    ("1,234 million", "1,235 million", "near"),
    ("1,334 million", "1,234 million", "other"),
    ("1,577 thousand", "1,577 million", "scale slip"),
    ("1.577 million", "1,577 million", "scale slip"),
    ("1.25%", "12.5%", "scale slip"),
    ("123", "(123)", "sign slip"),
    ("rose 4%", "fell 4%", "sign slip"),
    ("fell 4%", "-4%", "exact"),
    ("€5 million", "$5 million", "unit mismatch"),
    ("3%", "3 pp", "unit mismatch"),
    ("CAD 5 million", "$5 million", "exact"),
    ("CAD 5 million", "USD 5 million", "unit mismatch"),
    ("12,400 kt", "12.4 million tonnes", "exact"),
    ("12.4 million barrels", "12.4 million tonnes", "unit mismatch"),
    ("$5 million in 2018", "$5 million in 2019", "other period"),
    ("$5 million in 2019", "$5 million", "exact"),
]


@pytest.mark.parametrize(("claim", "reference", "kind"), COMPARED, ids=[f"{a} / {b}" for a, b, _ in COMPARED])
def test_compares_by_the_rule(claim: str, reference: str, kind: str) -> None:
    assert compare(only(claim), only(reference)).kind == kind


@given(st.integers(min_value=1000, max_value=99_999), st.sampled_from([1, 10, 100]))
def test_a_coarser_claim_is_right_only_as_the_rounding_and_within_half_a_percent(value: int, step: int) -> None:
    reference = only(f"{value:,}.0")
    for multiple in range(value // step - 1, value // step + 3):
        claimed = only(f"{multiple * step:,}.0").with_(step=Decimal(step))
        off = abs(multiple * step - value) * 2
        rounding = off < step or (off == step and (multiple * step > value or multiple % 2 == 0))
        close = abs(multiple * step - value) * 200 <= value
        assert compare(claimed, reference).right == (multiple * step == value or (rounding and close))


# -- on pages ----------------------------------------------------------------------------------------------------------

INCOME = """Consolidated statement of income
(in millions, except per share data)
Year ended December 31 2018 2017
Revenue $ 1,284 $ 1,160
Cost of sales (843) (790)
Gross profit 441 370
Effective tax rate 21.4 % 35.0 %
Diluted earnings per share $ 2.31 $ 1.98
Number of ferries 17 16
"""
STAFF = "At year end 4,210 people worked for the line, 17 of them in Halden. Sales rose 12.3%."
PAGES = {PageRef("d", 41): INCOME, PageRef("d", 42): STAFF}


EXCEPTED = """CONSOLIDATED STATEMENTS OF OPERATIONS
(In millions, except number of shares, which are reflected in thousands, and per-share amounts)
September 28, 2019 September 29, 2018
Net sales $ 46,298 $ 51,761
Earnings per share:
Basic $ 11.97 $ 12.01
Shares used in computing earnings per share:
Basic 4,617,834 4,955,377
Dividends declared per share $ 3.00 $ 2.72
"""
EXCEPTED_ANSWER = "Net sales were $46,298 million, 4,617,834 thousand shares, $11.97 and $3.00 per share."
HEADERS = [
    # statement, row, its scale
    ("(in millions, except shares, in thousands, and per-share amounts)", "Net sales", "1e6"),
    ("(in millions, except shares, in thousands, and per-share amounts)", "Weighted average shares", "1e3"),
    ("(in millions, except shares, in thousands, and per-share amounts)", "Net income per share", "1"),
    ("(in millions, except per share data)", "Net income", "1e6"),
    ("(in millions, except per share data)", "Shares outstanding", "1e6"),
    ("(in millions, except per share data)", "Earnings per share", "1"),
    ("(dollars in thousands, except percentages and par value)", "Fair value of loans", "1e3"),
    ("(dollars in thousands, except percentages and par value)", "Common stock, par value", "1"),
    ("(in thousands)", "Earnings per share", "1e3"),
    ("(in millions, excluding headcount)", "Headcount", "1"),
]


@pytest.mark.parametrize(("statement", "row", "scale"), HEADERS, ids=[f"{row} / {text}" for text, row, _ in HEADERS])
def test_a_header_touches_the_rows_that_it_does_not_except(statement: str, row: str, scale: str) -> None:
    (header,) = headers_of(statement)
    assert header.scale_of(row) == Decimal(scale)


def test_rows_of_a_page_have_their_own_scale() -> None:
    pages = {PageRef("d", 7): EXCEPTED}
    assert found(EXCEPTED_ANSWER, pages=pages) == [("exact", "d:p7")] * 4
    assert found("Net sales were $46,298 thousand; 4,617,834 million shares.", pages=pages) == [(None, "")] * 2


def found(answer: str, question: str = "", pages: dict[PageRef, str] | None = None) -> list[tuple[str | None, str]]:
    return [(figure.how, str(figure.ref or "")) for figure in find_on_pages(answer, pages or PAGES, question)]


def test_figures_are_found_exactly_or_rounded_with_the_scale_of_the_header() -> None:
    assert found("Revenue was $1,284 million.") == [("exact", "d:p41")]
    assert found("Revenue was $1.284 billion, some $1.28 billion.") == [("exact", "d:p41"), ("rounded", "d:p41")]
    assert found("Revenue was 1,284") == [("exact", "d:p41")]
    assert found("Revenue was $1,284 billion.") == [(None, "")]
    assert found("Revenue was $1,294 million.") == [(None, "")]


def test_expenses_in_brackets_percentages_and_prose_are_found() -> None:
    assert found("Costs were $843 million at a tax rate of 21.4%.") == [("exact", "d:p41"), ("exact", "d:p41")]
    assert found("4,210 people; sales up 12.3%") == [("exact", "d:p42"), ("exact", "d:p42")]
    assert found("The rate was 21.4 million.") == [(None, "")]


def test_two_digits_need_their_label_nearby() -> None:
    assert found("17", "How many ferries were in service, by number?") == [("exact", "d:p41")]
    assert found("17", "How many lawsuits are pending in the district court?") == [(None, "")]


def test_what_pages_can_be_made_to_give_is_worked_out_once_for_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []
    monkeypatch.setattr("harness.quantities.derived.fitting", lambda rows, question: looks.append(question) or [])
    found = find_on_pages("1,201, 1,302, 1,403 and 1,504", PAGES, "Which?")
    assert (len(found), looks) == (4, ["Which?"])


def test_a_figure_worked_out_of_labelled_rows_is_derived_and_shows_its_working() -> None:
    (figure,) = find_on_pages("124", PAGES, "What was the change in revenue between 2017 and 2018, in millions?")
    assert (figure.how, str(figure.ref)) == ("derived", "d:p41")
    assert figure.working == "$ 1,284 − $ 1,160 on d:p41"
    (margin,) = find_on_pages("34.3%", PAGES, "What was gross profit as a percentage of revenue in 2018?")
    assert margin.how == "derived"
    assert "441 / $ 1,284" in margin.working
    (growth,) = find_on_pages("10.7%", PAGES, "By what percentage did revenue increase in 2018?")
    assert growth.how == "derived"


def test_rows_that_the_question_does_not_name_derive_nothing() -> None:
    assert found("124", "What was the change in the number of court cases?") == [(None, "")]
    assert found("125", "What was the change in revenue between 2017 and 2018?") == [(None, "")]


def test_known_operands_derive_whatever_their_label() -> None:
    pages = {PageRef("d", 42): STAFF, PageRef("e", 3): "At year end 3,990 people worked for the line."}
    question = "How much bigger was the payroll?"
    assert found("220", question, pages) == [(None, "")]
    (figure,) = find_on_pages("220", pages, question, operands=["4,210", "3,990"])
    assert figure.working == "4,210 people − 3,990 people on d:p42 and e:p3"


def test_the_answers_own_figures_on_the_page_are_operands() -> None:
    answer = (
        "Revenue of 1,284 less costs of 843 leaves 441, or 441 + 370 = 811 in two years; 34.3% of revenue; not 999."
    )
    figures = {figure.quantity.text: figure.how for figure in find_on_pages(answer, PAGES)}
    assert figures == {"1,284": "exact", "843": "exact", "441": "exact", "370": "exact", "811": "derived", "34.3%": "derived",
                       "999": None}  # fmt: skip


def test_figures_that_the_question_states_are_not_the_answers() -> None:
    question = "How many of the 4,210 people work in Halden?"
    assert [f.quantity.text for f in find_on_pages("17 of the 4,210 people", PAGES, question)] == ["17"]
    assert [f.quantity.text for f in find_on_pages("4,210 people", PAGES, question)] == ["4,210 people"]


def test_a_page_is_read_once_and_asked_often() -> None:
    page = read_page(INCOME)
    (one,) = find_on_pages("Revenue was $1,284 million.", {PageRef("d", 41): page})
    assert (one.how, one.on_page) == ("exact", "$ 1,284")


def test_every_figure_of_northfields_gold_answers_stands_on_its_gold_pages() -> None:
    from harness.documents.corpus import Corpus
    from harness.goldens.loading import read

    corpus = Corpus.open(NORTHFIELD, verify=False)
    missing = []
    for golden in read(NORTHFIELD / "dev.jsonl", "dev", corpus).goldens:
        if golden.expect == "answer" and golden.evidence:
            pages = {ref: corpus.text(ref) for ref in golden.gold_pages}
            quotes = [quote for texts in golden.quotes.values() for quote in texts]
            figures = find_on_pages(golden.answer or "", pages, golden.question, quotes)
            missing += [(golden.id, figure.quantity.text) for figure in figures if figure.how is None]
    assert missing == []
