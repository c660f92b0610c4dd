"""Chunkers: never over a page, unique ids, tables whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.bench import Bench
from harness.cache.blobs import Blobs
from harness.records import Block, Page, PageRef
from systems.chunkers.headings import Headings
from systems.chunkers.page_windows import PageWindows

BENCH = Bench(corpus=None, blobs=Blobs(Path("unused")))  # type: ignore[arg-type]
TABLE = "\n".join(f"Row {number} | {number * 7} | {number * 9}" for number in range(200))


def page(number: int, *blocks: Block, **more: Any) -> Page:
    return Page(ref=PageRef("d", number), blocks=blocks, **more)


def text(characters: int) -> Block:
    return Block(kind="text", text=("word " * characters)[:characters])


def heading(words: str, level: int = 2) -> Block:
    return Block(kind="heading", text=words, level=level)


def test_windows_move_on_by_size_less_overlap() -> None:
    chunks = PageWindows().chunk([page(1, Block(kind="text", text="x" * 3000))], BENCH)
    assert [len(chunk.text) for chunk in chunks] == [1200, 1200, 900]
    assert [chunk.id for chunk in chunks] == ["d:p1-w00", "d:p1-w01", "d:p1-w02"]


@given(st.text(alphabet="ab \n", max_size=900))
def test_windows_hold_every_word_of_the_page(words: str) -> None:
    chunks = PageWindows(size=100, overlap=20).chunk([page(1, Block(kind="text", text=words))], BENCH)
    short = [word for word in words.split() if len(word) < 10]
    assert all(any(word in chunk.text for chunk in chunks) for word in short)
    assert all(len(chunk.text) <= 100 for chunk in chunks)


def test_windows_never_go_over_a_page_and_take_the_kind_of_their_text() -> None:
    pages = [page(1, text(30)), page(2, Block(kind="table", text=TABLE)), page(3, status="blank")]
    chunks = PageWindows().chunk(pages, BENCH)
    assert {chunk.ref.page: chunk.kind for chunk in chunks} == {1: "text", 2: "table"}
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_windows_that_do_not_move_on_are_refused() -> None:
    with pytest.raises(ValidationError, match="must move on"):
        PageWindows(size=100, overlap=90)


def test_sections_split_at_all_levels_and_short_ones_join_the_next() -> None:
    blocks = [
        heading("A", 1),
        text(600),
        heading("B", 6),
        text(100),
        heading("C", 3),
        text(700),
        heading("D"),
        text(50),
    ]
    chunks = Headings().chunk([page(139, *blocks)], BENCH)
    assert [chunk.id for chunk in chunks] == ["d:p139-01", "d:p139-02"]
    assert chunks[0].text.startswith("A\n")
    assert chunks[1].text.startswith("B\n"), "the short section leads the one that it joined"
    assert "\nC\n" in chunks[1].text
    assert "\nD\n" in chunks[1].text, "the last joins the one before"


def test_a_table_is_never_cut_and_pages_stand_alone() -> None:
    pages = [page(1, heading("Assets"), Block(kind="table", text=TABLE)), page(2, text(20))]
    first, second = Headings().chunk(pages, BENCH)
    assert TABLE in first.text
    assert first.kind == "table"
    assert second.ref == PageRef("d", 2)
    assert second.kind == "text"


def test_a_page_that_cannot_be_read_has_no_chunks() -> None:
    pages = [page(1, text(900), status="unreadable"), page(2, Block(kind="figure"))]
    assert Headings().chunk(pages, BENCH) == []
    assert PageWindows().chunk(pages, BENCH) == []
