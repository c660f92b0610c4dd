"""How long a comparison of 24 systems on 500 questions takes, and how much memory it has at most.

python benchmarks/compare_speed.py

Draws results into a temporary folder: questions on Northfield's pages, rankings of 100 chunks, scores of every metric. Then
`harness compare --json` is timed as a process of its own.
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.documents.corpus import Corpus
from harness.records import Answer, Case, Citation, Found, Golden, PageRef, Search
from harness.runs import results
from harness.runs.results import Manifest, Rows
from harness.scoring.attribution import PageTrail, Trail
from harness.scoring.scores import Score
from harness.scoring.summaries import all_metrics

SYSTEMS, QUESTIONS, CANDIDATES = 24, 500, 100
METRICS = [metric.label for metric in all_metrics()]
ROOT = Path(__file__).resolve().parents[1]


def goldens(pages: list[PageRef]) -> list[Golden]:
    """Questions on drawn pages."""
    drawn = [pages[random.Random(at).randrange(len(pages))] for at in range(QUESTIONS)]
    asked = {"question": "What stands there?", "answer": "USD 5 million"}
    return [Golden(id=f"q{at:03}", evidence=((ref,),), scope=(ref.doc,), **asked) for at, ref in enumerate(drawn)]


def drawn_rows(seed: int, asked: list[Golden], pages: list[PageRef]) -> Rows:
    """What a system might have done."""
    rng = random.Random(seed)
    retrieved, generated, scores, trails = [], [], [], []
    for golden in asked:
        refs = rng.sample(pages, CANDIDATES) if len(pages) >= CANDIDATES else pages
        hits = tuple(Found(chunk=f"{ref}-w00", ref=ref, score=1.0 / place) for place, ref in enumerate(refs, start=1))
        answer = Answer(text="USD 5 million", citations=(Citation(raw="p", ref=hits[0].ref),))
        retrieved.append(Case(golden=golden, candidates=hits))
        generated.append(Case(golden=golden, searches=(Search(query="q", hits=hits[:8]),), answer=answer))
        scores += [
            Score(metric=one, golden=golden.id, value=float(rng.random() < 0.7), reason="drawn") for one in METRICS
        ]
        trails.append(Trail(golden=golden.id, pages=tuple(PageTrail(ref=ref, rank=9) for ref in golden.gold_pages)))
    return Rows(tuple(retrieved), tuple(generated), tuple(scores), tuple(trails))


def main() -> None:
    shipped = Corpus.open(ROOT / "goldens" / "northfield", None)
    pages = [ref for doc in shipped.documents for ref in shipped.refs(doc)]
    asked = goldens(pages)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "set"
        folder.mkdir()
        for path in (ROOT / "goldens" / "northfield").iterdir():
            if path.name == "corpus.yaml" or path.is_dir():
                (folder / path.name).symlink_to(path)
        text = "".join(golden.model_dump_json(exclude_defaults=True) + "\n" for golden in asked)
        (folder / "dev.jsonl").write_text(text)
        stamp = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "asked": QUESTIONS, "of": QUESTIONS}
        for at in range(SYSTEMS):
            named = {"set": "northfield", "system": f"s{at:02}", "split": "dev", "key": f"{at:08x}"}
            about = {"config": {"goldens": str(folder)}, "goldens": stamp, "corpus": {}, "keys": {}, "stamp": {}}
            manifest = Manifest.model_validate({**named, **about})
            results.write(Path(scratch) / "results", manifest, drawn_rows(at, asked, pages))
        words = [sys.executable, "-m", "harness", "compare", *(f"s{at:02}" for at in range(SYSTEMS)), "--json"]
        began = time.perf_counter()
        done = subprocess.run(
            [*words, "--results", str(Path(scratch) / "results")], cwd=ROOT, capture_output=True, check=True
        )
        seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak, busy = used.ru_maxrss / 2**20, used.ru_utime + used.ru_stime
    pairs = len(json.loads(done.stdout)["pairs"])
    print(f"{SYSTEMS} systems, {QUESTIONS} questions, {pairs} pairs")
    print(f"{seconds:.1f} s, {busy:.1f} s of them on the processor, {peak:.2f} GiB at most")


if __name__ == "__main__":
    main()
