"""A system that reads all that can be read and puts it into what it makes, so that nothing can change unseen.

Each component reads the bench by introspection: whatever is public there counts, today and after the next field is added. What
it reads becomes a few hex digits in a page, a chunk, an index, a passage, a score, a vector, an answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import write_set

SPY = '''"""A user's own module beside the config: reads everything that a component can read."""
import dataclasses, hashlib, json
from harness.records import PageRef

WORD = "spy-0"
PAGES = {}
READ = {"corpus", "documents", "chunks", "gold"}

def digest(*values):
    text = json.dumps([WORD, *values], default=repr, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

def share(*values):
    return int(digest(*values), 16) / 16**12

def tried(read):
    try:
        return read()
    except Exception as error:
        return type(error).__name__

def public(thing):
    found = {name: tried(lambda: getattr(thing, name)) for name in dir(thing) if not name.startswith("_")}
    return {name: value for name, value in found.items() if not callable(value)}

def page(corpus, ref):
    if ref not in PAGES:
        image = tried(lambda: hashlib.sha256(corpus.image(ref, 20)).hexdigest())
        reads = corpus.text, corpus.label, corpus.words
        PAGES[ref] = [image, *(tried(lambda: read(ref)) for read in reads)]
    return PAGES[ref]

def corpus(pages):
    listed = {doc: public(document) for doc, document in pages.documents.items()}
    refs = [PageRef(doc, number) for doc in listed for number in range(1, listed[doc]["pages"] + 1)]
    rest = {name: value for name, value in public(pages).items() if name != "documents"}
    return [list(listed.items()), rest, [[str(ref), page(pages, ref)] for ref in refs]]

def seen(bench):
    """All that the bench says, capabilities (memo, index, passage, blobs, progress) aside."""
    return [
        corpus(bench.corpus),
        [public(document) for document in bench.documents],
        [chunk.model_dump(mode="json") for chunk in bench.chunks],
        tried(lambda: bench.golden.model_dump(mode="json")),
    ]
'''

PARTS = {
    "spy.py": SPY,
    "own_package/__init__.py": "from .impl import shout\nWORD = 'package-0'\n",
    "own_package/impl.py": "from . import deeper\nWORD = 'impl-0'\ndef shout():\n    return WORD + deeper.WORD\n",
    "own_package/deeper.py": "WORD = 'deeper-0'\n",
    "installed/elsewhere.py": "WORD = 'elsewhere-0'\n",
    "systems/_probe/__init__.py": "from .words import *\nfrom .words import WORD as INNER\nWORD = 'shared-0'\n",
    "systems/_probe/words.py": "WORD = 'words-0'\n",
    "systems/_probe/late.py": "WORD = 'late-0'\n",
    "systems/parsers/probe_parser.py": '''"""Pages of the instrument's own text."""
import own_package
from harness.protocols import Parser
from harness.records import Block, Page, PageRef
from spy import digest, seen

class ProbeParser(Parser):
    """What it reads is its page."""
    mode: str = "plain"
    def parse(self, pdf, doc, bench):
        pages = bench.corpus.documents[doc].pages
        words = own_package.shout(), own_package.WORD
        said = digest("parse", pdf.read_bytes().hex()[:4000], doc, self.mode, words, seen(bench))
        texts = {ref: bench.corpus.text(ref) for ref in (PageRef(doc, n) for n in range(1, pages + 1))}
        return [Page(ref=ref, blocks=(Block(kind="text", text=f"{text} {said}"),)) for ref, text in texts.items()]
''',
    "systems/chunkers/probe_chunker.py": '''"""A chunk a page."""
import elsewhere
from harness.protocols import Chunker
from harness.records import Chunk
from spy import digest, seen

class ProbeChunker(Chunker):
    """What it reads is its text."""
    size: int = 10
    def chunk(self, pages, bench):
        said = digest("chunk", self.size, elsewhere.WORD, seen(bench))
        return [Chunk(id=f"{page.ref}#0", ref=page.ref, text=f"{page.text} {said}") for page in pages]
''',
    "systems/embedders/probe_embedder.py": '''"""Vectors of what it reads."""
import numpy as np
from harness.protocols import Embedder
from spy import seen, share

class ProbeEmbedder(Embedder):
    """Unit vectors whose direction is what it reads."""
    turn: float = 0.5
    def encode(self, texts, kind, bench):
        angles = [share("embed", text, kind, self.turn, seen(bench)) for text in texts]
        return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], dtype=np.float32)
''',
    "systems/retrievers/probe_leaf.py": '''"""The first chunks, with what was read as their passage."""
from pathlib import Path
from typing import TYPE_CHECKING
if not TYPE_CHECKING:
    from systems._probe import late
from harness.bench import Index
from harness.components import query_time
from harness.protocols import Retriever
from harness.records import Hit
from spy import digest, seen, share

class ProbeLeaf(Retriever):
    """Reads two files of one name."""
    first: Path | None = None
    second: Path | None = None
    weight: float = 1.0
    late: int = query_time(1)
    def files(self):
        return tuple(path for path in (self.first, self.second) if path)
    def read(self, bench):
        return [bench.file(self, path).decode() for path in self.files()]
    def build(self, chunks, folder, bench):
        (folder / "seen.txt").write_text(digest("build", self.weight, [c.text for c in chunks], self.read(bench), seen(bench)))
    def open(self, folder, bench):
        opened = digest("open", seen(bench), self.late)
        return ProbeIndex(self, (folder / "seen.txt").read_text() + opened, self.read(bench))

class ProbeIndex(Index):
    def __init__(self, settings, built, files):
        self.settings, self.built, self.files = settings, built, files
    def search(self, query, k, docs, bench):
        asked = [query, k, sorted(docs or ()), self.settings.spec(), self.built, self.files, late.WORD, seen(bench)]
        said, chunks = digest("search", asked), [bench.chunks[row] for row in bench.chunks.rows(docs)][:k]
        context = lambda chunk: chunk.model_copy(update={"context": f"{chunk.passage} {said}"})
        return [Hit(context(chunk), 1 / (rank + 1) + share(said)) for rank, chunk in enumerate(chunks)]
''',
    "systems/retrievers/probe_gold.py": '''"""A leaf that looks at the golden."""
from systems.retrievers.probe_leaf import ProbeLeaf as Leaf

class ProbeGold(Leaf):
    """Sees all."""
    sees_gold = True
''',
    "systems/retrievers/probe_outer.py": '''"""Retrievers in a mapping and in pairs."""
from harness.bench import Index
from harness.protocols import Retriever
from harness.records import Hit
from spy import digest, seen

class ProbeOuter(Retriever):
    """The hits of `inner`, read with what all the others found."""
    inner: Retriever
    named: dict[str, Retriever] = {}
    pairs: tuple[tuple[str, Retriever], ...] = ()
    weights: dict[str, float] = {}
    def open(self, folder, bench):
        every = [*self.named.items(), *self.pairs]
        return OuterIndex(self, bench.index(self.inner), [(name, bench.index(one)) for name, one in every])

class OuterIndex(Index):
    def __init__(self, settings, inner, others):
        self.settings, self.inner, self.others = settings, inner, others
    def search(self, query, k, docs, bench):
        found = [[name, [h.chunk.passage for h in one.search(query, k, docs, bench)]] for name, one in self.others]
        said = digest("outer", found, list(self.settings.weights.items()), seen(bench))
        hits = self.inner.search(query, k, docs, bench)
        return [Hit(h.chunk.model_copy(update={"context": f"{h.chunk.passage} {said}"}), h.score) for h in hits]
''',
    "systems/rerankers/probe_reranker.py": '''"""The same order, with vectors in it."""
import systems._probe as shared
from harness.protocols import Embedder, Reranker
from harness.records import Hit
from spy import digest, seen, share

class ProbeReranker(Reranker):
    """What it reads is in the passages and the scores."""
    embedder: Embedder
    depth: int = 5
    def rerank(self, query, hits, bench):
        vectors = self.embedder.embed([query, *(hit.chunk.text for hit in hits)], "query", bench).tolist()
        read = [vectors, shared.WORD, shared.INNER, [hit.chunk.passage for hit in hits]]
        said = digest("rerank", query, self.depth, read, seen(bench))
        widened = [h.chunk.model_copy(update={"context": f"{h.chunk.passage} {said}"}) for h in hits]
        return [Hit(chunk, hit.score + share(said)) for chunk, hit in zip(widened, hits)]
''',
    "systems/answerers/probe_answerer.py": '''"""An answer that says what was read."""
from harness.protocols import Answerer
from harness.records import Answer
from spy import digest, seen, share

class ProbeAnswerer(Answerer):
    """Searches twice."""
    tone: str = "dry"
    def answer(self, question, search, history, bench):
        found = [[hit.chunk.passage for hit in search(query)] for query in (question, question + " again")]
        read = digest("answer", question, [turn.model_dump() for turn in history], self.spec(), found, seen(bench))
        return Answer(text=f"{self.tone} {read}", confidence=share(read), trace={"read": read})
''',
    "systems/metrics/probe_metric.py": '''"""A value of all that a metric can read."""
from harness.scoring.metric import Metric
from spy import seen, share

class ProbeMetric(Metric):
    """Reads the case, the corpus, and every passage that the answerer read."""
    reads_passages = True
    stage = "generate"
    def score(self, case, bench):
        passages = [bench.passage(hit.chunk) for search in case.searches for hit in search.hits]
        return self.scored(case, share("metric", case.model_dump(mode="json"), passages, seen(bench)), "read")
''',
    "one/words.txt": "one 0\n",
    "two/words.txt": "two 0\n",
}

CONFIG: dict[str, Any] = {
    "goldens": "tiny",
    "scope": "golden",
    "parser": {"use": "probe_parser"},
    "chunker": {"use": "probe_chunker"},
    "retriever": {
        "use": "probe_outer",
        "inner": {"use": "probe_leaf", "first": "one/words.txt", "second": "two/words.txt"},
        "named": {"a": {"use": "probe_leaf", "weight": 2.0}, "b": {"use": "probe_leaf", "second": "one/words.txt"}},
        "pairs": [["c", {"use": "probe_leaf", "late": 3}], ["d", "bm25"]],
        "weights": {"a": 1.0, "b": 2.0},
    },
    "reranker": {"use": "probe_reranker", "embedder": {"use": "probe_embedder"}},
    "answerer": {"use": "probe_answerer"},
}


def write_project(folder: Path) -> Path:
    """The tiny set, the system that reads everything, and its config, in `folder`."""
    write_set(folder / "tiny")
    for name, text in PARTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "probe.yaml").write_text(json.dumps(CONFIG, indent=1))
    return folder
