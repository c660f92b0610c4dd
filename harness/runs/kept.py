"""Kept results, opened with their goldens: what exports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.goldens.loading import GoldenSet
from harness.runs import addresses, heldout, results
from harness.runs.options import Options
from harness.runs.rescore import reopen
from harness.runs.results import Manifest, Rows
from harness.scoring.scores import Summary
from harness.scoring.summaries import all_metrics, summarise


@dataclass(frozen=True)
class Kept:
    """One result on one split as it was kept."""

    manifest: Manifest
    rows: Rows
    corpus: Corpus
    goldens: GoldenSet
    folder: Path

    @property
    def name(self) -> str:
        """ "<set>/<system>/<split>" """
        return f"{self.manifest.set}/{self.manifest.system}/{self.manifest.split}"

    @property
    def file_name(self) -> str:
        """Its name as that of a file, without an ending."""
        return self.name.replace("/", "-")

    def summaries(self, options: Options) -> tuple[Summary, ...]:
        """The lines of its table; of a held-out split those that may be shown."""
        found = summarise(all_metrics(), self.rows.retrieved, self.rows.scores)
        return heldout.shown(self.manifest.split, options, found, self.rows.retrieved, self.rows.scores)


def open_kept(names: Sequence[str], options: Options) -> list[Kept]:
    """The results that these names stand for, each once. Raises UserError for one that is not there."""
    known = dict.fromkeys(place for given in names for place in addresses.find(options.results, given))
    return [_open(place, options) for place in known]


def _open(place: Path, options: Options) -> Kept:
    manifest = results.read_manifest(place)
    corpus, goldens = reopen(manifest, options)
    return Kept(manifest, results.read_rows(place, goldens.goldens), corpus, goldens, place)


def refuse_sealed(kept: Sequence[Kept], options: Options) -> None:
    """Raises UserError for rows of single held-out questions that are to be shown sealed; unsealed, it is recorded."""
    for one in kept:
        if one.manifest.split != "heldout":
            continue
        if not options.unseal:
            raise UserError(f"{one.name}: this shows single held-out questions: --unseal does, and is recorded.")
        heldout.unseal(one.manifest, options)
