"""export: a Parquet file holds the rows that were put into it, with their types."""

from __future__ import annotations

from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow", reason="comes with the extra export")


def test_rows_come_back_with_their_types(tmp_path: Path) -> None:
    from pyarrow import parquet

    rows = [{"id": "q1", "value": 0.5, "pages": ["r:p1"]}, {"id": "q2", "value": None, "pages": []}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    found = parquet.read_table(tmp_path / "rows.parquet")
    assert found.to_pylist() == rows
    assert found.schema.field("value").type == pyarrow.float64()
