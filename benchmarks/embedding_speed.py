"""Speed of the embedder, as a ratio against the wheel's own graph in the same run.

    python benchmarks/embedding_speed.py [--tokens 200] [--passages 400] [--rounds 3]

Passages are words drawn from MiniLM's vocabulary, cut to exactly this many tokens, [CLS] and [SEP] included. Each round
takes every way once, in turn, so that a busy machine slows them alike. Prints passages a second (the best round, and the
median), the ratio of medians to float32, and how far the vectors lie from float32's (mean cosine).
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from typing import Any

import numpy as np

from harness.bench import Bench
from systems.embedders.minilm import MiniLM

WAYS = {"float32": MiniLM(arithmetic="float32"), "int8": MiniLM()}


def passages(count: int, tokens: int) -> list[str]:
    """Texts of exactly `tokens` tokens: whole words of the vocabulary, one token each."""
    from tokenizers import Tokenizer

    vocabulary = Tokenizer.from_file(str(MiniLM().files()[1])).get_vocab()
    words = sorted(word for word in vocabulary if word.isalpha() and word.isascii())
    drawn = random.Random(7)
    return [" ".join(drawn.choices(words, k=tokens - 2)) for _ in range(count)]


def timed(embedder: MiniLM, texts: list[str], bench: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    vectors = embedder.encode(texts, "passage", bench)
    return len(texts) / (time.perf_counter() - start), vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--passages", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    bench: Any = Bench(corpus=None, blobs=None)  # type: ignore[arg-type]
    texts = passages(args.passages, args.tokens)
    for embedder in WAYS.values():
        embedder.encode(texts[:4], "passage", bench)
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    vectors: dict[str, Any] = {}
    for _ in range(args.rounds):
        for name, embedder in WAYS.items():
            rate, vectors[name] = timed(embedder, texts, bench)
            rates[name].append(rate)
    print(f"{args.passages} passages of {args.tokens} tokens, {args.rounds} rounds")
    print("what      best /s  median /s   ratio   cosine")
    for name, found in rates.items():
        ratio = statistics.median(found) / statistics.median(rates["float32"])
        cosine = float(np.mean(np.sum(vectors[name] * vectors["float32"], axis=1)))
        print(f"{name:<8} {max(found):>8.1f} {statistics.median(found):>10.1f} {ratio:>6.2f}x {cosine:>8.4f}")


if __name__ == "__main__":
    main()
