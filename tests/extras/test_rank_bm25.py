"""rank-bm25: the document with the rarer word comes first."""

from __future__ import annotations

import pytest

rank_bm25 = pytest.importorskip("rank_bm25", reason="comes with the extra rank-bm25")


def test_the_rarer_word_wins() -> None:
    texts = [["revenue", "rose"], ["revenue", "fell"], ["revenue", "of", "tampere"]]
    scores = rank_bm25.BM25Okapi(texts).get_scores(["revenue", "tampere"])
    assert scores.argmax() == 2
