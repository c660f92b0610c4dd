"""Documents that are broken, hostile or huge: each costs itself and nothing else, with its reason, and the run goes on."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, PAGES, ROOT, Cli, draw

from harness.commands._checks import goldens_of
from harness.documents import processes
from harness.documents.corpus import Corpus
from harness.errors import UserError
from harness.records import PageRef

MIB = 1 << 20


def pdf(objects: Sequence[bytes | tuple[bytes, bytes]], *, first: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalog. A pair is a stream: its dictionary and its data."""
    out, places = bytearray(b"%PDF-1.7\n" + first), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        if isinstance(body, tuple):
            body = b"<<%s /Length %d>>\nstream\n%s\nendstream" % (body[0], len(body[1]), body[1])
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))


FONT = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
CATALOG = b"<</Type /Catalog /Pages 2 0 R>>"
WORDS = b"BT /F 12 Tf 72 700 Td (Revenue was 77 million) Tj ET"


def one_page(
    content: bytes | tuple[bytes, bytes] = WORDS,
    *,
    box: bytes = b"0 0 612 792",
    font: bytes = FONT,
    catalog: bytes = CATALOG,
    more: Sequence[bytes | tuple[bytes, bytes]] = (),
    resources: bytes = b"",
) -> bytes:
    """A PDF of one page."""
    page = b"<</Type /Page /Parent 2 0 R /MediaBox [%s] /Contents 4 0 R /Resources <</Font <</F 5 0 R>> %s>>>>"
    stream = content if isinstance(content, tuple) else (b"", content)
    return pdf([catalog, b"<</Type /Pages /Kids [3 0 R] /Count 1>>", page % (box, resources), stream, font, *more])


def many_pages(number: int) -> bytes:
    kids = b" ".join(b"%d 0 R" % (4 + 2 * row) for row in range(number))
    objects: list[bytes | tuple[bytes, bytes]] = [
        CATALOG, b"<</Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 612 792]>>" % (kids, number), FONT,
    ]  # fmt: skip
    for row in range(number):
        content = b"BT /F 12 Tf 72 700 Td (Revenue on page %d) Tj ET" % (row + 1)
        page = b"<</Type /Page /Parent 2 0 R /Contents %d 0 R /Resources <</Font <</F 3 0 R>>>>>>" % (5 + 2 * row)
        objects += [page, (b"", content)]
    return pdf(objects)


def bomb(size: int, layers: int) -> tuple[bytes, bytes]:
    """A stream of spaces and words that is `size` bytes unpacked."""
    packer, packed = zlib.compressobj(1), bytearray()
    block = b" " * MIB
    for _ in range(size // MIB):
        packed += packer.compress(block)
    data = bytes(packed + packer.compress(WORDS) + packer.flush())
    for _ in range(layers - 1):
        data = zlib.compress(data, 9)
    return b"/Filter [%s]" % b" ".join([b"/FlateDecode"] * layers), data


def font_bomb() -> bytes:
    """Fonts whose code maps cover everything a thousand times over, and whose widths never end."""
    rows = b"".join(b"100 beginbfrange\n" + b"<0000> <FFFF> <0041>\n" * 100 + b"endbfrange\n" for _ in range(300))
    cmap = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n" + rows + b"endcmap end end"
    font = (
        b"<</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R>>"
    )
    widths = b" ".join(b"%d [%s]" % (n, b"500 " * 200) for n in range(0, 60_000, 200))
    inner = b"<</Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo <<>> /W [%s]>>" % widths
    return one_page(font=font, more=[inner, (b"/Filter /FlateDecode", zlib.compress(cmap))])


def deep_tree(depth: int) -> bytes:
    """A page at the end of a chain of page tree nodes."""
    nodes = [b"<</Type /Pages /Kids [%d 0 R] /Count 1>>" % (number + 3) for number in range(depth)]
    page = b"<</Type /Page /Parent %d 0 R /MediaBox [0 0 612 792]>>" % (depth + 1)
    return pdf([CATALOG, *nodes, page])


def protected(path: Path, user: str) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), encrypt=StandardEncryption(user, ownerPassword="owner", canCopy=0), invariant=True)
    canvas.drawString(72, 700, "Revenue was 77 million")
    canvas.save()


def sparse(path: Path, head: bytes) -> None:
    path.write_bytes(head)
    os.truncate(path, 100 * MIB)


def cut(path: Path, share: float) -> None:
    draw(path, PAGES["alder_2025"])
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def cyclic() -> bytes:
    """A page tree that holds its own root."""
    inner = b"<</Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 1>>"
    return pdf([CATALOG, b"<</Type /Pages /Kids [2 0 R 3 0 R] /Count 2>>", inner])


X = b"/XObject <</X 6 0 R>>"
LOOP = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <<" + X + b">>"
ACTIONS = (
    b"<</Type /Catalog /Pages 2 0 R /OpenAction 6 0 R /AA <</WC 6 0 R>> /Names <</JavaScript <</Names [(a) 7 0 R]>>>>>>"
)
LAUNCH = b"<</S /Launch /F (touch launched) /Unix <</F (touch) /P (launched)>> /Next 7 0 R>>"
SCRIPT = b"<</S /JavaScript /JS (app.launchURL\\('file:touch launched'\\); while\\(true\\) {})>>"


Maker = Callable[[Path], object]


def raw(data: Callable[[], bytes]) -> Maker:
    return lambda path: path.write_bytes(data())


class Hostile:
    """A document, the pages that its listing claims, and what is to become of it."""

    def __init__(self, make: Maker, pages: dict[str, int], error: str | None = None, listed: int = 0) -> None:
        self.make, self.pages, self.error = make, pages, error
        self.listed = listed or sum(pages.values())


UNOPENED = "ParseError: PDF error"
UNREADABLE = (
    "cut_short", "user_password", "zero_pages", "packed_bomb", "no_pdf", "empty", "nothing", "nothing_in_a_pdf",
)  # fmt: skip
KILLED = "the process that worked on it was killed twice"
ABORTED = "it ended the process that worked on it (SIGABRT; out of memory?)"
DOCUMENTS = {
    "plain": Hostile(raw(one_page), {"ok": 1}),
    "blank": Hostile(raw(lambda: one_page(b"")), {"blank": 1}),
    "cut_short": Hostile(lambda path: cut(path, 0.1), {"failed": 4}, UNOPENED),
    "owner_password": Hostile(lambda path: protected(path, ""), {"ok": 1}),
    "user_password": Hostile(lambda path: protected(path, "secret"), {"failed": 3}, "password required"),
    "zero_pages": Hostile(raw(lambda: pdf([CATALOG, b"<</Type /Pages /Kids [] /Count 0>>"])), {"failed": 1}, ""),
    "many_pages": Hostile(raw(lambda: many_pages(5000)), {"ok": 5000}),
    "wide": Hostile(raw(lambda: one_page(box=b"0 0 14400 792")), {"ok": 1}),
    "font_bomb": Hostile(raw(font_bomb), {"ok": 1}),
    "packed_bomb": Hostile(raw(lambda: one_page(bomb(1200 * MIB, 2))), {"failed": 1}, f"; with 'plain_text' {ABORTED}"),
    "deep_array": Hostile(raw(lambda: one_page(b"[" * 200_000 + b"]" * 200_000 + WORDS)), {"ok": 1}),
    "deep_states": Hostile(raw(lambda: one_page(b"q " * 500_000 + WORDS)), {"ok": 1}),
    "deep_tree": Hostile(raw(lambda: deep_tree(5000)), {"failed": 1}, ""),
    "drawing_itself": Hostile(raw(lambda: one_page(WORDS + b" /X Do", resources=X, more=[(LOOP, b"/X Do")])), {"ok": 1}),
    "cyclic": Hostile(raw(cyclic), {"failed": 2}, ""),
    "actions": Hostile(raw(lambda: one_page(catalog=ACTIONS, more=[LAUNCH, SCRIPT])), {"ok": 1}),
    "no_pdf": Hostile(lambda path: path.write_text("<html>404</html>"), {"failed": 1}, UNOPENED),
    "empty": Hostile(lambda path: path.write_bytes(b""), {"failed": 1}, UNOPENED),
    "nothing": Hostile(lambda path: sparse(path, b""), {"failed": 1}, UNOPENED),
    "nothing_in_a_pdf": Hostile(lambda path: sparse(path, b"%PDF-1.7\n"), {"failed": 1}, UNOPENED),
}  # fmt: skip
"""An error of "" is any reason."""


def listing(folder: Path, documents: dict[str, int]) -> None:
    """corpus.yaml for the PDFs of `folder`, with the pages that are claimed."""
    rows = [
        f"  {doc}: {{file: {doc}.pdf, sha256: {sha(folder / f'{doc}.pdf')}, pages: {pages}, title: {doc}}}\n"
        for doc, pages in documents.items()
    ]
    (folder / "corpus.yaml").write_text("name: tiny\nredistributable: true\ndocuments:\n" + "".join(rows))


def sha(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ask(folder: Path, docs: Sequence[str]) -> None:
    """One golden for each document, whose first page is gold."""
    rows = [
        {"id": doc, "question": "How much revenue was made?", "answer": "77 million", "evidence": [[f"{doc}:p1"]],
         "scope": [doc], "modality": ["text"]}
        for doc in docs
    ]  # fmt: skip
    (folder / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def kept(project: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The manifest of the run, and its retrieval rows by golden."""
    parent = next((project / "results" / "tiny").glob("*/dev"))
    place = parent / (parent / "latest").read_text().strip()
    rows = [json.loads(line) for line in (place / "retrieval.jsonl").read_text().splitlines()]
    return json.loads((place / "manifest.json").read_text()), {row["golden"]: row for row in rows}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A run over all the documents, with a memory limit of one GiB."""
    project = tmp_path_factory.mktemp("hostile")
    (project / "tiny").mkdir()
    for name, document in DOCUMENTS.items():
        document.make(project / "tiny" / f"{name}.pdf")
    listing(project / "tiny", {name: document.listed for name, document in DOCUMENTS.items()})
    ask(project / "tiny", list(DOCUMENTS))
    (project / "plain.yaml").write_text(CONFIG)
    return project, run(project, "--workers", "2", HARNESS_DOCUMENT_GIB="1")


def run(project: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness.cli", "run", "plain.yaml", "--split", "dev", "--json", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


Run = tuple[Path, subprocess.CompletedProcess[str]]


def found_in(name: str) -> bool:
    """Whether the document has text that says something (the code map of one makes its letters others)."""
    return "ok" in DOCUMENTS[name].pages and name != "font_bomb"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_document_costs_itself_and_says_why(name: str, hostile: Run) -> None:
    project, done = hostile
    manifest, rows = kept(project)
    document, found = DOCUMENTS[name], manifest["corpus"][name]
    assert found["pages"] == document.pages
    if document.error is None:
        assert found["error"] is None
        assert ("candidates" in rows[name]) == found_in(name)
        assert f"document '{name}' failed" not in done.stderr
    else:
        assert document.error in found["error"]
        assert f"document '{name}' failed: {found['error']}" in done.stderr
        assert rows[name]["error"] == f"{name}: {found['error']}"


def test_the_denominator_holds_the_failed_documents(hostile: Run) -> None:
    found = json.loads(hostile[1].stdout)["tiny/plain/dev"]["page_hit@5"]
    readable = sum(map(found_in, DOCUMENTS))
    assert found["scored"] == len(DOCUMENTS)
    assert found["mean"] == pytest.approx(readable / len(DOCUMENTS))


def test_what_the_instrument_cannot_read_is_said(hostile: Run) -> None:
    told = [line for line in hostile[1].stderr.splitlines() if "cannot be checked" in line]
    names = sorted(line.split("'")[1] for line in told)
    assert names == sorted(UNREADABLE)
    assert "needs a password" in next(line for line in told if "user_password" in line)


def test_harness_check_and_harness_corpus_name_what_cannot_be_opened(hostile: Run, tmp_path: Path) -> None:
    folder = hostile[0] / "tiny"
    (told, *rest) = [line for line in goldens_of([folder], hostile[0] / "results" / "cache") if not line.sound]
    unopened = [name for name in UNREADABLE if name != "packed_bomb"]
    assert len([told, *rest]) == len(unopened)
    command = [sys.executable, "-m", "harness.cli", "corpus", str(folder), "--out", str(tmp_path / "corpus.yaml")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HARNESS_DOCUMENT_GIB": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, "the others were written"
    left_out = [Path(line.split(": ")[1]).stem for line in done.stderr.splitlines() if line.startswith("left out")]
    assert sorted(left_out) == sorted(UNREADABLE)


def test_a_reference_that_kills_its_process_fails_the_check_and_not_the_command(hostile: Run, tmp_path: Path) -> None:
    """Also where its cache is gone, as when saved answers are scored on another machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_DOCUMENT_GIB", "1")
        corpus = Corpus.open(hostile[0] / "tiny", tmp_path)
        assert corpus.text(PageRef("wide", 1)) == "Revenue was 77 million"
        with pytest.raises(UserError, match=r"it ended the process .*SIGABRT"):
            corpus.text(PageRef("packed_bomb", 1))


def test_actions_are_never_run(hostile: Run) -> None:
    assert not (hostile[0] / "launched").exists()


def test_only_what_the_process_lost_is_tried_again(hostile: Run) -> None:
    project, _ = hostile
    pages = {path.name for path in (project / "results" / "cache" / "pages").iterdir()}
    assert len(pages) == len(DOCUMENTS) - 1, "what ran out of memory is not kept as failed: more memory may do"


MISBEHAVING = """
from systems.parsers.liteparse import LiteParseParser
import os, signal, sys, time

class Misbehaving(LiteParseParser):
    def parse(self, pdf, doc, bench):
        print("a parser that talks")
        with open(doc + ".tries", "a") as file:
            file.write("x")
        self.misbehave(doc)
        return super().parse(pdf, doc, bench)

    def second(self):
        return super().second() if SECOND else None

    def misbehave(self, doc):
        BODY
"""


def misbehave(project: Path, body: str, *, second: bool = False) -> None:
    folder = project / "systems" / "parsers"
    folder.mkdir(parents=True)
    (folder / "misbehaving.py").write_text(MISBEHAVING.replace("BODY", body).replace("SECOND", str(second)))
    (project / "plain.yaml").write_text(CONFIG.replace("liteparse", "misbehaving"))


FAULTS = {
    "hangs": ("time.sleep(1000)", "it took longer than 12 seconds", 1),
    "eats_memory": ("bytearray(3 << 30)", "it needed more than 1 GiB of memory", 1),
    "is_killed": ("os.kill(os.getpid(), signal.SIGKILL)", f"{KILLED} (SIGKILL; out of memory?)", 2),
    "crashes": ("os.abort()", ABORTED, 1),
    "leaves": ("os._exit(3)", "it ended the process that worked on it (exit code 3)", 1),
    "ends_the_program": ("exec('raise SystemExit(3)')", "SystemExit: 3", 1),
    "panics": ("exec('class Panic(BaseException): pass\\nraise Panic(3)')", "Panic: 3", 1),
    "misses_a_file": ("open('/no/such/file')", "FileNotFoundError", 1),
}

LIMITS = {"HARNESS_DOCUMENT_SECONDS": "12", "HARNESS_PAGE_SECONDS": "0", "HARNESS_DOCUMENT_GIB": "1"}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with a parser that misbehaves on each document in another way, one aside."""
    project = tmp_path_factory.mktemp("faulty")
    (project / "tiny").mkdir()
    for name in (*FAULTS, "good"):
        (project / "tiny" / f"{name}.pdf").write_bytes(one_page())
    listing(project / "tiny", dict.fromkeys((*FAULTS, "good"), 1))
    ask(project / "tiny", (*FAULTS, "good"))
    misbehave(project, "".join(f"if doc == {name!r}: {body}\n        " for name, (body, _, _) in FAULTS.items()))
    return project, run(project, "--workers", "2", **LIMITS)


@pytest.mark.parametrize("name", FAULTS)
def test_a_parser_that_misbehaves_costs_its_document(name: str, faulty: Run) -> None:
    project, done = faulty
    _, reason, tries = FAULTS[name]
    manifest, rows = kept(project)
    assert manifest["corpus"][name]["pages"] == {"failed": 1}
    assert reason in manifest["corpus"][name]["error"]
    assert reason in rows[name]["error"]
    assert (project / f"{name}.tries").read_text() == "x" * tries
    assert (f"document '{name}': the process that worked on it was killed" in done.stderr) == (tries == 2)


def test_the_others_are_parsed_and_what_a_parser_prints_is_no_result(faulty: Run) -> None:
    project, done = faulty
    manifest, rows = kept(project)
    assert manifest["corpus"]["good"]["pages"] == {"ok": 1}
    assert rows["good"]["candidates"]
    assert list(json.loads(done.stdout)) == ["tiny/plain/dev"]


def test_a_worker_that_the_system_kills_once_costs_nothing(project: Path, cli: Cli) -> None:
    misbehave(
        project, "if doc == 'birch_2025' and os.path.getsize(doc + '.tries') == 1: os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = cli("run", "plain.yaml", "--split", "dev", "--json")
    assert (
        "document 'birch_2025': the process that worked on it was killed (SIGKILL); it is tried once more"
        in done.stderr
    )
    manifest, _ = kept(project)
    assert manifest["corpus"]["birch_2025"]["pages"] == {"ok": 3}
    assert json.loads(done.stdout)["tiny/plain/dev"]["page_hit@5"]["mean"] == 1.0


def test_a_document_that_was_lost_is_parsed_when_it_can_be(project: Path, cli: Cli) -> None:
    misbehave(project, "if doc == 'birch_2025' and os.environ.get('SMALL'): os.kill(os.getpid(), signal.SIGKILL)")
    lost = json.loads(cli("run", "plain.yaml", "--split", "dev", "--json", SMALL="1").stdout)["tiny/plain/dev"]
    whole = json.loads(cli("run", "plain.yaml", "--split", "dev", "--json").stdout)["tiny/plain/dev"]
    assert lost["page_hit@5"]["mean"] == pytest.approx(2 / 3)
    assert whole["page_hit@5"]["mean"] == 1.0


def circular_outline() -> bytes:
    """Two bookmarks that follow each other for ever; pages and text are sound."""
    root = b"<</Type /Catalog /Pages 2 0 R /Outlines 6 0 R>>"
    outline = b"<</Type /Outlines /First 7 0 R /Last 8 0 R /Count 2>>"
    marks = [b"<</Title (A) /Parent 6 0 R /Next 8 0 R>>", b"<</Title (B) /Parent 6 0 R /Next 7 0 R /Prev 7 0 R>>"]
    return one_page(catalog=root, more=[outline, *marks])


def test_a_second_reader_takes_what_kills_the_parser(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "ring.pdf").write_bytes(circular_outline())
    listing(tmp_path / "tiny", {"ring": 1})
    ask(tmp_path / "tiny", ["ring"])
    (tmp_path / "plain.yaml").write_text(CONFIG)
    done = run(tmp_path, HARNESS_DOCUMENT_GIB="0.5")
    manifest, rows = kept(tmp_path)
    said = "read by 'plain_text': with 'liteparse' it needed more than 0.5 GiB of memory"
    assert manifest["corpus"]["ring"]["instead"] == said
    assert rows["ring"]["candidates"]
    assert done.stderr.splitlines() == [f"document 'ring': {said}"], "no backtrace of a library in the terminal"


def test_a_document_is_lost_once_until_something_changes(project: Path) -> None:
    here = "doc == 'birch_2025' and os.environ.get('HARNESS_DOCUMENT_GIB') != '3'"
    misbehave(project, f"if {here}: os.write(2, b'a backtrace\\n' * 100), os.abort()", second=True)
    tries = project / "birch_2025.tries"
    first, again = run(project).stderr, run(project).stderr
    assert [line for line in first.splitlines() if "backtrace" in line] == [
        "document 'birch_2025': last words of its process: a backtrace"
    ]
    assert "document 'birch_2025': read by 'plain_text'" in again
    assert tries.read_text() == "x", "not tried again by the run after it"
    run(project, "--retry-failed")
    assert tries.read_text() == "xx"
    for limit in ({"HARNESS_DOCUMENT_GIB": "3"}, {}):
        run(project, **limit)
        assert "instead" not in kept(project)[0]["corpus"]["birch_2025"], "read by the parser itself, and kept"
        assert tries.read_text() == "xxx"


def test_what_nobody_could_read_is_not_tried_again(faulty: Run) -> None:
    project, first = faulty
    again = run(project, "--workers", "2", **LIMITS)
    assert [line for line in again.stderr.splitlines() if " failed: " in line] == [
        line for line in first.stderr.splitlines() if " failed: " in line
    ]
    tries = {name: (project / f"{name}.tries").read_text() for name in FAULTS}
    assert tries == {name: "xxxx" if name == "is_killed" else "x" for name in FAULTS}


def test_what_python_code_prints_is_passed_on_with_its_document(project: Path) -> None:
    misbehave(
        project, "print('a', 'b'); sys.stderr.write('c\\n'); os.write(1, b'native\\n'); [print(i) for i in range(99)]"
    )
    said = [line for line in run(project, "--workers", "1").stderr.splitlines() if "alder_2025" in line]
    assert said[:3] == [f"document 'alder_2025': {line}" for line in ("a parser that talks", "a b", "c")]
    assert len(said) == 21, "a flood is cut off"
    assert said[-1] == "document 'alder_2025': further lines, from the 21st on, are not shown"


@pytest.mark.parametrize("value", ["much", "-1", "nan", "inf"])
def test_a_limit_that_is_no_number_is_one_line(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_PAGE_SECONDS", value)
    with pytest.raises(UserError, match="HARNESS_PAGE_SECONDS"):
        processes.Limits.from_environment()
