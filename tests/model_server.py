"""A server of the OpenAI protocol for tests: real HTTP on a real port, with answers that a test decides."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Seen"], Any]


@dataclass
class Seen:
    """A request as it came, and how many came before it."""

    number: int
    path: str
    headers: dict[str, str]
    body: Any
    answered_at: float | None = None


@dataclass
class Server:
    """Its requests so far, and how it answers: a body, or (status, headers, bytes)."""

    answer: Answer
    seconds: float = 0.0
    seen: list[Seen] = field(default_factory=list)
    answered: list[Seen] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def completion(text: str = "Hello", finish: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion as servers send it."""
    said = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    return {"id": "x", "choices": [{"index": 0, "message": said, "finish_reason": finish}], "usage": usage}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        state = self.state
        with state.lock:
            seen = Seen(len(state.seen), self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            state.seen.append(seen)
            state.at_once += 1
            state.most_at_once = max(state.most_at_once, state.at_once)
        try:
            time.sleep(state.seconds)
            answer = state.answer(seen)
            if self._is_alone():
                raise BrokenPipeError
            self._give(answer)
            with state.lock:
                seen.answered_at = time.monotonic()
                state.answered.append(seen)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with state.lock:
                state.at_once -= 1

    def _is_alone(self) -> bool:
        """Whether the client has gone; what is written then reaches nobody."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _give(self, answer: Any) -> None:
        if callable(answer):  # writes to the socket by itself
            answer(self)
            return
        status, headers, data = answer if isinstance(answer, tuple) else (200, {}, json.dumps(answer).encode())
        self.send_response(status)
        for name, value in {"content-length": str(len(data)), "content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words: Any) -> None:
        pass


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *words: Any) -> None:
        pass


@contextmanager
def serving(answer: Answer = lambda seen: completion(), seconds: float = 0.0) -> Iterator[Server]:
    """A server on a free port of this machine."""
    state = Server(answer, seconds)
    http = _Quiet(("127.0.0.1", 0), type("Handler", (_Handler,), {"state": state}))
    state.port = http.server_address[1]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        http.shutdown()
        http.server_close()
