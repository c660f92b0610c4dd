"""The shipped configs were opened on the shipped held-out set, so that a newcomer's first command adds no line."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

from harness.documents.corpus import Corpus
from harness.goldens import loading, openings
from harness.runs import config, heldout

CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_each_shipped_config_stands_in_the_openings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    system = config.load(path)
    if system.models:
        pytest.skip("whoever pays for its models opens held-out with it")
    loaded = loading.load(system.goldens, "heldout", Corpus.open(system.goldens, verify=False))
    goldens = {"sha256": loaded.sha256, "asked": len(loaded.goldens), "of": len(loaded.goldens)}
    known = {opening.key for opening in openings.read(ROOT / "results" / loaded.name / "openings.jsonl")}
    assert heldout.opening_key(system, goldens) in known, (
        f"run `harness run {path.relative_to(ROOT)} --split heldout` on the clean commit, and commit openings.jsonl"
    )
