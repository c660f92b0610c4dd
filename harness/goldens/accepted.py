"""What a system was accepted with: its held-out scores by question, and the terms on which `harness gate` holds it to them.

Questions go by a salted hash of the whole golden: who does not have the goldens cannot tell which is which. The file is in git,
holds no clock, and changes only in its commit where the same is accepted again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from harness.errors import UserError
from harness.files.reading import reading
from harness.files.writing import write_text
from harness.records import Golden, Json, Record

FOLDER = "accepted"
Share = Annotated[float, Field(ge=0, le=1)]


class Accepted(Record):
    """One file of goldens/<set>/accepted/."""

    set: str
    system: str
    key: str
    """Of the result that was accepted."""
    commit: str | None = None
    goldens: str
    """sha256 of the held-out split."""
    corpus: str
    """sha256 of what the corpus holds."""
    stamp: dict[str, Json]
    """What was asked of what."""
    judges: dict[str, str] = Field(default_factory=dict)
    """The code of each judge by name."""
    metrics: dict[str, str]
    """The code of each gated metric by name."""
    margin: Annotated[float, Field(gt=0, lt=1)]
    """The drop that is not minded, as a difference of shares."""
    thresholds: dict[str, Share] = Field(default_factory=dict)
    """What a metric may not fall below, whatever was accepted."""
    must_pass: tuple[str, ...] = ()
    """Hashes of questions on which every gated metric that applies has to be 1."""
    salt: str
    scores: dict[str, dict[str, Share | None]]
    """By metric and hash; None where it could not be told."""


def folder(goldens: Path, name: str) -> Path:
    """Where the baselines of a set are: in goldens/<set>/accepted of this project where that is there or the set is elsewhere.

    Else beside the set.
    """
    own = Path("goldens") / name / FOLDER
    here = goldens.resolve().is_relative_to(Path.cwd().resolve())
    return goldens / FOLDER if here and not own.is_dir() else own


def hashed(golden: Golden, salt: str) -> str:
    """16 hex digits that tell a golden from others to who has it."""
    text = json.dumps(golden.model_dump(mode="json", exclude_defaults=True), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(f"{salt}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def hashes(goldens: Iterable[Golden], salt: str) -> dict[str, str]:
    """The hash of each golden by its id."""
    return {golden.id: hashed(golden, salt) for golden in goldens}


def read(path: Path) -> Accepted | None:
    """The baseline, None where there is none. Raises UserError where it cannot be read as one."""
    if not path.exists():
        return None
    try:
        with reading(path) as file:
            return Accepted.model_validate_json(file.read())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(
            f"{path}: this is no baseline of `harness gate`: {where}: {first['msg']}. `harness gate --accept` writes one."
        ) from None


def write(path: Path, accepted: Accepted) -> None:
    """Write a baseline whole; the rows of a metric in the order of their hashes. Raises UserError for a closed folder."""
    scores = {metric: dict(sorted(rows.items())) for metric, rows in accepted.scores.items()}
    values = {**accepted.model_dump(mode="json"), "scores": scores}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(values, indent=1, ensure_ascii=False) + "\n")
