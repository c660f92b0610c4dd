"""OpenAI and every endpoint that speaks its protocol (vLLM, Ollama, llama.cpp, DeepSeek, Jina, Azure), by its SDK."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, ClassVar

from harness.models import http
from harness.models.client import (
    Ask,
    Body,
    Client,
    Embedded,
    Picture,
    Reading,
    Schema,
    Scored,
    Session,
    Told,
    Unreached,
    Unread,
    Wire,
    whole,
)
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
    embed_path: ClassVar[str] = "/embeddings"
    rerank_path: ClassVar[str] = "/rerank"

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

    def read_vectors(self, body: Any, count: int) -> Embedded:
        try:
            data = sorted(body["data"], key=lambda item: item["index"])
            vectors = [[float(value) for value in item["embedding"]] for item in data]
            used = _usage(body.get("usage"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Unread(f"no list of embeddings ({type(error).__name__}: {error})") from None
        if [item["index"] for item in data] != list(range(count)) or len({len(vector) for vector in vectors}) > 1:
            raise Unread(f"{len(vectors)} vectors for {count} texts, or vectors of different lengths")
        return Embedded(vectors, used)

    def read_scores(self, body: Any, count: int) -> Scored:
        """The form that Jina and Cohere share."""
        try:
            found = {int(one["index"]): float(one["relevance_score"]) for one in body["results"]}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Unread(f"no list of scores ({type(error).__name__}: {error})") from None
        if sorted(found) != list(range(count)):
            raise Unread(f"scores of {len(found)} passages where {count} were sent")
        return Scored([found[place] for place in range(count)], Reading(usage=_usage(body.get("usage"))))

    def send(self, session: Session, path: str, body: Body, on_text: Told | None = None) -> Wire:
        if on_text is None:
            return _sdk(session.url, session.key).post(session, path, body, None)
        stream, streamed = Streamed(on_text), {**body, "stream": True, "stream_options": {"include_usage": True}}
        wire = _sdk(session.url, session.key).post(session, path, streamed, stream.line)
        return wire._replace(body=stream.body()) if wire.status == 200 and stream.begun else wire


@cache
def _sdk(url: str, key: str | None) -> http.Sdk:
    """The SDK for one endpoint; what it reads from the environment is not sent."""
    import openai

    client = openai.OpenAI(api_key=key or _NO_KEY, base_url=url, max_retries=0, http_client=http.http_client())
    unsaid = ("OpenAI-Organization", "OpenAI-Project", *(() if key else ("Authorization",)))
    return http.Sdk(client, openai, dict.fromkeys(unsaid, openai.Omit()))


class Streamed:
    """Puts the pieces of a streamed reply together to the body that would have come in one."""

    def __init__(self, on_text: Told) -> None:
        self.on_text, self.begun, self._ended = on_text, False, False
        self._text: list[str] = []
        self._calls: dict[int, Body] = {}
        self._finish: str | None = None
        self._tokens: list[Any] = []
        self._usage: Any = None

    def line(self, line: bytes) -> None:
        """One line of server-sent events. Raises Unreached for one that cannot be read."""
        if not line.startswith(b"data:"):
            return
        self.begun = True
        data = line[5:].strip()
        self._ended = self._ended or data == b"[DONE]"
        if not self._ended:
            try:
                self._take(json.loads(data))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise Unreached("a piece of the streamed answer cannot be read") from None

    def _take(self, event: Any) -> None:
        if event.get("error"):
            raise Unreached(f"the stream broke off: {str(event['error'])[:200]}")
        self._usage = event.get("usage") or self._usage
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            self._finish = choice.get("finish_reason") or self._finish
            self._tokens += (choice.get("logprobs") or {}).get("content") or []
            for call in delta.get("tool_calls") or ():
                self._add(call)
            if piece := delta.get("content"):
                self._text.append(piece)
                self.on_text(whole(piece))

    def _add(self, piece: Any) -> None:
        call = self._calls.setdefault(
            int(piece.get("index") or 0), {"id": "", "function": {"name": "", "arguments": ""}}
        )
        call["id"] = piece.get("id") or call["id"]
        function = piece.get("function") or {}
        call["function"]["name"] += function.get("name") or ""
        call["function"]["arguments"] += function.get("arguments") or ""

    def body(self) -> bytes:
        """The whole reply. Raises Unreached where the stream ended before the reply did."""
        if self._finish is None and not self._ended:
            raise Unreached("the streamed answer ended half-way")
        message = {"role": "assistant", "content": "".join(self._text)}
        if self._calls:
            message["tool_calls"] = [call for _, call in sorted(self._calls.items())]  # type: ignore[assignment]
        choice = {"index": 0, "message": message, "finish_reason": self._finish}
        tokens = {"logprobs": {"content": self._tokens}} if self._tokens else {}
        return json.dumps({"choices": [{**choice, **tokens}], "usage": self._usage}).encode()


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
        input_tokens=int(usage.get("prompt_tokens") or usage.get("total_tokens") or 0),
        cached_tokens=int(details.get("cached_tokens") or 0),
        output_tokens=int(usage.get("completion_tokens") or 0),
    )
