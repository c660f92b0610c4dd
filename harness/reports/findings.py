"""findings/<set>-<system>.md from <set>-<system>.data.jsonl: ids, pages and numbers, never text of a document.

The page is a pure function of its data file, so `harness check` can render it again and compare. Held-out rows by question
are left out unless the run was unsealed; held-out aggregates are there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.errors import UserError
from harness.files import jsonl
from harness.files.writing import write_text
from harness.records import Json, Record
from harness.reports.escaping import cell, code, table
from harness.reports.table import STAGE_TITLES, bounds_of, headline, interval, number, split_name, too_few
from harness.runs.results import checksums, content_hash, contents
from harness.runs.run import Result
from harness.scoring.page_ranks import distinct_pages, first_rank
from harness.scoring.per_document import TOO_FEW, document_of
from harness.scoring.scores import STATUSES, Score, Summary
from harness.scoring.sealing import LEAST, is_sealed

SUFFIX = ".data.jsonl"


class Question(Record):
    """A golden's line in a data file: where its first gold page came, and every value."""

    split: str
    id: str
    document: str
    expect: str
    rank: int | None = None
    values: dict[str, float] = Field(default_factory=dict)
    undecided: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Source(Record):
    """What a finding says of the result that it comes from. Nothing here depends on clock, machine or versions."""

    set: str
    system: str
    split: str
    config: dict[str, Json]
    replaced: dict[str, Json] = Field(default_factory=dict)
    goldens: dict[str, Json]
    corpus: dict[str, Json]
    stamp: dict[str, Json]
    oracle: bool = False
    opening: int | None = None
    codes: int = 1
    rows: str
    """The content hash of the result's rows (`results.content_hash`)."""


class Section(Record):
    """One split of a finding."""

    source: Source
    summaries: tuple[Summary, ...]
    questions: tuple[Question, ...] = ()


def section(result: Result, *, unsealed: bool) -> Section:
    """What a finding keeps of a result: no times, no machine, no versions, no text."""
    sealed = result.manifest.split == "heldout" and not unsealed
    questions = () if sealed else tuple(_questions(result))
    return Section(source=_source(result), summaries=result.summaries, questions=questions)


def _source(result: Result) -> Source:
    manifest = result.manifest
    copied = manifest.model_dump(mode="json", include=set(Source.model_fields) - {"config", "stamp", "rows"})
    return Source(
        config={name: value for name, value in manifest.config.items() if name != "goldens"},
        stamp={name: value for name, value in manifest.stamp.items() if name != "metrics"},
        rows=content_hash(checksums(contents(result.rows))),
        **copied,
    )


def _questions(result: Result) -> Iterable[Question]:
    scores: dict[str, list[Score]] = {}
    for score in result.rows.scores:
        scores.setdefault(score.golden, []).append(score)
    for case in result.rows.retrieved:
        golden, own = case.golden, scores.get(case.golden.id, [])
        yield Question(
            split=result.manifest.split,
            id=golden.id,
            document=document_of(golden),
            expect=golden.expect,
            rank=first_rank(distinct_pages(case.candidates), golden.evidence) if golden.evidence else None,
            values={score.metric: round(score.value, 6) for score in own if score.value is not None},
            undecided=tuple(score.metric for score in own if score.status == "undecided"),
            failed=tuple(score.metric for score in own if score.status == "failed"),
        )


def name_of(result: Result) -> str:
    """The finding's name: "<set>-<system>"."""
    return f"{result.manifest.set}-{result.manifest.system}"


def write(folder: Path, results: Sequence[Result], *, unsealed: bool) -> Path:
    """Write the finding of one system's results; a split that was not run now stays, where its config is the same."""
    fresh = [section(result, unsealed=unsealed) for result in results]
    path = folder / f"{name_of(results[0])}{SUFFIX}"
    only_of(path, results[0].manifest.set, results[0].manifest.system)
    sections = sorted([*_others(path, fresh), *fresh], key=lambda one: one.source.split)
    write_text(path, "".join(line + "\n" for one in sections for line in _lines(one)))
    page = page_of(path)
    write_text(page, render(read(path)))
    return page


def only_of(path: Path, name: str, system: str) -> None:
    """Raises UserError where the data file is another's: system "b-c" on set "a" and "c" on "a-b" have one name."""
    for one in read(path) if path.exists() else []:
        whose = one.source.set, one.source.system
        if whose != (name, system):
            what = f"{path}: holds the finding of system {whose[1]!r} on set {whose[0]!r}"
            raise UserError(f"{what}; write that of {system!r} on {name!r} elsewhere with --findings DIR.")


def page_of(data: Path) -> Path:
    """The page beside a data file."""
    return data.with_name(data.name.removesuffix(SUFFIX) + ".md")


def _others(path: Path, fresh: Sequence[Section]) -> list[Section]:
    splits = {one.source.split for one in fresh}
    earlier = read(path) if path.exists() else []
    config = fresh[0].source.config
    return [one for one in earlier if one.source.split not in splits and one.source.config == config]


def _lines(one: Section) -> Iterable[str]:
    once = {"codes"} if one.source.codes == 1 else set()  # so that the data of old stay as they are
    source = one.source.model_dump(mode="json", exclude=once)
    yield json.dumps({"kind": "run", **source}, ensure_ascii=False, sort_keys=True)
    for summary in one.summaries:
        row = {
            "kind": "summary",
            "split": one.source.split,
            **summary.model_dump(mode="json", exclude_defaults=True),
        }
        yield json.dumps(row, ensure_ascii=False)
    for question in one.questions:
        yield json.dumps(
            {"kind": "question", **question.model_dump(mode="json", exclude_defaults=True)}, ensure_ascii=False
        )


def read(path: Path) -> list[Section]:
    """The sections of a data file."""
    sources: list[Source] = []
    summaries: dict[str, list[Summary]] = {}
    questions: dict[str, list[Question]] = {}
    for _, row in jsonl.read(path):
        kind = row.pop("kind")
        if kind == "run":
            sources.append(Source.model_validate(row))
        elif kind == "summary":
            summaries.setdefault(row.pop("split"), []).append(Summary.model_validate({"mean": None, **row}))
        elif kind == "question":
            questions.setdefault(row["split"], []).append(Question.model_validate(row))
    return [
        Section(
            source=source,
            summaries=tuple(summaries.get(source.split, [])),
            questions=tuple(questions.get(source.split, [])),
        )
        for source in sources
    ]


def render(sections: Sequence[Section]) -> str:
    """The page, in Markdown."""
    first = sections[0].source
    parts = [f"# {cell(first.system)} on {cell(first.set)}", "", *_config(first), ""]
    for one in sections:
        parts += _section(one)
    return "\n".join(parts).rstrip() + "\n"


def _config(source: Source) -> list[str]:
    places = ("parser", "chunker", "retriever", "reranker", "answerer")
    rows = [[place, code(_short(source.config[place]))] for place in places]
    changed = ", ".join(code(name) for name in source.replaced)
    lines = ["What was run:", "", *table(["part", "setting"], rows)]
    return [*lines, "", f"Replaced in the config that it extends: {changed}."] if changed else lines


def _short(block: dict[str, Any]) -> str:
    """A component's block on one line, as YAML would have it; a checksum by its first digits."""
    settings = ", ".join(f"{name}: {_value(value)}" for name, value in block.items() if name != "use")
    if "use" not in block:
        return f"{{{settings}}}"
    return f"{block['use']}({settings})" if settings else str(block["use"])


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return _short(value)
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value):
        return f"{value[:8]}…"
    return json.dumps(value, ensure_ascii=False)


def _section(one: Section) -> list[str]:
    source = one.source
    lines = [f"## {split_name(source)}", "", f"{headline(source)}. Rows `{source.rows[:16]}`.", ""]
    lines += _summaries(one.summaries)
    lines += _documents(one.summaries, one.questions)
    if one.questions:
        lines += _missed(one.questions)
        lines += _unsealed(one) if source.split == "heldout" else []
    elif source.split == "heldout":
        empty = f" Cells on fewer than {LEAST} questions are left empty." if any(map(is_sealed, one.summaries)) else ""
        lines += [f"Held-out questions are not listed one by one.{empty}", ""]
    return lines


def _unsealed(one: Section) -> list[str]:
    """Every question's row: what unsealing shows."""
    shown = [summary for summary in one.summaries if summary.headline]
    rows = [
        [cell(q.id), cell(q.document), str(q.rank or "-"), *(number(q.values.get(s.metric), s.unit) for s in shown)]
        for q in one.questions
    ]
    head = ["question", "document", "rank", *(f"`{summary.metric}`" for summary in shown)]
    return ["**Unsealed: every question**", "", *table(head, rows), ""]


def _summaries(summaries: Sequence[Summary]) -> list[str]:
    lines: list[str] = []
    for stage, title in STAGE_TITLES.items():
        own = [summary for summary in summaries if summary.stage == stage]
        if own:
            lines += [f"**{title}**", "", *_table(own), "", *_notes(own)]
    lines += [
        "Intervals are 95%, by question, for these documents; *by document* is the mean of the documents' means.",
        "",
    ]
    if few := too_few(summaries):
        lines += [f"{few[:1].upper()}{few[1:]}.", ""]
    return lines


def _notes(summaries: Sequence[Summary]) -> list[str]:
    """What has to be known beside single values: chance hits, bounds where scores are undecided or failed."""
    said = []
    for summary in summaries:
        own = [note for note in summary.note.split("; ") if note and note != TOO_FEW]
        if bounds := bounds_of(summary):
            own.append(bounds)
        said += [f"- `{summary.metric}`: {'; '.join(own)}"] if own else []
    return [*said, ""] if said else []


def _table(summaries: Sequence[Summary]) -> list[str]:
    """The summaries of a stage; a column for floors where there are any."""
    head = ["metric", "value", "95% interval", "n", "n/a", "undecided", "failed", "by document", "floors"]
    columns = len(head) if any(summary.floors for summary in summaries) else len(head) - 1
    return table(head[:columns], [_row(summary)[:columns] for summary in summaries])


def _row(summary: Summary) -> list[str]:
    unit = summary.unit
    floors = ", ".join(f"{name} {number(value, unit)}" for name, value in summary.floors.items())
    counts = [str(getattr(summary, status)) for status in STATUSES]
    by_document = number(summary.document_mean, unit)
    return [f"`{summary.metric}`", number(summary.mean, unit), interval(summary), *counts, by_document, floors]


def _documents(summaries: Sequence[Summary], questions: Sequence[Question]) -> list[str]:
    """Each document's means; with the number of its questions, where questions are listed."""
    shown = [summary for summary in summaries if summary.headline and summary.by_document]
    documents = sorted({doc for summary in shown for doc in summary.by_document})
    on = [{question.document, *question.document.split(" + ")} for question in questions]
    asked = Counter(doc for docs in on for doc in docs)
    rows = [
        [cell(doc), str(asked.get(doc, "-")), *(number(one.by_document.get(doc), one.unit) for one in shown)]
        for doc in documents
    ]
    head = ["document", "questions", *(f"`{one.metric}`" for one in shown)]
    return ["**By document**", "", *table(head, rows), ""] if rows else []


def _missed(questions: Sequence[Question]) -> list[str]:
    """The questions whose gold page is not among the first five, worst first."""
    asked = [question for question in questions if "page_hit@5" in question.values]
    missed = [question for question in asked if not question.values["page_hit@5"]]
    missed.sort(key=lambda question: (-(question.rank or 10**6), question.id))
    rows = [[cell(q.id), cell(q.document), str(q.rank or "not found")] for q in missed]
    title = f"**No gold page among the first five: {len(missed)} of {len(asked)}**"
    return [title, "", *table(["question", "document", "rank of the first gold page"], rows), ""] if rows else []
