"""anthropic: a reply is read from the wire format, and the request is what was asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_server import Seen, serving
from pydantic import BaseModel, ConfigDict

from harness.cache.blobs import Blobs
from harness.errors import ReplyError
from harness.models.credentials import Credentials
from harness.models.door import Door, Settings
from harness.records import Message, Model, Tool, ToolCall

anthropic = pytest.importorskip("anthropic", reason="comes with the extra anthropic")
httpx2 = pytest.importorskip("httpx2", reason="comes with anthropic")


def test_a_message_is_read() -> None:
    def reply(request: httpx2.Request) -> httpx2.Response:
        assert request.url.path == "/v1/messages"
        assert json.loads(request.content)["max_tokens"] == 20
        body = {"id": "m1", "type": "message", "role": "assistant", "model": "small-1", "stop_reason": "end_turn"}
        content = [{"type": "text", "text": "USD 1,284 million"}]
        return httpx2.Response(200, json=body | {"content": content, "usage": {"input_tokens": 7, "output_tokens": 5}})

    door = httpx2.Client(transport=httpx2.MockTransport(reply))
    with anthropic.Anthropic(api_key="none", base_url="http://model.test", http_client=door) as client:
        question = {"role": "user", "content": "Revenue?"}
        found = client.messages.create(model="small", max_tokens=20, messages=[question])
    assert found.content[0].text == "USD 1,284 million"
    assert (found.model, found.usage.input_tokens) == ("small-1", 7)


TOOL = Tool(name="search", description="Finds pages.", parameters={"properties": {"query": {"type": "string"}}})
ASKED = [
    Message(role="system", text="Be brief."),
    Message(role="user", text="What is this?"),
    Message(role="assistant", text="I look.", calls=(ToolCall(id="t0", name="search", arguments='{"query": "x"}'),)),
    Message(role="tool", text="nothing", call_id="t0"),
    Message(role="tool", text="nothing either", call_id="t1"),
]


def said(*blocks: Any, stop: str = "end_turn") -> Any:
    used = {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    return {"type": "message", "role": "assistant", "content": list(blocks), "stop_reason": stop, "usage": used}


def text(words: str) -> Any:
    return {"type": "text", "text": words}


def door(tmp_path: Path, blobs: Blobs | None = None) -> Door:
    known = Credentials((), {"ANTHROPIC_API_KEY": "secret"}, tmp_path / ".env")
    return Door(Settings(tmp_path / "calls"), blobs or Blobs(tmp_path / "blobs"), None, known)


def model(url: str) -> Model:
    return Model(
        provider="anthropic", name="claude-sonnet-4-5", url=url.removesuffix("/v1"), endpoint="api.anthropic.com"
    )


def test_tools_images_and_prompt_caching_go_over_the_wire_and_come_back(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "t2", "name": "search", "input": {"query": "y"}}
    blobs = Blobs(tmp_path / "blobs")
    picture = Message(role="user", text="And this?", images=(blobs.put(b"\x89PNG"),))
    with serving(lambda seen: said(text("So."), use, stop="tool_use")) as server:
        asked = [*ASKED, picture]
        reply = door(tmp_path, blobs).chat(model(server.url), asked, tools=[TOOL], tool_choice="search")
        assert door(tmp_path, blobs).chat(model(server.url), asked, tools=[TOOL], tool_choice="search") == reply
    (seen,) = server.seen
    assert seen.path == "/v1/messages"
    assert "secret" in seen.headers.get("authorization", "") + seen.headers.get("x-api-key", "")
    assert seen.body["system"] == [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    assert [turn["role"] for turn in seen.body["messages"]] == ["user", "assistant", "user", "user"]
    assert [block["tool_use_id"] for block in seen.body["messages"][2]["content"]] == ["t0", "t1"]
    assert seen.body["messages"][3]["content"][1]["source"]["media_type"] == "image/png"
    assert seen.body["tool_choice"] == {"type": "tool", "name": "search"}
    assert (reply.text, reply.finish, reply.calls[0].read()) == ("So.", "tool", {"query": "y"})
    used = reply.usage
    assert (used.input_tokens, used.cached_tokens, used.stored_tokens, used.output_tokens) == (127, 100, 20, 5)
    assert used.cost == pytest.approx((7 * 3 + 100 * 0.3 + 20 * 3.75 + 5 * 15) / 1e6)


class Colour(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


def test_a_structured_reply_by_schema_else_by_tool(tmp_path: Path) -> None:
    def answer(seen: Seen) -> Any:
        if "output_config" in seen.body:
            return 400, {}, b'{"type": "error", "error": {"message": "output_config: extra inputs"}}'
        use = {"type": "tool_use", "id": "t", "name": "Colour", "input": {"name": "red"}}
        return said(use, stop="tool_use")

    with serving(answer) as server:
        reply = door(tmp_path).chat(model(server.url), ASKED[:2], schema=Colour)
        assert (reply.parsed, len(server.seen)) == ({"name": "red"}, 2)
    with serving(lambda seen: said(text("No."), stop="refusal")) as server, pytest.raises(ReplyError, match="filtered"):
        door(tmp_path).chat(model(server.url), ASKED[:1])


def test_a_stream_is_put_together(tmp_path: Path) -> None:
    events = [
        {"type": "message_start", "message": said()},
        {"type": "content_block_start", "index": 0, "content_block": text("")},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "So "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "it is."}},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        },
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a"'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ": 1}"}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    data = b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)
    told: list[str] = []
    with serving(lambda seen: (200, {"content-type": "text/event-stream"}, data)) as server:
        reply = door(tmp_path).chat(model(server.url), ASKED[:2], on_text=told.append)
    assert told == ["So ", "it is."]
    assert (reply.text, reply.calls[0].read(), reply.usage.output_tokens) == ("So it is.", {"a": 1}, 9)
