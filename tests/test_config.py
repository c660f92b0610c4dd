"""Configs: what a file declares, what it inherits, and one exact line for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CONFIG, ROOT

from harness.errors import UserError
from harness.runs import config

BASE = CONFIG.replace("{use: bm25}", "{use: rrf, first: {use: bm25}, second: {use: bm25, k1: 0.9}}")


def load(tmp_path: Path, text: str, *settings: str) -> config.System:
    (tmp_path / "base.yaml").write_text(BASE)
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return config.load(path, settings)


def test_every_default_is_written_down(tmp_path: Path) -> None:
    spec = load(tmp_path, CONFIG).spec()
    assert spec["reranker"] == {"use": "keep"}
    assert spec["answerer"]["use"] == "statements"
    assert {"keep", "max_searches"} <= set(spec["answerer"])
    assert spec["name"] == "mine"


def test_extends_replaces_what_is_named_and_says_so(tmp_path: Path) -> None:
    system = load(tmp_path, "extends: base.yaml\nretriever: {use: bm25, k1: 2.0}\n")
    assert system.retriever.spec()["k1"] == 2.0
    assert system.chunker.name() == "page_windows"
    assert system.replaced == {"retriever": {"use": "bm25", "k1": 2.0}}


def test_set_reaches_into_nested_blocks(tmp_path: Path) -> None:
    system = load(tmp_path, BASE, "retriever.second.k1=3.5", "scope=corpus")
    assert system.retriever.spec()["second"]["k1"] == 3.5
    assert system.retriever.spec()["first"]["k1"] != 3.5
    assert (system.scope, system.replaced["retriever.second.k1"]) == ("corpus", 3.5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CONFIG + "rerankr: {use: keep}\n", ["'rerankr'", "'reranker'"]),
        (CONFIG.replace("liteparse", "liteparze"), ["parser", "'liteparze'", "'liteparse'"]),
        (CONFIG.replace("{use: bm25}", "{use: bm25, k2: 1}"), ["retriever.k2", "'k1'"]),
        (CONFIG.replace("{use: bm25}", "{use: bm25, candidates: 0}"), ["retriever.candidates", "1", "0"]),
        (CONFIG.replace("{use: bm25}", "{use: bm25, candidates: many}"), ["retriever.candidates", "integer", "'many'"]),
        (CONFIG.replace("{use: bm25}", "{k1: 1}"), ["retriever", "use"]),
        (CONFIG.replace("{use: bm25}", "[bm25]"), ["retriever", "use"]),
        (CONFIG.replace("scope: golden", "scope: galaxy"), ["scope", "'golden'", "'corpus'", "'galaxy'"]),
        (CONFIG.replace("parser: {use: liteparse}\n", ""), ["'parser' is missing"]),
        ("extends: base.yaml\nretriever: {use: rrf, first: {use: dens}, second: {use: bm25}}\n", ["first", "'dense'"]),
        ("extends: nowhere.yaml\n", ["nowhere.yaml"]),
        ("extends: mine.yaml\n", ["circle"]),
        ("extends: [base.yaml]\n", ["extends", "path"]),
        ("name: other\n" + CONFIG, ["'name'"]),
        (CONFIG.replace("{use: statements}", "{use: statements, keep: .nan}"), ["answerer.keep"]),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_names_file_place_and_way_out(tmp_path: Path, text: str, says: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert "\n" not in message
    assert ".yaml" in message
    assert all(word in message for word in says), message


def test_all_mistakes_of_a_file_are_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, CONFIG.replace("liteparse", "x").replace("bm25}", "bm25, k1: -5, b: 7}") + "extra: 1\n")
    assert len(str(caught.value).splitlines()) == 4


@pytest.mark.parametrize("setting", ["retriever.k1", "=3", "retrever.k1=3", "retriever.k1=[", "retriever.k1.x=1"])
def test_a_bad_set_is_one_line(tmp_path: Path, setting: str) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, CONFIG, setting)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.name)
def test_every_config_that_ships_is_sound_and_says_what_it_shows(path: Path) -> None:
    config.load(path)
    assert path.read_text(encoding="utf-8").startswith("# ")
