"""Mistakes that a user can make: each is one clear line with its place and the way out, exit code 2, and nothing is written.

The table below is the list. A mistake in a file that the run reads is told before anything is computed.
"""

# One row of the tables a line:
# ruff: noqa: E501

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, DEV, HELDOUT, git, write_set

from harness.cli import main
from harness.documents.corpus import Corpus

Change = Callable[[Path], object]


@dataclass(frozen=True)
class Mistake:
    """What is wrong, which command is called, and what its message must say."""

    says: str
    """Parts of the message, between bars."""
    change: Change = lambda project: None
    words: str = "run plain.yaml --split dev"
    lines: int = 1


# -- ways to make a mistake -------------------------------------------------------------------------------------------


def put(name: str, content: str | bytes) -> Change:
    """A file with this content."""
    data = content.encode() if isinstance(content, str) else content
    return lambda project: (project / name).write_bytes(data)


def config(old: str, new: str) -> Change:
    """The plain config with one thing changed."""
    assert old in CONFIG
    return put("plain.yaml", CONFIG.replace(old, new))


def corpus(old: str, new: str) -> Change:
    """The set's corpus.yaml with one thing changed."""

    def change(project: Path) -> None:
        path = project / "tiny" / "corpus.yaml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))

    return change


def line(text: str | bytes) -> Change:
    """One line more in dev.jsonl, the fifth."""
    data = text.encode() if isinstance(text, str) else text

    def change(project: Path) -> None:
        path = project / "tiny" / "dev.jsonl"
        path.write_bytes(path.read_bytes() + data + b"\n")

    return change


def golden(**values: Any) -> Change:
    """One golden more in dev.jsonl, with these fields changed."""
    return line(json.dumps({**DEV[0], "id": "new", **values}))


def heldout(lock: bool = True, **values: Any) -> Change:
    """The second held-out golden changed, and the split locked as it is now."""

    def change(project: Path) -> None:
        data = "".join(json.dumps(row) + "\n" for row in (HELDOUT[0], {**HELDOUT[1], **values})).encode()
        (project / "tiny" / "heldout.jsonl").write_bytes(data)
        if lock:
            found = {"file": "heldout.jsonl", "sha256": hashlib.sha256(data).hexdigest(), "goldens": 2}
            (project / "tiny" / "heldout.lock").write_text(json.dumps({**found, "locked": "2026-11-29"}))

    return change


def gone(name: str) -> Change:
    """Without this file."""
    return lambda project: (project / name).unlink()


def folder(name: str) -> Change:
    """A folder where a file was or should be."""

    def change(project: Path) -> None:
        (project / name).unlink(missing_ok=True)
        (project / name).mkdir()

    return change


def component(place: str, text: str) -> Change:
    """A component of the user's own."""

    def change(project: Path) -> None:
        path = project / "systems" / f"{place}.py"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        (project / "plain.yaml").write_text(CONFIG.replace("{use: liteparse}", f"{{use: {path.stem}}}"))

    return change


def both(*changes: Change) -> Change:
    """One after the other."""

    def change(project: Path) -> None:
        for one in changes:
            one(project)

    return change


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
)
NEEDS_EXTRA = '"""Needs what is not there."""\nfrom harness.protocols import Parser\n\nclass Needy(Parser):\n    needs = ("vision9",)\n    extra = "vision"\n'
LABEL = {"id": "1", "question": "How many?", "reference": "3", "answer": "3", "label": "correct"}

CONFIGS = {
    "unknown key": Mistake("plain.yaml:7: unknown key 'rerankr'. Did you mean 'reranker'?|Known: extends, goldens", put("plain.yaml", CONFIG + "rerankr: {use: keep}\n")),
    "unknown setting": Mistake("plain.yaml:5: unknown key 'retriever.k2'. Did you mean 'retriever.k1'?|Known: use", config("{use: bm25}", "{use: bm25, k2: 1}")),
    "unknown component": Mistake("plain.yaml:3: parser: unknown parser 'liteparze'. Did you mean 'liteparse'?|Known: ", config("liteparse", "liteparze")),
    "unknown component inside one": Mistake("plain.yaml:5: retriever.first: unknown retriever 'bm52'. Did you mean 'bm25'?", config("{use: bm25}", "{use: rrf, first: {use: bm52}, second: {use: bm25}}")),
    "unknown judge": Mistake("plain.yaml:7: judges: unknown judge 'programm'. Did you mean 'program'?|Known: ", put("plain.yaml", CONFIG + "judges: [programm]\n")),
    "wrong type": Mistake("plain.yaml:5: retriever.candidates: found 'many'; it must be a valid integer", config("{use: bm25}", "{use: bm25, candidates: many}")),
    "a fraction for a count": Mistake("plain.yaml:6: answerer.keep: found 2.5; it must be a valid integer", config("{use: statements}", "{use: statements, keep: 2.5}")),
    "below the range": Mistake("plain.yaml:5: retriever.candidates: found 0; it must be greater than or equal to 1", config("{use: bm25}", "{use: bm25, candidates: 0}")),
    "above the range": Mistake("plain.yaml:6: answerer.keep: found 1001; it must be less than or equal to 1000", config("{use: statements}", "{use: statements, keep: 1001}")),
    "not a number": Mistake("plain.yaml:5: retriever.k1: found '.nan'; it must be a valid number", config("{use: bm25}", "{use: bm25, k1: .nan}")),
    "a component without a name": Mistake("plain.yaml:5: retriever: write a retriever as {use: name, setting: value}, not {'k1': 1}", config("{use: bm25}", "{k1: 1}")),
    "a component as a list": Mistake("plain.yaml:5: retriever: write a retriever as {use: name|['bm25']", config("{use: bm25}", "[bm25]")),
    "a component left empty": Mistake("plain.yaml:5: retriever: write a retriever as {use: name|None", config("{use: bm25}", "")),
    "unknown scope": Mistake("plain.yaml:2: scope: found 'galaxy'; it must be 'golden' or 'corpus'", config("scope: golden", "scope: galaxy")),
    "a part is missing": Mistake("plain.yaml: the key 'parser' is missing. Write parser: {use: name}, with one of liteparse", config("parser: {use: liteparse}\n", "")),
    "goldens as a number": Mistake("plain.yaml:1: goldens: found 5; it is not a valid path.", config("goldens: tiny", "goldens: 5")),
    "goldens nowhere": Mistake("plain.yaml: goldens: tinny: there is no such golden set", config("goldens: tiny", "goldens: tinny")),
    "goldens in a folder without a listing": Mistake("tiny: no golden set, there is no corpus.yaml; `harness corpus tiny` writes one", gone("tiny/corpus.yaml")),
    "a name of its own": Mistake("plain.yaml:7: 'name' is not a setting; a system is named by its file", put("plain.yaml", CONFIG + "name: other\n")),
    "three mistakes": Mistake("plain.yaml:3: parser: unknown parser 'x'|plain.yaml:5: retriever.k1: found -5|plain.yaml:7: unknown key 'extra'", put("plain.yaml", CONFIG.replace("liteparse", "x").replace("{use: bm25}", "{use: bm25, k1: -5}") + "extra: 1\n"), lines=3),
    "a list": Mistake("plain.yaml: the file holds a list where a mapping is needed", put("plain.yaml", "- parser\n- chunker\n")),
    "one word": Mistake("plain.yaml: the file holds one value, 'liteparse'|mapping", put("plain.yaml", "liteparse\n")),
    "empty": Mistake("plain.yaml: the file is empty", put("plain.yaml", "")),
    "only comments": Mistake("plain.yaml: the file is empty", put("plain.yaml", "# soon\n")),
    "binary": Mistake("plain.yaml:2: the control character U+0000|is this a binary file?", put("plain.yaml", b"%PDF-1.7\n\x00\x01\x02")),
    "not UTF-8": Mistake("plain.yaml:1: byte 0xfc is not UTF-8", put("plain.yaml", "parser: für".encode("latin-1"))),
    "UTF-16": Mistake("plain.yaml:1: byte 0xff is not UTF-8; save the file as UTF-8", put("plain.yaml", CONFIG.encode("utf-16"))),
    "a tab": Mistake("plain.yaml:6: a tab is used", config("{use: bm25}", "\n\tuse: bm25")),
    "a key twice": Mistake("plain.yaml:7: the key 'parser' is written twice, first in line 3", put("plain.yaml", CONFIG + "parser: {use: liteparse}\n")),
    "an anchor loop": Mistake("plain.yaml:3: the anchor here holds an alias of itself", config("{use: liteparse}", "&a {use: liteparse, again: *a}")),
    "an alias bomb": Mistake("plain.yaml:|more than 500,000 values", put("plain.yaml", BOMB)),
    "a tag that runs code": Mistake("plain.yaml:3: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not allowed", config("{use: liteparse}", "!!python/object/apply:os.system ['true']")),
    "a key that is no text": Mistake("plain.yaml:7: the key '5' is not text", put("plain.yaml", CONFIG + "5: x\n")),
    "a bracket left open": Mistake("plain.yaml:8: not YAML|expected ',' or '}'", put("plain.yaml", CONFIG + "reranker: {use: keep\n")),
    "no such config": Mistake("plian.yaml: there is no such file", words="run plian.yaml"),
    "a folder as config": Mistake("plain.yaml: this is a folder where a file is needed", folder("plain.yaml")),
    "extends nothing": Mistake("plain.yaml:1: extends nowhere.yaml: there is no such file", put("plain.yaml", "extends: nowhere.yaml\n")),
    "a mistake in the file that is extended": Mistake("b.yaml:5: retriever.k1: found -5", both(put("b.yaml", CONFIG.replace("{use: bm25}", "{use: bm25, k1: -5}")), put("plain.yaml", "extends: b.yaml\nscope: corpus\n"))),
    "extends itself": Mistake("plain.yaml:1: extends goes in a circle: plain.yaml -> plain.yaml", put("plain.yaml", "extends: plain.yaml\n")),
    "extends in a circle": Mistake("b.yaml:1: extends goes in a circle: plain.yaml -> b.yaml -> plain.yaml", both(put("plain.yaml", "extends: b.yaml\n"), put("b.yaml", "extends: plain.yaml\n"))),
    "extends a list": Mistake("plain.yaml:1: extends takes the path of another config, not ['b.yaml']", put("plain.yaml", "extends: [b.yaml]\n")),
    "extends a folder": Mistake("plain.yaml:1: extends tiny: this is a folder where a file is needed", put("plain.yaml", "extends: tiny\n")),
    "a model that is not there": Mistake("plain.yaml: embedder 'minilm' reads nowhere/model.onnx: there is no such file", config("{use: bm25}", "{use: dense, embedder: {use: minilm, path: nowhere}}")),
    "a package is missing": Mistake("plain.yaml:3: parser: parser 'needy' needs the package 'vision9'. Install it with: pip install -e '.[vision]'", component("parsers/needy", NEEDS_EXTRA)),
    "a component with a syntax error": Mistake("plain.yaml:3: parser: parser 'broken' cannot be imported: SyntaxError|broken.py, line 1", component("parsers/broken", "class Broken(:\n")),
    "a component without a class": Mistake("plain.yaml:3: parser: parser 'hollow' must define exactly one public Parser; its file defines 0", component("parsers/hollow", '"""Nothing."""\n')),
}  # fmt: skip

SETTINGS = {
    "--set without a value": Mistake("--set takes path=value, for example answerer.keep=4, not 'retriever.k1'", words="run plain.yaml --set retriever.k1"),
    "--set without a path": Mistake("--set takes path=value|'=3'", words="run plain.yaml --set =3"),
    "--set of an unknown part": Mistake("--set retrever.k1=3: 'retrever' is not a block of this config. Did you mean 'retriever.k1'?", words="run plain.yaml --set retrever.k1=3"),
    "--set of an unknown setting": Mistake("--set retriever.k2=3: unknown key 'retriever.k2'. Did you mean 'retriever.k1'?", words="run plain.yaml --set retriever.k2=3"),
    "--set to what is no YAML": Mistake("--set retriever.k1=[:1: not YAML", words="run plain.yaml --set retriever.k1=["),
    "--set out of range": Mistake("--set retriever.candidates=-1: retriever.candidates: found -1; it must be greater than or equal to 1", words="run plain.yaml --set retriever.candidates=-1"),
    "--set of an unknown component": Mistake("--set retriever.use=bm52: retriever: unknown retriever 'bm52'. Did you mean 'bm25'?", words="run plain.yaml --set retriever.use=bm52"),
    "--set inside a number": Mistake("--set retriever.k1.x=1: 'retriever.k1' is not a block", words="run plain.yaml --set retriever.k1.x=1"),
    "--set of the name": Mistake("--set name=x: 'name' cannot be set here; a system is named by its file", words="run plain.yaml --set name=x"),
    "--set of extends": Mistake("--set extends=b.yaml: 'extends' cannot be set here; write it into the file", words="run plain.yaml --set extends=b.yaml"),
}  # fmt: skip

RUNS = {
    "--only of an unknown golden": Mistake("no golden 't/22' in tiny/dev.jsonl. Did you mean 't/2'?", words="run plain.yaml --only t/22"),
    "--limit 0": Mistake("harness run: argument --limit: '0' is not a whole number from 1", words="run plain.yaml --limit 0"),
    "--limit of a word": Mistake("harness run: argument --limit: 'ten' is not a whole number from 1", words="run plain.yaml --limit ten"),
    "--limit of a foreign digit": Mistake("harness run: argument --limit: '²' is not a whole number from 1", words="run plain.yaml --limit ²"),
    "--workers -1": Mistake("harness run: argument --workers: |-1", words="run plain.yaml --workers -1"),
    "--split of an unknown name": Mistake("harness run: argument --split: invalid choice: 'held'|dev|heldout|all", words="run plain.yaml --split held"),
    "--split that is not there": Mistake("tiny has no heldout.jsonl. It has: dev", gone("tiny/heldout.jsonl"), words="run plain.yaml --split heldout --dirty"),
    "unknown option": Mistake("harness run: unknown option '--limt'. Did you mean '--limit'?|harness run --help", words="run plain.yaml --limt 3"),
    "option cut short": Mistake("harness run: unknown option '--lim'. Did you mean '--limit'?", words="run plain.yaml --lim 3"),
    "option without its value": Mistake("harness run: argument --limit: expected one argument", words="run plain.yaml --limit"),
    "no config": Mistake("harness run: the following arguments are required: CONFIG", words="run"),
    "a config twice": Mistake("plain.yaml is given twice", words="run plain.yaml ./plain.yaml"),
    "two systems of one name": Mistake("two configs have the name 'plain': plain.yaml and other/plain.yaml|rename one", lambda p: (folder("other")(p), put("other/plain.yaml", CONFIG)(p)), words="run plain.yaml other/plain.yaml"),
    "the second config is wrong": Mistake("b.yaml:7: unknown key 'x'", put("b.yaml", CONFIG + "x: 1\n"), words="run plain.yaml b.yaml"),
    "--goldens nowhere": Mistake("nowhere: there is no such golden set", words="run plain.yaml --goldens nowhere"),
    "--goldens is a file": Mistake("plain.yaml: there is no such golden set", words="run plain.yaml --goldens plain.yaml"),
    "--results of an unset variable": Mistake("harness run: argument --results: the path is empty", words="run plain.yaml --results="),
    "--goldens of an unset variable": Mistake("harness run: argument --goldens: the path is empty", words="run plain.yaml --goldens="),
    "a config named for the folder above": Mistake("...yaml: '..' cannot name a folder in results/; rename the file", put("...yaml", CONFIG), words="run ...yaml"),
    "a config's name without end": Mistake(f"tiny-{'x' * 200}.data.jsonl: the name has more than 200 bytes", put("x" * 200 + ".yaml", CONFIG), words=f"run {'x' * 200}.yaml"),
    "an option without end": Mistake("xxx … |`harness run --help`", words="run plain.yaml --" + "x" * 5000),
    "results is a file": Mistake("results: this is a file where a folder is needed", put("results", "x")),
    "--results below a file": Mistake("plain.yaml: this is a file where a folder is needed", words="run plain.yaml --results plain.yaml/deep"),
    "findings is a file": Mistake("findings: this is a file where a folder is needed", put("findings", "x")),
    "the findings' data is garbled": Mistake("findings/tiny-plain.data.jsonl: not the data of a finding|1: not JSON|delete", both(lambda p: (p / "findings").mkdir(), put("findings/tiny-plain.data.jsonl", "<<<<<<< ours\n"))),
    "the findings' data is something else": Mistake("findings/tiny-plain.data.jsonl: not the data of a finding|delete", both(lambda p: (p / "findings").mkdir(), put("findings/tiny-plain.data.jsonl", '{"a": 1}\n'))),
}  # fmt: skip

CORPORA = {
    "the listing is empty": Mistake("tiny/corpus.yaml: the file is empty", put("tiny/corpus.yaml", "")),
    "no document": Mistake("tiny/corpus.yaml:2: documents: no document is listed", put("tiny/corpus.yaml", "name: tiny\ndocuments: {}\n")),
    "the set has no name": Mistake("tiny/corpus.yaml:1: the key 'name' is missing; it must be text", corpus("name: tiny\n", "")),
    "a name that leads elsewhere": Mistake("tiny/corpus.yaml:1: name: '../evil' cannot name a folder in results/", corpus("name: tiny", "name: ../evil")),
    "a name that is taken": Mistake("tiny/corpus.yaml:1: name: 'cache' cannot name a folder in results/", corpus("name: tiny", "name: cache")),
    "an empty name": Mistake("tiny/corpus.yaml:1: name: '' cannot name a folder in results/", corpus("name: tiny", "name: ''")),
    "unknown key of a listing": Mistake("tiny/corpus.yaml:2: redistributible: unknown key. Did you mean 'redistributable'?", corpus("redistributable", "redistributible")),
    "a listed PDF is missing": Mistake("tiny/corpus.yaml:4: documents.alder_2025.file: tiny/alder_2025.pdf: there is no such file", gone("tiny/alder_2025.pdf")),
    "a PDF is another file": Mistake("tiny/corpus.yaml:4: documents.alder_2025.sha256: |has the sha256|listed is", lambda p: shutil.copy(p / "tiny/birch_2025.pdf", p / "tiny/alder_2025.pdf")),
    "no sha256": Mistake("tiny/corpus.yaml:4: documents.alder_2025.sha256: found 'abc'; a sha256 is 64 digits", lambda p: corpus(hashlib.sha256((p / "tiny/alder_2025.pdf").read_bytes()).hexdigest(), "abc")(p)),
    "wrong page count": Mistake("tiny/corpus.yaml:4: documents.alder_2025.pages: |has 4 pages, listed are 40", corpus("pages: 4", "pages: 40")),
    "a page count in words": Mistake("tiny/corpus.yaml:4: documents.alder_2025.pages: found 'four'; it must be a whole number", corpus("pages: 4", "pages: four")),
    "a folder as PDF": Mistake("tiny/corpus.yaml:4: documents.alder_2025.file: tiny: this is a folder or a device", corpus("alder_2025.pdf", ".")),
    "a device as PDF": Mistake(f"{os.devnull}: this is a folder or a device, not a PDF", corpus("alder_2025.pdf", os.devnull)),
    "a NUL in the name of a PDF": Mistake("tiny/corpus.yaml:4: documents.alder_2025.file: |there is no such file", corpus("alder_2025.pdf", '"a\\0b.pdf"')),
    "a title as a number": Mistake("tiny/corpus.yaml:4: documents.alder_2025.title: found 2025; it must be text", corpus("title: alder_2025", "title: 2025")),
}  # fmt: skip

GOLDENS = {
    "duplicate id": Mistake("tiny/dev.jsonl:5: 't:1': the id stands in line 1 already", golden(id="t:1")),
    "answer expected, none": Mistake("tiny/dev.jsonl:5: 'new': expect is 'answer' but there is no answer", golden(answer=None)),
    "answer expected, empty": Mistake("tiny/dev.jsonl:5: 'new': expect is 'answer' but there is no answer", golden(answer=" ")),
    "evidence beyond the document": Mistake("tiny/dev.jsonl:5: 'new': evidence: alder_2025:p5 lies beyond the document's 4 pages", golden(evidence=[["alder_2025:p5"]])),
    "evidence outside the corpus": Mistake("tiny/dev.jsonl:5: 'new': evidence: 'aldr_2025' is no document of the corpus 'tiny'. Did you mean 'alder_2025'?", golden(evidence=[["aldr_2025:p1"]])),
    "evidence on page 0": Mistake("tiny/dev.jsonl:5: 'new': evidence.0.0: found 'alder_2025:p0'|counting PDF pages from 1", golden(evidence=[["alder_2025:p0"]])),
    "evidence as a flat list": Mistake('tiny/dev.jsonl:5: \'new\': evidence.0: |write a list of groups of pages: [["doc:p12"]]', golden(evidence=["alder_2025:p1"])),
    "evidence outside the scope": Mistake("tiny/dev.jsonl:5: 'new': evidence: no group of pages lies within the scope ['birch_2025']", golden(scope=["birch_2025"])),
    "scope outside the corpus": Mistake("tiny/dev.jsonl:5: 'new': scope: 'cedar' is no document", golden(scope=["alder_2025", "cedar"])),
    "quotes of a page beyond": Mistake("tiny/dev.jsonl:5: 'new': quotes: alder_2025:p9 lies beyond", golden(quotes={"alder_2025:p9": ["x"]})),
    "unknown key of a golden": Mistake("tiny/dev.jsonl:5: 'new': unknown key 'evidnce'. Did you mean 'evidence'?", golden(evidnce=[])),
    "question of the wrong type": Mistake("tiny/dev.jsonl:5: 'new': question: found 7: input should be a valid string", golden(question=7)),
    "unknown expectation": Mistake("tiny/dev.jsonl:5: 'new': expect: found 'refuse': |'answer', 'abstain'", golden(expect="refuse")),
    "unknown modality": Mistake("tiny/dev.jsonl:5: 'new': modality.0: found 'chartt'", golden(modality=["chartt"])),
    "no question": Mistake("tiny/dev.jsonl:5: 'new': the key 'question' is missing", line('{"id": "new", "answer": "x"}')),
    "NaN": Mistake("tiny/dev.jsonl:5: NaN is not a JSON number", line('{"id": "new", "notes": NaN}')),
    "a broken line": Mistake("tiny/dev.jsonl:5: not JSON|column", line('{"id": "new"')),
    "a list for a golden": Mistake("tiny/dev.jsonl:5: |each line must be one JSON object", line("[]")),
    "a key twice in a golden": Mistake("tiny/dev.jsonl:5: the key 'id' is written twice", line('{"id": "a", "id": "b"}')),
    "a golden that is not UTF-8": Mistake("tiny/dev.jsonl:5: byte 0xfc at column 16 is not UTF-8", line('{"question": "für"}'.encode("latin-1"))),
    "half of a surrogate pair": Mistake("tiny/dev.jsonl:5: half of a surrogate pair", line('{"id": "\\ud800"}')),
    "values nested too deeply": Mistake("tiny/dev.jsonl:5: |nested too deeply", line('{"id": ' + "[" * 100_000 + "]" * 100_000 + "}")),
    "a huge line": Mistake("tiny/dev.jsonl:5: the line has more than 2,000,000 bytes", line('{"id": "new", "notes": "' + "x" * 2_000_000 + '"}')),
    "escape codes in an id": Mistake("tiny/dev.jsonl:5: '\\x1b[31mred': |answer", golden(id="\x1b[31mred", answer=None)),
    "several bad goldens": Mistake("tiny/dev.jsonl:5: 'new': expect is|tiny/dev.jsonl:6: not JSON", both(golden(answer=None), line("{")), lines=2),
    "no golden": Mistake("tiny/dev.jsonl: the file holds no golden", put("tiny/dev.jsonl", "\n")),
    "no dev split": Mistake("tiny/dev.jsonl: there is no such file; splits of this set: heldout", gone("tiny/dev.jsonl"), words="run plain.yaml"),
    "a folder as dev split": Mistake("tiny/dev.jsonl: there is no such file; splits of this set: heldout", folder("tiny/dev.jsonl"), words="run plain.yaml"),
}  # fmt: skip

COLD = {"golden: duplicate id", "corpus: wrong page count"}
"""Two that are tried where there is no cache yet: none is begun."""

HELD = "run plain.yaml --split all --dirty"
LOCKS = {
    "changed after it was locked": Mistake("tiny/heldout.jsonl has changed since it was locked on 2026-11-29: 2 goldens as before, sha256|harness freeze", heldout(lock=False, answer="7"), HELD),
    "not locked": Mistake("tiny/heldout.jsonl has no lock: `harness freeze tiny` locks it", gone("tiny/heldout.lock"), HELD),
    "the lock is garbled": Mistake("tiny/heldout.lock: this is no lock; one looks like", put("tiny/heldout.lock", '{"file": '), HELD),
    "the lock is another file's": Mistake("tiny/heldout.lock: the lock is for 'dev.jsonl'; it must be for 'heldout.jsonl'", lambda p: (p / "tiny/heldout.lock").write_text((p / "tiny/heldout.lock").read_text().replace("heldout.jsonl", "dev.jsonl")), HELD),
    "the lock counts otherwise": Mistake("tiny/heldout.lock speaks of 3 goldens, tiny/heldout.jsonl holds 2", lambda p: (p / "tiny/heldout.lock").write_text((p / "tiny/heldout.lock").read_text().replace('"goldens": 2', '"goldens": 3')), HELD),
    "a bad golden in the locked split": Mistake("tiny/heldout.jsonl:2: 'h2': expect is 'answer' but there is no answer", heldout(answer=""), HELD),
    "a dirty tree": Mistake("held-out opens only on a clean working tree: the working tree has changes: |--dirty", lambda p: (git(p, "init", "-q"), git(p, "add", "tiny"), git(p, "commit", "-qm", "x")), "run plain.yaml --split heldout"),
    "no checkout": Mistake("held-out opens only on a clean working tree: there is no git, or no checkout", words="run plain.yaml --split heldout"),
}  # fmt: skip

COMMANDS = {
    "unknown command": Mistake("unknown command 'rum'. Did you mean 'run'? Commands: check, compare, corpus, explain", words="rum plain.yaml"),
    "no command": Mistake("harness: name a command: check, compare, corpus, explain", words=""),
    "only an option": Mistake("unknown option '--verison'. Did you mean '--version'?", words="--verison"),
    "list: unknown kind": Mistake("unknown kind 'parsrs'. Did you mean 'parser'? Kinds: parser, chunker", words="list parsrs"),
    "score: nothing was run": Mistake("no result for 'plain'. There are none yet: begin with `harness run`", words="score plain"),
    "score: results is a file": Mistake("results: this is a file where a folder is needed", put("results", "x"), words="score plain"),
    "explain: nothing was run": Mistake("no result for 'plain'. There are none yet", words="explain plain t:1"),
    "explain: no id": Mistake("harness explain: the following arguments are required: ID", words="explain plain"),
    "explain: a negative count": Mistake("harness explain: argument --candidates: '-3' is not a whole number from 0", words="explain plain t:1 --candidates=-3"),
    "check: no such set": Mistake("nowhere/corpus.yaml: there is no such file|1 of 1 check failed", words="check --goldens nowhere", lines=2),
    "check: no such configs": Mistake("nowhere: there is no such folder", words="check --configs nowhere"),
    "check: no such findings": Mistake("nowhere: there is no such folder", words="check --findings nowhere"),
    "freeze: no such set": Mistake("tinny: there is no such golden set", words="freeze tinny"),
    "freeze: no held-out split": Mistake("tiny/heldout.jsonl: there is no such file, so there is nothing to lock", gone("tiny/heldout.jsonl"), words="freeze tiny"),
    "freeze: a change without its reason": Mistake("tiny/heldout.jsonl has changed|Write the reason into tiny/CHANGES.md|--reason", heldout(lock=False, answer="7"), words="freeze tiny"),
    "corpus: no such folder": Mistake("nowhere: there is no such folder", words="corpus nowhere"),
    "corpus: no PDF": Mistake("empty: there is no PDF in this folder", lambda p: (p / "empty").mkdir(), words="corpus empty"),
    "corpus: the listing is there": Mistake("tiny/corpus.yaml: the file is there already; --force replaces it", words="corpus tiny"),
    "corpus: --out is a folder": Mistake("tiny: this is a folder; --out names a file", words="corpus tiny --out tiny"),
    "corpus: only broken PDFs": Mistake("left out: bad/a.pdf: this is not a PDF|bad: the one PDF in it cannot be opened; nothing was written", lambda p: ((p / "bad").mkdir(), (p / "bad/a.pdf").write_bytes(b"x")), words="corpus bad", lines=2),
    "judges: no labels": Mistake("harness judges: the following arguments are required: --labels", words="judges"),
    "judges: no such labels": Mistake("labels.jsonl: there is no such file", words="judges --labels labels.jsonl"),
    "judges: unknown judge": Mistake("unknown judge 'programme'. Did you mean 'program'?", put("labels.jsonl", json.dumps(LABEL)), words="judges --labels labels.jsonl --judge programme"),
    "judges: unknown label": Mistake("labels.jsonl:1: unknown label 'right'|Labels: correct, incorrect, refusal", put("labels.jsonl", json.dumps({**LABEL, "label": "right"})), words="judges --labels labels.jsonl"),
    "judges: no answer": Mistake("labels.jsonl:1: the key 'answer' is missing", put("labels.jsonl", '{"id": "1", "question": "q", "reference": "3", "label": "correct"}'), words="judges --labels labels.jsonl"),
    "judges: --out is a folder": Mistake("tiny cannot be written: Is a directory", put("labels.jsonl", json.dumps(LABEL)), words="judges --labels labels.jsonl --out tiny"),
}  # fmt: skip

TABLE = {
    f"{kind}: {name}": mistake
    for kind, table in (
        ("config", CONFIGS), ("setting", SETTINGS), ("run", RUNS), ("corpus", CORPORA), ("golden", GOLDENS),
        ("held-out", LOCKS), ("command", COMMANDS),
    )
    for name, mistake in table.items()
}  # fmt: skip


def change_text(name: str, old: str, new: str) -> Change:
    """Other words in a file."""

    def change(project: Path) -> None:
        (path,) = project.glob(name)
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return change


ROWS = "results/tiny/plain/dev/*/"
AFTER_A_RUN = {
    "score: nearly its name": Mistake("no result for 'plian'. Did you mean 'plain'? There are: tiny/plain/dev", words="score plian"),
    "score: no such split": Mistake("no result for 'tiny/plain/heldout'. Did you mean 'tiny/plain/dev'?", words="score tiny/plain/heldout"),
    "score: other goldens": Mistake("tiny/dev.jsonl is not what tiny/plain ran on. Run the system again", change_text("tiny/dev.jsonl", "chairs", "leads"), words="score plain"),
    "score: bad goldens": Mistake("tiny/dev.jsonl:5: 'new': expect is", golden(answer=None), words="score plain"),
    "score: the goldens are gone": Mistake("tiny|there is no such", lambda p: (p / "tiny").rename(p / "moved"), words="score plain"),
    "score: findings is a file": Mistake("plain.yaml: this is a file where a folder is needed", words="score plain --findings plain.yaml"),
    "score: no manifest": Mistake("has no manifest: the run did not end. Run it again", lambda p: [path.unlink() for path in p.glob(ROWS + "manifest.json")], words="score plain"),
    "score: the manifest is cut short": Mistake("manifest.json cannot be read: |Run the system again", change_text(ROWS + "manifest.json", '"config"', '"conf'), words="score plain"),
    "score: a row is lost": Mistake("generation.jsonl is not what the run wrote|Run the system again", change_text(ROWS + "generation.jsonl", '"golden": "t/2"', '"golden": "t/9"'), words="score plain"),
    "score: a row is garbled": Mistake("retrieval.jsonl is not what the run wrote|Run the system again", change_text(ROWS + "retrieval.jsonl", '{"golden": "t/2"', '{"golden: "t/2"'), words="score plain"),
    "explain: unknown golden": Mistake("no golden 't:11' in tiny/plain/dev@|. Did you mean 't:1'?", words="explain plain t:11"),
    "explain: unknown system": Mistake("no result for 'plian'. Did you mean 'plain'?", words="explain plian t:1"),
    "check: a mean that was changed": Mistake("page_hit@3 is 0.9|but its rows give 1.0|checks failed", change_text("findings/tiny-plain.data.jsonl", '"metric": "page_hit@3", "stage": "retrieve", "mean": 1.0', '"metric": "page_hit@3", "stage": "retrieve", "mean": 0.9'), words="check --goldens tiny", lines=4),
    "check: the data of a finding is garbled": Mistake("FAULT findings/tiny-plain.data.jsonl: cannot be read|checks failed", put("findings/tiny-plain.data.jsonl", "<<<<<<< ours\n"), words="check --goldens tiny", lines=3),
}  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("template") / "project"
    write_set(made / "tiny")
    (made / "plain.yaml").write_text(CONFIG)
    return made


@pytest.fixture(scope="module")
def warm(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template with its PDFs' page counts in the cache, which saves each mistake a process."""
    made = tmp_path_factory.mktemp("warm") / "project"
    shutil.copytree(template, made)
    with contextlib.chdir(made):
        Corpus.open(Path("tiny"), Path("results/cache"))
    return made


@pytest.fixture(scope="module")
def ran(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template after a run on dev."""
    made = tmp_path_factory.mktemp("ran") / "project"
    shutil.copytree(template, made)
    with contextlib.chdir(made):
        assert main(["run", "plain.yaml", "--split", "dev", "--json"]) == 0
        assert main(["check", "--goldens", "tiny"]) == 0  # it reads the pages that have no text, and keeps that
    return made


@pytest.fixture
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Path]:
    """Copy a project, and make the copy the working directory."""

    def copy(template: Path, name: str = "project") -> Path:
        project = tmp_path / name
        shutil.copytree(template, project)
        monkeypatch.chdir(project)
        monkeypatch.setattr(sys, "path", list(sys.path))
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
        return project

    return copy


def tree(project: Path) -> dict[str, bytes | None]:
    """Every file with its contents, and every folder."""
    paths = sorted(path for path in project.rglob("*") if ".git" not in path.parts)
    return {str(path.relative_to(project)): None if path.is_dir() else path.read_bytes() for path in paths}


def refused(mistake: Mistake, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mistake.change(project)
    before = tree(project)
    capsys.readouterr()
    code = main(mistake.words.split())
    said = capsys.readouterr()
    message = (said.out + said.err).rstrip("\n")
    assert code == 2, message
    assert len(message.splitlines()) == mistake.lines, message
    assert "Traceback" not in message
    assert str(project) not in message, "paths are shown as the user gave them"
    assert not [char for char in message if ord(char) < 32 and char != "\n"]
    assert [part for part in mistake.says.split("|") if part not in message] == [], message
    assert tree(project) == before


@pytest.mark.parametrize("name", TABLE)
def test_a_mistake_is_one_clear_line_and_nothing_is_written(
    name: str, template: Path, warm: Path, enter: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    opens_pdfs = name.startswith(("golden: ", "corpus: ", "held-out: ")) and name not in COLD
    refused(TABLE[name], enter(warm if opens_pdfs else template), capsys)


@pytest.mark.parametrize("name", AFTER_A_RUN)
def test_a_mistake_after_a_run_is_one_clear_line_too(
    name: str, ran: Path, enter: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    refused(AFTER_A_RUN[name], enter(ran), capsys)


def test_the_table_is_long_enough() -> None:
    """Kinds of mistakes, each of them different."""
    assert len(TABLE) + len(AFTER_A_RUN) >= 150
    assert len({(mistake.says, mistake.words) for mistake in (*TABLE.values(), *AFTER_A_RUN.values())}) >= 150


def test_what_windows_writes_and_spaces_and_letters_of_the_world_are_fine(
    template: Path, enter: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    project = enter(template, "mein Ordner, ünïcode – 财报 (1)")
    (project / "tiny").rename(project / "große Menge 📄")
    for name in ("dev.jsonl", "corpus.yaml"):
        path = project / "große Menge 📄" / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    text = CONFIG.replace("tiny", "große Menge 📄").replace("\n", "\r\n")
    (project / "系统 1.yaml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert (
        main(["run", "系统 1.yaml", "--split", "dev", "--json", "--results", "mes résultats", "--findings", "a b"]) == 0
    )
    shown = json.loads(capsys.readouterr().out)
    assert shown["tiny/系统 1/dev"]["page_hit@5"]["mean"] == 1.0
    assert (project / "a b" / "tiny-系统 1.md").is_file()
    assert main(["explain", "系统 1", "t:1", "--results", "mes résultats"]) == 0
