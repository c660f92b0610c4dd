"""How close the door to models comes to an endpoint's own pace: calls of a known length, so many in flight, every reply kept.

  python benchmarks/door.py                       400 calls of 300 ms at 32 in flight
  python benchmarks/door.py --calls 2000 --refuse 20      every 20th is answered 429, Retry-After 1 s
  python benchmarks/door.py --killed 20           killed at 20 random moments: no answered call is made again

The server is a process of its own on this machine. Ideal: calls × seconds / in flight; a refused call costs nothing in it. The
calls are made as the stages make them, by twice as many threads as there are slots. A first call, not counted, imports the SDK.
Then the same calls again: none may reach the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_REPLY = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello " * 50}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
}


async def _serve(seconds: float, refuse: int) -> None:
    """Answers after `seconds`; each `refuse`-th new request once with 429. GET gives what was answered, by its question."""
    answered: dict[str, int] = {}
    refused: set[str] = set()
    count = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if head.startswith(b"GET"):
                    writer.write(_response(200, json.dumps(answered).encode()))
                    continue
                length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
                body = json.loads(await reader.readexactly(int(length.split(b":")[1])))
                question, count = body["messages"][-1]["content"][:40], count + 1
                if refuse and count % refuse == 0 and question not in refused:
                    refused.add(question)
                    writer.write(_response(429, b"{}", b"retry-after: 1\r\n"))
                    continue
                await asyncio.sleep(seconds)
                if reader.at_eof():  # the client was killed: what is written now reaches nobody
                    return
                writer.write(_response(200, json.dumps(_REPLY).encode()))
                await writer.drain()
                answered[question] = answered.get(question, 0) + 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _response(status: int, body: bytes, headers: bytes = b"") -> bytes:
    head = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%s\r\n" % (
        status,
        len(body),
        headers,
    )
    return head + body


def _call(url: str, folder: Path, calls: int, in_flight: int) -> float:
    """Make the calls; the seconds that they took, after a first one."""
    from harness.bench import NoBlobs
    from harness.models.door import Door, Settings
    from harness.models.limits import Limits
    from harness.records import Message, Model

    door = Door(Settings(folder, limits={"127.0.0.1": Limits(in_flight=in_flight)}), NoBlobs())
    model = Model(name="m", url=url)

    def ask(number: int) -> str:
        passages = f"question {number:06} " + "Revenue rose by 4.2% to USD 1,284 million. " * 80
        return door.chat(model, [Message(role="user", text=passages)]).text

    ask(-1)
    with ThreadPoolExecutor(2 * in_flight) as pool:
        begun = time.monotonic()
        assert all(pool.map(ask, range(calls)))
        return time.monotonic() - begun


def _answered(url: str) -> dict[str, int]:
    with urllib.request.urlopen(url) as reply:
        return json.load(reply)  # type: ignore[no-any-return]


def _pace(args: argparse.Namespace, url: str, folder: Path) -> None:
    ideal = math.ceil(args.calls / args.in_flight) * args.seconds
    took = _call(url, folder, args.calls, args.in_flight)
    kept = len(list(folder.rglob("*.json")))
    print(
        f"{args.calls} calls, {args.in_flight} in flight: {took:.2f} s, {took / ideal:.3f} x ideal ({ideal:.2f} s), {kept} kept"
    )
    before = sum(_answered(url).values())
    again = _call(url, folder, args.calls, args.in_flight)
    print(f"again: {again:.2f} s, {sum(_answered(url).values()) - before} calls")


def _killed(args: argparse.Namespace, url: str, folder: Path) -> None:
    """Processes that make the calls, each killed at a random moment, and one that is left to finish."""
    words = [sys.executable, __file__, "--made", url, str(folder), "--calls", str(args.calls)]
    words += ["--in-flight", str(args.in_flight)]
    for _ in range(args.killed):
        with subprocess.Popen(words) as process:
            time.sleep(args.start + random.uniform(0, args.span))
            process.send_signal(signal.SIGKILL)
    subprocess.run(words, check=True)
    answered = _answered(url)
    twice = sum(count - 1 for count in answered.values())
    print(f"killed {args.killed} times: {len(answered)} questions answered, {twice} of them more than once")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--refuse", type=int, default=0, metavar="N", help="answer each N-th with 429 once")
    parser.add_argument("--killed", type=int, default=0, metavar="N", help="kill N times at random moments")
    parser.add_argument("--start", type=float, default=1.5, help="seconds before a kill, for imports")
    parser.add_argument("--span", type=float, default=2.0, help="and up to so many more")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--made", nargs=2, metavar=("URL", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        asyncio.run(_serve(args.seconds, args.refuse))
    elif args.made:
        _call(args.made[0], Path(args.made[1]), args.calls, args.in_flight)
    else:
        words = ["--serve", "--seconds", str(args.seconds), "--refuse", str(args.refuse)]
        with tempfile.TemporaryDirectory() as folder, _server(words) as server:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
            (_killed if args.killed else _pace)(args, url, Path(folder))
            server.kill()


def _server(words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True, env=dict(os.environ))


if __name__ == "__main__":
    main()
