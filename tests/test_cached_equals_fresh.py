"""Whatever is edited, a run that reads its cache gives what a run from nothing gives.

The edits are drawn from lists that are read off the code: every field of a golden, of a listed document and of each component's
settings, every source file and every declared file of the project. A field that is added without an edit fails a test here.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import probes
import pytest
import yaml
from conftest import PAGES, draw, run_config

from harness.bench import Bench
from harness.cache import keys
from harness.documents import processes
from harness.documents.corpus_yaml import DocumentFile
from harness.errors import UserError
from harness.records import Golden
from harness.runs import config, results
from harness.runs.options import Options

SEQUENCES, EDITS = int(os.environ.get("HARNESS_EDIT_SEQUENCES", "1")), 25
"""300 edits in all."""

OWN = ("spy", "elsewhere", "own_package", "systems")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose code is read anew for each run; documents are worked on in this process, since 600 runs start none."""
    probes.write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "installed"), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(processes, "each", _here)
    for name in _modules():
        monkeypatch.delitem(sys.modules, name)
    yield tmp_path  # type: ignore[misc]
    for name in _modules():
        sys.modules.pop(name)
    keys.forget()


def _modules() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] in OWN]


def _here(work: Any, items: Any, *_: Any) -> Iterator[Any]:
    yield from (processes.Done(item, work(item), None) for item in items)


def go(folder: str) -> tuple[str, dict[str, bytes]]:
    """The key and the rows of a run with its results in `folder`, as a new process would make it."""
    for name in _modules():
        sys.modules.pop(name)
    importlib.invalidate_caches()
    keys.forget()
    result = run_config(Path("probe.yaml"), Options(splits=("dev",), workers=1, results=Path(folder)))
    rows = {
        name: (result.folder / name).read_bytes() for name in (results.RETRIEVAL, results.GENERATION, results.SCORES)
    }
    assert b'"failed"' not in rows[results.SCORES]
    return result.manifest.key, rows


# -- what can be edited ---------------------------------------------------------------------------------------------------

Edit = Callable[[random.Random], None]


def word(rng: random.Random) -> str:
    return f"{rng.choice(['Alder', 'Birch', 'Cedar', 'revenue', 'plant'])} {rng.randrange(40)}"


def _listing(change: Callable[[dict[str, Any]], None]) -> None:
    path = Path("tiny/corpus.yaml")
    listing = yaml.safe_load(path.read_text())
    change(listing)
    path.write_text(yaml.safe_dump(listing, sort_keys=False))


def _document(name: str) -> Edit:
    def edit(rng: random.Random) -> None:
        def change(listing: dict[str, Any]) -> None:
            doc = rng.choice(list(listing["documents"]))
            DOCUMENT[name](listing["documents"][doc], doc, rng)

        _listing(change)

    return edit


def _redrawn(entry: dict[str, Any], doc: str, rng: random.Random) -> None:
    """Other lines in the file, and one page more or not."""
    pages = [*PAGES.get(doc, [["x"]] * 4), *[[word(rng)]] * rng.randrange(2)]
    path = Path("tiny") / entry["file"]
    draw(path, [[*lines, word(rng)] for lines in pages])
    entry.update(sha256=hashlib.sha256(path.read_bytes()).hexdigest(), pages=len(pages))


def _renamed(entry: dict[str, Any], doc: str, rng: random.Random) -> None:
    name = f"{doc}-{rng.randrange(1000)}.pdf"
    (Path("tiny") / entry["file"]).rename(Path("tiny") / name)
    entry["file"] = name


DOCUMENT: dict[str, Callable[[dict[str, Any], str, random.Random], None]] = {
    "title": lambda entry, doc, rng: entry.update(title=word(rng)),
    "aliases": lambda entry, doc, rng: entry.update(aliases=[word(rng) for _ in range(rng.randrange(3))]),
    "path": _renamed,
    "sha256": _redrawn,
    "pages": _redrawn,
}


def _id(rng: random.Random) -> None:
    """A document by another name, there and in the goldens."""
    listing = yaml.safe_load(Path("tiny/corpus.yaml").read_text())
    old = rng.choice(list(listing["documents"]))
    new = f"{old[:5]}_{rng.randrange(2000, 2030)}"
    if new not in listing["documents"]:
        for path in (Path("tiny/corpus.yaml"), Path("tiny/dev.jsonl")):
            path.write_text(path.read_text().replace(f"{old}:", f"{new}:").replace(f'"{old}"', f'"{new}"'))


def _order(rng: random.Random) -> None:
    _listing(lambda listing: listing.update(documents=dict(reversed(listing["documents"].items()))))


def _golden(name: str) -> Edit:
    def edit(rng: random.Random) -> None:
        path = Path("tiny/dev.jsonl")
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        row = rng.choice(rows)
        row[name] = GOLDEN[name](row, rng)
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))

    return edit


def _page(row: dict[str, Any], rng: random.Random) -> str:
    return f"{(row.get('scope') or ['alder_2025'])[0]}:p{rng.randrange(1, 4)}"


GOLDEN: dict[str, Callable[[dict[str, Any], random.Random], Any]] = {
    "id": lambda row, rng: f"g{rng.randrange(10**6)}",
    "question": lambda row, rng: f"What of {word(rng)}?",
    "expect": lambda row, rng: rng.choice(["answer", "abstain", "deflect", "greet"]),
    "answer": lambda row, rng: word(rng),
    "accept": lambda row, rng: [word(rng)],
    "answer_type": lambda row, rng: rng.choice(["text", "number", None]),
    "evidence": lambda row, rng: [[_page(row, rng)]],
    "quotes": lambda row, rng: {_page(row, rng): [word(rng)]},
    "scope": lambda row, rng: rng.choice([["alder_2025"], ["birch_2025"], ["alder_2025", "birch_2025"]]),
    "valid_scope": lambda row, rng: rng.choice(["any", "golden"]),
    "modality": lambda row, rng: [rng.choice(["text", "table", "chart"])],
    "turns": lambda row, rng: [{"question": word(rng), "answer": word(rng)}] * rng.randrange(3),
    "standalone": lambda row, rng: rng.choice([None, word(rng)]),
    "source": lambda row, rng: word(rng),
    "verified": lambda row, rng: word(rng),
    "tags": lambda row, rng: [word(rng)],
    "notes": lambda row, rng: word(rng),
}


def _blocks(value: Any) -> Iterator[dict[str, Any]]:
    """Every component's block of a config."""
    if isinstance(value, dict):
        if "use" in value:
            yield value
        for item in value.values():
            yield from _blocks(item)
    elif isinstance(value, list):
        for item in value:
            yield from _blocks(item)


SETTING: dict[str, Callable[[dict[str, Any], random.Random], Any]] = {
    "mode": lambda block, rng: word(rng),
    "size": lambda block, rng: rng.randrange(9),
    "turn": lambda block, rng: rng.random(),
    "first": lambda block, rng: rng.choice([None, "one/words.txt", "two/words.txt"]),
    "second": lambda block, rng: rng.choice([None, "one/words.txt", "two/words.txt"]),
    "weight": lambda block, rng: rng.randrange(9) / 2,
    "late": lambda block, rng: rng.randrange(9),
    "candidates": lambda block, rng: rng.randrange(1, 9),
    "inner": lambda block, rng: {"use": rng.choice(["probe_leaf", "probe_gold"])},
    "named": lambda block, rng: (
        dict(reversed(block["named"].items())) | {"b": {"use": rng.choice(["probe_leaf", "probe_gold"])}}
    ),
    "pairs": lambda block, rng: [*block["pairs"][1:], block["pairs"][0]],
    "weights": lambda block, rng: dict(reversed(block["weights"].items())) | {"a": rng.random()},
    "embedder": lambda block, rng: {"use": "probe_embedder", "turn": rng.random()},
    "depth": lambda block, rng: rng.randrange(9),
    "tone": lambda block, rng: word(rng),
    "keep": lambda block, rng: rng.randrange(1, 9),
    "max_searches": lambda block, rng: rng.randrange(3),
}


def _setting(name: str) -> Edit:
    def edit(rng: random.Random) -> None:
        whole = json.loads(Path("probe.yaml").read_text())
        blocks = [block for block in _blocks(whole) if name in _fields(block)]
        if blocks:
            block = rng.choice(blocks)
            block.setdefault("named", {}) if name == "named" else None
            block[name] = SETTING[name](block, rng)
        Path("probe.yaml").write_text(json.dumps(whole, indent=1))

    return edit


def _fields(block: dict[str, Any]) -> set[str]:
    own = {
        "probe_parser": "mode", "probe_chunker": "size", "probe_embedder": "turn", "probe_reranker": "embedder depth",
        "probe_leaf": "first second weight late candidates", "probe_gold": "first second weight late candidates",
        "probe_outer": "inner named pairs weights candidates", "probe_answerer": "tone keep max_searches", "bm25": "",
    }  # fmt: skip
    return set(own[block["use"]].split())


def _scope(rng: random.Random) -> None:
    whole = json.loads(Path("probe.yaml").read_text())
    whole["scope"] = rng.choice(["golden", "corpus"])
    Path("probe.yaml").write_text(json.dumps(whole, indent=1))


def _code(name: str) -> Edit:
    """A word that stands in the file, or is put there where none is; or a comment."""

    def edit(rng: random.Random) -> None:
        path, number = Path(name), rng.randrange(9)
        lines = path.read_text().splitlines()
        at = next((row for row, line in enumerate(lines) if line.startswith("WORD = ")), None)
        if at is not None:
            lines[at] = f"WORD = 'w{number}'"
        elif rng.random() < 0.5:
            lines.append(f"# {number}")
        else:
            lines = [
                line.replace("digest(", f"digest({number}, ").replace("share(", f"share({number}, ") for line in lines
            ]
        path.write_text("\n".join(lines) + "\n")

    return edit


def _file(name: str) -> Edit:
    return lambda rng: (Path(name).write_text(f"{rng.randrange(9)}\n"), None)[1]


def _swap(rng: random.Random) -> None:
    one, two = Path("one/words.txt"), Path("two/words.txt")
    texts = one.read_text(), two.read_text()
    two.write_text(texts[0])
    one.write_text(texts[1])


def edits() -> dict[str, Edit]:
    """Every edit by name."""
    code = [name for name in probes.PARTS if name.endswith(".py")]
    return {
        **{f"corpus.yaml: {name}": _document(name) for name in DOCUMENT},
        "corpus.yaml: id": _id,
        "corpus.yaml: order": _order,
        "corpus.yaml: name": lambda rng: _listing(lambda listing: listing.update(name=f"n{rng.randrange(3)}")),
        "corpus.yaml: redistributable": lambda rng: _listing(
            lambda one: one.update(redistributable=rng.random() < 0.5)
        ),
        **{f"golden: {name}": _golden(name) for name in GOLDEN},
        **{f"setting: {name}": _setting(name) for name in SETTING},
        "setting: scope": _scope,
        **{f"code: {name}": _code(name) for name in code},
        **{f"file: {name}": _file(name) for name in probes.PARTS if name.endswith(".txt")},
        "files swapped": _swap,
    }


def test_there_is_an_edit_for_all_that_a_component_can_read(project: Path) -> None:
    assert set(GOLDEN) == set(Golden.model_fields)
    assert {*DOCUMENT, "id"} == {field.name for field in dataclasses.fields(DocumentFile)}
    system = config.load(Path("probe.yaml"))
    own = [part for component in system.components.values() for part in component.parts() if part.name() != "bm25"]
    assert {name for part in own for name in type(part).model_fields} == set(SETTING)
    spy = importlib.import_module("spy")
    does = {"blobs", "memo", "index", "passage", "progress", "door", "note"}
    assert {field.name for field in dataclasses.fields(Bench)} == spy.READ | does


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_a_cached_run_is_what_a_fresh_one_is(seed: int, project: Path) -> None:
    rng, known, by_key = random.Random(seed), edits(), dict[str, dict[str, bytes]]()
    order = [name for _ in range(2 * EDITS) for name in rng.sample(list(known), len(known))]
    done: list[str] = []
    for name in order:
        before = {
            path: path.read_bytes() for path in Path().rglob("*") if path.is_file() and path.parts[0] != "results"
        }
        known[name](rng)
        try:
            key, fresh = go("fresh")
        except UserError:  # an edit that the set or the config does not allow: undone
            _restore(before)
            continue
        finally:
            shutil.rmtree("fresh", ignore_errors=True)
        done.append(name)
        assert go("results") == (key, fresh), done
        answers = {name: rows for name, rows in fresh.items() if name != results.SCORES}
        assert by_key.setdefault(key, answers) == answers, (key, done)
        if len(done) == EDITS:
            return
    raise AssertionError(f"only {len(done)} edits were possible")


def _restore(files: dict[Path, bytes]) -> None:
    for path in [path for path in Path().rglob("*") if path.is_file() and path.parts[0] != "results"]:
        if path not in files:
            path.unlink()
    for path, data in files.items():
        path.write_bytes(data)
