"""Configs: what a file declares, what it inherits, and one exact line for each mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import CONFIG, ROOT

from harness.errors import UserError
from harness.files import yamls
from harness.runs import config
from harness.runs.settings import paths

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
    assert (system.scope, system.overrides["retriever.second.k1"]) == ("corpus", 3.5)
    assert system.name.endswith("+retriever.second.k1=3.5+scope=corpus")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CONFIG + "rerankr: {use: keep}\n", ["'rerankr'", "'reranker'"]),
        (CONFIG.replace("liteparse", "liteparze"), ["parser", "'liteparze'", "'liteparse'"]),
        (CONFIG.replace("{use: bm25}", "{use: bm25, k2: 1}"), ["retriever.k2", "'retriever.k1'"]),
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


NESTED = """\
parser: liteparse
chunker: {use: page_windows}
retriever: {use: doc_filter, inner: {use: rrf, first: {use: bm25}, second: {use: dense, embedder: {use: minilm}}}}
answerer: {use: statements}
"""


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("retriever.constant=10", "unknown key 'retriever.constant'. Did you mean 'retriever.inner.constant'? Known: use"),
        ("retriever.first.k1=3", "'retriever.first' is not a block of this config. Did you mean 'retriever.inner.first.k1'?"),
        ("retriever.inner.k2=3", "unknown key 'retriever.inner.k2'. Did you mean 'retriever.inner.first.k1'?"),
        ("keep=4", "unknown key 'keep'. Did you mean 'answerer.keep'? Known: extends, goldens"),
        ("embedder=minilm", "unknown key 'embedder'. Did you mean 'retriever.inner.second.embedder'?"),
        ("retriever.inner.first.x.k1=3", "'retriever.inner.first.x' is not a block of this config. Did you mean 'retriever.inner.first.k1'?"),  # noqa: E501
        ("retriever.inner.candidate=3", "Did you mean 'retriever.inner.candidates'? Known: use, candidates, first"),
        ("retriever.weight=1", "Did you mean 'retriever.inner.first_weight'?"),
        ("answerer.zzz=1", "unknown key 'answerer.zzz'. Known: use, keep"),
        ("retriever.zzz=1", "Known: use, candidates, inner; further in: retriever.inner.constant, retriever.inner."),
        ("reranker.depth=4", "--set reranker.depth=4: reranker: write a reranker as {use: name"),
    ],
)  # fmt: skip
def test_an_unknown_setting_names_the_full_path_that_was_meant(tmp_path: Path, setting: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, NESTED, setting)
    message = str(caught.value)
    assert message.startswith(f"--set {setting}: ")
    assert says in message
    for path in re.findall("Did you mean '([^']+)'", message):
        assert path in {".".join(place) for place in paths(config.System, yamls.read(tmp_path / "mine.yaml"))}


def test_settings_that_are_equally_near_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Did you mean 'retriever\.first\.k1' or 'retriever\.second\.k1'\?"):
        load(tmp_path, BASE, "retriever.k1=3")


def test_a_wrong_key_in_a_nested_block_of_a_file_names_the_full_path_too(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, NESTED.replace("embedder: {use", "constant: 10, embedder: {use"))
    says = "mine.yaml:3: unknown key 'retriever.inner.second.constant'. Did you mean 'retriever.inner.constant'?"
    assert says in str(caught.value)


def test_set_reaches_a_part_that_is_written_by_its_name_or_left_at_its_default(tmp_path: Path) -> None:
    system = load(tmp_path, NESTED, "parser.use=liteparse", "reranker.use=lexical", "retriever.inner.first.b=0.5")
    assert (system.parser.name(), system.reranker.name()) == ("liteparse", "lexical")
    assert system.retriever.spec()["inner"]["first"]["b"] == 0.5


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.name)
def test_every_config_that_ships_is_sound_and_says_what_it_shows(path: Path) -> None:
    config.load(path)
    assert path.read_text(encoding="utf-8").startswith("# ")
