"""Texts of every kind, in questions, answers, titles, ids and names: the terminal stays whole, and so does a findings page."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, DEV, write_set
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from harness.cli import main
from harness.reports import escaping
from harness.reports.progress import Progress

TEXTS = {
    "right to left": "كم بلغت الإيرادات؟ מה היו ההכנסות",
    "overrides of direction": "abc\u202edcba\u2066x\u2069",
    "combining": "Ve\u0308ritable\u0301 Z\u0351\u036e\u0343algo",
    "emoji": "📈 👩🏽‍🔬 🇫🇮",
    "ligatures and soft hyphens": "of\u00adfice oﬃce",
    "escape codes": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J",
    "control characters": "a\x00b\x07c\x08d\x7fe\x84f",
    "ends of lines": "one\ncorrectness  1  forged\r\ntwo\rthree\u2028four\u2029five\x0bsix\x0cseven",
    "tabs": "a\tb",
    "Markdown": "| a | b |\n|---|---|\n# Title\n- *item* `code` [link](http://x) ![img](y) ~~no~~ $x^2$ \\| **",
    "HTML": "<script>alert(1)</script><img src=x onerror=y></td></table><!-- & &lt; &#124;",
    "a fence": "```\ncode\n```",
    "invisible tags": "plain\U000e0041\U000e0042\U000e007f",
    "very long": "x" * 20_000,
}
"""Each stands in the id, the question, the answer and a note of one golden."""
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
NAME = "we|ird `x` <b>y</b> [z](w) $a$ ünï"


def goldens() -> list[dict[str, Any]]:
    return [
        {**DEV[0], "id": f"{name}: {text}", "question": f"How much revenue? {text}", "answer": f"USD 1,284 million {text}",
         "accept": [text], "notes": text, "evidence": [["alder_2025:p1"]]}
        for name, text in TEXTS.items()
    ]  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose texts are all of these, after a run; everything printed is kept in shown.txt."""
    made = tmp_path_factory.mktemp("texts")
    write_set(made / "tiny")
    (made / "tiny" / "dev.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens()))
    listing = made / "tiny" / "corpus.yaml"
    titles = {"alder_2025": "\\e[31m<b>Alder</b> | [x](y)\\u202e", "birch_2025": "שנתי ``` # x"}
    for doc, title in titles.items():
        listing.write_text(listing.read_text().replace(f"title: {doc}", f'title: "{title}"'), encoding="utf-8")
    text = CONFIG.replace("{use: statements}", "{use: oracle}").replace("{use: bm25}", "{use: bm25, candidates: 1}")
    (made / f"{NAME.replace('/', '∕')}.yaml").write_text(text, encoding="utf-8")
    with contextlib.chdir(made), contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        assert main(["run", f"{NAME.replace('/', '∕')}.yaml", "--split", "dev"]) == 0
    (made / "shown.txt").write_text(out.getvalue(), encoding="utf-8", newline="")
    return made


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return project


# -- the terminal -----------------------------------------------------------------------------------------------------


def printed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(list(words)) == code
    said = capsys.readouterr()
    text = said.out + said.err
    assert not RAW.search(text.replace("\n", "")), "nothing reaches the terminal raw"
    return text


def test_a_run_prints_nothing_raw(here: Path) -> None:
    shown = (here / "shown.txt").read_bytes().decode()
    assert not RAW.search(shown.replace("\n", ""))
    assert "tiny / we|ird" in shown


@pytest.mark.parametrize("name", TEXTS)
def test_explain_shows_any_text_and_no_line_of_it_passes_for_its_own(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = next(golden for golden in goldens() if golden["id"].startswith(f"{name}: "))
    shown = printed(capsys, "explain", NAME.replace("/", "∕"), golden["id"])
    assert "question     How much revenue?" in shown
    assert len([line for line in shown.splitlines() if re.match(r" *\S+  (\S+, )*correctness[,:]", line)]) == 1
    assert escaping.terminal(TEXTS[name].split("\n")[0].rstrip("\r"))[:50] in shown


@pytest.mark.parametrize("name", TEXTS)
def test_a_mistake_in_any_text_is_told_without_it_reaching_the_terminal(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = NAME.replace("/", "∕")
    assert "no golden" in printed(capsys, "explain", system, TEXTS[name], code=2)
    assert "no result" in printed(capsys, "score", TEXTS[name].replace("\0", ""), code=2)
    assert "unknown command" in printed(capsys, "x" + TEXTS[name], code=2)
    assert "--set takes" in printed(capsys, "run", f"{system}.yaml", "--set", TEXTS[name].replace("=", ""), code=2)


@pytest.mark.parametrize("name", TEXTS)
def test_a_note_of_a_run_prints_nothing_raw(name: str) -> None:
    """Notes quote the reasons of parsers, and with them what stands in a PDF."""
    stream = io.StringIO()
    Progress(stream).note(f"document 'x' failed: {TEXTS[name]}")
    assert not RAW.search(stream.getvalue().replace("\n", ""))


def test_judges_prints_nothing_raw(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"id": text, "question": f"How? {text}", "reference": "3", "answer": f"4 {text}", "label": "correct"}
        for text in TEXTS.values()
    ]
    (here / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "differ" in printed(capsys, "judges", "--labels", "labels.jsonl")


def test_check_agrees_with_what_was_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "agrees with" in printed(capsys, "check", "--goldens", "tiny")


# -- the findings page ------------------------------------------------------------------------------------------------


def cells_of(page: str) -> list[list[str]]:
    """The rows of all tables as a Markdown reader sees them; fails on anything that foreign text could have made."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    inline = [child for token in tokens for child in token.children or []]
    assert {token.type for token in tokens} & {"html_block", "fence", "code_block", "ordered_list_open"} == set()
    assert len([token for token in tokens if token.type == "list_item_open"]) == len(
        re.findall(r"^- `\w", page, re.MULTILINE)
    )
    assert {child.type for child in inline} & {"html_inline", "link_open", "image", "s_open"} == set()
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and token.level >= 4:
            rows[-1].append("".join(child.content for child in token.children or []))
    return rows


def test_no_text_breaks_a_findings_page(here: Path) -> None:
    (page,) = (here / "findings").glob("*.md")
    text = page.read_text(encoding="utf-8")
    assert not RAW.search(text.replace("\n", ""))
    rows = cells_of(text)
    listed = [row[0] for row in rows if row[1:2] == ["alder\\_2025"] or row[1:2] == ["alder_2025"]]
    wanted = [escaping._BREAKS.sub(" ", golden["id"]).strip() for golden in goldens()]
    short = {text if len(text) <= escaping.LONGEST else text[: escaping.LONGEST - 1] + "…" for text in wanted}
    assert set(listed) == short, "each id stands whole in its cell"
    assert text.startswith("# we\\|ird")


@given(st.lists(st.lists(st.text(), min_size=3, max_size=3), min_size=1, max_size=4))
def test_any_text_stays_in_its_cell(rows: list[list[str]]) -> None:
    lines = escaping.table(["a", "b", "c"], [[escaping.cell(text) for text in row] for row in rows])
    assert all("\n" not in line for line in lines)
    seen = cells_of("\n".join(lines) + "\n")
    assert [len(row) for row in seen] == [3] * (len(rows) + 1)
    assert [[" ".join(text.split()) for text in row] for row in seen[1:]] == [
        [" ".join(escaping._BREAKS.sub(" ", text)[: escaping.LONGEST].split()) for text in row] for row in rows
    ]


@given(st.text())
def test_any_text_may_be_printed(text: str) -> None:
    shown = escaping.terminal(text)
    assert not RAW.search(shown.replace("\n", ""))
    assert len(shown) == len(text)
    assert escaping.hanging(shown, 4).count("\n") == max(len(shown.splitlines()) - 1, 0)


def test_a_setting_with_marks_does_not_break_its_cell() -> None:
    from harness.reports.escaping import code

    assert code("a|b`c\nd") == "`a\\|b'c d`"
