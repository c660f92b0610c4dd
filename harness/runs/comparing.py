"""Kept results side by side: which may be, what of them is compared, and what a reader must know beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.errors import NotComparableError, UserError, nearest
from harness.records import Golden
from harness.runs import addresses, differences, heldout, results
from harness.runs.differences import Did, Moved
from harness.runs.options import Options
from harness.runs.rescore import reopen
from harness.runs.results import Manifest
from harness.runs.run import Result
from harness.runs.variants import base_name
from harness.scoring.attribution import Loss, loss
from harness.scoring.compare import Arena, Contestant, Pair
from harness.scoring.metric import Metric
from harness.scoring.per_document import documents_of
from harness.scoring.scores import Score, Summary
from harness.scoring.sealing import LEAST
from harness.scoring.slices import Slice, slices
from harness.scoring.summaries import all_metrics

HEADLINE = (
    "page_hit@1",
    "page_hit@5",
    "mrr@10",
    "correctness",
    "refused_unanswerable",
    "answered_answerable",
    "gold_page_cited",
)
"""The columns of the table, where --metrics names no others."""


@dataclass(frozen=True)
class Entry:
    """A result that takes part."""

    place: Path
    manifest: Manifest
    contestant: Contestant
    summaries: tuple[Summary, ...]
    """Of all metrics; of a sealed split without those on fewer than five questions."""
    settings: tuple[str, ...] = ()
    """In what its config differs from the baseline's."""
    unnamed: tuple[str, ...] = ()
    """What differs from the baseline and no config names."""
    losses: tuple[Loss, ...] = ()
    """Where its questions were lost; nothing of an oracle, of a result made without trails, or where comparing was forced."""
    moved: Moved | None = None
    """On how many questions it did other things than the baseline; None for the baseline itself."""

    @property
    def name(self) -> str:
        return self.contestant.name


class LeftOut(NamedTuple):
    """Questions that are not in some columns, and why."""

    why: str
    metrics: tuple[str, ...]
    questions: int


@dataclass(frozen=True)
class Comparison:
    """Systems on one split of one set, the baseline first."""

    entries: tuple[Entry, ...]
    metrics: tuple[Metric, ...]
    pairs: tuple[Pair, ...]
    tie_groups: dict[str, list[list[str]]]
    slices: tuple[Slice, ...] = ()
    forced: tuple[str, ...] = ()
    """What of the scope stamps differs, where they were compared all the same."""
    left_out: tuple[LeftOut, ...] = ()

    @property
    def baseline(self) -> Entry:
        return self.entries[0]

    @property
    def sealed(self) -> bool:
        return self.baseline.manifest.split == "heldout"


def choose(folder: Path, names: Sequence[str], split: str | None = None) -> list[Path]:
    """The folders of the results that these addresses name, all of one split of one set.

    Raises UserError where several are meant, NotComparableError where they have no set and split in common.
    """
    found = [addresses.find(folder, name) for name in names]
    by_split = [{_split(place): place for place in places} for places in found]
    common = set.intersection(*map(set, by_split))
    wanted = [one for one in sorted(common) if split is None or one.endswith(f"/{split}")]
    wanted = [one for one in wanted if split or one.endswith("/dev")] or wanted
    if not wanted:
        told = "; ".join(f"{name}: {', '.join(sorted(own))}" for name, own in zip(names, by_split, strict=True))
        raise NotComparableError(f"not comparable: these results are of no split in common ({told}).")
    if len(wanted) > 1:
        sets = ", ".join(wanted)
        raise UserError(
            f"several sets have results of these systems: {sets}. Name one: {wanted[0].split('/')[0]}/{names[0]}."
        )
    return [own[wanted[0]] for own in by_split]


def beside(made: Sequence[Result], options: Options) -> list[Path]:
    """What a run is compared with at its end: with several systems these, with one what is kept of the set's others.

    A variant stands beside the system that it is made of. Nothing where only an oracle ran, or a part of the split.
    """
    places = [one.folder for one in made if not one.manifest.partial]
    if len(places) != 1 or made[0].manifest.oracle:
        return places if len(places) > 1 and not all(one.manifest.oracle for one in made) else []
    others = list(_others(made[0].manifest, options.results))
    base = [place for place in others if place.parent.parent.name == base_name(made[0].manifest.system)]
    return [*base, *places] if made[0].manifest.overrides and base else [*places, *others]


def _others(manifest: Manifest, folder: Path) -> Iterable[Path]:
    """The latest results of other systems on the same questions, scored alike; variants stay out."""
    for run in results.runs(folder):
        name, system, split = run.split("/")
        if (name, split) == (manifest.set, manifest.split) and system != manifest.system and "+" not in system:
            place = results.latest(folder, run)
            if not differences.unlike([manifest, results.read_manifest(place)]):
                yield place


def _split(place: Path) -> str:
    return f"{place.parts[-4]}/{place.parts[-2]}"


def unseal(places: Sequence[Path], options: Options) -> None:
    """Record that single held-out questions of these results were looked at."""
    for manifest in map(results.read_manifest, places):
        if manifest.split == "heldout":
            heldout.unseal(manifest, options)


def chosen_metrics(names: Sequence[str]) -> list[Metric]:
    """The metrics of these labels, in the order given. Raises UserError for an unknown one."""
    known = {metric.label: metric for metric in all_metrics()}
    for name in names:
        if name not in known:
            raise UserError(f"unknown metric {name!r}.{nearest(name, list(known))} Known: {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(names)]


def compare(
    places: Sequence[Path], options: Options, *, metrics: Sequence[str] = (), force: bool = False
) -> Comparison:
    """Compare kept results; the others are held against the first that is no oracle.

    Raises NotComparableError where scope stamps differ, unless forced.
    """
    ordered = sorted(places, key=lambda place: results.read_manifest(place).oracle)
    manifests = [results.read_manifest(place) for place in ordered]
    if len(ordered) < 2 or manifests[0].oracle:
        raise UserError("name two systems or more; an oracle is a ceiling, and nothing is held against it.")
    if not force:
        differences.refuse_unlike(manifests)
    forced = differences.unlike(manifests)
    columns = chosen_metrics(metrics or HEADLINE)
    goldens = () if forced else reopen(manifests[0], options)[1].goldens
    entries = tuple(_entries(ordered, manifests, goldens))
    arena = Arena([one.contestant for one in entries], columns, {golden.id: documents_of(golden) for golden in goldens})
    pairs = arena.pairs(entries[0].contestant)
    return Comparison(
        entries=entries,
        metrics=tuple(columns),
        pairs=tuple(_shown(pair, manifests[0], options) for pair in pairs),
        tie_groups={metric.label: arena.tie_groups(metric) for metric in columns if metric.can_be_tested},
        slices=tuple(slices(goldens)),
        forced=tuple(forced),
        left_out=tuple(_left_out(entries[0].contestant, columns)),
    )


def _entries(places: Sequence[Path], manifests: Sequence[Manifest], goldens: Sequence[Golden]) -> Iterable[Entry]:
    own, first, metrics = [differences.did(place) for place in places], manifests[0], all_metrics()
    for name, place, manifest, did in zip(_names(manifests), places, manifests, own, strict=True):
        contestant = Contestant(name, results.read_scores(place), manifest.oracle, did.answers)
        yield Entry(
            place,
            manifest,
            contestant,
            summaries=tuple(_summaries(contestant, manifest, metrics)),
            settings=tuple(differences.settings(first, manifest)),
            unnamed=tuple(differences.unnamed(first, manifest)),
            losses=tuple(_losses(contestant, place, did, goldens)),
            moved=differences.moved(own[0], did) if did is not own[0] else None,
        )


def _losses(contestant: Contestant, place: Path, did: Did, goldens: Sequence[Golden]) -> Iterable[Loss]:
    """Where each golden was lost."""
    trails = {trail.golden: trail for trail in results.read_trails(place)}
    scores: dict[str, dict[str, Score]] = {}
    for score in contestant.scores if trails else ():
        scores.setdefault(score.golden, {})[score.metric] = score
    for golden in goldens:
        if golden.id in scores:
            yield loss(golden, scores[golden.id], trails.get(golden.id), did.seen[golden.id])


def _names(manifests: Sequence[Manifest]) -> list[str]:
    """The systems' names; of several results of one system with their keys."""
    count = Counter(manifest.system for manifest in manifests)
    return [one.system if count[one.system] == 1 else f"{one.system}@{one.key}" for one in manifests]


def _summaries(contestant: Contestant, manifest: Manifest, metrics: Sequence[Metric]) -> Iterable[Summary]:
    for metric in metrics:
        summary = metric.summary(list(contestant.by_metric.get(metric.label, {}).values()))
        few = manifest.split == "heldout" and summary.scored < LEAST
        hidden = dict.fromkeys(("mean", "low", "high", "worst", "best"))
        yield summary.model_copy(update={"unit": metric.unit, **(hidden if few else {})})


def _shown(pair: Pair, manifest: Manifest, options: Options) -> Pair:
    """The pair as it may be shown: of a sealed split no question, and no difference on fewer than five."""
    if manifest.split != "heldout" or options.unseal:
        return pair
    if pair.n >= LEAST:
        return pair.model_copy(update={"flips": None})
    return Pair(a=pair.a, b=pair.b, metric=pair.metric, n=pair.n)


def _left_out(baseline: Contestant, metrics: Sequence[Metric]) -> Iterable[LeftOut]:
    """Why questions of the baseline are not in columns that can be tested."""
    reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for metric in metrics:
        for golden, score in baseline.by_metric.get(metric.label, {}).items():
            if score.status == "not_applicable" and metric.can_be_tested:
                columns, ids = reasons.setdefault(score.reason, ({}, {}))
                columns[metric.label], ids[golden] = None, None
    return (LeftOut(why, tuple(columns), len(ids)) for why, (columns, ids) in sorted(reasons.items()))
