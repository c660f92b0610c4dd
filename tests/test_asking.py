"""Runs of a system that asks a model: paid once, in any order, with what it took beside every case."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, ROOT, Cli
from model_server import Seen, completion, serving

ASKER = '''\
"""Asks a model twice: for a draft, and again with the draft."""

from harness.protocols import Answerer
from harness.records import Answer, Message, Model, Step


class Asker(Answerer):
    """Puts what is found before the question."""

    model: Model

    def answer(self, question, search, history, bench):
        read = "\\n".join(hit.chunk.passage for hit in search(question))
        asked = [Message(role="user", text=f"{read}\\n{question}")]
        draft = bench.door.chat(self.model, asked)
        bench.note(Step(kind="draft", text=draft.text))
        reply = bench.door.chat(self.model, [*asked, Message(role="assistant", text=draft.text)])
        return Answer(text=reply.text)
'''
MODELS = "models: {{small: {{name: m, url: '{url}', max_tokens: 20}}}}\nlimits: {{127.0.0.1: {{in_flight: 4}}}}\n"


@pytest.fixture
def asker(project: Path) -> Path:
    folder = project / "systems" / "answerers"
    folder.mkdir(parents=True)
    (folder / "asker.py").write_text(ASKER)
    return project


def config(project: Path, url: str, more: str = "") -> None:
    text = MODELS.format(url=url) + CONFIG.replace("{use: statements}", "{use: asker, model: small}") + more
    (project / "asks.yaml").write_text(text)


def slow_at_first(seen: Seen) -> Any:
    """Later questions are answered sooner, so that nothing ends in the order in which it began."""
    time.sleep(0.2 / (1 + seen.number))
    question = seen.body["messages"][0]["content"].rsplit("\n", 1)[-1]
    return completion(f"Reply {len(seen.body['messages'])} to: {question}")


def rows(project: Path, results: str = "results") -> dict[str, bytes]:
    (place,) = (project / results).glob("tiny/asks/dev/*/manifest.json")
    return {path.name: path.read_bytes() for path in place.parent.glob("*.jsonl")}


def manifest(project: Path, results: str = "results") -> Any:
    (place,) = (project / results).glob("tiny/asks/dev/*/manifest.json")
    return json.loads(place.read_text())


def test_rows_are_the_same_in_any_order_and_nothing_is_paid_twice(asker: Path, cli: Cli) -> None:
    with serving(slow_at_first) as server:
        config(asker, server.url, "prices: {m: {input: 1, output: 2}}\n")
        cli("run", "asks.yaml", "--split", "dev", "--workers", "4")
        assert (len(server.seen), server.most_at_once > 1) == (8, True)
        first = rows(asker)
        cli("run", "asks.yaml", "--split", "dev")
        assert len(server.seen) == 8
        cli("run", "asks.yaml", "--split", "dev", "--workers", "1", "--results", "one")
        assert rows(asker, "one") == first
        assert len(server.seen) == 16
    cost = 2 * (10 * 1 + 2 * 2) / 1e6
    (asker / "one" / "cache" / "outcomes.sqlite").unlink()
    cli("run", "asks.yaml", "--split", "dev", "--offline", "--results", "one")
    assert rows(asker, "one") == first
    cases = [json.loads(line) for line in first["generation.jsonl"].splitlines()]
    assert [case["usage"]["calls"] for case in cases] == [2, 2, 2, 2]
    assert {round(case["usage"]["cost"] / cost, 9) for case in cases} == {1.0}
    trace = json.loads(first["traces.jsonl"].splitlines()[0])
    assert [step["kind"] for step in trace["steps"]] == ["search", "call", "draft", "call"]
    kept = asker / "one" / "calls" / "replies"
    assert all((kept / s["key"][:2] / f"{s['key']}.json").exists() for s in trace["steps"] if s["kind"] == "call")
    made, again = manifest(asker), manifest(asker, "one")
    assert made["cost_cold"] == again["cost_cold"] == pytest.approx(4 * cost)
    assert again["calls"]["billed"] == 0
    assert (again["cost_billed"], again["calls"]["prices"]["own"]["m"]["input"]) == (0, 1)


def test_what_the_model_s_endpoint_fails_at_ends_the_run_and_is_resumed(asker: Path, cli: Cli) -> None:
    def answer(seen: Seen) -> Any:
        refused = json.dumps({"error": {"message": "no such model"}}).encode()
        return (404, {}, refused) if seen.number >= 3 else slow_at_first(seen)

    with serving(answer) as server:
        config(asker, server.url)
        done = cli("run", "asks.yaml", "--split", "dev", "--workers", "1", code=4)
        assert done.stderr.splitlines()[-1].startswith("harness: 127.0.0.1 refuses model 'm': 404")
        assert "127.0.0.1 refuses model 'm': 404: no such model" in done.stderr
        assert not list(asker.glob("results/tiny/asks/dev/*/manifest.json"))
    with serving(slow_at_first) as server:
        config(asker, server.url)
        cli("run", "asks.yaml", "--split", "dev", "--workers", "1")
        assert len(server.seen) == 5, "three of eight were answered before"
    done = cli("run", "asks.yaml", "--split", "dev", "--offline", "--set", "models.small.max_tokens=21", code=4)
    assert "offline: no reply is kept for model 'm' at 127.0.0.1" in done.stderr


def test_a_reply_that_cannot_be_used_is_the_case_s_and_is_asked_again_only_when_told(asker: Path, cli: Cli) -> None:
    def answer(seen: Seen) -> Any:
        return completion("cut", "length") if fault and "Who chairs" in json.dumps(seen.body) else slow_at_first(seen)

    fault = True
    with serving(answer) as server:
        config(asker, server.url)
        cli("run", "asks.yaml", "--split", "dev")
        cases = [json.loads(line) for line in rows(asker)["generation.jsonl"].splitlines()]
        assert "the reply was cut" in next(case["error"] for case in cases if case["golden"] == "t/2")
        assert [case["golden"] for case in cases if case.get("error")] == ["t/2"]
        assert next(case["usage"]["calls"] for case in cases if case["golden"] == "t/2") == 1, "it was paid for"
        asked, fault = len(server.seen), False
        cli("run", "asks.yaml", "--split", "dev", "--retry-failed")
        assert len(server.seen) == asked
        cli("run", "asks.yaml", "--split", "dev", "--retry-bad")
        assert len(server.seen) == asked + 2
        cases = [json.loads(line) for line in rows(asker)["generation.jsonl"].splitlines()]
        assert not [case for case in cases if case.get("error")]


DESCRIBER = '''\
"""Describes each page by a model, after the chunks of its text."""

from harness.protocols import Chunker
from harness.records import Chunk, Message, Model


class Describer(Chunker):
    """One chunk of the page's text and one of what the model says of it."""

    model: Model

    def chunk(self, pages, bench):
        for page in pages:
            yield Chunk(id=f"{page.ref}-0", ref=page.ref, text=page.text)
            said = bench.door.chat(self.model, [Message(role="user", text=page.text)]).text
            yield Chunk(id=f"{page.ref}-1", ref=page.ref, text=said, kind="figure")
'''


def test_what_documents_are_made_of_is_paid_once_too(project: Path, cli: Cli) -> None:
    folder = project / "systems" / "chunkers"
    folder.mkdir(parents=True)
    (folder / "describer.py").write_text(DESCRIBER)
    with serving(lambda seen: completion("A chart")) as server:
        text = MODELS.format(url=server.url) + CONFIG.replace("{use: page_windows}", "{use: describer, model: small}")
        (project / "asks.yaml").write_text(text)
        cli("run", "asks.yaml", "--split", "dev")
        assert len(server.seen) == 7, "one for each page"
        assert manifest(project)["calls"]["billed"] == 7
        assert manifest(project)["corpus"]["alder_2025"]["usage"]["calls"] == 4
        first = rows(project)
        shutil.rmtree(project / "results" / "cache")
        cli("run", "asks.yaml", "--split", "dev")
        assert (len(server.seen), rows(project), manifest(project)["calls"]["billed"]) == (7, first, 0)


def test_a_stranger_s_config_sends_no_variable_anywhere(asker: Path, cli: Cli) -> None:
    """The name stands for any host that is not this machine; nothing is looked up before the config is refused."""
    config(asker, "http://evil.test/v1")
    text = (asker / "asks.yaml").read_text()
    (asker / "asks.yaml").write_text(text.replace("name: m,", "name: m, key_env: AWS_SECRET_ACCESS_KEY,"))
    done = cli("run", "asks.yaml", "--split", "dev", code=2, AWS_SECRET_ACCESS_KEY="wJalrXUtnFEMI")
    assert "sends the variable AWS_SECRET_ACCESS_KEY to evil.test" in done.stderr
    assert "--allow-host evil.test" in done.stderr
    assert "wJalrXUtnFEMI" not in done.stderr + done.stdout
    done = cli("run", "asks.yaml", "--split", "dev", code=4, OPENAI_API_KEY="")
    assert "set the environment variable AWS_SECRET_ACCESS_KEY" in done.stderr


def test_a_plan_asks_nobody_and_holds_what_the_run_then_takes(asker: Path, cli: Cli) -> None:
    with serving() as server:
        config(asker, server.url, "prices: {m: {input: 1000, output: 2000}}\n")
        before = json.loads(cli("plan", "asks.yaml", "--json").stdout)
        assert not server.seen
        stages = {line["stage"]: line for line in before["systems"]["asks"]}
        assert list(stages) == ["documents", "index", "retrieve", "generate", "score"]
        for line in stages.values():
            for name in ("seconds", "calls", "input", "output", "usd"):
                low, high = line[name]
                assert low <= high <= 3 * low or low == high == 0, (line["stage"], name)
        generate = stages["generate"]
        assert (generate["units"], generate["kept"], generate["to_do"]) == (4, 0, 4)
        assert generate["calls"][0] <= 8 <= generate["calls"][1]
        cli("run", "asks.yaml", "--split", "dev")
        assert len(server.seen) == 8
        asked = sum(len(json.dumps(seen.body)) for seen in server.seen) / 4
        assert generate["input"][0] <= asked <= generate["input"][1]
        after = json.loads(cli("plan", "asks.yaml", "--json").stdout)["systems"]["asks"]
        assert {(line["stage"], line["to_do"]) for line in after} == {(name, 0) for name in stages}
        assert not any(line["usd"][1] for line in after)
        assert len(server.seen) == 8


def test_a_run_that_is_killed_at_any_moment_asks_no_answered_call_again(asker: Path) -> None:
    words = [sys.executable, "-m", "harness.cli", "run", "asks.yaml", "--split", "dev"]
    draw = random.Random(14)
    with serving(lambda seen: completion(f"Reply to {seen.body['messages'][0]['content'][-20:]}"), 0.3) as server:
        config(asker, server.url)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        kills = []
        for _ in range(3):
            asked = len(server.seen)
            with subprocess.Popen(words, cwd=asker, env=environment, stderr=subprocess.DEVNULL) as process:
                while len(server.seen) == asked and process.poll() is None:
                    time.sleep(0.01)
                time.sleep(draw.uniform(0, 0.6))
                process.send_signal(signal.SIGKILL)
                kills.append(time.monotonic())
        subprocess.run(words, cwd=asker, env=environment, check=True, stdout=subprocess.DEVNULL)
        assert len({json.dumps(seen.body) for seen in server.answered}) == 8
        assert not [seen for seen in _repeated(server.answered) if not _on_its_way(seen, kills)]


def _repeated(answered: list[Seen]) -> list[Seen]:
    """The first answers to what was asked again."""
    texts = [json.dumps(seen.body) for seen in answered]
    return [seen for place, seen in enumerate(answered) if texts[place] in texts[place + 1 :]]


def _on_its_way(seen: Seen, kills: list[float]) -> bool:
    """Whether an answer had not reached the disk when the process was killed: nobody can keep what he has not read."""
    return any(seen.answered_at is not None and 0 <= kill - seen.answered_at < 0.1 for kill in kills)


GRADER = '''\
"""Asks a model whether an answer is polite."""

from harness.records import Message, Model
from harness.scoring.metric import Metric


class Polite(Metric):
    """1 where the model says yes."""

    stage = "generate"
    unit = "share"
    higher_is_better = True
    model: Model = Model(name="judge", url="URL", endpoint="judges")

    def score(self, case, bench):
        said = bench.door.chat(self.model, [Message(role="user", text=case.answer.text)]).text
        return self.scored(case, float(said == "yes"), said)
'''


def test_a_metric_that_asks_a_model_says_by_which_replies_and_is_not_the_system_s_cost(asker: Path, cli: Cli) -> None:
    def answer(seen: Seen) -> Any:
        if seen.body["model"] == "judge":
            return completion("", "length") if "chairs" in json.dumps(seen.body) else completion("yes")
        return slow_at_first(seen)

    (asker / "systems" / "metrics").mkdir()
    with serving(answer) as server:
        config(asker, server.url)
        (asker / "systems" / "metrics" / "polite.py").write_text(GRADER.replace("URL", server.url))
        cli("run", "asks.yaml", "--split", "dev")
        asked = len(server.seen)
        cli("score", "asks")
        assert len(server.seen) == asked, "a verdict that cannot be read is kept too"
    scores = [json.loads(line) for line in rows(asker)["scores.jsonl"].splitlines()]
    own = {score["golden"]: score for score in scores if score["metric"] == "polite"}
    assert (own["t:1"]["value"], len(own["t:1"]["calls"]), own["t:1"]["usage"]["calls"]) == (1.0, 1, 1)
    assert own["t/2"]["status"] == "failed", "the instrument's failure, and no 0"
    cases = [json.loads(line) for line in rows(asker)["generation.jsonl"].splitlines()]
    assert {case["usage"]["calls"] for case in cases} == {2}
