"""inspect: a log that we write is read back with its samples. Its model providers are not used."""

from __future__ import annotations

from pathlib import Path

import pytest

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
