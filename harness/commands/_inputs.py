"""Places that a command reads and writes, and earlier findings, looked at before anything is computed or written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from harness.errors import UserError
from harness.reports import findings
from harness.runs.jobs import Job
from harness.runs.options import Options

LONGEST_NAME = 200
"""Bytes of a file's name at most; file systems end at 255, temporary names are longer."""


def refuse_places(jobs: Sequence[Job], options: Options, pages: Path) -> None:
    """Raises UserError where a job's results or findings cannot be written, or an earlier finding is in the way."""
    for job in jobs:
        writable(options.results / job.corpus.name)
        fits(pages / f"{job.corpus.name}-{job.system.name}{findings.SUFFIX}", job.corpus.name, job.system.name)


def writable(folder: Path) -> None:
    """Raises UserError where a file stands in the way of a folder."""
    for place in (folder, *folder.parents):
        if place.is_dir():
            return
        if place.exists() or place.is_symlink():
            raise UserError(f"{place}: this is a file where a folder is needed.")


def existing(folder: Path) -> None:
    """Raises UserError where a folder that the user named is not there."""
    if not folder.is_dir():
        what = "this is a file where a folder is needed" if folder.exists() else "there is no such folder"
        raise UserError(f"{folder}: {what}.")


def fits(data: Path, name: str, system: str) -> None:
    """The file of a finding's data: its name is not too long, and what an earlier run wrote there can be added to."""
    if len(os.fsencode(data.name)) > LONGEST_NAME:
        raise UserError(
            f"{data.name}: the name has more than {LONGEST_NAME} bytes; shorten the config's or the set's name."
        )
    try:
        if data.exists():
            findings.read(data)
    except (UserError, ValueError, KeyError) as error:
        why = str(error).partition("\n")[0].removeprefix(f"{data}:")
        raise UserError(
            f"{data}: not the data of a finding ({why}); mend or delete it, a run writes it anew."
        ) from None
    findings.only_of(data, name, system)
