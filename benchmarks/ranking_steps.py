"""Ranking, step by step: what each change to the embedded system brought, with its paired p-value.

    python benchmarks/ranking_steps.py --goldens DIR [--goldens DIR …] [--results results]

Runs every step on the dev split of each set, each question asked of its golden's documents, and writes
findings/ranking-steps.jsonl (set, step, golden id, rank of the first gold page) and findings/ranking-steps.md, which is
rendered from it. With --render it only renders. Held-out splits are never opened.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from harness.files.writing import write_text
from harness.scoring.paired_shares import mcnemar

TOGETHER = ("finance", "analyst")
"""The sets that the targets stand on."""
DATA = Path("findings/ranking-steps.jsonl")
PAGE = DATA.with_suffix(".md")

Block = dict[str, Any]


KEEP: Block = {"use": "keep"}
WINDOWS: Block = {"use": "page_windows", "size": 1200, "overlap": 150}


class Step(NamedTuple):
    """A change, the step that it is compared with, and whether hybrid_rerank keeps it."""

    name: str
    against: str
    kept: str
    what: str
    retriever: Block
    reranker: Block = KEEP
    chunker: Block = WINDOWS


BM25_CORPUS: Block = {"use": "bm25", "idf": "corpus"}
BM25: Block = {"use": "bm25"}
DENSE: Block = {"use": "dense", "embedder": {"use": "minilm"}}
PAGE_BM25: Block = {"use": "with_page", "inner": BM25, "share": 0.5}
LEXICAL: Block = {"use": "lexical", "share": 0.2, "depth": 30}
LATE: Block = {"use": "late_interaction", "embedder": {"use": "minilm"}, "depth": 20}


def rrf(first: Block, weight: float = 1.0) -> Block:
    return {"use": "rrf", "candidates": 100, "first_weight": weight, "first": first, "second": DENSE}


def windows(size: int, overlap: int) -> Block:
    return {"use": "page_windows", "size": size, "overlap": overlap}


def headed(*, title: bool) -> Block:
    return {"use": "context_header", "title": title, "inner": WINDOWS}


def asked(inner: Block, **settings: Any) -> Block:
    return {"use": "line_items", "inner": inner, **settings}


FINAL = asked({"use": "convex_combination", "first": PAGE_BM25, "second": DENSE})

STEPS = (
    Step("bm25", "", "", "BM25 alone, words stemmed, rarity counted over the corpus", BM25_CORPUS),
    Step("dense", "bm25", "", "MiniLM vectors alone", DENSE),
    Step("rrf", "bm25", "yes", "both, by reciprocal rank fusion: the base of what follows", rrf(BM25_CORPUS)),
    Step("idf-in-scope", "rrf", "yes", "rarity of a word counted over the documents in scope", rrf(BM25)),
    Step("plain-question", "idf-in-scope", "yes", "sentences on how to answer left out", asked(rrf(BM25), add=False)),
    Step("line-items", "plain-question", "yes", "the line items of computed measures added", asked(rrf(BM25))),
    Step("with-page", "line-items", "yes", "a page's BM25 adds half to that of its chunks", asked(rrf(PAGE_BM25))),
    Step("words-twice", "with-page", "yes", "words count twice what vectors do", asked(rrf(PAGE_BM25, 2.0))),
    Step("by-score", "words-twice", "yes", "fused by score, half and half: hybrid_rerank", FINAL),
    Step("no-vectors", "by-score", "no", "the same without vectors", asked(PAGE_BM25)),
    Step("lexical", "by-score", "no", "lexical reranker over its first 30", FINAL, LEXICAL),
    Step("late", "by-score", "no", "late interaction over its first 20", FINAL, LATE),
    Step("heading", "by-score", "no", "the page's heading in front of each chunk", FINAL, KEEP, headed(title=False)),
    Step("title", "heading", "no", "the document's title in front of that", FINAL, KEEP, headed(title=True)),
    Step("chunks-800", "by-score", "no", "windows of 800 characters instead of 1,200", FINAL, KEEP, windows(800, 100)),
    Step("chunks-2000", "by-score", "no", "windows of 2,000 characters", FINAL, KEEP, windows(2000, 250)),
    Step("sections", "by-score", "no", "a page's sections instead of windows", FINAL, KEEP, {"use": "headings"}),
)


def config(step: Step, goldens: Path) -> str:
    """The step as a system's YAML."""
    block = {
        "goldens": str(goldens.resolve()),
        "scope": "golden",
        "parser": {"use": "liteparse"},
        "chunker": step.chunker,
        "retriever": step.retriever,
        "reranker": step.reranker,
        "answerer": {"use": "always_abstain"},
    }
    return yaml.safe_dump(block, sort_keys=False)


def run(step: Step, goldens: Path, results: Path) -> list[Block]:
    """The rank of the first gold page of each golden that has evidence, 0 where none was found."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"step_{step.name.replace('-', '_')}.yaml"
        path.write_text(config(step, goldens), encoding="utf-8")
        command = [sys.executable, "-m", "harness.cli", "run", str(path), "--split", "dev", "--workers", "2", "--json"]
        done = subprocess.run(
            [*command, "--results", str(results), "--findings", folder], check=True, stdout=subprocess.PIPE
        )
    name = next(iter(json.loads(done.stdout)))
    scores = results.read_scores(results.latest(results, name))
    mrr = {score.golden: score.value for score in scores if score.metric == "mrr@10"}
    hits = {k: {s.golden: s.value for s in scores if s.metric == f"page_hit@{k}"} for k in (1, 5)}
    every = {score.golden: score.value for score in scores if score.metric == "all_pages@5"}
    return [
        {
            "set": name.split("/")[0],
            "step": step.name,
            "golden": golden,
            "mrr": round(value, 6),
            "hit1": hits[1][golden],
            "hit5": hits[5][golden],
            "all5": every[golden],
        }
        for golden, value in mrr.items()
        if value is not None
    ]


def mean(rows: Sequence[Block], field: str) -> float:
    return sum(row[field] for row in rows) / len(rows)


def p_value(new: Sequence[Block], old: Sequence[Block], field: str, sets: Sequence[str]) -> str:
    """Exact McNemar over the questions of these sets together, with the questions won and lost."""
    before = {(row["set"], row["golden"]): row[field] for row in old if row["set"] in sets}
    moved = [row[field] - before[row["set"], row["golden"]] for row in new if (row["set"], row["golden"]) in before]
    wins, losses = sum(change > 0 for change in moved), sum(change < 0 for change in moved)
    p = mcnemar(wins, losses)
    return f"+{wins} −{losses}, p {'< .001' if p < 0.001 else f'{p:.3f}'}"


def render(rows: Sequence[Block]) -> str:
    """The page, from its data alone."""
    sets = list(dict.fromkeys(row["set"] for row in rows))
    groups = [tuple(name for name in TOGETHER if name in sets), tuple(sets)]
    named = {step.name: [row for row in rows if row["step"] == step.name] for step in STEPS}
    counts = ", ".join(f"{name} {len({row['golden'] for row in rows if row['set'] == name})}" for name in sets)
    head = [
        "step",
        "against",
        "kept",
        *[f"{name} @1 / @5 (all @5), MRR" for name in sets],
        *[f"@{k}, {' + '.join(group)}" for group in groups for k in (1, 5)],
    ]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for step in STEPS:
        if named[step.name]:
            lines.append(f"| {' | '.join(_cells(step, named, sets, groups))} |")
    return "\n".join([INTRODUCTION.format(counts=counts), *lines, "", _whole(named), "", *_legend(), ""])


def _whole(named: dict[str, list[Block]]) -> str:
    """What the kept steps brought together."""
    first, last = named["rrf"], named["by-score"]
    if not (first and last):
        return ""
    sets = sorted({row["set"] for row in last})
    said = [
        f"{' + '.join(group)}: @1 {p_value(last, first, 'hit1', group)}; @5 {p_value(last, first, 'hit5', group)}"
        for group in (TOGETHER, sets)
    ]
    return f"All kept steps together, `by-score` against `rrf`. {'. '.join(said)}."


def _cells(
    step: Step, named: dict[str, list[Block]], sets: Iterable[str], groups: Sequence[Sequence[str]]
) -> list[str]:
    cells = [f"`{step.name}`", f"`{step.against}`" if step.against else "", step.kept]
    for name in sets:
        rows = [row for row in named[step.name] if row["set"] == name]
        cells.append(
            f"{mean(rows, 'hit1'):.3f} / {mean(rows, 'hit5'):.3f} ({mean(rows, 'all5'):.3f}), {mean(rows, 'mrr'):.3f}"
            if rows
            else "–"
        )
    old = named.get(step.against, [])
    pairs = [(group, field) for group in groups for field in ("hit1", "hit5")]
    return cells + [p_value(named[step.name], old, field, group) if old else "" for group, field in pairs]


def _legend() -> list[str]:
    return [f"- `{step.name}`: {step.what}." for step in STEPS]


INTRODUCTION = """# Ranking, step by step

Page hit at 1 and 5 over distinct pages, dev splits only, each question asked of its golden's documents, answerable
questions with evidence ({counts}). The last columns count the questions that a step won and lost against the step that
it is compared with, with the p of an exact McNemar test: over finance and analyst, and over all sets that both ran on. The
steps up to `words-twice` were chosen on these two; `by-score` was chosen on all. Rendered by
`benchmarks/ranking_steps.py` from `ranking-steps.jsonl`.

The words that `line-items` adds are textbook definitions of measures, but they were written by someone who had read the
questions of `analyst`; `filings`, whose questions seldom ask for a computed measure, shows what they cost elsewhere.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goldens", type=Path, action="append", default=[])
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--only", action="append", default=[], help="these steps only; the others' rows are kept")
    parser.add_argument("--render", action="store_true")
    args = parser.parse_args()
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()] if DATA.exists() else []
    for goldens in [] if args.render else args.goldens:
        for step in STEPS:
            if not args.only or step.name in args.only:
                fresh = run(step, goldens, args.results)
                rows = [row for row in rows if (row["set"], row["step"]) != (fresh[0]["set"], step.name)] + fresh
                print(
                    f"{fresh[0]['set']} {step.name}: @1 {mean(fresh, 'hit1'):.3f} @5 {mean(fresh, 'hit5'):.3f}",
                    flush=True,
                )
                write_text(DATA, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    write_text(PAGE, render(rows))


if __name__ == "__main__":
    main()
