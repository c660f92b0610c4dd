"""Notebooks run as they stand, on results that a run has just made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import ROOT, Cli


def test_two_systems_are_compared_question_by_question(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("hybrid_rerank", "bm25_only"):
        shutil.copy(project / "plain.yaml", project / f"{name}.yaml")
    cli("run", "hybrid_rerank.yaml", "bm25_only.yaml")
    (project / "results" / "tiny").rename(project / "results" / "northfield")
    monkeypatch.chdir(project)
    notebook = json.loads((ROOT / "notebooks" / "two_systems.ipynb").read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    shown = capsys.readouterr().out
    assert "page_hit@5" in shown
    assert "+0.000" in shown
