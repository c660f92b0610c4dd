"""chroma: vectors of our own go in, and the nearest comes back with its page, also after opening it again."""

from __future__ import annotations

from pathlib import Path

import pytest

chromadb = pytest.importorskip("chromadb", reason="comes with the extra chroma")

pytestmark = pytest.mark.filterwarnings("default")


def test_the_nearest_vector_is_found_with_its_page(tmp_path: Path) -> None:
    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(tmp_path / "store"), settings=settings)
    chunks = client.create_collection("chunks", embedding_function=None)
    chunks.add(ids=["a", "b"], embeddings=[[1.0, 0.0], [0.0, 1.0]], metadatas=[{"page": 1}, {"page": 2}])
    client = chromadb.PersistentClient(str(tmp_path / "store"), settings=settings)
    found = client.get_collection("chunks", embedding_function=None).query(query_embeddings=[[0.1, 0.9]], n_results=1)
    assert found["ids"] == [["b"]]
    assert found["metadatas"] == [[{"page": 2}]]
