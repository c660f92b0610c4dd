"""Speed of the embedded retrievers, as ratios against a named baseline in the same run.

    python benchmarks/retrieval_speed.py PDF [PDF …] [--sizes 1000,7700,100000]

Chunks are the PDFs' own (liteparse, page windows), repeated with changed figures up to each size. Prints, for BM25 and
for exact dense search: seconds to build, size of the index, p50 and p95 of a query in milliseconds, and peak memory.
Baseline of BM25: the same formula, every chunk scored anew for every question, as rank-bm25 does. Baseline of dense
search: the same at 1,000 chunks. Vectors are random: searching does not ask what they mean.
"""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from harness.bench import Bench, Chunks
from harness.blobs import Blobs
from harness.components import Embedder, Retriever
from harness.records import Chunk, PageRef
from systems.chunkers.page_windows import PageWindows
from systems.parsers.liteparse import LiteParseParser
from systems.retrievers._tokens import tokens
from systems.retrievers.bm25 import Bm25
from systems.retrievers.dense import Dense

QUESTIONS = (
    "What were total current assets at the end of fiscal 2022?",
    "How much did the company spend on share repurchases?",
    "Which segment had the highest growth in net sales, and why?",
    "What is the effective tax rate for the year ended December 31, 2021?",
    "Describe the legal proceedings and contingencies of the company.",
)


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
        spent = [1000 * timed(lambda q=q: index.search(q, 100, None, bench)) for _ in range(5) for q in QUESTIONS]
        return built, size, spent


def scanned(bench: Bench, k1: float = 1.5, b: float = 0.75) -> list[float]:
    """Milliseconds a query of the baseline: idf and lengths known, every chunk's counts looked through."""
    bags = [Counter(tokens(chunk.text)) for chunk in bench.chunks]
    lengths = np.array([bag.total() for bag in bags], dtype=np.float64)
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    holding = Counter(word for bag in bags for word in bag)

    def search(question: str) -> None:
        scores = np.zeros(len(bags))
        for word in tokens(question):
            counts = np.array([bag[word] for bag in bags], dtype=np.float64)
            scores += np.log1p((len(bags) - holding[word] + 0.5) / (holding[word] + 0.5)) * counts / (counts + norm)
        np.argsort(-scores)[:100]

    return [1000 * timed(lambda q=q: search(q)) for q in QUESTIONS]


def line(what: str, size: int, built: float, megabytes: float, spent: Sequence[float], base: float, named: str) -> str:
    p50, p95 = np.percentile(spent, [50, 95])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{what:<6} {size:>7} {built:>8.1f} {megabytes:>8.1f} {p50:>8.2f} {p95:>8.2f} {peak:>8.0f}   "
        f"{base / p50:>6.1f} x {named}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdf", type=Path, nargs="+")
    parser.add_argument("--sizes", default="1000,7700,20000")
    args = parser.parse_args()
    empty = Bench(corpus=None, blobs=Blobs(Path("unused")))  # type: ignore[arg-type]
    pages = [(LiteParseParser().parse(path, f"d{n}", empty)) for n, path in enumerate(args.pdf)]
    own = [chunk for document in pages for chunk in PageWindows().chunk(document, empty)]
    print(f"{len(own)} chunks from {len(args.pdf)} PDFs")
    print("what      chunks  build s       MB   p50 ms   p95 ms  peak MB   faster than")
    first_dense = 0.0
    for size in (int(text) for text in args.sizes.split(",")):
        chunks = list(repeated(own, size))
        bench = replace(empty, chunks=Chunks(lambda chunks=chunks: chunks))
        base = float(np.median(scanned(bench))) if size <= 20_000 else float("nan")
        print(line("bm25", size, *measure(Bm25(), bench), base, "a scan of every chunk"), flush=True)
        built, megabytes, spent = measure(Dense(embedder=RandomVectors()), bench)
        first_dense = first_dense or float(np.median(spent))
        print(line("dense", size, built, megabytes, spent, first_dense, "dense at the first size"), flush=True)


if __name__ == "__main__":
    main()
