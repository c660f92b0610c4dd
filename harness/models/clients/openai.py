"""OpenAI and every endpoint that speaks its protocol (vLLM, Ollama, llama.cpp, DeepSeek, Jina, Azure), by its SDK."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

from harness.models import http
from harness.models.client import Ask, Body, Client, Picture, Reading, Schema, Session, Unread, Wire
from harness.records import Finish, Message, Token, Tool, ToolCall, Usage

_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "filter",
}
_NO_KEY = "none"
"""What the SDK is given where no key is sent; it insists on one."""


class OpenAi(Client):
    """`POST {url}/chat/completions`, `/embeddings` and `/rerank`."""

    url: ClassVar[str] = "https://api.openai.com/v1"
    url_env: ClassVar[str] = "OPENAI_BASE_URL"
    key_env: ClassVar[str] = "OPENAI_API_KEY"
    forms: ClassVar[tuple[str, ...]] = ("json_schema", "json_object_schema", "json_object", "tool", "text")
    chat_path: ClassVar[str] = "/chat/completions"

    def chat(self, ask: Ask, picture: Picture) -> Body:
        model = ask.model
        body: Body = {"model": model.name, "messages": [_message(one, picture) for one in ask.messages]}
        if model.temperature is not None:
            body["temperature"] = model.temperature
        if model.max_tokens is not None:
            body["max_tokens"] = model.max_tokens
        if ask.tools:
            body["tools"] = [_tool(tool) for tool in ask.tools]
        if ask.tool_choice is not None:
            body["tool_choice"] = _choice(ask.tool_choice)
        if ask.logprobs:
            body |= {"logprobs": True, "top_logprobs": ask.logprobs}
        return {**body, **(_form(ask.schema) if ask.schema else {}), **model.extra}

    def read(self, body: Any) -> Reading:
        try:
            choice = next(iter(body["choices"]), None)
            usage = _usage(body.get("usage"))
            return _reading(choice, usage) if choice else Reading(finish="other", usage=usage)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Unread(f"no chat completion ({type(error).__name__}: {error})") from None

    def send(self, session: Session, path: str, body: Body, on_text: Callable[[str], None] | None = None) -> Wire:
        import openai

        sdk = _sdk(session.url, session.key)
        unsaid = ("OpenAI-Organization", "OpenAI-Project", *(() if session.key else ("Authorization",)))
        if on_text is None:
            return http.post(sdk, openai, path, body, session, dict.fromkeys(unsaid, openai.Omit()))
        raise NotImplementedError


@cache
def _sdk(url: str, key: str | None) -> Any:
    """The SDK for one endpoint; what it reads from the environment is not sent."""
    import openai

    return openai.OpenAI(api_key=key or _NO_KEY, base_url=url, max_retries=0, http_client=http.http_client())


# -- writing ------------------------------------------------------------------------------------------------------------


def _message(message: Message, picture: Picture) -> Body:
    written: Body = {"role": message.role, "content": message.text}
    if message.images:
        pictures = (picture(name) for name in message.images)
        urls = [{"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}} for kind, data in pictures]
        written["content"] = [{"type": "text", "text": message.text}, *urls]
    if message.calls:
        written["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    if message.call_id is not None:
        written["tool_call_id"] = message.call_id
    return written


def _tool(tool: Tool) -> Body:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _choice(choice: str) -> Any:
    named = {"type": "function", "function": {"name": choice}}
    return choice if choice in ("auto", "none", "required") else named


def _form(schema: Schema) -> Body:
    """The fields that ask for a structured reply."""
    if schema.form == "json_schema":
        strict = {"name": schema.name, "schema": schema.shape, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": strict}}
    if schema.form == "json_object_schema":
        return {"response_format": {"type": "json_object", "schema": schema.shape}}
    if schema.form == "json_object":
        return {"response_format": {"type": "json_object"}}
    if schema.form == "tool":
        tool = Tool(name=schema.name, description="Gives the answer.", parameters=schema.shape)
        return {"tools": [_tool(tool)], "tool_choice": _choice(schema.name)}
    return {}


# -- reading ------------------------------------------------------------------------------------------------------------


def _reading(choice: Any, usage: Usage) -> Reading:
    message = choice["message"]
    calls = tuple(_call(call, place) for place, call in enumerate(message.get("tool_calls") or ()))
    finish = _FINISH.get(choice.get("finish_reason") or "", "other")
    tokens = (choice.get("logprobs") or {}).get("content") or ()
    text = message.get("content") or ""
    if message.get("refusal") and not text:
        text, finish = message["refusal"], "filter"
    return Reading(
        text=whole(text),
        calls=calls,
        finish="tool" if calls and finish in ("stop", "other") else finish,
        logprobs=tuple(map(_token, tokens)),
        usage=usage,
    )


def whole(text: str) -> str:
    """The text, with a mark for each half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _call(call: Any, place: int) -> ToolCall:
    function = call["function"]
    written = function.get("arguments")
    arguments = written if isinstance(written, str) else json.dumps(written)
    return ToolCall(id=str(call.get("id") or f"call_{place}"), name=function["name"], arguments=whole(arguments))


def _token(one: Any) -> Token:
    top = tuple((whole(other["token"]), float(other["logprob"])) for other in one.get("top_logprobs") or ())
    return Token(text=whole(one["token"]), logprob=float(one["logprob"]), top=top)


def _usage(usage: Any) -> Usage:
    if not usage:
        return Usage(calls=1, cost=None)
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        calls=1,
        input_tokens=int(usage.get("prompt_tokens") or 0),
        cached_tokens=int(details.get("cached_tokens") or 0),
        output_tokens=int(usage.get("completion_tokens") or 0),
    )
