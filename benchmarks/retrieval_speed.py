"""Speed of the embedded retrievers, as ratios against a named baseline in the same run.

    python benchmarks/retrieval_speed.py PDF [PDF …] [--sizes 1000,7700,100000]

Chunks are the PDFs' own (liteparse, page windows), repeated with changed figures up to each size. Prints, for BM25 and
for exact dense search: seconds to build, size of the index, p50 and p95 of a query in milliseconds, and the peak memory
of the process, each measured in a process of its own (it holds the chunks' texts too). Baseline of BM25: the package
rank-bm25 on the same tokens, up to 20,000 chunks. Baseline of dense search: the same at the first size. Vectors are
random: searching does not ask what they mean.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import pickle
import re
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.bench import Bench, Chunks
from harness.cache.blobs import Blobs
from harness.protocols import Embedder, Retriever
from harness.records import Chunk, PageRef
from systems._shared.tokens import tokens
from systems.chunkers.page_windows import PageWindows
from systems.parsers.liteparse import LiteParseParser
from systems.retrievers.bm25 import Bm25
from systems.retrievers.dense import Dense

QUESTIONS = (
    "What were total current assets at the end of fiscal 2022?",
    "How much did the company spend on share repurchases?",
    "Which segment had the highest growth in net sales, and why?",
    "What is the effective tax rate for the year ended December 31, 2021?",
    "Describe the legal proceedings and contingencies of the company.",
)

EMPTY = Bench(corpus=None, blobs=Blobs(Path("unused")))  # type: ignore[arg-type]


class Row(NamedTuple):
    """What is printed of one index: seconds, megabytes, milliseconds, megabytes, and the baseline's milliseconds."""

    kind: str
    size: int
    built: float
    megabytes: float
    p50: float
    p95: float
    peak: float
    base: float


class RandomVectors(Embedder):
    """A unit vector drawn from the text: as wide as MiniLM's, and free."""

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), 384)).astype(np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        return self.encode(texts, kind, bench)


def repeated(chunks: Sequence[Chunk], size: int) -> Iterator[Chunk]:
    """The chunks again and again, every figure changed by the number of the round."""
    for number in range(size):
        chunk, again = chunks[number % len(chunks)], number // len(chunks)
        text = changed(chunk.text, 7 * again)
        yield Chunk(id=f"r{again}-{chunk.id}", ref=PageRef(f"{chunk.ref.doc}r{again}", chunk.ref.page), text=text)


def changed(text: str, by: int) -> str:
    """The text with every figure of two digits or more changed."""
    return re.sub(r"\d{2,}", lambda match: str(int(match[0]) + by), text) if by else text


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(retriever: Retriever, bench: Bench) -> tuple[float, float, list[float]]:
    """Seconds to build, megabytes on disk, and the milliseconds of each query."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = timed(lambda: retriever.build(bench.chunks, folder, bench))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
        index = retriever.open(folder, bench)
        index.search(QUESTIONS[0], 100, None, bench)
        return (
            built,
            size,
            [1000 * timed(lambda q=q: index.search(q, 100, None, bench)) for _ in range(20) for q in QUESTIONS],
        )


def okapi(bench: Bench) -> float:
    """Milliseconds a query of the baseline, the median over the questions."""
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([tokens(chunk.text) for chunk in bench.chunks])
    return float(
        np.median([1000 * timed(lambda q=q: np.argsort(-index.get_scores(tokens(q)))[:100]) for q in QUESTIONS])
    )


def own_chunks(pdfs: Sequence[Path]) -> list[Chunk]:
    """The chunks of the PDFs, one document after the other."""
    documents = [LiteParseParser().parse(path, f"d{number}", EMPTY) for number, path in enumerate(pdfs)]
    return [chunk for document in documents for chunk in PageWindows().chunk(document, EMPTY)]


def one(kept: Path, size: int, kind: str) -> Row:
    """One line's figures, in a process of its own."""
    chunks = list(repeated(pickle.loads(kept.read_bytes()), size))
    bench = replace(EMPTY, chunks=Chunks(lambda: chunks))
    built, megabytes, spent = measure(Bm25() if kind == "bm25" else Dense(embedder=RandomVectors()), bench)
    peak = peak_megabytes()
    base = okapi(bench) if kind == "bm25" and size <= 20_000 else float("nan")
    p50, p95 = np.percentile(spent, [50, 95])
    return Row(kind, size, built, megabytes, float(p50), float(p95), peak, base)


def peak_megabytes() -> float:
    """Of this process since it began. On Linux from its status: ru_maxrss there starts from the parent's."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    found = next((float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)
    return found if found is not None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def alone(kept: Path, size: int, kind: str) -> Row:
    """`one`, in a fresh process: its peak memory is then its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(one, kept, size, kind).result()


def line(row: Row, base: float, named: str) -> str:
    return (
        f"{row.kind:<6} {row.size:>7} {row.built:>8.1f} {row.megabytes:>8.1f} {row.p50:>8.2f} {row.p95:>8.2f} "
        f"{row.peak:>8.0f}   " + ("" if math.isnan(base) else f"{base / row.p50:>6.1f} x {named}")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdf", type=Path, nargs="+")
    parser.add_argument("--sizes", default="1000,7700,20000,100000")
    args = parser.parse_args()
    own = own_chunks(args.pdf)
    print(f"{len(own)} chunks from {len(args.pdf)} PDFs")
    print("what      chunks  build s       MB   p50 ms   p95 ms  peak MB   faster than")
    sizes = [int(text) for text in args.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "chunks"
        kept.write_bytes(pickle.dumps(own))
        first = 0.0
        for size in sizes:
            row = alone(kept, size, "bm25")
            print(line(row, row.base, "rank-bm25"), flush=True)
            row = alone(kept, size, "dense")
            first = first or row.p50
            print(line(row, first, f"dense at {sizes[0]:,}"), flush=True)


if __name__ == "__main__":
    main()
