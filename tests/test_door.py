"""The door to models: what is kept, what is asked again, and whose failure a failure is."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import completion, serving
from pydantic import BaseModel, ConfigDict

from harness.bench import NoBlobs
from harness.errors import ReplyError, WorldError
from harness.models.door import Door, Settings
from harness.records import Message, Model

HELLO = (Message(role="user", text="Hello?"),)


def door(tmp_path: Path, **settings: object) -> Door:
    return Door(Settings(tmp_path / "calls", **settings), NoBlobs())  # type: ignore[arg-type]


def test_a_reply_is_kept_and_not_asked_for_again(tmp_path: Path) -> None:
    with serving() as server:
        model = Model(name="m", url=server.url)
        first = door(tmp_path).chat(model, HELLO)
        again = door(tmp_path).chat(model, HELLO)
        assert (first.text, first.finish, first.usage.input_tokens) == ("Hello", "stop", 10)
        assert again == first
        assert len(server.seen) == 1
    assert door(tmp_path, offline=True).chat(model, HELLO) == first


def test_offline_names_the_first_call_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"offline: no reply is kept for model 'm' at localhost: 'Hello\?'"):
        door(tmp_path, offline=True).chat(Model(name="m", url="http://localhost:9/v1"), HELLO)


def test_a_reply_that_was_cut_is_kept_as_the_system_s_outcome(tmp_path: Path) -> None:
    with serving(lambda seen: completion("Hel", "length")) as server:
        model = Model(name="m", url=server.url)
        for _ in range(2):
            with pytest.raises(ReplyError, match="cut") as raised:
                door(tmp_path).chat(model, HELLO)
        assert raised.value.reply.text == "Hel"
        assert len(server.seen) == 1
        with pytest.raises(ReplyError):
            door(tmp_path, retry_bad=True).chat(model, HELLO)
        assert len(server.seen) == 2


class Colour(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    warm: bool


def test_a_form_that_the_endpoint_refuses_is_replaced_by_the_next(tmp_path: Path) -> None:
    def answer(seen):  # type: ignore[no-untyped-def]
        if seen.body.get("response_format", {}).get("type") == "json_schema":
            return 500, {}, b'{"error": {"message": "unknown response_format"}}'
        return completion('{"name": "red", "warm": true}')

    with serving(answer) as server:
        model, one = Model(name="m", url=server.url), door(tmp_path)
        assert one.chat(model, HELLO, schema=Colour).parsed == {"name": "red", "warm": True}
        assert one.chat(model, HELLO, schema=Colour, sample=1).parsed == {"name": "red", "warm": True}
        assert [seen.body["response_format"]["type"] for seen in server.seen] == ["json_schema", *["json_object"] * 2]
        assert door(tmp_path).chat(model, HELLO, schema=Colour).parsed == {"name": "red", "warm": True}
        assert len(server.seen) == 3
