"""Killed at any moment, and again after the restart: what is finished stays, and the result is that of an undisturbed run."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from conftest import CONFIG, PAGES, ROOT, write_set

from harness.files.writing import sweep, write_text

SLEEPER = """
import time
from harness.protocols import Parser

class Sleeper(Parser):
    def parse(self, pdf, doc, bench):
        open({!r}, "w").close()
        time.sleep(1000)
"""
MOMENTS = 5
SEED = 4


def benchmark() -> ModuleType:
    """benchmarks/killed_on_finance.py, which does the same at length."""
    name = "killed_on_finance"
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_a_run_that_is_killed_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    killed = benchmark()
    cedar = {
        f"cedar_{year}": [["Cedar", f"Page {page} of {year}: sales rose."] for page in range(9)] for year in range(6)
    }
    write_set(tmp_path / "tiny", {**PAGES, **cedar})
    (tmp_path / "plain.yaml").write_text(CONFIG.replace("scope: golden", "scope: corpus"))
    setting = killed.Setting(tmp_path, tmp_path / "plain.yaml", tmp_path / "tiny")
    trials = list(killed.trials(setting, MOMENTS, SEED))
    assert [trial.differing for trial in trials] == [()] * MOMENTS
    assert sum(trial.hit[0] for trial in trials) >= MOMENTS / 2, "most kills met a running process"


def test_what_a_killed_run_left_half_written_is_swept_away_in_time(tmp_path: Path) -> None:
    write_text(tmp_path / "rows.jsonl", "whole")
    for name, age in ((".rows.jsonl.abandoned", 7200), (".rows.jsonl.in_work", 0)):
        (tmp_path / name).write_text("half")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".rows.jsonl.in_work", "rows.jsonl"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_processes_of_a_killed_run_end_with_it(tmp_path: Path) -> None:
    write_set(tmp_path / "tiny")
    (tmp_path / "systems" / "parsers").mkdir(parents=True)
    (tmp_path / "systems" / "parsers" / "sleeper.py").write_text(SLEEPER.format(str(tmp_path / "begun")))
    (tmp_path / "plain.yaml").write_text(CONFIG.replace("liteparse", "sleeper"))
    run = benchmark().Setting(tmp_path, tmp_path / "plain.yaml", tmp_path / "tiny").start()
    wait_for(lambda: (tmp_path / "begun").exists())
    workers = children(run.pid)
    assert workers
    run.kill()
    run.communicate()
    wait_for(lambda: not any(alive(pid) for pid in workers))


def wait_for(ready: object, seconds: float = 60) -> None:
    assert callable(ready)
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def children(parent: int) -> list[int]:
    stats = {int(path.parent.name): path for path in Path("/proc").glob("[0-9]*/stat")}
    return [pid for pid in stats if alive(pid) and _fields(pid)[1] == str(parent)]


def alive(pid: int) -> bool:
    return _fields(pid)[0] not in {"", "Z", "X"}


def _fields(pid: int) -> list[str]:
    """State and parent of a process; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["", ""]
