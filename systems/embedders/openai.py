"""Any OpenAI-compatible embeddings endpoint, with its extra fields (Jina's `task`) and limits; vectors are kept as paid."""

from __future__ import annotations

import functools
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from harness.bench import Bench
from harness.components import query_time
from harness.errors import WorldError
from harness.protocols import Embedder
from systems.embedders._pace import Pace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TRANSIENT = frozenset({408, 409, 429, 500, 502, 503, 504})


class OpenAi(Embedder):
    """`POST {url}/embeddings` with model, input and the extra fields of the kind of text. The key is read from `key_env`."""

    paid: ClassVar[bool] = True

    model: str = "text-embedding-3-small"
    url: str = Field("https://api.openai.com/v1", description="of any compatible server, without /embeddings")
    key_env: str = query_time("OPENAI_API_KEY", "the environment variable that holds the key; empty: no key is sent")
    passage: dict[str, Any] = Field(default_factory=dict, description="extra body fields for passages")
    query: dict[str, Any] = Field(default_factory=dict, description="extra body fields for questions")
    batch: int = query_time(64, "texts a request", ge=1, le=2048)
    tokens_per_minute: int | None = query_time(None, "stay below it; counted as four characters a token", ge=1)
    tries: int = query_time(5, "attempts at a request, with a pause that doubles", ge=1, le=20)

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        """float32 (n, d), unit length. Raises WorldError where the endpoint cannot be reached or refuses."""
        import numpy as np

        rows: list[list[float]] = []
        for batch in _batches(texts, self.batch):
            if self.tokens_per_minute:
                _pace(self.url, self.tokens_per_minute).wait(sum(len(text) // 4 + 1 for text in batch))
            rows += self._vectors(batch, self.passage if kind == "passage" else self.query)
            bench.progress(f"embed {kind}", len(rows), len(texts))
        vectors = np.asarray(rows, dtype=np.float32)
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)  # type: ignore[assignment, unused-ignore]
        return unit

    def _vectors(self, texts: list[str], extra: Mapping[str, Any]) -> list[list[float]]:
        reply = self._post({"model": self.model, "input": texts, **extra})
        try:
            data = sorted(reply["data"], key=lambda item: item["index"])
            vectors = [[float(value) for value in item["embedding"]] for item in data]
        except (KeyError, TypeError, ValueError) as error:
            raise WorldError(f"{self.url} gave a reply that is no list of embeddings: {str(reply)[:200]}") from error
        if len(vectors) != len(texts):
            raise WorldError(f"{self.url} gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    def _post(self, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/embeddings", json.dumps(body).encode("utf-8"), self._headers(), method="POST"
        )
        for attempt in range(1, self.tries + 1):
            try:
                with urllib.request.urlopen(request, timeout=120) as reply:
                    return json.loads(reply.read())
            except urllib.error.HTTPError as error:
                with error:
                    said = error.read()[:200].decode("utf-8", "replace")
                if error.code not in _TRANSIENT or attempt == self.tries:
                    raise WorldError(f"{self.url} answered {error.code}: {said}") from None
            except (OSError, json.JSONDecodeError) as error:
                if attempt == self.tries:
                    raise WorldError(f"{self.url} cannot be reached: {error}") from None
            time.sleep(min(60.0, 0.5 * 2**attempt))
        raise AssertionError("unreachable")

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if not self.key_env:
            return headers
        if self.key_env not in os.environ:
            raise WorldError(f"embedder 'openai' needs a key: set the environment variable {self.key_env}")
        return {**headers, "Authorization": f"Bearer {os.environ[self.key_env]}"}


def _batches(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    yield from (list(texts[start : start + size]) for start in range(0, len(texts), size))


@functools.cache
def _pace(url: str, limit: int) -> Pace:
    return Pace(limit)
