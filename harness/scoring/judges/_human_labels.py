"""Labelled answers: JSON lines of id, question, reference, answer and what people say of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import UserError, nearest
from harness.files import jsonl

LABELS = ("correct", "incorrect", "refusal")
_KEYS = ("id", "question", "reference", "answer", "label")


class Labelled(NamedTuple):
    """One answer and its label: correct, incorrect or refusal."""

    id: str
    question: str
    reference: str
    answer: str
    label: str
    accept: tuple[str, ...] = ()
    answer_type: str | None = None


def read_labels(path: Path) -> list[Labelled]:
    """Every labelled answer of a file. Raises UserError that names file and line where one is not as it should be."""
    rows = list(_rows(path))
    if not rows:
        raise UserError(f"{path}: the file holds no rows; each line must be a JSON object with {', '.join(_KEYS)}.")
    return rows


def _rows(path: Path) -> Iterator[Labelled]:
    seen: dict[Labelled, int] = {}
    for number, row in jsonl.read(path):
        labelled = _labelled(row, f"{path}:{number}")
        first = seen.setdefault(labelled, number)
        if first != number:
            raise UserError(
                f"{path}:{number}: the row {labelled.id!r} stands on line {first} already; it would count twice."
            )
        yield labelled


def _labelled(row: dict[str, Any], place: str) -> Labelled:
    missing = [key for key in _KEYS if key not in row]
    if missing:
        raise UserError(f"{place}: the key {missing[0]!r} is missing; a row needs {', '.join(_KEYS)}.")
    id = str(row["id"]) if type(row["id"]) is int else row["id"]
    values = {key: _text(id if key == "id" else row[key], key, place) for key in _KEYS}
    if values["label"] not in LABELS:
        near = nearest(values["label"], list(LABELS))
        raise UserError(f"{place}: unknown label {values['label']!r}.{near} Labels: {', '.join(LABELS)}.")
    accept, answer_type = row.get("accept") or (), row.get("answer_type")
    if not isinstance(accept, (list, tuple)) or not all(isinstance(other, str) for other in accept):
        raise UserError(f"{place}: 'accept' must be a list of strings.")
    if answer_type is not None and not isinstance(answer_type, str):
        raise UserError(f"{place}: 'answer_type' must be a string.")
    return Labelled(**values, accept=tuple(accept), answer_type=answer_type)


def _text(value: Any, key: str, place: str) -> str:
    if isinstance(value, str) and (value.strip() or key == "answer"):
        return value
    found = "an empty string" if isinstance(value, str) else type(value).__name__
    raise UserError(f"{place}: {key!r} must be text, found {found}.")
