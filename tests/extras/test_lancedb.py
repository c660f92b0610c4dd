"""lancedb: a table is written, opened again, and searched by vector and by word."""

from __future__ import annotations

from pathlib import Path

import pytest

lancedb = pytest.importorskip("lancedb", reason="comes with the extra lancedb")

pytestmark = pytest.mark.filterwarnings("default")

ROWS = [
    {"id": "a", "text": "revenue rose", "vector": [1.0, 0.0]},
    {"id": "b", "text": "wages fell", "vector": [0.0, 1.0]},
]


def test_a_table_is_found_again_and_searched_both_ways(tmp_path: Path) -> None:
    from lancedb.index import FTS

    lancedb.connect(tmp_path).create_table("chunks", ROWS).create_index("text", config=FTS())
    table = lancedb.connect(tmp_path).open_table("chunks")
    near = table.search([0.9, 0.1]).distance_type("cosine").select(["id", "_distance"]).limit(1).to_list()
    assert [row["id"] for row in near] == ["a"]
    words = table.search("wages", query_type="fts").select(["id", "_score"]).limit(5).to_list()
    assert [row["id"] for row in words] == ["b"]
