"""openai, which comes by default: a reply is read from the wire format, and the request is what was asked."""

from __future__ import annotations

import json

import pytest

httpx2 = pytest.importorskip("httpx2", reason="comes with openai")
openai = pytest.importorskip("openai", reason="openai is not installed")


def test_a_chat_reply_is_read() -> None:
    def reply(request: httpx2.Request) -> httpx2.Response:
        assert request.url.path == "/v1/chat/completions"
        assert json.loads(request.content)["model"] == "small"
        message = {"role": "assistant", "content": "USD 1,284 million"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
        body = {"id": "c1", "object": "chat.completion", "created": 0, "model": "small-1"}
        return httpx2.Response(200, json=body | {"choices": [choice], "usage": usage})

    door = httpx2.Client(transport=httpx2.MockTransport(reply))
    with openai.OpenAI(api_key="none", base_url="http://model.test/v1", http_client=door) as client:
        found = client.chat.completions.create(model="small", messages=[{"role": "user", "content": "Revenue?"}])
    assert found.choices[0].message.content == "USD 1,284 million"
    assert (found.model, found.usage.prompt_tokens) == ("small-1", 7)
