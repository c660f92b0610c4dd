"""llama: the client sends a file to be parsed, waits for the job and reads its pages, on a stand-in for the wire."""

from __future__ import annotations

import pytest

llama_cloud = pytest.importorskip("llama_cloud", reason="comes with the extra llama")
httpx = pytest.importorskip("httpx", reason="comes with llama-cloud")

pytestmark = pytest.mark.filterwarnings("default")


def test_a_parsed_page_and_a_failed_one_are_read() -> None:
    asked: list[str] = []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path}")
        job = {"id": "j1", "project_id": "p1", "status": "COMPLETED"}
        pages = [
            {"page_number": 1, "success": True, "markdown": "# Annual report"},
            {"page_number": 2, "success": False, "error": "too dark"},
        ]
        done = {"job": job, "markdown": {"pages": pages}}
        return httpx.Response(200, json=job if request.method == "POST" else done)

    door = httpx.Client(transport=httpx.MockTransport(reply))
    with llama_cloud.LlamaCloud(api_key="none", base_url="http://parser.test", http_client=door) as client:
        found = client.parsing.parse(tier="fast", version="latest", file_id="f1", expand=["markdown"])
    assert asked[0] == "POST /api/v2/parse"
    first, second = found.markdown.pages
    assert first.markdown == "# Annual report"
    assert not second.success
