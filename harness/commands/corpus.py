"""Write corpus.yaml for a folder of PDFs: ids, sha256, pages and titles.

PDFs are taken from the folder and the folders in it. Ids come from file names, titles from the PDF's own title, else from the
largest line of its first page, else from the file name: read them over, and add aliases. PDFs that cannot be opened (encrypted,
damaged, empty) and second copies of a file are left out: each is named on stderr with its reason, and the last line counts
them. Where no PDF is left to list, nothing is written and the exit code is 2. With --force, a corpus.yaml that is there is
replaced, and the ids, titles and aliases in it are kept for files that it lists. Pages that are pictures, or whose text nobody
can read, are named on stderr.

  harness corpus path/to/my_set
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from harness.errors import HarnessError, UserError
from harness.files.reading import file_sha256

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", metavar="DIR", help="folder of PDFs; folders inside it count")
    parser.add_argument("--name", help="name of the golden set (default: the folder's name)")
    parser.add_argument("--out", metavar="FILE", help="where to write (default: DIR/corpus.yaml)")
    parser.add_argument(
        "--redistributable", action="store_true", help="mark the set as one whose results may be in git"
    )
    parser.add_argument(
        "--force", action="store_true", help="replace a file that is there, keeping what was edited in it"
    )


def run(args: argparse.Namespace) -> int:
    """Write the file, naming what is left out. Raises UserError where there is nothing to list, or the file is there."""
    from pathlib import Path

    from harness.files.wording import counted
    from harness.reports.escaping import terminal

    folder = Path(args.dir)
    out = Path(args.out) if args.out else folder / "corpus.yaml"
    pdfs, before = _pdfs(folder), _before(out, args.force)
    documents, faults = _documents(pdfs, out, before.get("documents", {}))
    for fault in faults:
        print(f"left out: {terminal(fault)}", file=sys.stderr)
    if not documents:
        raise UserError(f"{folder}: {_none_of(len(pdfs))} be opened; nothing was written.")
    name = args.name or before.get("name") or _slug(folder.resolve().name)
    free = args.redistributable or bool(before.get("redistributable", False))
    _write(out, {"name": name, "redistributable": free, "documents": documents})
    for line in _unread(documents, out):
        print(f"not text: {terminal(line)}", file=sys.stderr)
    pages = sum(block["pages"] for block in documents.values())
    left_out = f"; {len(faults)} left out" if faults else ""
    print(f"{terminal(str(out))}: {counted(len(documents), 'document')}, {counted(pages, 'page')}{left_out}.")
    return 0


def _unread(documents: dict[str, Any], out: Path) -> Iterator[str]:
    """What pages of the documents hold no text that could be read, and what would read them."""
    from harness.documents import page_text
    from harness.reports import unread

    files = {block["sha256"]: (out.parent / block["file"], block["pages"]) for block in documents.values()}
    found = page_text.unread_of_all(files, None)
    for id, block in documents.items():
        yield from unread.sentences(id, block["pages"], found[block["sha256"]])


def _none_of(pdfs: int) -> str:
    return "the one PDF in it cannot" if pdfs == 1 else f"none of its {pdfs} PDFs can"


def _pdfs(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder.")
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".pdf" and path.is_file())
    if not found:
        raise UserError(f"{folder}: there is no PDF in this folder, nor in the folders inside it.")
    return found


def _before(out: Path, force: bool) -> dict[str, Any]:
    """The file that is there, where it may be replaced."""
    from harness.files import yamls

    if out.is_dir():
        raise UserError(f"{out}: this is a folder; --out names a file, for example {out / 'corpus.yaml'}.")
    if not out.exists():
        return {}
    if not force:
        raise UserError(f"{out}: the file is there already; --force replaces it and keeps what was edited in it.")
    return yamls.read(out)


def _documents(pdfs: list[Path], out: Path, before: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The blocks of corpus.yaml by id, and a line for each PDF that is left out."""
    from harness.documents import page_text

    known = {block.get("sha256"): (id, block) for id, block in before.items() if isinstance(block, dict)}
    documents: dict[str, Any] = {}
    faults: list[str] = []
    for pdf, found in page_text.describe_all(pdfs).items():
        if isinstance(found, str):
            faults.append(found)
            continue
        block = _block(pdf, out, *found)
        twin = next((id for id, other in documents.items() if other["sha256"] == block["sha256"]), None)
        if twin:
            faults.append(f"{pdf}: the same file as {documents[twin]['file']}.")
            continue
        id, old = known.get(block["sha256"]) or (_unique(_slug(pdf.stem), documents | before), {})
        documents[id] = block | {key: old[key] for key in ("title", "aliases") if key in old}
    return documents, faults


def _block(pdf: Path, out: Path, pages: int, title: str | None) -> dict[str, Any]:
    import os

    where = os.path.relpath(pdf.resolve(), out.resolve().parent).replace(os.sep, "/")
    return {"file": where, "sha256": file_sha256(pdf), "pages": pages, "title": title or _spaced(pdf.stem)}


def _slug(name: str) -> str:
    """A name as an id: lower case, [a-z0-9_-]."""
    import re
    import unicodedata

    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9_-]+", "_", plain).strip("_-")[:80] or "document"


def _unique(id: str, taken: dict[str, Any]) -> str:
    return next(name for name in (id, *(f"{id}_{number}" for number in range(2, 10**6))) if name not in taken)


def _spaced(stem: str) -> str:
    return " ".join(stem.replace("_", " ").split()) or stem


def _write(out: Path, values: dict[str, Any]) -> None:
    import yaml

    from harness.files.writing import write_text

    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)
    try:
        write_text(out, text)
    except HarnessError:
        raise
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror or error}.") from None
