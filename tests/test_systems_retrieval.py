"""Embedder, retrievers and rerankers: scores equal their formulas, filters act first, ties never depend on luck."""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.bench import Bench, Chunks, Document, Index
from harness.cache.blobs import Blobs
from harness.components import Component
from harness.errors import UserError
from harness.protocols import Embedder, Retriever
from harness.records import Chunk, Golden, Hit, PageRef
from systems._shared.tokens import tokens
from systems.embedders.minilm import MiniLM
from systems.rerankers.keep import Keep
from systems.rerankers.late_interaction import LateInteraction
from systems.rerankers.lexical import Lexical
from systems.retrievers.bm25 import Bm25
from systems.retrievers.convex_combination import ConvexCombination
from systems.retrievers.dense import Dense
from systems.retrievers.doc_filter import named
from systems.retrievers.oracle_pages import OraclePages
from systems.retrievers.rrf import Rrf

_WORDS = "revenue income cost asset debt equity cash growth segment cloud retail tax the of in year-end 2024 2025"
WORDS = _WORDS.split()
TEXTS = [
    "Revenue rose to 1,284 million in 2025.",
    "The board has nine members.",
    "Long-term debt fell at year-end 2024.",
    "Cash and cash equivalents at the end of the year",
]


class Letters(Embedder):
    """Counts of letters, so that a test can check a cosine by hand."""

    def encode(self, texts: Sequence[str], kind: Literal["passage", "query"], bench: Bench) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), 26), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row += [text.lower().count(sign) + 0.1 for sign in "abcdefghijklmnopqrstuvwxyz"]
            row /= np.linalg.norm(row)
        return rows


class DictMemo:
    """What the harness keeps on disk, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, NDArray[np.floating[Any]]] = {}
        self.asked: list[str] = []

    def fetch(
        self, texts: Sequence[str], compute: Callable[[list[str]], list[NDArray[np.floating[Any]]]]
    ) -> list[NDArray[np.floating[Any]]]:
        missing = sorted({text for text in texts if text not in self.kept}, key=len)
        self.asked += missing
        self.kept |= dict(zip(missing, compute(missing), strict=True))
        return [self.kept[text] for text in texts]


def make_bench(folder: Path, chunks: list[Chunk], gold: Golden | None = None) -> Bench:
    memos: dict[str, DictMemo] = {}

    def memo(component: Component, label: str) -> DictMemo:
        return memos.setdefault(f"{component.spec()}{label}", DictMemo())

    def index(retriever: Retriever) -> Index:
        place = folder / str(len(list(folder.iterdir())))
        place.mkdir()
        retriever.build(chunks, place, bench)
        return retriever.open(place, bench)

    bench = Bench(
        corpus=None,  # type: ignore[arg-type]
        blobs=Blobs(folder / "blobs"),
        chunks=Chunks(lambda: chunks),
        memo=memo,
        index=index,
        gold=gold,
    )
    return bench


def make_chunks(texts: Sequence[str], docs: int = 1) -> list[Chunk]:
    refs = [PageRef(f"doc{number % docs}", number + 1) for number in range(len(texts))]
    chunks = [Chunk(id=f"{ref}-01", ref=ref, text=text) for ref, text in zip(refs, texts, strict=True)]
    return sorted(chunks, key=lambda chunk: chunk.ref)


@pytest.fixture
def random_chunks() -> list[Chunk]:
    dice = random.Random(7)
    return make_chunks([" ".join(dice.choices(WORDS, k=dice.randint(0, 30))) for _ in range(60)], docs=3)


def brute_force(query: str, chunks: Sequence[Chunk], settings: Bm25, docs: frozenset[str] | None) -> dict[str, float]:
    """The formula of the docstring, word for word."""
    bags = {chunk.id: Counter(tokens(chunk.text)) for chunk in chunks}
    mean = sum(bag.total() for bag in bags.values()) / len(bags)
    scope = {chunk.id: bags[chunk.id] for chunk in chunks if docs is None or chunk.ref.doc in docs}
    counted = scope if settings.idf == "scope" else bags

    def part(token: str, bag: Counter[str]) -> float:
        holding = sum(token in other for other in counted.values())
        lucene = math.log(1 + (len(counted) - holding + 0.5) / (holding + 0.5))
        idf = lucene if settings.variant == "lucene" else (settings.k1 + 1) * math.log(len(counted) / max(holding, 1))
        length = 1 - settings.b + settings.b * bag.total() / mean
        return idf * bag[token] / (bag[token] + settings.k1 * length) if bag[token] else 0.0

    return {key: sum(part(token, bag) for token in tokens(query)) for key, bag in scope.items()}


@pytest.mark.parametrize("docs", [None, frozenset({"doc0", "doc2"})])
@pytest.mark.parametrize(
    "settings", [Bm25(), Bm25(k1=0.9, b=0.4), Bm25(idf="corpus"), Bm25(variant="atire", k1=2, b=0.5)]
)
def test_bm25_equals_its_formula_by_brute_force(
    settings: Bm25, docs: frozenset[str] | None, random_chunks: list[Chunk], tmp_path: Path
) -> None:
    bench = make_bench(tmp_path, random_chunks)
    index = bench.index(settings)
    for query in ("revenue growth in 2024", "cash cash debt", "year-end tax of the cloud"):
        every = brute_force(query, random_chunks, settings, docs)
        hits = index.search(query, 1000, docs, bench)
        assert {h.chunk.id: h.score for h in hits} == pytest.approx({i: s for i, s in every.items() if s > 0}, abs=2e-5)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))


@pytest.mark.parametrize(
    "retriever",
    [
        Bm25(),
        Dense(embedder=Letters()),
        Rrf(first=Bm25(), second=Dense(embedder=Letters())),
        ConvexCombination(first=Bm25(), second=Dense(embedder=Letters())),
    ],
)
def test_documents_filter_before_ranking(retriever: Retriever, random_chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, random_chunks)
    index = bench.index(retriever)
    hits = index.search("revenue growth", 5, frozenset({"doc1"}), bench)
    assert len(hits) == 5, "a filter after ranking would leave fewer"
    assert {hit.chunk.ref.doc for hit in hits} == {"doc1"}
    assert index.search("revenue", 5, frozenset({"nowhere"}), bench) == []
    assert index.search("revenue", 5, frozenset(), bench) == []


@pytest.mark.parametrize("retriever", [Bm25(), Dense(embedder=Letters())])
def test_ties_order_by_chunk_id_also_at_the_cut(retriever: Retriever, tmp_path: Path) -> None:
    chunks = make_chunks(["the same revenue"] * 30)
    bench = make_bench(tmp_path, chunks)
    hits = bench.index(retriever).search("revenue", 4, None, bench)
    assert [hit.chunk.id for hit in hits] == sorted(chunk.id for chunk in chunks)[:4]


@pytest.mark.parametrize("texts", [[], ["", "the of"]])
@pytest.mark.parametrize("retriever", [Bm25(), Dense(embedder=Letters())])
def test_an_index_of_nothing_finds_nothing_and_does_not_break(
    retriever: Retriever, texts: list[str], tmp_path: Path
) -> None:
    bench = make_bench(tmp_path, make_chunks(texts))
    hits = bench.index(retriever).search("revenue", 10, None, bench)
    assert len(hits) == (len(texts) if isinstance(retriever, Dense) else 0)


def test_words_that_nobody_wrote_find_nothing(random_chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, random_chunks)
    assert bench.index(Bm25()).search("zeppelin", 10, None, bench) == []
    assert bench.index(Bm25()).search("", 10, None, bench) == []


def _open_and_search(retriever: Retriever, folder: Path, chunks: list[Chunk]) -> list[tuple[str, float]]:
    bench = make_bench(folder.parent, chunks)
    return [(hit.chunk.id, hit.score) for hit in retriever.open(folder, bench).search("cash growth", 9, None, bench)]


@pytest.mark.parametrize("retriever", [Bm25(), Dense(embedder=Letters())])
def test_an_index_opens_after_a_restart(retriever: Retriever, random_chunks: list[Chunk], tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    retriever.build(random_chunks, tmp_path / "index", make_bench(tmp_path, random_chunks))
    moved = (tmp_path / "index").rename(tmp_path / "elsewhere")
    assert len(_open_and_search(retriever, moved, random_chunks)) == 9
    assert _open_and_search(retriever, moved, random_chunks) == _open_and_search(retriever, moved, random_chunks)
    assert not any(b"revenue income" in path.read_bytes() for path in moved.iterdir()), "no chunk texts in an index"


def test_dense_scores_are_cosines_in_any_scope(random_chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, random_chunks)
    index = bench.index(Dense(embedder=Letters()))
    everything = {hit.chunk.id: hit.score for hit in index.search("cash", 100, None, bench)}
    query = Letters().encode(["cash"], "query", bench)[0]
    vectors = Letters().encode([chunk.text for chunk in random_chunks], "passage", bench)
    assert everything == pytest.approx({c.id: v @ query for c, v in zip(random_chunks, vectors, strict=True)}, abs=1e-5)
    scoped = index.search("cash", 100, frozenset({"doc0", "doc2"}), bench)
    assert all(hit.score == everything[hit.chunk.id] for hit in scoped)


def test_fusion_adds_reciprocal_ranks(random_chunks: list[Chunk], tmp_path: Path) -> None:
    bench = make_bench(tmp_path, random_chunks)
    first, second = Bm25(), Dense(embedder=Letters())
    fused = bench.index(Rrf(first=first, second=second, constant=60, candidates=10)).search("tax", 50, None, bench)
    expected: dict[str, float] = {}
    for part in (first, second):
        for rank, hit in enumerate(bench.index(part).search("tax", 10, None, bench), start=1):
            expected[hit.chunk.id] = expected.get(hit.chunk.id, 0.0) + 1 / (60 + rank)
    assert {hit.chunk.id: hit.score for hit in fused} == pytest.approx(expected)
    assert [h.chunk.id for h in fused] == sorted(expected, key=lambda key: (-expected[key], key))


@pytest.mark.parametrize(("depth", "weight"), [(10, 0.5), (10, 0.2), (1000, 0.7)])
def test_a_convex_combination_adds_shares_of_each_lists_best(
    random_chunks: list[Chunk], tmp_path: Path, depth: int, weight: float
) -> None:
    bench = make_bench(tmp_path, random_chunks)
    parts = ((Bm25(), weight), (Dense(embedder=Letters()), 1 - weight))
    fused = ConvexCombination(first=parts[0][0], second=parts[1][0], weight=weight, depth=depth)
    expected: dict[str, float] = dict.fromkeys((chunk.id for chunk in random_chunks), 0.0)
    listed: set[str] = set()
    for part, share in parts:
        hits = {hit.chunk.id: hit.score for hit in bench.index(part).search("tax", depth, None, bench)}
        rest = min(hits.values()) if len(hits) == depth else 0.0
        listed |= set(hits)
        for key in expected:
            expected[key] += share * hits.get(key, rest) / max(hits.values())
    found = bench.index(fused).search("tax", 2000, None, bench)
    assert {hit.chunk.id: hit.score for hit in found} == pytest.approx({key: expected[key] for key in listed})
    assert found == sorted(found, key=lambda hit: (-hit.score, hit.chunk.id))


def test_a_convex_combination_keeps_the_order_of_the_one_list_that_found_something(
    random_chunks: list[Chunk], tmp_path: Path
) -> None:
    bench = make_bench(tmp_path, random_chunks)
    dense = Dense(embedder=Letters())
    found = bench.index(ConvexCombination(first=Bm25(), second=dense)).search("zeppelin", 9, None, bench)
    assert [hit.chunk for hit in found] == [hit.chunk for hit in bench.index(dense).search("zeppelin", 9, None, bench)]
    assert bench.index(ConvexCombination(first=Bm25(), second=Bm25())).search("zeppelin", 9, None, bench) == []


def test_fusion_settings_stay_out_of_the_index_key() -> None:
    one = Rrf(first=Bm25(), second=Dense(embedder=Letters()))
    other = Rrf(first=Bm25(candidates=7), second=Dense(embedder=Letters()), constant=10, candidates=99, first_weight=3)
    assert one.spec(for_index=True) == other.spec(for_index=True)
    assert ConvexCombination(first=Bm25(), second=Bm25()).spec(for_index=True) == ConvexCombination(
        first=Bm25(), second=Bm25(), weight=0.1, depth=9
    ).spec(for_index=True)
    assert Bm25(k1=1).spec(for_index=True) != Bm25(k1=2).spec(for_index=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,284.5 and 1284.5", ["1284.5", "1284.5"]),
        ("FY2024 Q3 10-K", ["fy2024", "q3", "10-k", "10", "k"]),
        ("The year-end revenues", ["year-end", "year", "end", "revenu"]),
        ("R&D of Amazon’s", ["r&d", "r", "d", "amazon"]),
    ],
)
def test_tokens_keep_figures_years_and_hyphenated_terms(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("净利润为1,284万元，2024年", ["净利", "利润", "润为", "1284", "万元", "2024", "年"]),
        ("第一季\n度", ["第一", "一季", "季度"]),
        ("カナダの売上高", ["カナ", "ナダ", "ダの", "の売", "売上", "上高"]),
        ("ﾃﾞｰﾀ ⾦", ["デー", "ータ", "タ金"]),
        ("กำไรสุทธิ ปี 2567", ["กํา", "าไ", "ไร", "รสุ", "สุท", "ทธิ", "ธิปี", "2567"]),
        ("매출액은 5% 늘었다", ["매출", "출액", "액은", "5", "늘었", "었다"]),
        ("EBITDA利润 of Fanuc株式会社", ["ebitda", "利润", "fanuc", "株式", "式会", "会社"]),
        ("राजस्व में عِبْرَة", ["राजस्व", "में", "عِبْرَة"]),
    ],
)
def test_text_without_spaces_gives_pairs_of_letters_and_marks_stay_on_theirs(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


LANGUAGES = {
    "chinese": (
        ["公司营业收入为一百二十三亿元", "董事会由九名董事组成", "员工总数为三千人"],
        "营业收入是多少？",
        "董事会有几名董事",
    ),
    "japanese": (
        ["売上高は百二十億円となった", "取締役会は九名で構成される", "従業員数は三千人"],
        "今年の売上高は？",
        "取締役は何名か",
    ),
    "thai": (
        ["รายได้จากการขายรวม 1,284 ล้านบาท", "กรรมการจำนวน 9 ท่าน", "พนักงาน 3,412 คน"],
        "รายได้เท่าไร",
        "กรรมการมีกี่ท่าน",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_alone_find_what_is_written_without_spaces(language: str, tmp_path: Path) -> None:
    texts, *questions = LANGUAGES[language]
    chunks = [Chunk(id=f"d:p{n}#0", ref=PageRef("d", n), text=text) for n, text in enumerate(texts, start=1)]
    bench = make_bench(tmp_path, chunks)
    for place, question in enumerate(questions):
        assert bench.index(Bm25()).search(question, 3, None, bench)[0].chunk == chunks[place]
        backwards = [Hit(chunk, 1.0) for chunk in reversed(chunks)]
        assert Lexical(share=5).rerank(question, backwards, bench)[0].chunk == chunks[place]


def test_a_company_is_named_in_a_question_without_spaces() -> None:
    documents = [Document("a", "贵州茅台", (), 1), Document("b", "五粮液", ("삼성전자",), 1)]
    assert named("贵州茅台2024年的营业收入是多少？", documents) == {"a"}
    assert named("삼성전자의 매출액은?", documents) == {"b"}
    assert named("营业收入是多少？", documents) == frozenset()


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_vectors_of_minilm_are_unit_and_mean_what_they_should(minilm: MiniLM, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [])
    vectors = minilm.embed(TEXTS, "passage", bench)
    question = minilm.embed(["How many people sit on the board of directors?"], "query", bench)[0]
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert int((vectors @ question).argmax()) == 1


def test_a_vector_does_not_depend_on_the_texts_beside_it(minilm: MiniLM, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [])
    together = minilm.encode(TEXTS, "passage", bench)
    alone = [minilm.encode([text], "passage", bench)[0] for text in TEXTS]
    assert all((row == single).all() for row, single in zip(together, alone, strict=True))


def test_int8_products_stay_close_to_the_graph_that_the_wheel_holds(minilm: MiniLM, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [])
    exact = MiniLM(arithmetic="float32").encode(TEXTS, "passage", bench)
    cosines = (minilm.encode(TEXTS, "passage", bench) * exact).sum(axis=1)
    assert (cosines > 0.98).all()
    assert (cosines < 1).all(), "the same bytes would mean that nothing was rewritten"


def test_each_text_is_embedded_once(minilm: MiniLM, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [])
    minilm.embed([TEXTS[0], TEXTS[1], TEXTS[0]], "passage", bench)
    minilm.embed(TEXTS, "passage", bench)
    memo = bench.memo(minilm, "passage")
    assert isinstance(memo, DictMemo)
    assert sorted(memo.asked) == sorted(TEXTS)


def test_states_are_token_by_token_unit_and_bounded(minilm: MiniLM, tmp_path: Path) -> None:
    short, long = minilm.states(["net revenue", "revenue " * 900], "passage", make_bench(tmp_path, []))
    assert short.shape == (2, 384)
    assert len(long) == minilm.max_tokens - 2
    assert short.dtype == np.float16
    assert np.allclose(np.linalg.norm(short.astype(np.float32), axis=1), 1, atol=2e-3)


def test_another_model_than_expected_is_an_error_that_names_both(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(UserError, match=r"sha256 44136fa3.* expected 8199be6f"):
        MiniLM(path=tmp_path).encode(["x"], "query", make_bench(tmp_path, []))
    own = hashlib.sha256(b"{}").hexdigest()
    for arithmetic in ("int8", "float32"):
        other = MiniLM(path=tmp_path, model_sha256=own, tokenizer_sha256=own, arithmetic=arithmetic)
        with pytest.raises(UserError, match=r"embedder 'minilm' cannot load .*model\.onnx"):
            other.encode(["x"], "query", make_bench(tmp_path, []))


def test_late_interaction_equals_a_loop(minilm: MiniLM, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, [])
    hits = [Hit(chunk, 1.0) for chunk in make_chunks(TEXTS)]
    query = "What was the revenue in 2025?"
    reranked = LateInteraction(embedder=minilm).rerank(query, hits, bench)
    question = minilm.states([query], "query", bench)[0].astype(np.float32)
    for hit in reranked:
        passage = minilm.states([hit.chunk.text], "passage", bench)[0].astype(np.float32)
        best = [max(float(sum(x * y for x, y in zip(q, p, strict=True))) for p in passage) for q in question]
        assert hit.score == pytest.approx(sum(best) / len(best), abs=1e-4)
    assert reranked[0].chunk.text == TEXTS[0]


def test_hits_below_the_depth_keep_their_order_with_falling_scores(minilm: MiniLM, tmp_path: Path) -> None:
    hits = [Hit(chunk, 9.0 - number) for number, chunk in enumerate(make_chunks(TEXTS))]
    reranked = LateInteraction(embedder=minilm, depth=2).rerank("long-term debt", hits, make_bench(tmp_path, []))
    assert [hit.chunk for hit in reranked[2:]] == [hit.chunk for hit in hits[2:]]
    assert [hit.score for hit in reranked] == sorted((hit.score for hit in reranked), reverse=True)
    assert len({hit.score for hit in reranked}) == 4
    assert LateInteraction(embedder=minilm).rerank("x", [], make_bench(tmp_path, [])) == []


def test_late_interaction_needs_token_states() -> None:
    with pytest.raises(ValueError, match="no token states"):
        LateInteraction(embedder=Letters())


def test_keep_keeps(tmp_path: Path) -> None:
    hits = [Hit(chunk, 1.0) for chunk in make_chunks(TEXTS)]
    assert Keep().rerank("x", hits, make_bench(tmp_path, [])) == hits


@pytest.fixture
def golden() -> Golden:
    return Golden.model_validate(
        {
            "id": "g",
            "question": "?",
            "answer": "1",
            "evidence": [["doc0:p1", "doc0:p2"], ["doc0:p9"]],
            "modality": ["table", "chart"],
        }
    )


def test_the_ceiling_leads_with_the_smallest_group_and_covers_each_modality(golden: Golden, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, make_chunks(TEXTS), golden)
    hits = bench.index(OraclePages()).search("anything", 50, None, bench)
    pages = list(dict.fromkeys(hit.chunk.ref for hit in hits))
    assert pages == [PageRef("doc0", 9), PageRef("doc0", 1), PageRef("doc0", 2)], "page 9 has no chunk of its own"
    assert {hit.chunk.kind for hit in hits if hit.chunk.ref.page == 9} == {"table", "figure"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_only_oracles_see_the_golden(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, make_chunks(TEXTS))
    with pytest.raises(RuntimeError, match="sees_gold"):
        bench.index(OraclePages()).search("anything", 5, None, bench)
