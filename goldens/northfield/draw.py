"""Draw the four reports of the Northfield set and write its goldens; with --check, only compare with what is there.

python goldens/northfield/draw.py             write in place
python goldens/northfield/draw.py --check     exit 1 and name each file that would change
python goldens/northfield/draw.py --out DIR   write elsewhere
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from audit import audit
from drivers import COMPANIES
from figures import Figures
from questions import Library, goldens
from report import Drawn, draw_report

HERE = Path(__file__).resolve().parent
YEARS = (2024, 2025)
LOCKED = "2026-11-29"
ALIASES = {
    "northfield": ["Northfield", "Northfield Coldchain", "NFCC"],
    "averholt": ["Averholt", "Averholt Rail Technology", "AVH"],
}


def draw_all(out: Path) -> Library:
    """All PDFs, into `out`/pdfs."""
    (out / "pdfs").mkdir(parents=True, exist_ok=True)
    figures = {code: Figures(drivers) for code, drivers in COMPANIES.items()}
    drawn = [_draw(out, figures[code], code, year) for code in figures for year in YEARS]
    return Library({report.doc: report for report in drawn}, figures)


def _draw(out: Path, figures: Figures, code: str, year: int) -> Drawn:
    return draw_report(figures, year, HERE / "scripts" / f"{code}.txt", out / "pdfs" / f"{code}_{year}.pdf")


def corpus(out: Path, library: Library) -> dict[str, Any]:
    """What corpus.yaml holds."""
    documents = {doc: _document(out, drawn) for doc, drawn in library.drawn.items()}
    return {"name": "northfield", "redistributable": True, "documents": documents}


def _document(out: Path, drawn: Drawn) -> dict[str, Any]:
    file = f"pdfs/{drawn.doc}.pdf"
    digest = hashlib.sha256((out / file).read_bytes()).hexdigest()
    company, _, year = drawn.doc.rpartition("_")
    aliases = [*ALIASES[company], f"{ALIASES[company][0]} {year}"]
    return {"file": file, "sha256": digest, "pages": drawn.pages, "title": drawn.title, "aliases": aliases}


def jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def lock(text: str, count: int) -> str:
    """heldout.lock: which file, which bytes, how many, since when."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({"file": "heldout.jsonl", "sha256": digest, "goldens": count, "locked": LOCKED}, indent=1)


def splits(library: Library) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The goldens of dev and of held-out."""
    return goldens(HERE / "dev.yaml", "nf-", 3, library), goldens(HERE / "heldout.yaml", "nf-h", 2, library)


def write(out: Path) -> None:
    """Everything that is made: PDFs, corpus.yaml, both splits, the lock."""
    library = draw_all(out)
    dev, heldout = splits(library)
    texts = {
        "corpus.yaml": yaml.safe_dump(corpus(out, library), sort_keys=False, allow_unicode=True, width=120),
        "dev.jsonl": jsonl(dev),
        "heldout.jsonl": jsonl(heldout),
        "heldout.lock": lock(jsonl(heldout), len(heldout)),
    }
    for name, text in texts.items():
        (out / name).write_bytes(text.encode())


def differing(made: Path) -> list[str]:
    """The made files whose bytes are not those beside this script."""
    files = sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
    return [
        str(file)
        for file in files
        if not (HERE / file).is_file() or (HERE / file).read_bytes() != (made / file).read_bytes()
    ]


def compare() -> list[str]:
    """What --check has to say."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        changed = differing(Path(folder))
    return [f"{file} differs from what draw.py makes: run python goldens/northfield/draw.py" for file in changed]


def audited() -> list[str]:
    """What --audit has to say."""
    with tempfile.TemporaryDirectory() as folder:
        library = draw_all(Path(folder))
        dev, heldout = splits(library)
        return audit(dev + heldout, library, Path(folder) / "pdfs")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Draw the Northfield reports and write their goldens.")
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    parser.add_argument("--audit", action="store_true", help="look for evidence that no golden lists, write nothing")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to (default: beside this script)")
    args = parser.parse_args(argv)
    if not args.check and not args.audit:
        write(args.out)
        return 0
    faults = (compare() if args.check else []) + (audited() if args.audit else [])
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
