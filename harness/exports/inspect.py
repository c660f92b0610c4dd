"""An inspect-ai log (`.eval`) with samples, model calls, scores and errors, for `inspect view` (extra `inspect`)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from harness.errors import UserError
from harness.exports._saved import Saved, file_name
from harness.models.calls import Calls, Kept
from harness.models.door import provider
from harness.records import Case, Step
from harness.runs.kept import Kept as Result
from harness.runs.kept import refuse_sealed
from harness.runs.options import Options
from harness.scoring.scores import Score, Summary

_STOPS = {"stop": "stop", "length": "max_tokens", "tool": "tool_calls", "filter": "content_filter"}


def export(kept: Sequence[Result], out: Path, options: Options, extras: Sequence[str]) -> list[Path]:
    """One log a result. Raises UserError where inspect-ai is not installed."""
    refuse_sealed(kept, options)
    calls = Calls(options.results / "calls" / "replies")
    saved = [Saved(one.name, one.manifest, one.rows, one.summaries(options), calls) for one in kept]
    return [_write(one, out) for one in saved]


def _write(saved: Saved, folder: Path) -> Path:
    if importlib.util.find_spec("inspect_ai") is None:
        raise UserError("--to inspect needs the package inspect-ai. Install it with: pip install -e '.[inspect]'")
    from inspect_ai.log import write_eval_log

    path = folder / file_name(saved, "eval")
    folder.mkdir(parents=True, exist_ok=True)
    write_eval_log(_log(saved), str(path), format="eval")
    return path


def _log(saved: Saved) -> Any:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, EvalStats

    manifest, cases, by_golden = saved.manifest, saved.rows.generated, saved.scores()
    ids = [case.golden.id for case in cases]
    spec = EvalSpec(
        created=manifest.when,
        task=saved.name,
        model=_model(saved),
        dataset=EvalDataset(name=manifest.set, samples=len(cases), sample_ids=ids),
        config=EvalConfig(),
        packages=manifest.packages,
        metadata={"config": manifest.config, "key": manifest.key, "stamp": manifest.stamp, "commits": manifest.commits},
    )
    samples = [_sample(saved, case, by_golden.get(case.golden.id, [])) for case in cases]
    stats = EvalStats(started_at=manifest.when, completed_at=manifest.when)
    return EvalLog(status="success", eval=spec, results=_results(saved), stats=stats, samples=samples)


def _model(saved: Saved) -> str:
    """The model of the log's heading; inspect wants one, also of a system that asks none."""
    named = [step.model for trace in saved.rows.traces for step in trace.steps if step.model]
    return max(set(named), key=named.count) if named else "none"


def _results(saved: Saved) -> Any:
    from inspect_ai.log import EvalResults

    scores = [_eval_score(one) for one in saved.summaries if one.mean is not None]
    return EvalResults(
        total_samples=len(saved.rows.generated), completed_samples=len(saved.rows.generated), scores=scores
    )


def _eval_score(one: Summary) -> Any:
    from inspect_ai.log import EvalMetric, EvalScore

    values = {"mean": one.mean, "low": one.low, "high": one.high}
    metrics = {name: EvalMetric(name=name, value=value) for name, value in values.items() if value is not None}
    left = one.undecided + one.failed
    return EvalScore(
        name=one.metric, scorer=one.metric, scored_samples=one.scored, unscored_samples=left, metrics=metrics
    )


# -- samples ------------------------------------------------------------------------------------------------------------


def _sample(saved: Saved, case: Case, scores: list[Score]) -> Any:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput

    golden, text, steps = case.golden, case.answer.text if case.answer else "", saved.steps(case)
    events = list(_events(saved, steps))
    last: list[Any] = next((event.input for event in reversed(events) if event.event == "model"), [])
    return EvalSample(
        id=golden.id,
        epoch=1,
        input=golden.question,
        target=[golden.answer or golden.expect, *golden.accept],
        messages=[*last, _said(text)],
        output=ModelOutput.from_content(model=_model(saved), content=text),
        scores={score.metric: _score(score, text) for score in scores if score.status != "not_applicable"},
        metadata=_metadata(case),
        events=events,
        error=_error(case.error) if case.error else None,
    )


def _metadata(case: Case) -> dict[str, Any]:
    kept = case.model_dump(mode="json", exclude={"golden", "answer", "error"}, exclude_defaults=True)
    answer = case.answer.model_dump(mode="json", exclude={"text"}, exclude_defaults=True) if case.answer else {}
    known = case.golden.model_dump(mode="json", include={"evidence", "scope", "modality", "expect", "tags"})
    return {**known, **kept, "answer": answer}


def _error(text: str) -> Any:
    from inspect_ai.log import EvalError

    return EvalError(message=text, traceback=text, traceback_ansi=text)


def _score(score: Score, answer: str) -> Any:
    """A score with its reason; what could not be scored, or is undecided, is unscored there as here."""
    from inspect_ai.scorer import Score as Theirs

    more = {"answer": answer, "explanation": score.reason, "metadata": {"status": score.status, **score.detail}}
    if score.value is None:
        return Theirs.unscored(reason="scoring_failed" if score.status == "failed" else score.status, **more)
    return Theirs(value=score.value, **more)


# -- events -------------------------------------------------------------------------------------------------------------


def _events(saved: Saved, steps: tuple[Step, ...]) -> Iterator[Any]:
    """A model event for each call whose reply is kept, and what else there was as information."""
    from inspect_ai.event import InfoEvent

    when, replies = datetime.fromisoformat(saved.manifest.when), saved.replies(steps)
    for step in steps:
        kept = replies.get(step.key or "")
        if kept is not None and kept.request.kind == "chat":
            yield _call(kept, step, when)
        else:
            data = step.model_dump(mode="json", exclude_defaults=True)
            yield InfoEvent(source=step.kind, data=data, timestamp=when, working_start=0.0)


def _call(kept: Kept, step: Step, when: datetime) -> Any:
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import ChatCompletionChoice, GenerateConfig, ModelOutput, ModelUsage
    from inspect_ai.model._model_call import ModelCall

    name, used = str(step.model), kept.usage
    text = provider(kept.request.provider).read(kept.reply).text if kept.status == 200 else str(kept.reply)
    choice = ChatCompletionChoice(message=_said(text), stop_reason=_STOPS.get(kept.finish, "unknown"))
    usage = ModelUsage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
        input_tokens_cache_read=used.cached_tokens,
        total_cost=used.cost,
    )
    response = kept.reply if isinstance(kept.reply, dict) else {"body": kept.reply}
    return ModelEvent(
        model=name,
        input=[_message(one) for one in _messages(kept)],
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput(model=name, choices=[choice], usage=usage, time=kept.seconds),
        error=step.text,
        call=ModelCall(request=kept.request.body, response=response, time=kept.seconds),
        timestamp=when,
        working_start=0.0,
        working_time=kept.seconds,
    )


def _messages(kept: Kept) -> list[dict[str, Any]]:
    """The messages of a request, the system's first; Anthropic holds it apart."""
    body = kept.request.body
    told = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    return [*told, *body["messages"]]


def _message(written: dict[str, Any]) -> Any:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant}
    return kinds.get(written["role"], ChatMessageUser)(content=_text(written))


def _text(written: dict[str, Any]) -> str:
    """The text of a message; images and calls by what stands for them in the kept request."""
    content = written.get("content") or ""
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(str(part.get("text") or part) for part in [*parts, *(written.get("tool_calls") or [])])


def _said(text: str) -> Any:
    from inspect_ai.model import ChatMessageAssistant

    return ChatMessageAssistant(content=text)
