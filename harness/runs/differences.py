"""What sets two results apart: scope, config, and what no config names, as another commit, package or document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json

from harness.errors import NotComparableError, UserError
from harness.files.reading import shorten
from harness.records import PageRef
from harness.runs.results import GENERATION, RETRIEVAL, Manifest
from harness.scoring.attribution import Seen

_PARTS = ("parser", "chunker", "retriever", "reranker", "answerer")
_SHORTEST = 60
"""Characters of a setting at most, where a line quotes it."""


def unlike(manifests: Sequence[Manifest]) -> list[str]:
    """What of the scope stamps differs from the first result's, in words: such results must not be set side by side."""
    first, found = manifests[0], dict[str, None]()
    for other in manifests[1:]:
        for name in sorted(first.stamp.keys() | other.stamp.keys()):
            mine, theirs = first.stamp.get(name), other.stamp.get(name)
            if mine != theirs:
                found[f"{name} {mine} ({first.system}) against {theirs} ({other.system})"] = None
    return list(found)


def refuse_unlike(manifests: Sequence[Manifest]) -> None:
    """Raises NotComparableError for results with different scope stamps."""
    found = unlike(manifests)
    if not found:
        return
    scored = [line for line in found if line.startswith("metrics ")]
    hint = " `harness score` scores saved answers with today's metrics." if scored else ""
    raise NotComparableError(f"not comparable: {'; '.join(found)}.{hint} --force compares all the same, and says so.")


def settings(a: Manifest, b: Manifest) -> list[str]:
    """The settings in which two configs differ: "retriever.k1: 1.5 -> 1.2"; a part that is another one by its name."""
    return [line for part in (*_PARTS, "scope") for line in _changes((part,), a.config.get(part), b.config.get(part))]


def _changes(place: tuple[str, ...], a: Any, b: Any) -> Iterator[str]:
    if a == b:
        return
    if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
        yield f"{'.'.join(place)}: {shorten(a, _SHORTEST)} -> {shorten(b, _SHORTEST)}"
    elif a.get("use") != b.get("use"):
        yield f"{'.'.join(place)}: {a.get('use')} -> {b.get('use')}"
    else:
        for name in sorted(a.keys() | b.keys()):
            yield from _changes((*place, name), a.get(name), b.get(name))


def unnamed(a: Manifest, b: Manifest) -> list[str]:
    """What differs and stands in no config: commits, packages, documents, a working tree with changes."""
    commits = {name: (a.commits[name], b.commits[name]) for name in sorted(a.commits.keys() & b.commits.keys())}
    changes: dict[tuple[str, str], list[str]] = {}
    for name, change in commits.items():
        changes.setdefault(change, []).append(name)
    found = [
        f"commit of {', '.join(names)} {_short(old)} -> {_short(new)}"
        for (old, new), names in changes.items()
        if old != new
    ]
    for name in sorted(a.packages.keys() | b.packages.keys()):
        old, new = a.packages.get(name, "absent"), b.packages.get(name, "absent")
        found += [f"{name} {old} -> {new}"] if old != new else []
    documents = [doc for doc in sorted(a.corpus.keys() | b.corpus.keys()) if _file(a, doc) != _file(b, doc)]
    found += [f"document {doc} is another file" for doc in documents]
    found += [
        f"{one.system} ran on what was not committed" for one in (a, b) if one.dirty and bool(a.dirty) != bool(b.dirty)
    ]
    return found


def _short(commit: str | None) -> str:
    return (commit or "unknown")[:12]


def _file(manifest: Manifest, doc: str) -> Any:
    return manifest.corpus.get(doc, {}).get("sha256")


class Did(NamedTuple):
    """What a system did with each golden, whatever it was worth: the ranking of pages, the answer."""

    rankings: dict[str, tuple[str, ...]]
    answers: dict[str, Any]
    seen: dict[str, Seen]


class Moved(NamedTuple):
    """On how many questions two systems did different things."""

    rankings: int
    answers: int


def did(place: Path) -> Did:
    """What the system of a kept result did. Read without records: a comparison reads a million hits."""
    retrieval, generation = (_rows(place / name) for name in (RETRIEVAL, GENERATION))
    return Did(
        {row["golden"]: tuple(dict.fromkeys(hit["ref"] for hit in row.get("candidates", ()))) for row in retrieval},
        {row["golden"]: _said(row.get("answer")) for row in generation},
        {row["golden"]: _seen(row) for row in generation},
    )


def _seen(row: dict[str, Any]) -> Seen:
    answer = row.get("answer") or {}
    shown = {hit["ref"] for search in row.get("searches", ()) for hit in search.get("hits", ())}
    cited = {citation["ref"] for citation in answer.get("citations", ()) if citation.get("ref")}
    return Seen(_refs(shown), _refs(cited), answer.get("abstained", False), bool(row.get("searches")))


def _refs(texts: Iterable[str]) -> frozenset[PageRef]:
    return frozenset(map(PageRef.parse, texts))


def _said(answer: dict[str, Any] | None) -> tuple[Any, ...] | None:
    """What a reader sees of an answer; None where the system gave none."""
    return (answer.get("text"), answer.get("abstained", False), answer.get("citations", [])) if answer else None


def moved(a: Did, b: Did) -> Moved:
    """On how many questions rankings and answers differ."""
    return Moved(_differing(a.rankings, b.rankings), _differing(a.answers, b.answers))


def _differing(a: Mapping[str, Any], b: Mapping[str, Any]) -> int:
    return sum(a[golden] != b[golden] for golden in a.keys() & b.keys())


def _rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of a result. Raises UserError where they cannot be read."""
    try:
        return [from_json(line) for line in path.read_bytes().split(b"\n") if line]
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}. Run the system again.") from None
