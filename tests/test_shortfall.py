"""What a parse lacks of the reference text: counted by page, kept with the parse, without what parsers leave out on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.bench import Bench
from harness.documents.pdf import ReferencePage
from harness.documents.shortfall import Lacking, Shortfall, shortfall
from harness.records import Block, Page, PageRef
from harness.runs.ingest import Ingest
from harness.runs.jobs import open_jobs
from harness.runs.options import Options

SHOWN = "Revenue rose to 1,284 million.\nWages were 310.5 million in Alder, Birch and Cedar."


def compared(parsed: Sequence[str], shown: Sequence[str], labels: Sequence[str | None] = ()) -> Shortfall:
    pages = [
        Page(ref=PageRef("doc", number), blocks=(Block(kind="text", text=text),))
        for number, text in enumerate(parsed, start=1)
    ]
    reference = [ReferencePage(text, label) for text, label in zip(shown, labels or [None] * len(shown), strict=True)]
    return shortfall("doc", pages, reference)


def test_what_is_there_in_another_order_is_not_lacking() -> None:
    found = compared(["Alder | 310.5\nBIRCH | 1,284\nwages were million in and Cedar Revenue rose to million"], [SHOWN])
    assert found.words == Lacking(total=12, lacking=0)
    assert found.figures == Lacking(total=2, lacking=0)
    assert found.pages == ()


def test_a_lost_line_is_counted_by_page_and_the_page_is_named() -> None:
    found = compared([SHOWN, "Revenue rose to 1,284 million."], [SHOWN, SHOWN])
    assert found.words == Lacking(total=24, lacking=8)
    assert found.figures == Lacking(total=4, lacking=1)
    (page,) = found.below()
    assert page.ref == PageRef("doc", 2)
    assert page.figures == Lacking(total=2, lacking=1)
    assert page.sample == ("wages", "were", "310.5", "million", "in", "alder", "birch", "and")


def test_a_torn_figure_is_lacking() -> None:
    assert compared(["38 742"], ["38,742"]).figures == Lacking(total=1, lacking=1)


def test_a_word_that_stands_twice_and_was_read_once_lacks_once() -> None:
    assert compared(["total 7"], ["total 7 total 7"]).words == Lacking(total=2, lacking=1)


def test_hyphens_and_ligatures_make_no_difference() -> None:
    found = compared(
        ["ef\ufb01cient ex\u00adample, non current, pre-tax"], ["efficient exam-\nple, non current, pretax"]
    )
    assert found.words.lacking == 0


def test_running_lines_and_page_numbers_are_left_out_on_purpose() -> None:
    shown = [f"Annual report {2020 + n} of Alder\n{SHOWN}\n{n}" for n in range(4)]
    found = compared([SHOWN] * 4, shown, ["0", "1", "2", "3"])
    assert found.pages == ()
    twice = compared([SHOWN] * 2, shown[:2], ["0", "1"])
    assert twice.words.lacking == 8, "a line on two pages does not run"


def test_the_parse_is_compared_at_ingest_and_what_it_lacks_is_kept(project: Path) -> None:
    options = Options(results=project / "results")
    (job,) = open_jobs([project / "plain.yaml"], options)
    ingest = Ingest(job.corpus, ["alder_2025"], options.cache, job.system.parser, job.system.chunker)
    assert ingest.shortfall("alder_2025") is None
    ingest.run(Bench(), 1)
    found = ingest.shortfall("alder_2025")
    assert found is not None
    assert found.doc == "alder_2025"
    assert found.figures == Lacking(total=6, lacking=0)
