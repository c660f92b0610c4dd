"""What holds for any run, any file and any text, tried on random ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
import yaml
from conftest import CONFIG, DEV, PAGES, ROOT, run_config, write_set
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import registry
from harness.bench import Bench
from harness.cache.blobs import Blobs
from harness.cache.outcomes import Outcomes
from harness.components import Component
from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.goldens import loading
from harness.protocols import Chunker
from harness.records import Answer, Block, Case, Citation, Found, Golden, Page, PageRef, Search
from harness.runs import config, results
from harness.runs.options import Options
from harness.runs.results import RETRIEVAL
from harness.runs.stages import Scoring
from harness.scoring.scores import Score
from harness.scoring.summaries import all_metrics, summarise

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
MANY = settings(QUICK, max_examples=150)
REFS = [PageRef(doc, page + 1) for doc, pages in PAGES.items() for page in range(len(pages))]
METRICS = all_metrics()

# -- random runs --------------------------------------------------------------------------------------------------------

refs = st.sampled_from(REFS)
groups = st.lists(st.lists(refs, min_size=1, max_size=3, unique=True).map(tuple), max_size=3).map(tuple)
kinds = st.sampled_from(["text", "table", "figure"])
numbers = st.floats(-1e3, 1e3, allow_nan=False)
words = st.sampled_from(
    ["USD 1,284 million", "EUR 77 million", "(12.5)%", "yes", "Mara Lindqvist", "cannot be found", "2025", ""]
)


@st.composite
def hits(draw: st.DrawFn) -> tuple[Found, ...]:
    """A ranking, with pages that come again, ties and negative scores."""
    rows = draw(st.lists(st.tuples(refs, kinds, st.integers(-3, 9)), max_size=12))
    found = [Found(chunk=f"{ref}-{n}", ref=ref, kind=kind, score=score) for n, (ref, kind, score) in enumerate(rows)]
    return tuple(sorted(found, key=lambda hit: (-hit.score, hit.chunk)))


@st.composite
def asked(draw: st.DrawFn, id: str) -> Golden:
    evidence = draw(groups)
    docs = {ref.doc for group in evidence for ref in group} or {"birch_2025"}
    return Golden(
        id=id,
        question=draw(st.sampled_from(["How much revenue?", "Did sales rise?", "Who chairs the board?"])),
        expect=draw(st.sampled_from(["answer", "abstain"])),
        answer=draw(words) or "77",
        evidence=evidence,
        scope=tuple(sorted(docs)),
        modality=draw(st.sampled_from([("text",), ("table", "figure"), ("unlabelled",)])),
    )


@st.composite
def answers(draw: st.DrawFn) -> Answer | None:
    if draw(st.integers(0, 4)) == 0:
        return None
    cited = draw(st.lists(st.one_of(st.none(), refs), max_size=3))
    citations = tuple(Citation(raw=str(ref or "page 99"), ref=ref) for ref in cited)
    return Answer(text=" ".join(draw(st.lists(words, max_size=3))), citations=citations, abstained=draw(st.booleans()))


@st.composite
def pairs(draw: st.DrawFn, most: int = 6) -> list[tuple[Case, Case]]:
    """Retrieved and generated cases of a run."""
    made = []
    for number in range(draw(st.integers(1, most))):
        golden = draw(asked(f"g{number}"))
        searches = tuple(Search(query="q", hits=draw(hits())) for _ in range(draw(st.integers(0, 2))))
        answer = draw(answers())
        error = None if answer else "ValueError: no JSON"
        retrieved = Case(golden=golden, candidates=draw(hits()))
        made.append((retrieved, Case(golden=golden, searches=searches, answer=answer, error=error)))
    return made


Pairs = list[tuple[Case, Case]]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("fuzz")
    corpus = Corpus.open(write_set(folder / "tiny"), folder / "cache")
    for doc in PAGES:
        corpus.reference(doc)
    return corpus


class Scorer:
    """Scores cases as a run does, with units of its own."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self.bench = Bench(corpus=corpus, blobs=Blobs(folder / "blobs"))
        self.folder, self.number = folder, 0

    def __call__(self, cases: Pairs, workers: int = 1) -> list[list[Score]]:
        """The scores of each case, nothing cached."""
        self.number += 1
        outcomes = Outcomes(self.folder / f"{self.number}.sqlite")
        scoring = Scoring(METRICS, outcomes, self.bench, "golden", "stamp")
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda pair: scoring.score(*pair), cases))


@pytest.fixture
def score(tiny: Corpus, tmp_path: Path) -> Scorer:
    return Scorer(tiny, tmp_path)


SHARES = {metric.label for metric in METRICS if metric.unit == "share"}


@QUICK
@given(cases=pairs())
def test_shares_stay_between_0_and_1(cases: Pairs, score: Scorer) -> None:
    rows = [one for row in score(cases) for one in row]
    assert all(0 <= one.value <= 1 for one in rows if one.metric in SHARES and one.value is not None)
    assert all(one.status == "scored" or one.value is None for one in rows)
    for line in summarise(METRICS, [retrieved for retrieved, _ in cases], rows):
        assert line.scored + line.not_applicable + line.undecided + line.failed == len(cases)
        assert line.failed == 0, [one.reason for one in rows if one.status == "failed"]
        if line.metric in SHARES and line.mean is not None:
            assert 0 <= line.mean <= 1
            assert (
                line.low is None
                or line.high is None
                or 0 <= line.low <= line.mean + 1e-12 <= line.high + 2e-12 <= 1 + 3e-12
            )


@QUICK
@given(cases=pairs(), more=pairs(most=2))
def test_a_golden_more_changes_no_score_of_another(cases: Pairs, more: Pairs, score: Scorer) -> None:
    renamed = [(_named(one, "new"), _named(two, "new")) for one, two in more[:1]]
    assert score(cases) == score([*renamed, *cases])[1:]


def _named(case: Case, name: str) -> Case:
    return case.model_copy(update={"golden": case.golden.model_copy(update={"id": name})})


@QUICK
@given(cases=pairs(), data=st.data())
def test_the_order_of_goldens_changes_nothing(cases: Pairs, data: st.DataObject, score: Scorer) -> None:
    order = data.draw(st.permutations(range(len(cases))))
    first, second = score(cases), score([cases[place] for place in order])
    assert [first[place] for place in order] == second
    lines = [summarise(METRICS, [c[0] for c in some], [s for row in rows for s in row])
             for some, rows in ((cases, first), ([cases[place] for place in order], second))]  # fmt: skip
    assert [_numbers(line.model_dump()) for line in lines[0]] == [_numbers(line.model_dump()) for line in lines[1]]


def _numbers(value: Any) -> Any:
    """Rounded where the order of a sum may show in the last digit."""
    if isinstance(value, dict):
        return {key: _numbers(inner) for key, inner in value.items()}
    return pytest.approx(value, abs=1e-12) if isinstance(value, float) else value


@QUICK
@given(cases=pairs())
def test_scores_are_the_same_with_1_and_8_workers_and_from_the_cache(cases: Pairs, score: Scorer) -> None:
    alone = score(cases)
    assert score(cases, workers=8) == alone
    score.number -= 1
    assert score(cases) == alone


@pytest.mark.parametrize("workers", [1, 8])
def test_a_run_is_the_same_with_1_and_8_workers(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_set(tmp_path / "tiny")
    (tmp_path / "plain.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    places = []
    for name, number in (("three", 3), ("other", workers)):
        result = run_config(Path("plain.yaml"), Options(splits=("dev",), workers=number, results=Path(name)))
        places.append(result.folder)
    for name in (results.RETRIEVAL, results.GENERATION, results.SCORES):
        assert (places[0] / name).read_bytes() == (places[1] / name).read_bytes()


# -- random files -------------------------------------------------------------------------------------------------------

plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.binary(max_size=8).map(repr)
)
names = st.one_of(
    st.sampled_from([*Golden.model_fields, "use", "file", "sha256", "pages", "size", "first"]), st.text(max_size=8)
)
values = st.recursive(
    plain, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4))
)


@st.composite
def spoilt(draw: st.DrawFn, sound: dict[str, Any]) -> dict[str, Any]:
    """A sound block in which a few values, at any depth, are replaced, added or taken out."""
    block = json.loads(json.dumps(sound))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.sampled_from([block, *_inner(block)]))
        key = draw(st.one_of(st.sampled_from(sorted(at)), names)) if at else draw(names)
        if draw(st.booleans()):
            at.pop(key, None)
        else:
            at[key] = draw(values)
    return cast(dict[str, Any], block)


def _inner(block: Any) -> Iterator[dict[str, Any]]:
    if isinstance(block, dict):
        for value in block.values():
            if isinstance(value, dict):
                yield value
            yield from _inner(value)


def spoil(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes with a piece replaced by others."""
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 30)))
    return (
        data[:start]
        + draw(st.one_of(st.just(b""), st.binary(max_size=20), st.text(max_size=9).map(_encoded)))
        + data[end:]
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@st.composite
def golden_files(draw: st.DrawFn) -> bytes:
    rows = [draw(spoilt(row)) for row in draw(st.permutations(DEV))]
    data = b"".join(_encoded(json.dumps(row, ensure_ascii=draw(st.booleans()))) + b"\n" for row in rows)
    return spoil(draw, data) if draw(st.booleans()) else data


T = TypeVar("T")


def tried(call: Callable[[], T]) -> tuple[T | None, str]:
    """What the call gives, or the user's error that it raises; any other error fails the test."""
    try:
        return call(), ""
    except UserError as error:
        return None, str(error)


@MANY
@given(data=golden_files())
def test_goldens_load_or_say_what_is_wrong(data: bytes, tiny: Corpus, tmp_path: Path) -> None:
    (tmp_path / "dev.jsonl").write_bytes(data)
    loaded, said = tried(lambda: loading.load(tmp_path, "dev", tiny))
    assert loaded is None or len({golden.id for golden in loaded.goldens}) == len(loaded.goldens) > 0
    assert loaded is not None or all(
        line.startswith((str(tmp_path / "dev.jsonl"), "… and ")) for line in said.split("\n")
    )


SYSTEM = yaml.safe_load((ROOT / "configs" / "hybrid_rerank.yaml").read_text())


@st.composite
def yaml_files(draw: st.DrawFn, sound: dict[str, Any]) -> bytes:
    data = _encoded(yaml.safe_dump(draw(spoilt(sound)), allow_unicode=draw(st.booleans())))
    return spoil(draw, data) if draw(st.booleans()) else data


@MANY
@given(data=yaml_files(SYSTEM))
def test_configs_load_or_say_what_is_wrong(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_bytes(data)
    system, said = tried(lambda: config.load(path))
    assert json.dumps(system.spec(), allow_nan=False) if system is not None else str(path) in said


LISTING = {
    "name": "tiny",
    "redistributable": True,
    "documents": {"a": {"file": "a.pdf", "sha256": "0" * 64, "pages": 3, "title": "A", "aliases": ["B"]}},
}


@MANY
@given(data=yaml_files(LISTING))
def test_corpora_load_or_say_what_is_wrong(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "corpus.yaml").write_bytes(data)
    for verify in (False, True):
        corpus, said = tried(partial(Corpus.open, tmp_path, verify=verify))
        assert corpus is not None or str(tmp_path) in said


# -- random text --------------------------------------------------------------------------------------------------------

STRANGE = {
    "a million characters": "revenue of 77 million euros, " * 35_000,
    "a million characters without a space": "x" * 1_000_000,
    "one word": "revenue",
    "right to left": "الإيرادات ٧٧ مليون \u202eevil\u202c הכנסות 77 מיליון",
    "ligatures": "oﬃce ﬁnance ﬂow Ĳ ǆ ﷺ",
    "soft hyphens": "reve\u00adnue of seventy\u00adseven mil\u00adlion",
    "control characters": "".join(map(chr, range(32))) + "revenue\x7f\x80\x9b31m\u2028\u2029\ufeff\ufffe\uffff",
    "combining": "e" + "\u0301" * 5000 + " Z̴̡̦͇a̶̛͓l̷̰͠g̵̺̈́o̶͕͝",
    "emoji": "👩‍👩‍👧‍👦 revenue 🇫🇮 €77m",
    "lone surrogates": "revenue \ud800 77 \udfff",
    "only spaces": " \u00a0\u3000\t\n" * 50,
    "line ends": "a\r\nb\rc\x0bd\x0ce\x85f",
}
CHUNKERS = ["page_windows", "headings"]
NO_BENCH = Bench()


def page(text: str, number: int = 1, kind: str = "text") -> Page:
    return Page.model_validate({"ref": f"d:p{number}", "blocks": [Block.model_validate({"kind": kind, "text": text})]})


def chunker(name: str) -> Chunker:
    found = registry.load("chunker", name, Component)()
    assert isinstance(found, Chunker)
    return found


def check(name: str, pages: Sequence[Page]) -> None:
    """Chunks come out whole and the same each time, with ids of their own, and can be kept."""
    chunks = chunker(name).chunk(pages, NO_BENCH)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(chunk.id.startswith(f"{chunk.ref}") for chunk in chunks)
    assert chunker(name).chunk(pages, NO_BENCH) == chunks


@pytest.mark.parametrize("name", CHUNKERS)
@pytest.mark.parametrize("text", STRANGE)
def test_strange_pages_are_chunked_and_their_ids_are_stable(text: str, name: str) -> None:
    check(name, [page(STRANGE[text]), page("after it", 2)])


@pytest.mark.parametrize("name", CHUNKERS)
@MANY
@given(
    texts=st.lists(st.tuples(st.text(max_size=400), st.sampled_from(["text", "heading", "table", "list"])), max_size=4)
)
def test_any_text_is_chunked_and_its_ids_are_stable(texts: list[tuple[str, str]], name: str) -> None:
    check(name, [page(text, number, kind) for number, (text, kind) in enumerate(texts, start=1)])


PARSER = '''"""Gives the texts of pages.json."""
import json
from pathlib import Path
from harness.protocols import Parser
from harness.records import Block, Page, PageRef

class Strange(Parser):
    """Strange pages."""
    def parse(self, pdf, doc, bench):
        texts = json.loads(Path("pages.json").read_text())
        return [Page(ref=PageRef(doc, n), blocks=(Block(kind="text", text=t),)) for n, t in enumerate(texts, start=1)]
'''


def test_a_run_over_strange_pages_ends_and_is_the_same_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"birch_2025": [["page"]] * len(STRANGE)}
    write_set(tmp_path / "tiny", pages)
    asked = {name: "".join(c for c in text[:300] if not "\ud800" <= c <= "\udfff") for name, text in STRANGE.items()}
    rows = [
        {"id": name, "question": f"{name} {text}", "answer": "77", "evidence": [[f"birch_2025:p{number}"]]}
        for number, (name, text) in enumerate(asked.items(), start=1)
    ]
    (tmp_path / "tiny" / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "pages.json").write_text(json.dumps(list(STRANGE.values())))
    (tmp_path / "systems" / "parsers").mkdir(parents=True)
    (tmp_path / "systems" / "parsers" / "fuzz_strange.py").write_text(PARSER)
    (tmp_path / "plain.yaml").write_text(CONFIG.replace("liteparse", "fuzz_strange"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    kept = []
    for name in ("first", "second"):
        result = run_config(Path("plain.yaml"), Options(splits=("dev",), results=Path(name)))
        assert result.manifest.corpus["birch_2025"]["pages"] == {"ok": len(STRANGE)}
        assert result.manifest.corpus["birch_2025"]["error"] is None
        assert not [case for case in (*result.rows.retrieved, *result.rows.generated) if case.error]
        kept.append((result.folder / RETRIEVAL).read_bytes())
    assert kept[0] == kept[1]
