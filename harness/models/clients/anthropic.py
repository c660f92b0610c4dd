"""Anthropic's Messages API by its SDK (extra `anthropic`): tools, images, prompt caching and what of it was used."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, ClassVar

from harness.errors import UserError
from harness.models import http
from harness.models.client import (
    Ask,
    Body,
    Client,
    Picture,
    Reading,
    Schema,
    Session,
    Told,
    Unreached,
    Unread,
    Wire,
    whole,
)
from harness.records import Finish, Message, Tool, ToolCall, Usage

_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "filter",
}
_CACHED: Body = {"cache_control": {"type": "ephemeral"}}
"""Marks the end of what every call begins with, so that the provider need not read it anew."""
_MOST_TOKENS = 1024
"""Where a model sets no limit; the API insists on one."""
_NO_KEY = "none"


class Anthropic(Client):
    """`POST {url}/v1/messages`."""

    url: ClassVar[str] = "https://api.anthropic.com"
    url_env: ClassVar[str] = "ANTHROPIC_BASE_URL"
    key_env: ClassVar[str] = "ANTHROPIC_API_KEY"
    forms: ClassVar[tuple[str, ...]] = ("json_schema", "tool", "text")
    chat_path: ClassVar[str] = "/v1/messages"

    def chat(self, ask: Ask, picture: Picture) -> Body:
        if ask.logprobs:
            raise UserError(f"model {ask.model.name!r}: provider 'anthropic' gives no log-probabilities of tokens.")
        model = ask.model
        body: Body = {"model": model.name, "max_tokens": model.max_tokens or _MOST_TOKENS}
        body["messages"] = list(_messages(ask.messages, picture))
        if told := [message.text for message in ask.messages if message.role == "system"]:
            body["system"] = [{"type": "text", "text": "\n\n".join(told), **_CACHED}]
        if model.temperature is not None:
            body["temperature"] = model.temperature
        return {**body, **_tools(ask), **(_form(ask.schema) if ask.schema else {}), **model.extra}

    def read(self, body: Any) -> Reading:
        try:
            blocks, reason = body["content"], body["stop_reason"]
            text = "".join(block["text"] for block in blocks if block["type"] == "text")
            calls = tuple(_call(block) for block in blocks if block["type"] == "tool_use")
            finish = _FINISH.get(reason or "", "other")
            said = bool(text or calls or finish != "stop")
            return Reading(
                text=whole(text), calls=calls, finish=finish if said else "other", usage=_usage(body["usage"])
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Unread(f"no message ({type(error).__name__}: {error})") from None

    def send(self, session: Session, path: str, body: Body, on_text: Told | None = None) -> Wire:
        if on_text is None:
            return _sdk(session.url, session.key).post(session, path, body, None)
        stream = _Streamed(on_text)
        wire = _sdk(session.url, session.key).post(session, path, {**body, "stream": True}, stream.line)
        return wire._replace(body=stream.body()) if wire.status == 200 and stream.begun else wire


@cache
def _sdk(url: str, key: str | None) -> http.Sdk:
    """The SDK for one endpoint, sending nothing of the environment."""
    try:
        import anthropic
    except ImportError:
        raise UserError("provider 'anthropic' needs its SDK: pip install -e '.[anthropic]'") from None
    client = anthropic.Anthropic(api_key=key or _NO_KEY, base_url=url, max_retries=0, http_client=http.http_client())
    unsaid = () if key else ("Authorization", "X-Api-Key")
    return http.Sdk(client, anthropic, dict.fromkeys(unsaid, anthropic.Omit()))


# -- writing ------------------------------------------------------------------------------------------------------------


def _messages(messages: Sequence[Message], picture: Picture) -> Iterator[Body]:
    """The turns; results of tools are a user's, and those that follow each other one turn, as the API demands."""
    results: list[Body] = []
    for message in messages:
        if message.role == "tool":
            results.append(
                {"type": "tool_result", "tool_use_id": message.call_id, "content": _blocks(message, picture)}
            )
            continue
        if results:
            yield {"role": "user", "content": results}
            results = []
        if message.role != "system":
            calls = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.read() or {}} for c in message.calls]
            yield {"role": message.role, "content": [*_blocks(message, picture), *calls]}
    if results:
        yield {"role": "user", "content": results}


def _blocks(message: Message, picture: Picture) -> list[Body]:
    sources = ({"type": "base64", "media_type": kind, "data": data} for kind, data in map(picture, message.images))
    text = [{"type": "text", "text": message.text}] if message.text else []
    return [*text, *({"type": "image", "source": source} for source in sources)]


def _tools(ask: Ask) -> Body:
    if not ask.tools:
        return {}
    tools = [_tool(tool) for tool in ask.tools]
    tools[-1] |= _CACHED
    return {"tools": tools, **({"tool_choice": _choice(ask.tool_choice)} if ask.tool_choice else {})}


def _tool(tool: Tool) -> Body:
    schema = {"type": "object", **tool.parameters}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _choice(choice: str) -> Body:
    kind = {"auto": "auto", "none": "none", "required": "any"}.get(choice)
    return {"type": kind} if kind else {"type": "tool", "name": choice}


def _form(schema: Schema) -> Body:
    if schema.form == "json_schema":
        return {"output_config": {"format": {"type": "json_schema", "schema": schema.shape}}}
    if schema.form == "tool":
        tool = Tool(name=schema.name, description="Gives the answer.", parameters=schema.shape)
        return {"tools": [_tool(tool)], "tool_choice": _choice(schema.name)}
    return {}


# -- reading ------------------------------------------------------------------------------------------------------------


def _call(block: Any) -> ToolCall:
    return ToolCall(id=str(block["id"]), name=block["name"], arguments=whole(json.dumps(block["input"])))


def _usage(usage: Any) -> Usage:
    """The API counts what its cache gave or took apart from the other input tokens."""
    found, stored = (int(usage.get(f"cache_{what}_input_tokens") or 0) for what in ("read", "creation"))
    return Usage(
        calls=1,
        input_tokens=int(usage["input_tokens"]) + found + stored,
        cached_tokens=found,
        stored_tokens=stored,
        output_tokens=int(usage["output_tokens"]),
    )


class _Streamed:
    """Puts the events of a streamed message together to the body that would have come in one."""

    def __init__(self, on_text: Told) -> None:
        self.on_text, self.begun = on_text, False
        self._message: Body = {}
        self._blocks: dict[int, Body] = {}
        self._inputs: dict[int, str] = {}

    def line(self, line: bytes) -> None:
        """One line of server-sent events. Raises Unreached for one that cannot be read."""
        if not line.startswith(b"data:"):
            return
        self.begun = True
        try:
            self._take(json.loads(line[5:]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Unreached("a piece of the streamed answer cannot be read") from None

    def _take(self, event: Any) -> None:
        kind = event["type"]
        if kind == "error":
            raise Unreached(f"the stream broke off: {str(event.get('error'))[:200]}")
        if kind == "message_start":
            self._message = dict(event["message"])
        elif kind == "content_block_start":
            self._blocks[event["index"]] = dict(event["content_block"])
        elif kind == "content_block_delta":
            self._add(event["index"], event["delta"])
        elif kind == "message_delta":
            self._message |= event["delta"]
            self._message["usage"] = {**self._message["usage"], **event.get("usage", {})}

    def _add(self, place: int, delta: Any) -> None:
        if delta["type"] == "text_delta":
            self._blocks[place]["text"] += delta["text"]
            self.on_text(whole(delta["text"]))
        elif delta["type"] == "input_json_delta":
            self._inputs[place] = self._inputs.get(place, "") + delta["partial_json"]

    def body(self) -> bytes:
        """The whole message. Raises Unreached where the stream ended before it did."""
        if not self._message.get("stop_reason"):
            raise Unreached("the streamed answer ended half-way")
        for place, text in self._inputs.items():
            self._blocks[place]["input"] = json.loads(text or "{}")
        return json.dumps({**self._message, "content": [block for _, block in sorted(self._blocks.items())]}).encode()
