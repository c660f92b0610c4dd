"""A door that asks nobody: it notes what would be asked, and answers with stand-ins, so that a plan sees real requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from harness.models import images
from harness.models.client import Ask
from harness.models.door import provider
from harness.records import Message, Model, Reply, Tool, ToolCall

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_CHARACTERS_A_TOKEN = 4
_TOKENS_AN_IMAGE = 800
_WORDS = "stand-in"


class DryCall(NamedTuple):
    """A call that would be made: about how many tokens it holds, and whether a loop may make more of its kind."""

    model: Model
    input: int
    writes: bool
    loops: bool


class DryDoor:
    """Notes calls. Safe for threads."""

    def __init__(self) -> None:
        self.calls: list[DryCall] = []
        self._lock = threading.Lock()

    def chat(
        self,
        model: Model,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: type[BaseModel] | None = None,
        **others: Any,
    ) -> Reply:
        """A tool call where none was answered yet, an object where a schema is given, else two words."""
        body = provider(model.provider).chat(Ask(model, messages, tools), images.by_name)
        pictures = sum(len(message.images) for message in messages)
        tokens = len(json.dumps(body, ensure_ascii=False)) // _CHARACTERS_A_TOKEN + _TOKENS_AN_IMAGE * pictures
        self._note(DryCall(model, tokens, True, bool(tools)))
        if tools and not any(message.role == "tool" for message in messages):
            arguments = json.dumps(dict.fromkeys(tools[0].parameters.get("properties", {}), messages[-1].text))
            return Reply(calls=(ToolCall(id="1", name=tools[0].name, arguments=arguments),), finish="tool", key="")
        return Reply(text=_WORDS, parsed=_object(schema) if schema else None, key="")

    def embed(self, model: Model, texts: Sequence[str], extra: Mapping[str, Any] = {}) -> Vectors:
        """Vectors of ones."""
        import numpy as np

        self._note(DryCall(model, sum(map(len, texts)) // _CHARACTERS_A_TOKEN, False, False))
        return np.ones((len(texts), 2), dtype=np.float32)

    def rerank(self, model: Model, query: str, passages: Sequence[str]) -> list[float]:
        """Falling scores."""
        self._note(DryCall(model, sum(len(query) + len(one) for one in passages) // _CHARACTERS_A_TOKEN, False, False))
        return [1.0 / (1 + place) for place in range(len(passages))]

    def _note(self, call: DryCall) -> None:
        with self._lock:
            self.calls.append(call)


def _object(schema: type[BaseModel]) -> Any:
    """The least that fits a JSON schema; of what is referred to elsewhere, nothing."""
    shape = schema.model_json_schema()
    return _least(shape, shape.get("$defs", {}))


def _least(shape: Mapping[str, Any], others: Mapping[str, Any]) -> Any:
    if "$ref" in shape:
        return _least(others.get(shape["$ref"].rpartition("/")[2], {}), others)
    if "default" in shape:
        return shape["default"]
    if "enum" in shape or "const" in shape:
        return shape.get("const", next(iter(shape.get("enum", [None]))))
    if "anyOf" in shape:
        return _least(shape["anyOf"][0], others)
    if shape.get("type") == "object":
        return {name: _least(one, others) for name, one in shape.get("properties", {}).items()}
    return {"string": _WORDS, "integer": 0, "number": 0.0, "boolean": False, "array": []}.get(str(shape.get("type")))
