"""What is installed, and that it is what pyproject.toml, the lock files, the licences and the citation say it is."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

packaging_requirements = pytest.importorskip("packaging.requirements", reason="packaging comes with pytest")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
NOT_IN_ALL = {"ray", "sentence-transformers", "unstructured"}
LOCKS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", "requirements-all.lock")}
HEAVY = {"numba", "pymupdf", "scipy", "torch", "transformers"}
"""What the default set does without, for its size or its licence."""

HIDE = """import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "docx":
            raise ModuleNotFoundError("No module named 'docx'", name="docx")
sys.meta_path.insert(0, Hidden())
"""


@cache
def licences() -> dict[str, Any]:
    """What `.ci/licences.py` defines."""
    return runpy.run_path(str(ROOT / ".ci" / "licences.py"))


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(lock: str) -> dict[str, set[str]]:
    """The releases of each distribution in a lock file: more than one where Pythons differ."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^(\S+)==(\S+)", LOCKS[lock], re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


# -- extras -----------------------------------------------------------------------------------------------------------


def test_all_is_every_extra_but_the_three_that_are_large() -> None:
    (requirement,) = map(packaging_requirements.Requirement, EXTRAS["all"])
    assert requirement.name == PROJECT["name"]
    assert set(requirement.extras) == set(EXTRAS) - {"all", "dev"} - NOT_IN_ALL


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"all", "dev", "sentence-transformers"}))
def test_every_extra_that_works_without_torch_is_tried(extra: str) -> None:
    tests = (ROOT / "tests" / "extras" / f"test_{extra.replace('-', '_')}.py").read_text(encoding="utf-8")
    assert f'reason="comes with the extra {extra}")' in tests


@pytest.mark.parametrize(("must_run", "code", "word"), [("", 5, "skipped"), ("1", 2, "error")])
def test_an_extra_that_is_missing_is_skipped_here_and_fails_where_all_are_installed(
    must_run: str, code: int, word: str, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "HARNESS_EXTRAS": must_run}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "tests/extras/test_docx.py"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    assert f" 1 {word} in " in done.stdout.splitlines()[-1]
    assert "comes with the extra docx" in done.stdout


# -- lock files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_releases_and_no_place(lock: str) -> None:
    assert [
        line for line in LOCKS[lock].splitlines() if not re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [^/@]+)?", line)
    ] == []


def test_an_extra_can_be_added_to_what_the_readme_installs() -> None:
    every = locked("requirements-all.lock")
    assert {
        name: releases for name, releases in locked("requirements.lock").items() if every.get(name) != releases
    } == {}


@pytest.mark.parametrize(
    ("lock", "extra"),
    [
        *(("requirements.lock", extra) for extra in (None, "dev")),
        *(
            ("requirements-all.lock", extra)
            for extra in (None, *sorted(set(EXTRAS) - {"all", "sentence-transformers"}))
        ),
    ],
)
def test_a_lock_holds_what_pyproject_asks_for(lock: str, extra: str | None) -> None:
    """`bash .ci/lock` writes both again."""
    releases = locked(lock)
    for text in EXTRAS[extra] if extra else PROJECT["dependencies"]:
        requirement = packaging_requirements.Requirement(text)
        found = releases.get(canonical(requirement.name), set())
        assert found, f"{lock} has no {requirement.name}"
        assert all(requirement.specifier.contains(version) for version in found), text


def test_releases_that_must_stay_together_do() -> None:
    """A higher floor of openai gives ragas 0.3.1 without a word; PyMuPDF 2 corrupts numbers in tables."""
    every = locked("requirements-all.lock")
    assert (every["openai"], every["ragas"], every["langchain-community"]) == ({"3.3.0"}, {"0.4.3"}, {"0.4.1"})
    assert every["pymupdf"] == every["pymupdf4llm"]


def test_no_lock_brings_torch() -> None:
    assert {name for lock in LOCKS for name in locked(lock)} & {"torch", "torchvision", "timm", "accelerate"} == set()


# -- the default set --------------------------------------------------------------------------------------------------


def test_the_default_set_is_locked_and_brings_nothing_heavy() -> None:
    names = licences()["closure"](PROJECT["dependencies"])
    assert names & HEAVY == set()
    assert names - set(locked("requirements.lock")) == set()


def test_the_licences_are_those_of_the_default_set() -> None:
    """`.venv/bin/python .ci/licences.py > LICENSES.md` writes them again, on Linux. Two releases may state it differently."""
    if sys.platform != "linux":
        pytest.skip("the table is of what Linux installs")
    releases = locked("requirements.lock")
    shown, right = (
        by_name(text) for text in ((ROOT / "LICENSES.md").read_text(encoding="utf-8"), licences()["page"]())
    )
    assert list(shown) == list(right)
    assert {name for name in right if shown[name] != right[name] and len(releases[name]) == 1} == set()
    assert all(shown.values())


def by_name(page: str) -> dict[str, str]:
    """The licence of each distribution in the table."""
    return dict(
        re.findall(r"^\| ([a-z0-9-]+) \| (.*) \|$", page.replace("| distribution | licence |\n", ""), re.MULTILINE)
    )


def test_the_licence_is_the_one_that_is_stated() -> None:
    assert PROJECT["license"] == "Apache-2.0"
    assert "Apache License\n                           Version 2.0" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_the_citation_is_of_this_release() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
