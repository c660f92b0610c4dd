"""Planted losses: each is named by the step that lost the question, and by no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import CONFIG, DEV, run_config, write_set

from harness.records import Golden, PageRef
from harness.runs import differences, results
from harness.runs.options import Options
from harness.scoring.attribution import Loss, PageTrail, Seen, Step, Trail, counted_steps, loss
from harness.scoring.scores import Score

QUOTES = {
    "t:1": ("alder_2025:p2", "Revenue rose to USD 1,284 million in 2025"),
    "t/2": ("alder_2025:p4", "Mara Lindqvist chairs the board of Alder"),
    "t>3": ("birch_2025:p2", "Sales came to EUR 77 million in 2025"),
}
ANSWERABLE = tuple(QUOTES)

HEAD = """\
from harness.records import Answer, Citation, Hit, Page, PageRef, ranked
GOLD = {"1,284", "Lindqvist", "EUR 77"}
ANSWERS = {"much revenue": ("USD 1,284 million", "alder_2025:p2"), "chairs": ("Mara Lindqvist", "alder_2025:p4"),
           "Birch sell": ("EUR 77 million", "birch_2025:p2")}
def is_gold(text):
    return any(word in text for word in GOLD)
def known(question):
    return next((found for words, found in ANSWERS.items() if words in question), None)
"""
ANSWERER = """
class {name}(Answerer):
    def answer(self, question, search, history, bench):
        search(question)
        found = known(question)
        if found is None:
            return Answer(text="not stated", abstained=True)
        text, page = found
        ref = PageRef.parse(page)
        return {give}
"""
SYSTEMS = {
    "parsers/forgetful": """
from systems.parsers.liteparse import LiteParseParser
class Forgetful(LiteParseParser):
    def parse(self, pdf, doc, bench):
        pages = super().parse(pdf, doc, bench)
        return [page.model_copy(update={"blocks": tuple(b for b in page.blocks if not is_gold(b.text))}) for page in pages]
""",
    "chunkers/cutting": """
from systems.chunkers.page_windows import PageWindows
class Cutting(PageWindows):
    def chunk(self, pages, bench):
        found = []
        for chunk in super().chunk(pages, bench):
            words = chunk.text.split()
            half = next((at for at, word in enumerate(words) if word in ("1,284", "Lindqvist", "77")), len(words) // 2)
            for at, part in enumerate((words[:half], words[half:])):
                if part:
                    found.append(chunk.model_copy(update={"id": f"{chunk.id}-{at}", "text": " ".join(part)}))
        return found
""",
    "rerankers/burying": """
from harness.protocols import Reranker
class Burying(Reranker):
    def rerank(self, query, hits, bench):
        order = sorted(hits, key=lambda hit: is_gold(hit.chunk.text))
        return [Hit(hit.chunk, float(-place)) for place, hit in enumerate(order)]
""",
    "rerankers/dropping": """
from harness.protocols import Reranker
class Dropping(Reranker):
    def rerank(self, query, hits, bench):
        return [hit for hit in hits if not is_gold(hit.chunk.text)]
""",
    "answerers/deaf": "from harness.protocols import Answerer" + ANSWERER.format(
        name="Deaf", give='Answer(text="USD 5 million", citations=[Citation(raw="p1", ref=ref._replace(page=1))])'),
    "answerers/slip": "from harness.protocols import Answerer" + ANSWERER.format(
        name="Slip", give='Answer(text="USD 5 million", citations=[Citation(raw=page, ref=ref)])'),
    "answerers/one_off": "from harness.protocols import Answerer" + ANSWERER.format(
        name="OneOff", give='Answer(text=text, citations=[Citation(raw="next", ref=ref._replace(page=ref.page - 1))])'),
}  # fmt: skip

PLANTED: dict[Step, str] = {
    "parse": CONFIG.replace("liteparse", "forgetful").replace("statements", "deaf"),
    "chunk": CONFIG.replace("page_windows", "cutting").replace("statements", "deaf"),
    "search": CONFIG.replace("statements", "deaf") + "reranker: {use: dropping}\n",
    "rank": CONFIG.replace("{use: statements}", "{use: deaf, keep: 1}") + "reranker: {use: burying}\n",
    "unused": CONFIG.replace("statements", "deaf"),
    "answer": CONFIG.replace("statements", "slip"),
    "citation": CONFIG.replace("statements", "one_off"),
    "refusal": CONFIG.replace("statements", "always_abstain"),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose goldens have quotes, with a component for each way to lose a question."""
    folder = tmp_path_factory.mktemp("planted")
    write_set(folder / "tiny")
    quoted = [{**one, "quotes": {QUOTES[one["id"]][0]: [QUOTES[one["id"]][1]]}} if one["id"] in QUOTES else one
              for one in DEV]  # fmt: skip
    (folder / "tiny" / "dev.jsonl").write_text("".join(json.dumps(one) + "\n" for one in quoted))
    for name, text in SYSTEMS.items():
        path = folder / "systems" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + text)
    return folder


def losses_of(folder: Path, name: str, config: str) -> dict[str, Loss]:
    """Where each golden of a config's run was lost, as a comparison reads it."""
    path = folder / f"{name}.yaml"
    path.write_text(config)
    result = run_config(path, Options(splits=("dev",), results=folder / "results", findings=folder / "findings"))
    seen = differences.did(result.folder).seen
    trails = {trail.golden: trail for trail in results.read_trails(result.folder)}
    goldens = [case.golden for case in result.rows.retrieved]
    scores = {one.id: {s.metric: s for s in result.rows.scores if s.golden == one.id} for one in goldens}
    return {one.id: loss(one, scores[one.id], trails.get(one.id), seen[one.id]) for one in goldens}


@pytest.mark.parametrize("step", PLANTED)
def test_a_planted_loss_is_named(planted: Path, step: Step) -> None:
    found = losses_of(planted, step, PLANTED[step])
    assert {golden: found[golden].answer for golden in ANSWERABLE} == dict.fromkeys(ANSWERABLE, step)


def test_evidence_that_is_not_in_the_pages_own_text(planted: Path) -> None:
    folder = planted / "tiny"
    kept = (folder / "dev.jsonl").read_text()
    (folder / "dev.jsonl").write_text(kept.replace("Revenue rose to USD 1,284 million", "Turnover climbed to it"))
    try:
        assert losses_of(planted, "not_in_text", PLANTED["unused"])["t:1"].answer == "not_in_text"
    finally:
        (folder / "dev.jsonl").write_text(kept)


def test_without_quotes_the_figure_that_stands_on_the_page_is_looked_for(planted: Path) -> None:
    folder = planted / "tiny"
    kept = (folder / "dev.jsonl").read_text()
    (folder / "dev.jsonl").write_text("".join(json.dumps(one) + "\n" for one in DEV))
    try:
        found = losses_of(planted, "figures", PLANTED["parse"])
    finally:
        (folder / "dev.jsonl").write_text(kept)
    assert (found["t:1"].answer, found["t>3"].answer) == ("parse", "parse")


# -- the order of the steps -------------------------------------------------------------------------------------------

PAGE, OTHER = PageRef("d", 4), PageRef("d", 9)
GOLDEN = Golden(id="g", question="What was revenue?", answer="USD 12.5 million", evidence=((PAGE,),), scope=("d",))
MISSED = {"page_hit@5": Score(metric="page_hit@5", golden="g", value=0.0)}
WRONG = {"correctness": Score(metric="correctness", golden="g", value=0.0)}


def trail(**facts: object) -> Trail:
    return Trail(golden="g", pages=(PageTrail.model_validate({"ref": PAGE, **facts}),))


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        ({"in_text": False, "in_parse": False, "rank": 9}, "not_in_text"),
        ({"in_text": True, "in_parse": False, "in_chunk": False, "rank": 9}, "parse"),
        ({"in_text": True, "in_parse": True, "in_chunk": False}, "chunk"),
        ({"in_text": True, "in_parse": True, "in_chunk": True}, "search"),
        ({}, "search"),
        ({"rank": 9}, "rank"),
    ],
)
def test_a_missed_page_is_lost_at_the_first_step_that_lacks_it(facts: dict[str, object], step: Step) -> None:
    assert loss(GOLDEN, MISSED, trail(**facts), Seen()).pages == step


def test_either_group_of_evidence_is_enough() -> None:
    golden = GOLDEN.model_copy(update={"evidence": ((PAGE,), (OTHER,))})
    both = Trail(golden="g", pages=(PageTrail(ref=PAGE, in_parse=False), PageTrail(ref=OTHER, agent_rank=12)))
    assert loss(golden, WRONG, both, Seen()).answer == "rank"


def test_a_group_of_two_pages_is_lost_with_the_page_that_lacks() -> None:
    golden = GOLDEN.model_copy(update={"evidence": ((PAGE, OTHER),)})
    both = Trail(golden="g", pages=(PageTrail(ref=PAGE, agent_rank=1), PageTrail(ref=OTHER)))
    assert loss(golden, WRONG, both, Seen(shown=frozenset({PAGE}))).answer == "search"


def test_a_wrong_answer_to_a_key_that_is_not_sure_is_in_doubt() -> None:
    golden = GOLDEN.model_copy(update={"verified": "unconfirmed"})
    assert loss(golden, WRONG, trail(agent_rank=1), Seen(shown=frozenset({PAGE}))).answer == "in_doubt"


def test_what_is_not_lost_is_none_and_what_does_not_apply_is_left_out() -> None:
    right = {"correctness": Score(metric="correctness", golden="g", value=1.0)}
    found = [loss(GOLDEN, right, None, Seen()), loss(GOLDEN, {}, None, Seen())]
    assert [one.answer for one in found] == ["none", None]
    assert counted_steps([found[0]], "answer") == {"none": 1}
