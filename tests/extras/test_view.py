"""view: a page is served, and uvicorn takes the same application."""

from __future__ import annotations

import pytest

starlette = pytest.importorskip("starlette", reason="comes with the extra view")
uvicorn = pytest.importorskip("uvicorn", reason="comes with the extra view")

pytestmark = pytest.mark.filterwarnings("default")


def test_a_page_is_served() -> None:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route
    from starlette.testclient import TestClient

    async def page(request: Request) -> PlainTextResponse:
        return PlainTextResponse(f"page {request.path_params['number']}")

    application = Starlette(routes=[Route("/page/{number:int}", page)])
    assert TestClient(application).get("/page/3").text == "page 3"
    config = uvicorn.Config(application, log_config=None)
    config.load()
    assert config.loaded
