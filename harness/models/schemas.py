"""Structured replies: asked for in the best form that an endpoint takes, and read strictly, whatever the form."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from harness.models.client import Schema
from harness.records import Json, Message, Reply

_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<inside>.*)\n[ \t]*```\s*\Z", re.DOTALL)
TOLD_IN_WORDS = ("json_object", "text")
"""Forms in which the endpoint does not see the schema, so that the prompt has to say it."""


class Misfit(Exception):
    """What a model wrote is not of the form that was asked for."""


def asked(schema: type[BaseModel], form: str) -> Schema:
    """The schema as a request holds it. Endpoints that are strict about it want every field named as required."""
    shape = _closed(schema.model_json_schema())
    return Schema(schema.__name__, shape, form)


def told(messages: Sequence[Message], schema: Schema) -> Sequence[Message]:
    """The messages, with the schema in words at the end of the last one where the endpoint is not told it otherwise."""
    if schema.form not in TOLD_IN_WORDS:
        return messages
    shape = json.dumps(schema.shape, ensure_ascii=False)
    said = f"{messages[-1].text}\n\nReply with one JSON object that fits this JSON schema, and nothing else:\n{shape}"
    return [*messages[:-1], messages[-1].model_copy(update={"text": said})]


def read(reply: Reply, schema: type[BaseModel], form: str) -> Json:
    """The object in a reply. Raises Misfit that says what is wrong with it."""
    text = reply.text
    if form == "tool":
        call = next((call for call in reply.calls if call.name == schema.__name__), None)
        if call is None:
            raise Misfit("it did not call the tool that takes the answer")
        text = call.arguments
    fenced = _FENCED.match(text)
    try:
        return schema.model_validate_json(fenced["inside"] if fenced else text).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Misfit(f"{place}: {first['msg']}" if place else first["msg"]) from None


def _closed(shape: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema in which every object names all its fields as required and allows no others."""
    if isinstance(shape.get("properties"), dict):
        shape = {**shape, "required": list(shape["properties"]), "additionalProperties": False}
    return {name: _closed_value(value) for name, value in shape.items() if name != "default"}


def _closed_value(value: Any) -> Any:
    if isinstance(value, dict):
        return _closed(value)
    return [_closed_value(item) for item in value] if isinstance(value, list) else value
