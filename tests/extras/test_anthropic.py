"""anthropic: a reply is read from the wire format, and the request is what was asked."""

from __future__ import annotations

import json

import pytest

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
