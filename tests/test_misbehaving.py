"""Systems that break the run or hide in it: each ends as its case's 0, as `failed`, or as one line; nothing else is lost."""

# Tables are read by row, so that a row may be as long as its message.
# ruff: noqa: E501

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from conftest import CONFIG, Cli, write_set
from pydantic import ValidationError

from harness.bench import Bench
from harness.cache.vectors import ArrayMemo
from harness.files import working_folder
from harness.protocols import Embedder
from harness.records import Answer, Case, Citation, Golden, PageRef
from harness.runs.deadlines import Deadline, Late
from harness.scoring import citation_marks
from harness.scoring.metric import Metric
from harness.scoring.scores import Score

DOC = "alder_2025"


def ask(project: Path, questions: Sequence[str]) -> None:
    """A golden for each question, which is its id as well; all are answered on page 2."""
    rows = [
        {"id": question, "question": question, "answer": "USD 1,284 million", "evidence": [[f"{DOC}:p2"]],
         "scope": [DOC], "modality": ["text"]}
        for question in questions
    ]  # fmt: skip
    (project / "tiny" / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def component(project: Path, kind: str, code: str, config: str = "") -> None:
    """A component `odd` of the project, in the place of the config's own."""
    folder = project / "systems" / f"{kind}s"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "odd.py").write_text(code)
    lines = [line for line in CONFIG.splitlines() if not line.startswith(f"{kind}:")]
    (project / "plain.yaml").write_text("\n".join([*lines, f"{kind}: {{use: odd}}", config, ""]))


@dataclass
class Kept:
    """A run: its rows by golden, its document, and what it said on stderr."""

    retrieved: dict[str, Any]
    generated: dict[str, Any]
    metrics: dict[str, Any]
    stderr: str

    def score(self, metric: str, count: str = "scored") -> Any:
        return self.metrics[metric][count]


def run(project: Path, cli: Cli, *words: str, **variables: str) -> Kept:
    done: subprocess.CompletedProcess[str] = cli("run", "plain.yaml", "--split", "dev", "--json", *words, **variables)
    ((name, metrics),) = json.loads(done.stdout).items()
    parent = project / "results" / name
    place = parent / (parent / "latest").read_text().strip()
    rows = [
        {row["golden"]: row for row in map(json.loads, (place / name).read_text(encoding="utf-8").splitlines())}
        for name in ("retrieval.jsonl", "generation.jsonl")
    ]
    return Kept(rows[0], rows[1], metrics, done.stderr)


# -- answerers ----------------------------------------------------------------------------------------------------------

ANSWERER = """
import os, sys, time, threading
import numpy as np
from harness.protocols import Answerer
from harness.records import Answer, Citation

class Odd(Answerer):
    def answer(self, question, search, history, bench):
        print("an answerer that talks")
        os.system("echo so does a program that it calls")
        hits = search("revenue")
        good = Answer(text="USD 1,284 million [alder_2025, p.2]", trace={"rank": 1})
        cite = lambda *span: Citation(raw="[alder_2025, p.2]", ref="alder_2025:p2", span=span)
BODY
        return good
"""
ANSWERERS = {
    "exits": ("sys.exit(0)", "answerer 'odd' raised SystemExit: 0, which would end the whole run"),
    "exits with a word": ("sys.exit('done')", "answerer 'odd' raised SystemExit: done"),
    "interrupts": ("raise KeyboardInterrupt", "answerer 'odd' raised KeyboardInterrupt"),
    "panics": ("raise type('Panic', (BaseException,), {})('at the disco')", "raised Panic: at the disco"),
    "gives None": ("return None", "answerer 'odd' gave None where Answer is needed"),
    "gives text": ("return 'USD 1,284 million'", "answerer 'odd' gave a value of type 'str' where Answer is needed"),
    "gives a generator": ("return (good for _ in '1')", "gave a value of type 'generator' where Answer is needed"),
    "gives a list": ("return [good]", "answerer 'odd' gave a value of type 'list' where Answer is needed"),
    "surrogate in the text": ("return Answer(text='a \\ud83d')", "half of a surrogate pair stands alone at character 3"),
    "surrogate behind the back": ("return good.model_copy(update={'text': '\\ud83d'})", "answerer 'odd' gave a damaged Answer: text: half of a"),
    "text of another kind": ("return good.model_copy(update={'text': 7})", "answerer 'odd' gave a damaged Answer: text: "),
    "nothing is set": ("return Answer.model_construct()", "answerer 'odd' gave a damaged Answer"),
    "surrogate in a query": ("search('\\ud83d')", "Search: query: half of a surrogate pair"),
    "a query that is none": ("search(None)", "Search: query: "),
    "surrogate in an error": ("raise ValueError('\\ud83d')", "ValueError: ?"),
    "an error without a text": ("raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})", "its text cannot be had"),
    "NaN in the trace": ("return Answer(text='a', trace={'x': float('nan')})", "Answer: trace: nan is not a JSON number"),
    "a set in the trace": ("return Answer(text='a', trace={'x': {1}})", "a value of type 'set' is not JSON"),
    "a circle in the trace": ("x = {}; x['x'] = x; return Answer(text='a', trace=x)", "RecursionError"),
    "lacks memory": ("raise MemoryError", "answerer 'odd' ran out of memory"),
    "changes the folder": ("os.chdir('/')", "the working directory is the whole run's"),
    "span beyond the text": ("return Answer(text='a', citations=[cite(0, 2)])", "spans lie inside the text"),
    "span before the text": ("return Answer(text='abc', citations=[cite(-2, 1)])", "spans lie inside the text"),
    "span backwards": ("return Answer(text='abc', citations=[cite(2, 1)])", "spans lie inside the text"),
    "spans that overlap": ("return Answer(text='abcd', citations=[cite(0, 3), cite(2, 4)])", "do not overlap"),
    "spans out of order": ("return Answer(text='abcd', citations=[cite(2, 4), cite(0, 1)])", "in its order"),
    "citations of another kind": ("return good.model_copy(update={'citations': ('p. 2',)})", "where Citation is needed"),
}  # fmt: skip
"""What an answerer does, and the reason of its case."""
FINE = {
    "plain": "",
    "numpy in the trace": "return Answer(text=good.text, trace={'a': np.float32(0.5), 'b': np.arange(2), 'c': (1, 'x')})",
    "hits in the trace": "return Answer(text=good.text, trace={'hits': [hit.chunk for hit in hits]})",
}


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    project, cli = made(tmp_path_factory)
    cases = {name: code for name, (code, _) in ANSWERERS.items()} | FINE
    ask(project, list(cases))
    body = "".join(f"        if question == {name!r}: {code or 'pass'}\n" for name, code in cases.items())
    component(project, "answerer", ANSWERER.replace("BODY", body))
    kept = run(project, cli)
    assert list((project / "results" / "cache").iterdir()), "no file went where the answerer went"
    return kept


def made(factory: pytest.TempPathFactory) -> tuple[Path, Cli]:
    """A project and its command line, for a whole module."""
    from conftest import cli, write_set

    folder = factory.mktemp("odd")
    write_set(folder / "tiny")
    return folder, cli.__wrapped__(folder)


@pytest.mark.parametrize("name", ANSWERERS)
def test_an_answerer_that_misbehaves_costs_its_case_and_says_why(name: str, answered: Kept) -> None:
    row = answered.generated[name]
    assert ANSWERERS[name][1] in row["error"]
    assert "\n" not in row["error"]
    assert "answer" not in row


@pytest.mark.parametrize("name", FINE)
def test_the_other_cases_lose_nothing(name: str, answered: Kept) -> None:
    row = answered.generated[name]
    assert "error" not in row
    assert row["answer"]["text"] == "USD 1,284 million [alder_2025, p.2]"
    assert row["searches"][0]["hits"]
    assert answered.score("correctness") == len(ANSWERERS) + len(FINE)
    assert answered.score("correctness", "mean") == pytest.approx(len(FINE) / (len(ANSWERERS) + len(FINE)))


def test_numpy_values_are_kept_as_numbers(answered: Kept) -> None:
    assert answered.generated["numpy in the trace"]["answer"]["trace"] == {"a": 0.5, "b": [0, 1], "c": [1, "x"]}


def test_what_a_component_prints_is_no_part_of_the_document(answered: Kept) -> None:
    assert "an answerer that talks" in answered.stderr
    assert "so does a program that it calls" in answered.stderr


def test_a_module_that_ends_the_program_is_one_line(project: Path, cli: Cli) -> None:
    component(project, "answerer", "import sys\nsys.exit(0)\n")
    done = cli("run", "plain.yaml", "--split", "dev", code=2)
    assert "odd.py:2 ended the program (SystemExit: 0)" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_case_that_lacked_memory_is_asked_again(project: Path, cli: Cli) -> None:
    ask(project, ["big"])
    code = "if os.environ.get('SMALL'): raise MemoryError"
    component(project, "answerer", ANSWERER.replace("BODY", f"        {code}"))
    assert "ran out of memory" in run(project, cli, SMALL="1").generated["big"]["error"]
    assert "error" not in run(project, cli).generated["big"]


# -- time ---------------------------------------------------------------------------------------------------------------

HANG = "threading.Thread(target=time.sleep, args=(300,)).start(); time.sleep(300)"


def test_a_case_that_hangs_counts_zero_and_the_run_ends(project: Path, cli: Cli) -> None:
    """Though what hangs began a thread of its own, for which Python waits. It is asked again in the next run."""
    ask(project, ["hangs", "plain"])
    code = f"        if question == 'hangs' and os.environ.get('SLOW'): {HANG}\n"
    component(project, "answerer", ANSWERER.replace("BODY", code), "seconds: 2")
    begun = time.monotonic()
    kept = run(project, cli, SLOW="1")
    assert time.monotonic() - begun < 60
    assert kept.generated["hangs"]["error"] == "it took longer than 2 seconds, the most that a case may take"
    assert len(kept.generated["hangs"]["searches"]) == 1, "what it did before is there"
    assert kept.generated["plain"]["answer"]
    assert kept.score("correctness", "mean") == 0.5
    assert run(project, cli).score("correctness", "mean") == 1.0


def test_a_search_that_hangs_counts_zero_in_both_stages(project: Path, cli: Cli) -> None:
    ask(project, ["hangs", "plain"])
    component(
        project, "retriever", RETRIEVER.replace("BODY", "        if query == 'hangs': time.sleep(300)\n"), "seconds: 2"
    )
    kept = run(project, cli)
    assert "longer than 2 seconds" in kept.retrieved["hangs"]["error"]
    assert "longer than 2 seconds" in kept.generated["hangs"]["error"]
    assert kept.score("page_hit@5", "mean") == 0.5


def test_the_making_of_an_index_is_on_nobodys_time(project: Path, cli: Cli) -> None:
    code = RETRIEVER.replace("BODY", "") + (
        "    def build(self, chunks, folder, bench):\n        time.sleep(3)\n        super().build(chunks, folder, bench)\n"
    )
    component(project, "retriever", code.replace("class Odd(Bm25):", "class Odd(Bm25):\n    pass\n"), "seconds: 1.5")
    kept = run(project, cli)
    assert [row.get("error") for row in kept.retrieved.values()] == [None] * 4


@pytest.mark.parametrize("value", ["0", "-1", "soon", ".nan", ".inf", "100000"])
def test_a_time_limit_that_is_none_is_one_line(value: str, cli: Cli) -> None:
    done = cli("run", "plain.yaml", "--set", f"seconds={value}", code=2)
    assert len(done.stderr.splitlines()) == 1
    assert "--set seconds=" in done.stderr


def test_a_deadline_gives_what_the_work_gives_or_raises() -> None:
    deadline = Deadline(0.3)
    assert deadline.call(lambda: 7) == 7
    with pytest.raises(SystemExit):
        deadline.call(lambda: exec("raise SystemExit"))
    with pytest.raises(Late):
        deadline.call(lambda: time.sleep(1))

    def made() -> str:
        with deadline.stopped():
            time.sleep(0.6)
        return "made"

    assert deadline.call(made) == "made"


# -- retrievers and rerankers -------------------------------------------------------------------------------------------

RETRIEVER = """
import os, sys, time
import numpy as np
from harness.bench import Index
from harness.records import Chunk, Hit, PageRef
from systems.retrievers.bm25 import Bm25

class Odd(Bm25):
    def open(self, folder, bench):
        return Opened(super().open(folder, bench))

class Opened(Index):
    def __init__(self, inner):
        self.inner = inner
    def search(self, query, k, docs, bench):
        hits = self.inner.search("revenue", k, docs, bench)
        first = hits[0]
        chunk = lambda ref, **more: first.chunk.model_copy(update={"id": "new", "ref": ref, **more})
BODY
        return hits
"""
RETRIEVERS = {
    "exits": ("sys.exit(3)", "retriever 'odd' raised SystemExit: 3"),
    "lacks memory": ("raise MemoryError('9 GB')", "retriever 'odd' ran out of memory: 9 GB"),
    "changes the folder": ("os.chdir('/')", "the working directory is the whole run's"),
    "None": ("return None", "retriever 'odd' gave None where a list of hits is needed"),
    "text": ("return 'hits'", "retriever 'odd' gave a value of type 'str' where a list of hits is needed"),
    "chunks": ("return [first.chunk]", "retriever 'odd' gave a value of type 'Chunk' where a Hit is needed"),
    "pairs": ("return [(first.chunk, 1.0)]", "retriever 'odd' gave a value of type 'tuple' where a Hit is needed"),
    "no chunk": ("return [Hit('alder_2025:p2', 1.0)]", "retriever 'odd' gave a value of type 'str' where Chunk is needed"),
    "score NaN": ("return [Hit(first.chunk, float('nan'))]", "retriever 'odd' gave a hit the score nan"),
    "no number": ("return [Hit(first.chunk, '1')]", "retriever 'odd' gave a hit the score '1'"),
    "too many": ("return [first] * (k + 1)", "retriever 'odd' gave more than 5 hits, the most that it was asked for"),
    "without end": ("return (first for _ in iter(int, 1))", "retriever 'odd' gave more than 5 hits"),
    "midway": ("return (1 / n for n in (1, 0))", "ZeroDivisionError"),
    "out of scope": ("return [Hit(chunk(PageRef('birch_2025', 2)), 1.0)]", "a hit on birch_2025:p2, which is out of the question's scope"),
    "no such page": ("return [Hit(chunk(PageRef('alder_2025', 9)), 1.0)]", "a hit on alder_2025:p9, which is no page of the corpus"),
    "no such document": ("return [Hit(chunk(PageRef('cedar', 1)), 1.0)]", "a hit on cedar:p1, which is out of the question's scope"),
    "no page at all": ("return [Hit(chunk('gold'), 1.0)]", "retriever 'odd' gave a damaged Chunk: ref: "),
    "moved": ("return [Hit(first.chunk.model_copy(update={'ref': PageRef('alder_2025', 1)}), 1.0)]", "but it stands on alder_2025:p2"),
    "surrogate in an id": ("return [Hit(chunk(first.chunk.ref, id='\\ud83d'), 1.0)]", "half of a surrogate pair"),
    "text that is none": ("return [Hit(chunk(first.chunk.ref, text=5), 1.0)]", "retriever 'odd' gave a damaged Chunk: text: "),
}  # fmt: skip
FOUND = {
    "a generator": "return (hit for hit in hits)",
    "a tuple": "return tuple(hits)",
    "numpy scores": "return [Hit(hit.chunk, np.float32(hit.score)) for hit in hits]",
    "a chunk of its own": "return [Hit(chunk(first.chunk.ref), 1)]",
}


@pytest.fixture(scope="module")
def retrieved(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    project, cli = made(tmp_path_factory)
    cases = {name: code for name, (code, _) in RETRIEVERS.items()} | FOUND
    ask(project, list(cases))
    body = "".join(f"        if query == {name!r}: {code}\n" for name, code in cases.items())
    component(project, "retriever", RETRIEVER.replace("BODY", body))
    return run(project, cli, "--set", "retriever.candidates=5")


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_search_that_misbehaves_costs_its_case_and_says_why(name: str, retrieved: Kept) -> None:
    row = retrieved.retrieved[name]
    assert RETRIEVERS[name][1] in row["error"]
    assert "candidates" not in row
    assert RETRIEVERS[name][1] in retrieved.generated[name]["error"], "the answerer's search is the same"


@pytest.mark.parametrize("name", FOUND)
def test_hits_in_another_shape_are_hits(name: str, retrieved: Kept) -> None:
    row = retrieved.retrieved[name]
    assert "error" not in row
    assert row["candidates"][0]["ref"] == f"{DOC}:p2"
    assert retrieved.score("page_hit@5", "mean") == pytest.approx(len(FOUND) / (len(FOUND) + len(RETRIEVERS)))


RERANKER = """
import os, sys
from harness.protocols import Reranker
from harness.records import Hit, PageRef

class Odd(Reranker):
    def rerank(self, query, hits, bench):
        given, first = list(hits), hits[0]
BODY
        return hits
"""
RERANKERS = {
    "exits": ("sys.exit(3)", "reranker 'odd' raised SystemExit: 3"),
    "None": ("return hits.sort()", "reranker 'odd' gave None where a list of hits is needed"),
    "twice": ("return [first] + hits[:-1] if len(hits) > 1 else [first, first]", "reranker 'odd' gave "),
    "adds": ("hits[0] = Hit(first.chunk.model_copy(update={'id': 'x'}), 1.0)", "the hit 'x', which was not among those"),
    "longer": ("hits.append(first)", "reranker 'odd' gave more than"),
    "moves": ("hits[0] = Hit(first.chunk.model_copy(update={'ref': PageRef('alder_2025', 1)}), 1.0)", "but it stands on alder_2025:p2"),
}  # fmt: skip


@pytest.fixture(scope="module")
def reranked(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    project, cli = made(tmp_path_factory)
    names = {f"revenue {name}": code for name, (code, _) in RERANKERS.items()} | {
        "revenue fewer": "hits = iter(hits[:1])",
        "revenue in place": "hits.reverse()",
    }
    ask(project, list(names))
    body = "".join(f"        if query == {name!r}: {code}\n" for name, code in names.items())
    component(project, "reranker", RERANKER.replace("BODY", body))
    return run(project, cli)


@pytest.mark.parametrize("name", RERANKERS)
def test_a_reranker_that_misbehaves_costs_its_case_and_says_why(name: str, reranked: Kept) -> None:
    assert RERANKERS[name][1] in reranked.retrieved[f"revenue {name}"]["error"]


@pytest.mark.parametrize("name", ["fewer", "in place"])
def test_a_reranker_may_give_fewer_and_work_in_place(name: str, reranked: Kept) -> None:
    assert reranked.retrieved[f"revenue {name}"]["candidates"]
    assert "error" not in reranked.retrieved[f"revenue {name}"]


def test_an_index_that_ends_the_program_is_made_once(project: Path, cli: Cli) -> None:
    code = RETRIEVER.replace("BODY", "").replace("class Odd(Bm25):", BUILD)
    component(project, "retriever", code)
    kept = run(project, cli)
    assert {row["error"] for row in kept.retrieved.values()} == {
        "retriever 'odd' raised SystemExit: 3, which would end the whole run"
    }
    assert (project / "builds").read_text() == "x"


BUILD = """class Odd(Bm25):
    def build(self, chunks, folder, bench):
        with open("builds", "a") as file:
            file.write("x")
        sys.exit(3)
"""


# -- embedders ----------------------------------------------------------------------------------------------------------

GOOD = np.ones((7, 4), dtype=np.float32) / 2


class OddEmbedder(Embedder):
    """Gives what it is told to give."""

    gift: ClassVar[Any] = None

    def encode(self, texts: Sequence[str], kind: str, bench: Bench) -> Any:
        return type(self).gift


VECTORS = {
    "too long": (GOOD * 3, "gave a vector of length 3, not 1"),
    "zeros": (GOOD * 0, "gave a vector of length 0, not 1"),
    "NaN": (GOOD * np.nan, "gave a vector of length nan, not 1"),
    "one is missing": (GOOD[:-1], "gave an array of shape (6, 4) for 7 text(s)"),
    "a single one": (GOOD[0], "gave an array of shape (4,)"),
    "None": (None, "gave a NoneType where an array is needed"),
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_that_are_none_are_refused_by_the_embedders_name(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(OddEmbedder, "gift", VECTORS[name][0])
    bench = Bench(memo=lambda _, label: ArrayMemo(tmp_path, lambda what, done, total: None, label))
    with pytest.raises(ValueError, match=re.escape(f"embedder 'test_misbehaving' {VECTORS[name][1]}")):
        OddEmbedder().embed(list("abcdefg"), "passage", bench)


def test_an_embedder_that_gives_no_vectors_costs_its_cases_and_not_the_run(project: Path, cli: Cli) -> None:
    component(project, "embedder", EMBEDDER)
    (project / "plain.yaml").write_text(CONFIG.replace("{use: bm25}", "{use: dense, embedder: odd}"))
    kept = run(project, cli)
    assert all("embedder 'odd' gave a vector of length 3, not 1" in row["error"] for row in kept.retrieved.values())
    assert kept.score("page_hit@5", "mean") == 0.0


EMBEDDER = """
import numpy as np
from harness.protocols import Embedder

class Odd(Embedder):
    def encode(self, texts, kind, bench):
        return np.ones((len(texts), 9), dtype=np.float32)
"""


# -- parsers and chunkers -----------------------------------------------------------------------------------------------

PARSER = """
import os, sys
from systems.parsers.liteparse import LiteParseParser

class Odd(LiteParseParser):
    def parse(self, pdf, doc, bench):
        pages = super().parse(pdf, doc, bench)
BODY
        return pages
"""
PARSERS = {
    "yields": ("return (page for page in pages)", {"ok": 3}, None),
    "raises midway": ("return (page if 1 / (2 - n) else None for n, page in enumerate(pages))", {"ok": 2, "failed": 1}, None),
    "gives None": ("return None", {"failed": 3}, "parser 'odd' gave None where a list of pages is needed"),
    "gives text": ("return [page.text for page in pages]", {"failed": 3}, "parser 'odd' gave a value of type 'str' where Page is needed"),
    "one is damaged": ("return [pages[0], pages[1].model_copy(update={'blocks': 3}), *pages[2:]]", {"ok": 1, "failed": 2}, None),
    "interrupts": ("raise KeyboardInterrupt", {"failed": 3}, "parser 'odd' raised KeyboardInterrupt"),
    "changes the folder": ("os.chdir('/')", {"failed": 3}, "the working directory is the whole run's"),
    "surrogate in an error": ("raise ValueError('\\ud83d')", {"failed": 3}, "ValueError: ?"),
    "looks beside the file": ("raise ValueError(str(sorted(os.listdir(pdf.parent))) + str(pdf))", {"failed": 3}, "ValueError: ['looks_beside_the_file.pdf']looks_beside_the_file.pdf"),
}  # fmt: skip


def documents(project: Path, names: Iterable[str]) -> None:
    """A set with a document of three pages for each case, and a question on it, in the place of the tiny set."""
    shutil.rmtree(project / "tiny")
    pages = {doc_of(name): [[doc_of(name)], ["Revenue"], ["the end"]] for name in ("nothing", *names)}
    write_set(project / "tiny", pages)
    rows = [
        {"id": doc, "question": "revenue", "answer": "7", "evidence": [[f"{doc}:p2"]], "scope": [doc]} for doc in pages
    ]
    (project / "tiny" / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def doc_of(name: str) -> str:
    return name.replace(" ", "_")


def by_document(cases: Mapping[str, str], doc: str) -> str:
    """Code that does what each case says where its document's turn comes."""
    return "".join(f"        if {doc} == {doc_of(name)!r}: {code}\n" for name, code in cases.items())


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The manifest's corpus of a run in which each case is a document."""
    project, cli = made(tmp_path_factory)
    documents(project, PARSERS)
    component(project, "parser", PARSER.replace("BODY", by_document({n: c for n, (c, *_) in PARSERS.items()}, "doc")))
    run(project, cli)
    assert not list((project / "results" / "cache" / "parsing").iterdir()), "the files' own folders are gone"
    parent = project / "results" / "tiny" / "plain" / "dev"
    corpus: dict[str, Any] = json.loads(
        (parent / (parent / "latest").read_text().strip() / "manifest.json").read_text()
    )["corpus"]
    return corpus


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_that_misbehaves_costs_pages_and_says_why(name: str, parsed: dict[str, Any]) -> None:
    _, pages, error = PARSERS[name]
    entry = parsed[doc_of(name)]
    assert entry["pages"] == pages
    assert (error or "") in (entry["error"] or "")
    assert (entry["error"] is None) == (error is None)
    assert parsed["nothing"]["pages"] == {"ok": 3}


CHUNKER = """
import sys
from harness.records import PageRef
from systems.chunkers.page_windows import PageWindows

class Odd(PageWindows):
    def chunk(self, pages, bench):
        chunks = super().chunk(pages, bench)
        doc = pages[0].ref.doc
BODY
        return chunks
"""
CHUNKERS = {
    "yields": ("return (chunk for chunk in chunks)", None),
    "gives None": ("return None", "chunker 'odd' gave None where a list of chunks is needed"),
    "exits": ("sys.exit(3)", "chunker 'odd' raised SystemExit: 3"),
    "one is damaged": ("return [chunks[0].model_copy(update={'text': None})]", "chunker 'odd' gave a damaged Chunk: text: "),
    "no such page": ("return [chunks[0].model_copy(update={'ref': PageRef(doc, 9)})]", "a chunk of no_such_page:p9, which is no page of the document"),
    "surrogate in an id": ("return [chunks[0].model_copy(update={'id': '\\ud83d'})]", "half of a surrogate pair"),
}  # fmt: skip


@pytest.fixture(scope="module")
def chunked(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    project, cli = made(tmp_path_factory)
    documents(project, CHUNKERS)
    component(project, "chunker", CHUNKER.replace("BODY", by_document({n: c for n, (c, _) in CHUNKERS.items()}, "doc")))
    return run(project, cli)


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_chunker_that_misbehaves_costs_its_document_and_says_why(name: str, chunked: Kept) -> None:
    error, row = CHUNKERS[name][1], chunked.retrieved[doc_of(name)]
    assert (error or "") in (row.get("error") or "")
    assert ("candidates" in row) == (error is None)
    assert chunked.retrieved["nothing"]["candidates"]


# -- metrics ------------------------------------------------------------------------------------------------------------

GOLDEN = Golden(id="g", question="How much?", answer="7", evidence=(("d:p1",),))
CASE = Case(golden=GOLDEN, answer=Answer(text="7"))


class Odd(Metric):
    """Gives what it is told to give."""

    stage = "generate"
    binary = True
    gift: Any = None

    def score(self, case: Case, bench: Bench) -> Score:
        gift = self.gift(self, case) if callable(self.gift) else self.gift
        if isinstance(gift, BaseException):
            raise gift
        return gift  # type: ignore[no-any-return]


METRICS: dict[str, tuple[Any, str]] = {
    "None": (None, "the metric gave None where a Score is needed"),
    "text": ("right", "the metric gave a value of type 'str' where a Score is needed"),
    "a number": (1.0, "the metric gave a value of type 'float' where a Score is needed"),
    "another label": (lambda metric, case: metric.scored(case, 1, "").model_copy(update={"metric": "other"}), "a score of 'other'"),
    "another golden": (lambda metric, case: metric.scored(case, 1, "").model_copy(update={"golden": "h"}), "on golden 'h'"),
    "a yes and no": (lambda metric, case: metric.scored(case, 0.5, ""), "gave 0.5, which is neither 0 nor 1"),
    "two": (lambda metric, case: metric.scored(case, 2, ""), "gave 2, which is neither 0 nor 1"),
    "a set": (lambda metric, case: metric.scored(case, 1, "", found={1}), "a value of type 'set' is not JSON"),
    "no value": (lambda metric, case: metric.scored(case, 1, "").model_copy(update={"value": None}), "only a scored one has a value"),
    "score NaN": (lambda metric, case: metric.scored(case, 1, "").model_copy(update={"value": float("nan")}), "damaged Score: value"),
    "exits": (SystemExit(0), "SystemExit: 0"),
    "lacks memory": (MemoryError(), "MemoryError"),
    "surrogate": (ValueError("\ud83d"), "ValueError: ?"),
}  # fmt: skip


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_that_misbehaves_has_failed_and_says_why(name: str) -> None:
    gift, reason = METRICS[name]
    score = Odd(gift=gift).rate(CASE, Bench())
    assert score.status == "failed"
    assert score.value is None
    assert reason in score.reason


def test_a_metric_that_cannot_say_where_it_applies_has_failed() -> None:
    class Lost(Odd):
        def applies(self, golden: Golden) -> str | None:
            return golden.nothing  # type: ignore[attr-defined,no-any-return]

    assert "AttributeError" in Lost().rate(CASE, Bench()).reason


def test_what_a_metric_gives_rightly_stays() -> None:
    score = Odd(gift=lambda metric, case: metric.scored(case, np.float32(1), "fits", at=np.arange(2))).rate(
        CASE, Bench()
    )
    assert (score.status, score.value, score.detail) == ("scored", 1.0, {"at": [0, 1]})
    quoting = Odd(gift=lambda metric, case: metric.scored(case, 0, "says \ud83d")).rate(CASE, Bench())
    assert (quoting.value, quoting.reason) == (0.0, "says ?"), "a reason may quote a damaged page"


METRIC = '''"""Ends the program."""
import sys
from harness.scoring.metric import Metric

class Odd(Metric):
    """Ends the program."""
    stage = "generate"
    def score(self, case, bench):
        print("a metric that talks")
        sys.exit(0)
'''


def test_a_metric_that_ends_the_program_costs_no_run(project: Path, cli: Cli) -> None:
    (project / "systems" / "metrics").mkdir(parents=True)
    (project / "systems" / "metrics" / "odd.py").write_text(METRIC)
    kept = run(project, cli)
    assert kept.score("odd", "failed") == 4
    assert kept.score("page_hit@5", "mean") == 1.0
    scored = json.loads(cli("score", "plain", "--json").stdout)["tiny/plain/dev"]
    assert scored["odd"]["failed"] == 4, "also in the command's own thread"


# -- what components are given ------------------------------------------------------------------------------------------

CURIOUS = """
from pathlib import Path
from harness.protocols import Answerer
from harness.records import Answer

def paths(thing, depth=3):
    for name in (name for name in dir(thing) if not name.startswith("_")):
        value = getattr(thing, name, None)
        if isinstance(value, Path):
            yield name
        elif depth and not isinstance(value, (str, int, float, bytes, type)) and not callable(value):
            yield from (f"{name}.{more}" for more in paths(value, depth - 1))
    if hasattr(thing, "values") and callable(thing.values) and depth:
        for value in thing.values():
            yield from paths(value, depth - 1)

class Odd(Answerer):
    def answer(self, question, search, history, bench):
        search(question)
        titles = [listed.title for listed in bench.corpus.documents.values()]
        return Answer(text="-", trace={"paths": sorted(paths(bench.corpus)), "titles": titles,
                                       "inside": [ref in bench.corpus for ref in (hit.chunk.ref for hit in search(question))]})
"""


def test_a_component_finds_no_path_to_the_goldens(project: Path, cli: Cli) -> None:
    component(project, "answerer", CURIOUS)
    trace = run(project, cli).generated["t:1"]["answer"]["trace"]
    assert trace["paths"] == []
    assert trace["titles"] == ["alder_2025", "birch_2025"]
    assert trace["inside"]
    assert all(trace["inside"])


def test_the_folder_stays_only_while_a_component_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with working_folder.fixed(), pytest.raises(RuntimeError, match="working directory"):
        monkeypatch.chdir(tmp_path)
    monkeypatch.chdir(tmp_path)


# -- citations ----------------------------------------------------------------------------------------------------------


def said(text: str, raw: str, ref: str | None = "annual_2025:p41") -> str:
    """What a judge reads of an answer whose citation `raw` stands where «» are."""
    start = text.index("«")
    end = text.index("»") - 1
    citation = Citation(raw=raw, ref=ref and PageRef.parse(ref), span=(start, end))
    return citation_marks.words(Answer(text=text.replace("«", "").replace("»", ""), citations=(citation,)))


@pytest.mark.parametrize(
    "written",
    [
        "[annual_2025, p.41]", "[annual_2025:p41]", "(p. 41)", "p. 41", "pp. 41-43", "(page 41)", "[3]", "[doc 3]",
        "【4†source】", "³", "[annual_2025.pdf, Seite 41]", "(41)", "[p. 41, p. 43]", " [3] ",
    ],
)  # fmt: skip
def test_a_citation_is_no_part_of_what_was_said(written: str) -> None:
    assert said(f"Revenue was 7 «{written}».", written.strip()) == f"Revenue was 7 {' ' * len(written)}."


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("It did «not» rise.", "[3]"),
        ("It did «not» rise.", "not"),
        ("It did «(not)» rise.", "(not)"),
        ("It did «not [3]» rise.", "[3]"),
        ("Revenue was 7 «or 9».", "or 9"),
        ("Revenue was 7 «(or 9)».", "(or 9)"),
        ("Revenue was «(9)».", "(9)"),
        ("Revenue was «9,000».", "9,000"),
    ],
)
def test_a_citation_takes_no_word_out_of_an_answer(text: str, raw: str) -> None:
    assert said(text, raw) == text.replace("«", "").replace("»", "")


def test_of_a_citation_in_other_words_the_words_stay() -> None:
    assert said("7 «[Annual report, p. 41]».", "[Annual report, p. 41]") == "7 [Annual report,      ]."
    assert said("7 «[not p. 41]».", "[not p. 41]") == "7 [not      ]."


def test_two_citations_may_share_a_span() -> None:
    both = [Citation(raw="[p. 3, p. 5]", ref=f"d:p{page}", span=(2, 14)) for page in (3, 5)]
    assert citation_marks.words(Answer(text="7 [p. 3, p. 5].", citations=both)) == "7             ."


def test_spans_are_checked_where_an_answer_is_made() -> None:
    with pytest.raises(ValidationError, match="do not overlap"):
        Answer(text="abc", citations=[Citation(raw="a", span=(0, 2)), Citation(raw="b", span=(1, 3))])
