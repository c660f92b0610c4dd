"""Wrappers and parts that compose: each does the one thing that its first line says."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from conftest import ROOT, Cli
from reportlab.pdfgen.canvas import Canvas

from harness.bench import Bench, Chunks, Document, Index, NoBlobs
from harness.cache.blobs import Blobs
from harness.errors import WorldError
from harness.models.door import Door, Settings
from harness.protocols import Retriever
from harness.records import Block, Chunk, Hit, Model, Page, PageRef
from systems._shared.finance_words import line_items, without_instructions
from systems.chunkers.context_header import ContextHeader
from systems.chunkers.headings import Headings
from systems.embedders.openai import OpenAi
from systems.rerankers.lexical import Lexical
from systems.retrievers.bm25 import Bm25
from systems.retrievers.doc_filter import DocFilter, named
from systems.retrievers.line_items import LineItems
from systems.retrievers.rrf import Rrf
from systems.retrievers.small_to_big import SmallToBig
from systems.retrievers.with_page import WithPage

DOCUMENTS = (
    Document("best_2023", "Best Buy 10-K FY2023", ("Best Buy",)),
    Document("best_2024", "Best Buy 10-K FY2024", ("Best Buy",)),
    Document("orion_2023", "Orion plc Annual Report", ("Orion", "ORN")),
    Document("orion_bank", "Orion Bank Report", ("Orion Bank",)),
)


def make_bench(folder: Path, chunks: list[Chunk]) -> Bench:
    def index(retriever: Retriever) -> Index:
        place = folder / f"index{len(list(folder.iterdir()))}"
        place.mkdir()
        retriever.build(chunks, place, bench)
        return retriever.open(place, bench)

    blobs = Blobs(folder / "blobs")
    bench = Bench(corpus=None, blobs=blobs, chunks=Chunks(lambda: chunks), index=index)  # type: ignore[arg-type]
    return replace(bench, documents=DOCUMENTS)


def make_chunk(doc: str, page: int, number: int, text: str) -> Chunk:
    return Chunk(id=f"{doc}:p{page}-{number:02d}", ref=PageRef(doc, page), text=text)


@pytest.fixture
def chunks() -> list[Chunk]:
    return [
        make_chunk("best_2023", 1, 1, "Stores opened in the year"),
        make_chunk("best_2023", 2, 1, "Consolidated balance sheets in millions"),
        make_chunk("best_2023", 2, 2, "Inventories 5,140 and receivables 1,141"),
        make_chunk("best_2023", 2, 3, "Total current assets 8,802"),
        make_chunk("orion_2023", 1, 1, "Stores, stores and stores: stores of the group"),
        make_chunk("orion_2023", 7, 1, "Inventories of receivables"),
    ]


# -- questions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("What is the DPO? Round your answer to two decimals.", "What is the DPO?"),
        ("Is debt high? If debt is not a useful metric, then state that and explain why.", "Is debt high?"),
        ("Answer in millions.", "Answer in millions."),
        ("If we exclude M&A, which segment fell?", "If we exclude M&A, which segment fell?"),
    ],
)
def test_sentences_on_how_to_answer_are_left_out(question: str, plain: str) -> None:
    assert without_instructions(question) == plain


def test_a_computed_measure_gives_its_line_items_and_a_printed_one_nothing() -> None:
    assert {"current", "assets", "inventories"} <= set(line_items("What is the quick ratio?").split())
    assert {"third", "quarter"} <= set(line_items("Revenue in Q3 2023").split())
    assert line_items("What was operating income in 2021?") == ""
    assert line_items("Who chairs the board?") == ""


def test_line_items_finds_the_page_that_does_not_name_the_measure(chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, chunks)
    question, docs = "What is the quick ratio of the stores?", frozenset({"best_2023"})
    assert bench.index(Bm25()).search(question, 1, docs, bench)[0].chunk.ref.page == 1
    assert bench.index(LineItems(inner=Bm25())).search(question, 1, docs, bench)[0].chunk.ref.page == 2


# -- wrappers of retrievers -----------------------------------------------------------------------------------------


def test_with_page_adds_a_share_of_the_pages_score(chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, chunks)
    pages = {"best_2023:p2": " ".join(c.text for c in chunks if c.ref == PageRef("best_2023", 2))}
    plain = {hit.chunk.id: hit.score for hit in bench.index(Bm25()).search("inventories", 9, None, bench)}
    with_page = {
        hit.chunk.id: hit.score for hit in bench.index(WithPage(inner=Bm25())).search("inventories", 9, None, bench)
    }
    assert set(with_page) == set(plain)
    assert all(with_page[key] > plain[key] for key in plain)
    assert pages, "the page holds the word, so its score is more than nothing"
    none = bench.index(WithPage(inner=Bm25(), share=0)).search("inventories", 9, None, bench)
    assert {hit.chunk.id: hit.score for hit in none} == plain


def test_with_page_takes_no_wrapper() -> None:
    with pytest.raises(ValueError, match="wraps others"):
        WithPage(inner=Rrf(first=Bm25(), second=Bm25()))


@pytest.mark.parametrize(
    ("question", "docs"),
    [
        ("What did Best Buy earn?", {"best_2023", "best_2024"}),
        ("What did ORN earn?", {"orion_2023"}),
        ("What did Orion Bank earn?", {"orion_bank"}),
        ("Did Best Buy earn more than ORN?", set()),
        ("What did the company earn?", set()),
        ("Is there an orionid?", set()),
    ],
)
def test_a_question_that_names_one_company_means_its_documents(question: str, docs: set[str]) -> None:
    assert named(question, DOCUMENTS) == docs


def test_doc_filter_puts_the_named_documents_first_and_keeps_the_rest(chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, chunks)
    plain, filtered = bench.index(Bm25()), bench.index(DocFilter(inner=Bm25()))
    question = "How many stores does Best Buy have?"
    assert plain.search(question, 9, None, bench)[0].chunk.ref.doc == "orion_2023"
    hits = filtered.search(question, 9, None, bench)
    assert hits[0].chunk.ref.doc == "best_2023"
    assert {hit.chunk.id for hit in hits} == {hit.chunk.id for hit in plain.search(question, 9, None, bench)}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    only = frozenset({"orion_2023"})
    assert filtered.search(question, 9, only, bench) == plain.search(question, 9, only, bench)


def test_small_to_big_reads_the_page_around_a_hit(chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, chunks)
    (hit,) = bench.index(SmallToBig(inner=Bm25(), characters=4000)).search("8,802", 9, None, bench)
    assert hit.chunk.text == "Total current assets 8,802"
    assert hit.chunk.passage == "\n".join(chunk.text for chunk in chunks[1:4])
    (small,) = bench.index(SmallToBig(inner=Bm25(), characters=100)).search("8,802", 9, None, bench)
    assert small.chunk.passage == "\n".join(chunk.text for chunk in chunks[2:4])


# -- rerankers and chunkers -----------------------------------------------------------------------------------------


def test_lexical_lifts_the_passage_with_the_questions_figures(chunks: list[Chunk], tmp_path: Path) -> None:
    hits = [Hit(chunk, 1.0 / rank) for rank, chunk in enumerate(chunks, start=1)]
    reranked = Lexical(depth=4).rerank(
        "Which assets are 8,802? Round to two decimals.", hits, make_bench(tmp_path, chunks)
    )
    assert reranked[0].chunk.id == "best_2023:p2-03"
    assert [hit.chunk for hit in reranked[4:]] == [hit.chunk for hit in hits[4:]]
    assert [hit.score for hit in reranked] == sorted((hit.score for hit in reranked), reverse=True)


def test_a_context_header_is_searched_and_not_read(tmp_path: Path) -> None:
    blocks = (Block(kind="text", text="Intro. " * 90), Block(kind="heading", text="Note 4 Debt", level=2))
    pages = [Page(ref=PageRef("d", 1), blocks=(*blocks, Block(kind="text", text="Bonds due 2031. " * 40)))]
    bench = make_bench(tmp_path, [])
    inner = Headings().chunk(pages, bench)
    first, second = ContextHeader(inner=Headings()).chunk(pages, bench)
    assert [first.id, second.id] == [chunk.id for chunk in inner]
    assert first.text.startswith("Note 4 Debt\nIntro.")
    assert first.passage == inner[0].text
    assert second == inner[1], "it opens with the heading already"


# -- embedders ------------------------------------------------------------------------------------------------------


class Endpoint(BaseHTTPRequestHandler):
    """Answers with vectors of the texts' lengths, in reversed order; fails first where told to."""

    seen: ClassVar[list[dict[str, Any]]] = []
    failures: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.failures.pop() if self.failures else 200
        self.seen.append(body | {"key": self.headers["Authorization"]})
        data = [{"index": n, "embedding": [len(text), 1.0]} for n, text in enumerate(body["input"])]
        reply = json.dumps({"data": data[::-1]} if status == 200 else {"error": "no"}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    Endpoint.seen.clear()
    Endpoint.failures.clear()
    monkeypatch.setenv("TEST_KEY", "k-1")
    monkeypatch.setattr("harness.models.limits.FIRST_PAUSE", 0.01)
    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def embedder(url: str, **settings: Any) -> OpenAi:
    model = Model(name="m", url=url, key_env="TEST_KEY")
    return OpenAi(model=model, query={"task": "retrieval.query"}, batch=2, **settings)


@pytest.fixture
def door_bench(tmp_path: Path) -> Bench:
    return replace(make_bench(tmp_path, []), door=Door(Settings(tmp_path / "calls"), NoBlobs()))


def test_openai_sends_batches_with_the_kinds_extra_fields(url: str, door_bench: Bench) -> None:
    vectors = embedder(url).encode(["a", "bbb", "cc"], "query", door_bench)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [1, 3, 2]), "in the order of the texts, whatever the reply's"
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert [body["input"] for body in Endpoint.seen] == [["a", "bbb"], ["cc"]]
    assert {(body["task"], body["model"], body["key"]) for body in Endpoint.seen} == {
        ("retrieval.query", "m", "Bearer k-1")
    }
    embedder(url).encode(["a"], "passage", door_bench)
    assert "task" not in Endpoint.seen[-1]


def test_openai_pays_a_text_once(url: str, door_bench: Bench, tmp_path: Path) -> None:
    first = embedder(url).embed(["a", "bbb"], "query", door_bench)
    again = replace(door_bench, door=Door(Settings(tmp_path / "calls"), NoBlobs()))
    assert (embedder(url).embed(["bbb", "a"], "query", again) == first[::-1]).all()
    assert len(Endpoint.seen) == 1
    embedder(url).embed(["bbb", "dddd"], "query", again)
    assert Endpoint.seen[-1]["input"] == ["dddd"]


def test_openai_tries_again_what_may_pass_and_stops_at_what_will_not(url: str, door_bench: Bench) -> None:
    Endpoint.failures[:] = [503, 429]
    assert embedder(url).encode(["a"], "query", door_bench).shape == (1, 2)
    Endpoint.failures[:] = [401]
    with pytest.raises(WorldError, match="401"):
        embedder(url).encode(["b"], "query", door_bench)


FASTEMBED = """
import sys

class TextEmbedding:
    @staticmethod
    def list_supported_models():
        return [{"model": "BAAI/bge-small-en-v1.5"}]

    def __init__(self, model):
        print("attempt", file=sys.stderr) if heard else None
        raise ValueError(f"Could not load model {model} from any source.")

heard = True
"""
LOGURU = """
class logger:
    def disable(name):
        import fastembed
        fastembed.heard = False
"""


@pytest.mark.parametrize(
    ("model", "code", "says"),
    [
        ("BAAI/bge-small-en-v1.5", 4, "cannot load 'BAAI/bge-small-en-v1.5', which it downloads at its first use"),
        ("BAAI/bge-smal-en", 2, "knows no model 'BAAI/bge-smal-en'. Did you mean 'BAAI/bge-small-en-v1.5'?"),
    ],
)
def test_a_model_that_cannot_be_had_ends_the_run_in_one_line_and_is_no_row_of_zeros(
    model: str, code: int, says: str, project: Path, cli: Cli
) -> None:
    (project / "fastembed.py").write_text(FASTEMBED)
    (project / "loguru.py").write_text(LOGURU)
    retriever = f"{{use: dense, embedder: {{use: fastembed, model: {model}}}}}"
    path = os.pathsep.join((str(project), str(ROOT)))
    done = cli("run", "plain.yaml", "--split", "dev", "--set", f"retriever={retriever}", code=code, PYTHONPATH=path)
    told = [line for line in done.stderr.splitlines() if not line.startswith(("documents", "dev: "))]
    assert len(told) == 1, done.stderr
    assert says in told[0]
    assert not list(project.glob("results/tiny/plain/dev/*/manifest.json"))


STUCK = """
from pathlib import Path
from harness.protocols import Retriever

class Stuck(Retriever):
    def build(self, chunks, folder, bench):
        with Path("tried").open("a") as file:
            file.write("x")
        raise RuntimeError("no index")
"""


def test_an_index_that_cannot_be_built_is_tried_once_and_costs_every_question(project: Path, cli: Cli) -> None:
    (project / "systems" / "retrievers").mkdir(parents=True)
    (project / "systems" / "retrievers" / "stuck.py").write_text(STUCK)
    found = json.loads(cli("run", "plain.yaml", "--split", "dev", "--set", "retriever.use=stuck", "--json").stdout)
    assert found["tiny/plain+retriever.use=stuck/dev"]["page_hit@5"]["mean"] == 0.0
    assert (project / "tried").read_text() == "x"


# -- parsers --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("pymupdf") is None, reason="the extra pymupdf is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pymupdf_reads_text_tables_and_empty_pages(tmp_path: Path) -> None:
    from systems.parsers.pymupdf import PyMuPdf

    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    canvas.drawString(72, 760, "Revenue rose in the year.")
    _grid(canvas, [["", "2025", "2024"], ["Revenue", "5,145", "4,980"]])
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    first, second = PyMuPdf().parse(tmp_path / "a.pdf", "d", make_bench(tmp_path, []))
    assert (first.status, second.status) == ("ok", "blank")
    assert [block.kind for block in first.blocks] == ["text", "table"]
    assert "Revenue | 5,145 | 4,980" in first.text


def _grid(canvas: Canvas, rows: Sequence[Sequence[str]]) -> None:
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            canvas.rect(72 + 100 * x, 600 - 20 * y, 100, 20)
            canvas.drawString(76 + 100 * x, 606 - 20 * y, cell)
