"""inspect: a log that we write is read back with its samples. Its model providers are not used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from model_server import Seen, completion, serving
from test_asking import asker, config, slow_at_first  # noqa: F401

inspect_ai = pytest.importorskip("inspect_ai", reason="comes with the extra inspect")

pytestmark = pytest.mark.filterwarnings("default")


def test_a_log_is_read_back(tmp_path: Path) -> None:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, read_eval_log, write_eval_log
    from inspect_ai.scorer import Score

    spec = EvalSpec(
        created="2026-12-01T00:00:00+00:00",
        task="tiny",
        dataset=EvalDataset(name="tiny", samples=1),
        model="none/statements",
        config=EvalConfig(),
    )
    score = Score(value=1.0, answer="USD 1,284 million", explanation="same figure")
    sample = EvalSample(id="q1", epoch=1, input="Revenue?", target="1,284 million", scores={"correctness": score})
    place = tmp_path / "2026-12-01_tiny_statements.eval"
    write_eval_log(EvalLog(status="success", eval=spec, samples=[sample]), str(place))
    found = read_eval_log(str(place))
    assert found.eval.task == "tiny"
    assert found.samples is not None
    assert found.samples[0].scores == {"correctness": score}


def test_a_result_is_exported_with_its_calls_scores_and_errors(asker: Path, cli: Cli) -> None:  # noqa: F811
    from inspect_ai.log import read_eval_log

    def answer(seen: Seen) -> Any:
        return completion("cut", "length") if "Who chairs" in json.dumps(seen.body) else slow_at_first(seen)

    with serving(answer) as server:
        config(asker, server.url, "prices: {m: {input: 1, output: 2}}\n")
        cli("run", "asks.yaml", "--split", "dev")
    cli("export", "asks", "--to", "inspect", "--out", "exports")
    (path,) = (asker / "exports").glob("*.eval")
    log = read_eval_log(str(path))
    assert (log.status, log.eval.task, log.eval.model) == ("success", "tiny/asks/dev", "m")
    assert log.samples is not None
    samples = {str(sample.id): sample for sample in log.samples}
    assert sorted(samples) == ["t/2", "t4", "t:1", "t>3"]
    assert [event.event for event in samples["t:1"].events] == ["info", "model", "info", "model"]
    call = samples["t:1"].events[-1]
    assert (call.call.request["model"], call.output.usage.total_cost) == ("m", 14 / 1e6)
    assert samples["t:1"].output.completion.startswith("Reply 2 to: How much revenue")
    assert "the reply was cut" in samples["t/2"].error.message
    assert "the reply was cut" in samples["t/2"].events[-1].error
    assert samples["t/2"].scores["correctness"].value == 0
    assert "the reply was cut" in samples["t/2"].scores["correctness"].explanation
    assert "correctness" not in samples["t4"].scores
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means["page_hit@5"] == 1
