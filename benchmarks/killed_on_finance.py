"""A run that is killed, and killed again after its restart, gives the same bytes as one that nobody disturbed.

For each of N random moments: a run from nothing is ended with SIGKILL at that moment, started again, ended again at another
random moment, and then left to finish. Its rows, manifest, findings and printed table are compared with those of an undisturbed
run; the times in the manifest aside (`when`, `seconds`).

  python benchmarks/killed_on_finance.py                                    20 moments on finance, dev, bm25_only
  python benchmarks/killed_on_finance.py --goldens goldens/northfield --moments 6
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
REAL_SETS = Path(os.environ.get("HARNESS_REAL_SETS") or ROOT.parent / "shared" / "data")  # as in tests/conftest.py
FINANCE = REAL_SETS / "goldens" / "finance"
TIMES = ("when", "seconds")


@dataclass(frozen=True)
class Setting:
    """What is run, and where: a folder of its own, so that no commit and no other result takes part."""

    folder: Path
    config: Path
    goldens: Path
    workers: int = 2

    def start(self) -> subprocess.Popen[str]:
        """The run as a process of its own."""
        words = [
            "run",
            str(self.config),
            "--goldens",
            str(self.goldens),
            "--split",
            "dev",
            "--workers",
            str(self.workers),
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
        command = [sys.executable, "-m", "harness.cli", *words]
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def finish(self) -> tuple[str, float]:
        """Run to the end: the table that is printed, and the seconds that it took."""
        began = time.monotonic()
        process = self.start()
        out, err = process.communicate()
        if process.returncode:
            raise SystemExit(f"the run ended with {process.returncode}: {err}")
        return out, time.monotonic() - began

    def kill_after(self, seconds: float) -> bool:
        """Start a run and kill it after so many seconds; False where it ended before."""
        process = self.start()
        try:
            process.communicate(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return True

    def clear(self) -> None:
        for name in ("results", "findings"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def kept(self) -> dict[str, bytes]:
        """All that a run leaves for people: result folders, `latest`, findings; caches and temporary files aside."""
        paths = [path for name in ("results", "findings") for path in (self.folder / name).rglob("*") if path.is_file()]
        inside = {str(path.relative_to(self.folder)): path for path in paths}
        return {
            name: _timeless(path)
            for name, path in sorted(inside.items())
            if not name.startswith(("results/cache/", "results/calls/")) and not path.name.startswith(".")
        }


def _timeless(path: Path) -> bytes:
    if path.name != "manifest.json":
        return path.read_bytes()
    manifest = json.loads(path.read_text())
    return json.dumps({name: value for name, value in manifest.items() if name not in TIMES}).encode()


@dataclass(frozen=True)
class Trial:
    """One run that was killed twice: when, whether it was still running then, and what differs from the undisturbed one."""

    first: float
    second: float
    hit: tuple[bool, bool]
    seconds: float
    differing: tuple[str, ...]


def trials(setting: Setting, moments: int, seed: int) -> Iterator[Trial]:
    """Yield a trial for each random moment, over the time that the undisturbed run took, and over what is left of it."""
    setting.clear()
    table, seconds = setting.finish()
    expected = setting.kept()
    draw = random.Random(seed)
    for _ in range(moments):
        setting.clear()
        first = draw.uniform(0, seconds)
        second = draw.uniform(0, max(seconds - first, seconds / 4))
        hit = setting.kill_after(first), setting.kill_after(second)
        again, took = setting.finish()
        found = {**setting.kept(), "table": again.encode()}
        wanted = {**expected, "table": table.encode()}
        differing = tuple(name for name in sorted(found.keys() | wanted.keys()) if found.get(name) != wanted.get(name))
        yield Trial(first, second, hit, took, differing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goldens", type=Path, default=FINANCE)
    parser.add_argument("--config", type=Path, default=ROOT / "configs" / "bm25_only.yaml")
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20)
    args = parser.parse_args()
    bad = kills = 0
    with tempfile.TemporaryDirectory(prefix="killed-") as folder:
        setting = Setting(Path(folder), args.config.resolve(), args.goldens.resolve())
        for number, trial in enumerate(trials(setting, args.moments, args.seed), start=1):
            kills += sum(trial.hit)
            bad += bool(trial.differing)
            said = ", ".join(trial.differing) or "all bytes as undisturbed"
            print(
                f"{number:>3}  killed at {trial.first:6.1f} s and {trial.second:6.1f} s of the restarted run, "
                f"rest {trial.seconds:6.1f} s: {said}",
                flush=True,
            )
    print(f"{args.moments} moments, {kills} kills that met a running process, {bad} with a difference")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
