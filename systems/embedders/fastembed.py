"""Hub models through fastembed (ONNX, no torch): bge-small and its like; downloads the model at first use."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from harness.bench import Bench
from harness.errors import UserError, WorldError, nearest
from harness.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FastEmbed(Embedder):
    """fastembed's own prompts for questions and passages (`query_embed`, `passage_embed`)."""

    needs: ClassVar[tuple[str, ...]] = ("fastembed",)
    extra: ClassVar[str | None] = "fastembed"

    model: str = Field("BAAI/bge-small-en-v1.5", description="a name that fastembed's list of models knows")
    batch: int = Field(16, description="texts at a time; with int8 models it can change the last digits", ge=1, le=512)

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        """float32 (n, d), unit length. Raises WorldError where the model cannot be downloaded."""
        import numpy as np

        model = _load(self.model)
        embed = model.query_embed if kind == "query" else model.passage_embed
        vectors = np.asarray(list(embed(list(texts), batch_size=self.batch)), dtype=np.float32)
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit


@functools.cache
def _load(model: str) -> Any:
    """The model, loaded once a process. Raises UserError for a name that is not on fastembed's list."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    from fastembed import TextEmbedding
    from loguru import logger

    known = [listed["model"] for listed in TextEmbedding.list_supported_models()]
    if model.lower() not in map(str.lower, known):
        raise UserError(f"embedder 'fastembed' knows no model {model!r}.{nearest(model, known)}")
    logger.disable("fastembed")  # it tells every attempt on stderr; the last one's reason is raised
    try:
        return TextEmbedding(model)
    except Exception as error:  # of the hub client, of requests, or fastembed's own ValueError
        raise WorldError(
            f"embedder 'fastembed' cannot load {model!r}, which it downloads at its first use: {error}"
        ) from error
