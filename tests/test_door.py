"""The door to models: what is kept, what is asked again, and whose failure a failure is."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Seen, completion, serving
from pydantic import BaseModel, ConfigDict

from harness.bench import BlobStore, NoBlobs
from harness.cache import keys
from harness.cache.blobs import Blobs
from harness.errors import ReplyError, UserError, WorldError
from harness.models import limits
from harness.models.budget import Budget
from harness.models.credentials import Credentials
from harness.models.door import CaseDoor, Door, Settings
from harness.models.ledger import Ledger, usage
from harness.models.limits import Limits
from harness.models.prices import Price
from harness.records import Message, Model, Tool, ToolCall

HELLO = (Message(role="user", text="Hello?"),)
SECRET = "sk-a-secret-that-nobody-may-see"
PNG = b"\x89PNG and the rest"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FIRST_PAUSE", 0.005)


def door(tmp_path: Path, blobs: BlobStore | None = None, budget: Budget | None = None, **settings: Any) -> Door:
    credentials = Credentials(settings.get("allowed", ()), {"OPENAI_API_KEY": SECRET}, tmp_path / ".env")
    return Door(Settings(tmp_path / "calls", **settings), blobs or NoBlobs(), budget, credentials)


# -- what is kept -------------------------------------------------------------------------------------------------------


def test_a_reply_is_kept_and_not_asked_for_again(tmp_path: Path) -> None:
    with serving() as server:
        model = Model(name="m", url=server.url)
        first = door(tmp_path).chat(model, HELLO)
        again = door(tmp_path).chat(model, HELLO)
        assert (first.text, first.finish, first.usage.input_tokens) == ("Hello", "stop", 10)
        assert again == first
        assert len(server.seen) == 1
    assert door(tmp_path, offline=True).chat(model, HELLO) == first


def test_another_port_finds_what_was_paid_for(tmp_path: Path) -> None:
    with serving() as one, serving() as other:
        first = door(tmp_path).chat(Model(name="m", url=one.url), HELLO)
        assert door(tmp_path).chat(Model(name="m", url=other.url), HELLO) == first
        assert not other.seen
        named = Model(name="m", url=other.url, endpoint="elsewhere")
        assert door(tmp_path).chat(named, HELLO).key != first.key
        assert len(other.seen) == 1


def test_a_kept_call_is_readable_and_a_changed_one_is_asked_again(tmp_path: Path) -> None:
    with serving() as server:
        model = Model(name="m", url=server.url)
        reply = door(tmp_path).chat(model, HELLO)
        path = door(tmp_path).calls.path(reply.key)
        assert json.loads(path.read_text())["call"]["request"]["body"]["messages"][0]["content"] == "Hello?"
        path.write_text(path.read_text().replace('"Hello"', '"Bye"'))
        assert door(tmp_path).chat(model, HELLO).text == "Hello"
        path.write_text("")
        assert door(tmp_path).chat(model, HELLO).text == "Hello"
        assert len(server.seen) == 3


def test_offline_names_the_first_call_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"offline: no reply is kept for model 'm' at localhost: 'Hello\?'"):
        door(tmp_path, offline=True).chat(Model(name="m", url="http://localhost:9/v1"), HELLO)


class Colour(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    warm: bool


class Shade(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


TOOL = Tool(name="search", description="Finds pages.", parameters={"properties": {"query": {"type": "string"}}})
MODEL = {"name": "m", "endpoint": "there"}
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "name": ({"name": "n"}, {}),
    "endpoint": ({"endpoint": "elsewhere"}, {}),
    "temperature": ({"temperature": 0.5}, {}),
    "no temperature": ({"temperature": None}, {}),
    "max_tokens": ({"max_tokens": 7}, {}),
    "extra": ({"extra": {"top_k": 3}}, {}),
    "text": ({}, {"messages": [Message(role="user", text="Hello!")]}),
    "role": ({}, {"messages": [Message(role="system", text="Hello?")]}),
    "one more": ({}, {"messages": [*HELLO, *HELLO]}),
    "image": ({}, {"messages": [Message(role="user", text="Hello?", images=("a" * 64,))]}),
    "other image": ({}, {"messages": [Message(role="user", text="Hello?", images=("b" * 64,))]}),
    "call": ({}, {"messages": [Message(role="assistant", text="Hello?", calls=(ToolCall(id="1", name="f"),))]}),
    "call's arguments": (
        {},
        {"messages": [Message(role="assistant", text="Hello?", calls=(ToolCall(id="1", name="f", arguments="[]"),))]},
    ),
    "call id": ({}, {"messages": [Message(role="tool", text="Hello?", call_id="1")]}),
    "tools": ({}, {"tools": [TOOL]}),
    "tool's description": ({}, {"tools": [TOOL.model_copy(update={"description": "x"})]}),
    "tool choice": ({}, {"tools": [TOOL], "tool_choice": "required"}),
    "this tool": ({}, {"tools": [TOOL], "tool_choice": "search"}),
    "schema": ({}, {"schema": Colour}),
    "other schema": ({}, {"schema": Shade}),
    "logprobs": ({}, {"logprobs": 3}),
    "more logprobs": ({}, {"logprobs": 4}),
    "sample": ({}, {"sample": 1}),
}


def test_every_field_of_a_request_is_in_its_key(tmp_path: Path) -> None:
    """One field is changed at a time: no two requests, the unchanged one included, share a kept reply."""
    blobs = _Blobs()

    def answer(seen: Seen) -> Any:
        return completion('{"name": "red", "warm": true}' if "warm" in json.dumps(seen.body) else '{"name": "red"}')

    with serving(answer) as server:
        changed = [({}, {}), *CHANGES.values()]
        for number, (fields, settings) in enumerate(changed, start=1):
            said = {"messages": HELLO, **settings}
            door(tmp_path, blobs).chat(Model(**{**MODEL, "url": server.url, **fields}), **said)
            assert len(server.seen) == number, list({"nothing": 0, **CHANGES})[number - 1]
        kept = {json.dumps(json.loads(path.read_bytes())["call"]["request"]) for path in tmp_path.rglob("*.json")}
        assert len(kept) == len(changed)


class _Blobs(NoBlobs):
    def get(self, name: str) -> bytes:
        return PNG


def test_what_only_carries_a_request_is_not_in_its_key(tmp_path: Path) -> None:
    with serving() as server:
        first = door(tmp_path).chat(Model(name="m", url=server.url), HELLO)
        for fields in ({"seconds": 5}, {"context": 9999}, {"vision": True}, {"key_env": "OPENAI_API_KEY"}):
            assert door(tmp_path).chat(Model(name="m", url=server.url, **fields), HELLO) == first
        told: list[str] = []
        assert door(tmp_path).chat(Model(name="m", url=server.url), HELLO, on_text=told.append) == first
        assert (told, len(server.seen)) == (["Hello"], 1)


# -- what a request holds -----------------------------------------------------------------------------------------------


def test_tools_images_and_logprobs_go_over_the_wire_and_come_back(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    token = {"token": "Hi", "logprob": -0.5, "top_logprobs": [{"token": "Ho", "logprob": -0.9}]}

    def answer(seen: Seen) -> Any:
        body = completion("", "tool_calls", tool_calls=[call])
        body["choices"][0]["logprobs"] = {"content": [token]}
        return body

    blobs = Blobs(tmp_path / "blobs")
    asked = [
        Message(role="system", text="Be brief."),
        Message(role="user", text="What is this?", images=(blobs.put(PNG),)),
        Message(role="assistant", calls=(ToolCall(id="c0", name="search", arguments="{}"),)),
        Message(role="tool", text="nothing", call_id="c0"),
    ]
    with serving(answer) as server:
        model = Model(name="m", url=server.url, extra={"seed": 7})
        reply = door(tmp_path, blobs).chat(model, asked, tools=[TOOL], tool_choice="search", logprobs=1)
    body = server.seen[0].body
    assert body["messages"][1]["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORyBhbmQgdGhlIHJlc3Q="
    assert body["messages"][2]["tool_calls"][0]["id"] == body["messages"][3]["tool_call_id"] == "c0"
    assert body["tools"][0]["function"]["name"] == body["tool_choice"]["function"]["name"] == "search"
    assert (body["logprobs"], body["top_logprobs"], body["seed"]) == (True, 1, 7)
    assert (reply.finish, reply.calls[0].read()) == ("tool", {"query": "x"})
    assert (reply.logprobs[0].text, reply.logprobs[0].top) == ("Hi", (("Ho", -0.9),))
    assert PNG.hex() not in door(tmp_path).calls.path(reply.key).read_text()


FORMS = ("json_schema", "json_object_schema", "json_object", "tool", "text")


def _form(body: Any) -> str:
    asked = body.get("response_format", {})
    if "tool_choice" in body:
        return "tool"
    return {"json_schema": "json_schema", "json_object": "json_object"}.get(asked.get("type"), "text") + (
        "_schema" if "schema" in asked else ""
    )


@pytest.mark.parametrize("taken", FORMS)
@pytest.mark.parametrize("status", [400, 500])
def test_a_form_that_is_refused_is_replaced_by_the_next_and_not_tried_again(
    tmp_path: Path, taken: str, status: int
) -> None:
    value = '{"name": "red", "warm": true}'
    call = {"id": "c", "function": {"name": "Colour", "arguments": value}}

    def answer(seen: Seen) -> Any:
        if FORMS.index(_form(seen.body)) < FORMS.index(taken):
            return status, {}, b'{"error": {"message": "unknown field response_format"}}'
        return completion("", "tool_calls", tool_calls=[call]) if taken == "tool" else completion(value)

    with serving(answer) as server:
        model, one = Model(name="m", url=server.url), door(tmp_path)
        assert one.chat(model, HELLO, schema=Colour).parsed == {"name": "red", "warm": True}
        assert one.chat(model, HELLO, schema=Colour, sample=1).parsed == {"name": "red", "warm": True}
        assert [_form(seen.body) for seen in server.seen] == [*FORMS[: FORMS.index(taken) + 1], taken]
        assert door(tmp_path).chat(model, HELLO, schema=Colour).parsed == {"name": "red", "warm": True}
        assert len(server.seen) == FORMS.index(taken) + 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("the colour is red", "Invalid JSON"),
        ('Here: {"name": "red", "warm": true}', "Invalid JSON"),
        ('{"name": "red"}', "warm: Field required"),
        ('{"name": "red", "warm": true, "more": 1}', "more: Extra inputs"),
        ('["red"]', "should be an object"),
        ('{"name": "re', "Invalid JSON"),
    ],
)
def test_a_reply_of_another_form_is_the_system_s_outcome(tmp_path: Path, text: str, why: str) -> None:
    with serving(lambda seen: completion(text)) as server:
        for _ in range(2):
            with pytest.raises(ReplyError, match=why):
                door(tmp_path).chat(Model(name="m", url=server.url), HELLO, schema=Colour)
        assert len(server.seen) == 1, "it was paid for"
        with pytest.raises(ReplyError):
            door(tmp_path, retry_bad=True).chat(Model(name="m", url=server.url), HELLO, schema=Colour)
        assert len(server.seen) == 2


def test_json_in_a_fence_is_read(tmp_path: Path) -> None:
    with serving(lambda seen: completion('```json\n{"name": "red", "warm": false}\n```\n')) as server:
        model = Model(name="m", url=server.url)
        assert door(tmp_path).chat(model, HELLO, schema=Colour).parsed == {"name": "red", "warm": False}


def _events(*events: Any, end: bool = True) -> Answer:
    def give(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("connection", "close")
        handler.end_headers()
        for event in [*(json.dumps(event) for event in events), *(["[DONE]"] if end else [])]:
            handler.wfile.write(f"data: {event}\n\n".encode())
            handler.wfile.flush()
        handler.close_connection = True

    return lambda seen: give


def _delta(text: str = "", finish: str | None = None, **more: Any) -> Any:
    return {"choices": [{"index": 0, "delta": {"content": text, **more}, "finish_reason": finish}]}


def test_a_streamed_reply_is_the_reply_and_is_told_as_it_comes(tmp_path: Path) -> None:
    piece = {"index": 0, "id": "c", "function": {"name": "search", "arguments": '{"query"'}}
    rest = {"index": 0, "function": {"arguments": ': "x"}'}}
    used = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}
    events = (
        _delta("He"),
        _delta("llo"),
        _delta(tool_calls=[piece]),
        _delta(tool_calls=[rest]),
        _delta("", "stop"),
        used,
    )
    told: list[str] = []
    with serving(_events(*events)) as server:
        reply = door(tmp_path).chat(Model(name="m", url=server.url), HELLO, on_text=told.append)
        assert server.seen[0].body["stream"] is True
    assert told == ["He", "llo"]
    assert (reply.text, reply.calls[0].read(), reply.usage.input_tokens) == ("Hello", {"query": "x"}, 5)
    assert door(tmp_path, offline=True).chat(Model(name="m", url=server.url), HELLO) == reply


# -- whose failure ------------------------------------------------------------------------------------------------------


def _reset(handler: Any) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def _half(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def _hang(handler: Any) -> None:
    time.sleep(1.2)
    handler.close_connection = True


def _trickle(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "100000")
    handler.end_headers()
    for _ in range(30):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def _refusing(status: int, message: str, **headers: str) -> Answer:
    data = json.dumps({"error": {"message": message}}).encode()
    return lambda seen: (status, headers, data)


WRONG_KEY = f"Incorrect API key provided: {SECRET}. Bearer {SECRET}"
FAULTS: dict[str, tuple[Answer, type[Exception], str]] = {
    "reset": (lambda seen: _reset, WorldError, "reset|disconnected|broke off"),
    "half a reply": (lambda seen: _half, WorldError, "broke off"),
    "500": (_refusing(500, "out of order"), WorldError, "500: out of order"),
    "502 in HTML": (lambda seen: (502, {}, b"<html>Bad\n gateway</html>"), WorldError, "502: <html>Bad gateway</html>"),
    "no choices": (lambda seen: {"choices": [], "usage": {}}, ReplyError, "holds no answer"),
    "no JSON": (lambda seen: (200, {}, b"<html>login</html>"), WorldError, "no reply of a model"),
    "JSON of another kind": (lambda seen: {"hello": 1}, WorldError, "no chat completion"),
    "10 MB": (lambda seen: completion("x" * 10_000_000), ReplyError, "10,000,000 characters"),
    "hang": (lambda seen: _hang, WorldError, "no answer within 0.4 seconds"),
    "trickle": (lambda seen: _trickle, WorldError, "did not end in time"),
    "unknown model": (_refusing(404, "model 'm' does not exist"), WorldError, "404: model 'm' does not exist"),
    "wrong key": (_refusing(401, WRONG_KEY), WorldError, r"401: Incorrect API key provided: \[key\]"),
    "no money": (_refusing(429, "insufficient_quota"), WorldError, "429: insufficient_quota"),
    "redirect": (lambda seen: (307, {"location": "http://evil.test/"}, b""), WorldError, "307, a redirect"),
    "413": (_refusing(413, "too large"), ReplyError, "refuses the request, 413: too large"),
    "too long": (_refusing(400, "maximum context length is 8192"), ReplyError, "maximum context length is 8192"),
    "filtered request": (_refusing(400, "content_filter"), ReplyError, "400: content_filter"),
    "filtered": (lambda seen: completion("", "content_filter"), ReplyError, "filtered by its provider"),
    "cut": (lambda seen: completion("Hel", "length"), ReplyError, "was cut"),
    "a field that it does not take": (_refusing(400, "unknown parameter: 'top_k'"), WorldError, "unknown parameter"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_the_right_one_s_and_says_so_in_one_line(tmp_path: Path, fault: str) -> None:
    answer, kind, said = FAULTS[fault]
    with serving(answer) as server:
        seconds = 0.4 if fault in ("hang", "trickle") else 30
        model = Model(name="m", url=server.url, key_env="OPENAI_API_KEY", seconds=seconds)
        for _ in range(2):
            with pytest.raises(kind, match=said) as raised:
                door(tmp_path).chat(model, HELLO)
        asked = len(server.seen)
        assert server.seen[0].headers["authorization"] == f"Bearer {SECRET}"
    assert "\n" not in str(raised.value)
    assert SECRET not in str(raised.value) + repr(raised.value.__context__)
    assert not any(SECRET in path.read_text() for path in tmp_path.rglob("*.json"))
    if kind is ReplyError:
        assert asked == 1, "an answer is kept, of whatever use"
    else:
        assert asked >= 2, "what the world did is never kept"
        assert not list(tmp_path.rglob("*.json"))


def test_half_a_stream_is_asked_for_again(tmp_path: Path) -> None:
    whole, half = _events(_delta("Hello", "stop")), _events(_delta("Hel"), end=False)
    with serving(lambda seen: (half if seen.number == 0 else whole)(seen)) as server:
        assert door(tmp_path).chat(Model(name="m", url=server.url), HELLO, on_text=lambda text: None).text == "Hello"
        assert len(server.seen) == 2


def test_a_key_that_a_server_echoes_is_in_no_kept_reply(tmp_path: Path) -> None:
    with serving(lambda seen: completion(f"Your key is {SECRET}.")) as server:
        reply = door(tmp_path).chat(Model(name="m", url=server.url, key_env="OPENAI_API_KEY"), HELLO)
    assert reply.text == "Your key is [key]."
    assert not any(SECRET in path.read_text() for path in tmp_path.rglob("*.json"))


def test_a_request_that_does_not_fit_is_never_cut_in_silence(tmp_path: Path) -> None:
    with serving() as server:
        small = Model(name="m", url=server.url, context=16)
        with pytest.raises(ReplyError, match="longer than the 16 tokens"):
            door(tmp_path).chat(small, [Message(role="user", text="word " * 100)])
        assert not server.seen
    full = completion()
    full["usage"]["prompt_tokens"] = 16
    with serving(lambda seen: full) as server, pytest.raises(ReplyError, match="and the endpoint cut it"):
        door(tmp_path).chat(small.model_copy(update={"url": server.url}), HELLO)


# -- keys and hosts -----------------------------------------------------------------------------------------------------


def test_without_a_key_none_is_sent_and_nothing_else_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {SECRET}\nX-Mine: {SECRET}")
    with serving() as server:
        door(tmp_path).chat(Model(name="m", url=server.url, key_env=""), HELLO)
    assert "authorization" not in server.seen[0].headers
    assert SECRET not in str(server.seen[0].headers)


@pytest.mark.parametrize(
    ("url", "key_env", "allowed", "fine"),
    [
        (None, None, (), True),
        ("https://api.openai.com/v1", "OPENAI_API_KEY", (), True),
        ("https://api.openai.com/v1", "AWS_SECRET_ACCESS_KEY", (), False),
        ("http://api.openai.com/v1", "OPENAI_API_KEY", (), False),
        ("https://api.openai.com.evil.test/v1", "OPENAI_API_KEY", (), False),
        ("https://127.0.0.1.evil.test/v1", "OPENAI_API_KEY", (), False),
        ("https://evil.test/v1", "OPENAI_API_KEY", (), False),
        ("https://evil.test/v1", None, (), False),
        ("https://evil.test/v1", "", (), True),
        ("https://own.test/v1", "OPENAI_API_KEY", ("own.test",), True),
        ("https://own.test/v1", "OPENAI_API_KEY", ("own.test=OPENAI_API_KEY",), True),
        ("https://own.test/v1", "OPENAI_API_KEY", ("own.test=OTHER",), False),
        ("https://not-own.test/v1", "OPENAI_API_KEY", ("own.test",), False),
        ("http://127.0.0.1:8077/v1", "OPENAI_API_KEY", (), True),
        ("http://[::1]:8077/v1", "OPENAI_API_KEY", (), True),
        ("http://localhost:8077/v1", "AWS_SECRET_ACCESS_KEY", (), True),
        ("https://api.deepseek.com", "DEEPSEEK_API_KEY", (), True),
        ("https://api.deepseek.com", "OPENAI_API_KEY", (), False),
        ("https://user@api.openai.com/v1", "OPENAI_API_KEY", (), False),
        ("https://api.openai.com@evil.test/v1", "OPENAI_API_KEY", (), False),
        ("file:///etc/passwd", "", (), False),
    ],
)
def test_a_key_goes_to_its_provider_s_own_host_or_where_the_user_said(
    tmp_path: Path, url: str | None, key_env: str | None, allowed: tuple[str, ...], fine: bool
) -> None:
    variables = {"OPENAI_API_KEY": SECRET, "AWS_SECRET_ACCESS_KEY": "aws", "DEEPSEEK_API_KEY": "deep"}
    known, client = Credentials(allowed, variables, tmp_path / ".env"), _openai()
    model = Model(name="m", url=url, key_env=key_env)
    if fine:
        name = "OPENAI_API_KEY" if key_env is None else key_env
        assert known.session(model, client).key == variables.get(name)
    else:
        with pytest.raises(UserError) as raised:
            known.session(model, client)
        assert SECRET not in str(raised.value)


def test_the_shell_may_name_a_host_and_dotenv_may_not(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"# mine\nexport OPENAI_API_KEY='{SECRET}' \nOPENAI_BASE_URL=https://evil.test/v1\n")
    model, client = Model(name="m"), _openai()
    by_file = Credentials((), {}, tmp_path / ".env").session(model, client)
    assert (by_file.url, by_file.key) == ("https://api.openai.com/v1", SECRET)
    shell = {"OPENAI_BASE_URL": "https://proxy.test/v1"}
    by_shell = Credentials((), shell, tmp_path / ".env").session(model, client)
    assert (by_shell.url, by_shell.key) == ("https://proxy.test/v1", SECRET)
    other = Model(name="m", key_env="AWS_SECRET_ACCESS_KEY")
    with pytest.raises(UserError, match=r"AWS_SECRET_ACCESS_KEY to proxy\.test"):
        Credentials((), {**shell, "AWS_SECRET_ACCESS_KEY": "aws"}, tmp_path / ".env").session(other, client)


def test_a_key_that_is_missing_is_the_world_s(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="set the environment variable OPENAI_API_KEY"):
        Credentials((), {}, tmp_path / ".env").session(Model(name="m"), _openai())


def _openai() -> Any:
    from harness.models.door import provider

    return provider("openai")


# -- pace and money -----------------------------------------------------------------------------------------------------


def test_no_more_calls_are_in_flight_than_the_endpoint_takes(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with serving(seconds=0.03) as server, ThreadPoolExecutor(12) as pool:
        one, model = door(tmp_path, limits={"127.0.0.1": Limits(in_flight=3)}), Model(name="m", url=server.url)
        list(pool.map(lambda number: one.chat(model, HELLO, sample=number), range(24)))
        assert (server.most_at_once, len(server.seen)) == (3, 24)


def test_two_cases_that_ask_the_same_pay_once(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with serving(seconds=0.05) as server, ThreadPoolExecutor(8) as pool:
        one, model = door(tmp_path), Model(name="m", url=server.url)
        replies = list(pool.map(lambda number: one.chat(model, HELLO), range(8)))
        assert (len(set(map(str, replies))), len(server.seen)) == (1, 1)


def test_two_commands_that_ask_the_same_pay_once(tmp_path: Path) -> None:
    """Doors of two processes know each other by their files alone, as these two do."""
    from concurrent.futures import ThreadPoolExecutor

    with serving(seconds=0.1) as server, ThreadPoolExecutor(2) as pool:
        model = Model(name="m", url=server.url)
        replies = list(pool.map(lambda one: one.chat(model, HELLO), [door(tmp_path), door(tmp_path)]))
        assert (len(set(map(str, replies))), len(server.seen)) == (1, 1)
    assert not list(tmp_path.rglob("*.asking"))


def test_a_slot_is_free_while_a_call_waits_as_it_was_told(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def answer(seen: Seen) -> Any:
        return (429, {"retry-after": "0.5"}, b"") if seen.number == 0 else completion()

    with serving(answer) as server, ThreadPoolExecutor(2) as pool:
        one, model = door(tmp_path, limits={"127.0.0.1": Limits(in_flight=1)}), Model(name="m", url=server.url)
        begun = time.monotonic()
        first = pool.submit(one.chat, model, HELLO)
        while not server.seen:
            time.sleep(0.005)
        one.chat(model, HELLO, sample=1)
        assert time.monotonic() - begun < 0.45, "the second call did not wait for the first"
        first.result()
        assert time.monotonic() - begun >= 0.5


def test_requests_and_tokens_a_minute_are_paced() -> None:
    now = [0.0]
    pace = limits.Pace(60, lambda: now[0])
    assert [pace.take(1) for _ in range(60)] == [0.0] * 60
    assert pace.take(1) == pytest.approx(1.0)
    assert pace.take(1) == pytest.approx(2.0)
    now[0] = 32.0
    assert pace.take(30) == 0.0
    assert pace.take(1000) == pytest.approx(60.0), "more than a minute's worth counts as a minute's"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "3"}, 3), ({"retry-after-ms": "250"}, 0.25), ({"retry-after": "soon"}, 0), ({}, 0)],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float) -> None:
    from harness.models.client import Wire
    from harness.models.refusals import retry_after

    assert retry_after(Wire(429, headers, b"")) == seconds


def test_a_price_of_one_s_own_a_known_one_and_none(tmp_path: Path) -> None:
    with serving() as server:
        named = Model(name="gpt-4o-mini", url=server.url, endpoint="api.openai.com")
        assert door(tmp_path).chat(named, HELLO).usage.cost == pytest.approx((10 * 0.15 + 2 * 0.6) / 1e6)
        unknown = Model(name="m", url=server.url)
        assert door(tmp_path).chat(unknown, HELLO).usage.cost is None, "unknown is never 0"
        own = door(tmp_path, prices={"m": Price(input=1000, output=2000)})
        assert own.chat(unknown, HELLO).usage.cost == pytest.approx(0.014), "tokens were kept, the price came later"


def test_the_cap_is_never_passed_and_what_was_paid_is_kept(tmp_path: Path) -> None:
    with serving() as server:
        model = Model(name="m", url=server.url, max_tokens=2)
        budget = Budget(0.5)
        one = door(tmp_path, budget=budget, prices={"m": Price(input=1000, output=2000)})
        with pytest.raises(WorldError, match=r"--max-usd 0\.5: USD 0\.\d+ are spent"):
            [one.chat(model, HELLO, sample=number) for number in range(1000)]
        assert budget.billed.cost is not None
        assert 0.3 < budget.billed.cost <= 0.5
        assert len(server.seen) == budget.billed.calls
        with pytest.raises(WorldError, match="the price of this model is not known"):
            door(tmp_path / "other", budget=Budget(1)).chat(model, HELLO)


@pytest.mark.parametrize("module", ["harness.runs.ingest", "harness.runs.indexes", "systems.retrievers.bm25"])
def test_nothing_is_read_or_searched_again_because_the_door_changed(module: str) -> None:
    """Of this room, what parses, indexes and searches may know only the watch that says whose time it is."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += keys._source(name).modules
    assert {name for name in found if name.startswith("harness.models")} <= {"harness.models.stop_watch"}


# -- embeddings, rerankers, cases ---------------------------------------------------------------------------------------


def test_a_case_s_ledger_holds_each_call_in_order_with_what_it_took_cold(tmp_path: Path) -> None:
    def answer(seen: Seen) -> Any:
        if seen.path.endswith("/rerank"):
            rows = [{"index": n, "relevance_score": len(text)} for n, text in enumerate(seen.body["documents"])]
            return {"results": rows[::-1], "usage": {"total_tokens": 30}}
        if seen.path.endswith("/embeddings"):
            rows = [{"index": n, "embedding": [len(text), 1]} for n, text in enumerate(seen.body["input"])]
            return {"data": rows, "usage": {"prompt_tokens": 8, "total_tokens": 8}}
        return completion("Hel", "length" if seen.body["messages"][0]["content"] == "cut" else "stop")

    def work() -> tuple[Any, ...]:
        book = Ledger()
        case = CaseDoor(one, book)
        assert case.rerank(model, "q", ["a", "ccc", "bb"]) == [1, 3, 2]
        assert case.embed(model, ["aa", "b", "aa"], {"task": "query"}).tolist() == [[2, 1], [1, 1], [2, 1]]
        case.chat(model, HELLO)
        with pytest.raises(ReplyError):
            case.chat(model, [Message(role="user", text="cut")])
        return book.steps

    with serving(answer) as server:
        model, one = Model(name="m", url=server.url), door(tmp_path)
        first = work()
        asked = len(server.seen)
        assert server.seen[1].body["input"] == ["aa", "b"]
        one = door(tmp_path)
        assert work() == first
        assert len(server.seen) == asked
    assert [(step.kind, step.input, step.output) for step in first] == [
        ("call", 30, 0), ("call", 8, 0), ("call", 10, 2), ("call", 10, 2),
    ]  # fmt: skip
    assert (usage(first).input_tokens, usage(first).cost) == (58, None)


def test_the_world_s_failure_cannot_be_hidden_by_who_goes_on(tmp_path: Path) -> None:
    book = Ledger()
    with pytest.raises(WorldError):
        CaseDoor(door(tmp_path, offline=True), book).chat(Model(name="m", url="http://localhost:9/v1"), HELLO)
    with pytest.raises(WorldError, match="offline"):
        book.refuse_hidden()


@pytest.fixture(autouse=True)
def _no_waiting_at_the_end() -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < 20
