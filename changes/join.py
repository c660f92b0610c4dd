"""Join changes/*.md into CHANGELOG.md at a release, under the headings that it has, and take the files away.

  python changes/join.py 0.2.0

A version that CHANGELOG.md does not have yet becomes its newest section.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
HEADING = re.compile(r"^\*\*(.+)\*\*$", re.MULTILINE)

Groups = dict[str, str]
"""Lines of list by their heading, in order; under "" what stands before the first heading."""


def groups(text: str) -> Groups:
    """The parts of an entry, or of a version's section of the changelog."""
    before, *parts = HEADING.split(text)
    found = {"": before.strip("\n")}
    for heading, lines in zip(parts[::2], parts[1::2], strict=True):
        found[heading] = "\n".join(filter(None, (found.get(heading, ""), lines.strip("\n"))))
    return found


def joined(changelog: str, version: str, entries: Iterable[str]) -> str:
    """The changelog with all entries in the section of that version. Raises ValueError for other headings than it has."""
    head, *sections = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)
    order = list(dict.fromkeys(HEADING.findall(changelog)))
    own = next((row for row, one in enumerate(sections) if re.match(rf"## {re.escape(version)}(\s|$)", one)), None)
    if own is None:
        sections.insert(0, f"## {version}\n")
        own = 0
    title, _, rest = sections[own].partition("\n")
    found = groups(rest)
    for entry in map(groups, entries):
        if entry.pop(""):
            raise ValueError("an entry begins with a heading, as **Manners**.")
        for heading, lines in entry.items():
            if heading not in order:
                raise ValueError(f"CHANGELOG.md has no heading {heading!r}. It has: {', '.join(order)}.")
            found[heading] = "\n".join(filter(None, (found.get(heading, ""), lines)))
    sections[own] = _section(title, found, order, last=own == len(sections) - 1)
    return head + "".join(sections)


def _section(title: str, found: Groups, order: list[str], last: bool) -> str:
    parts = [title, *filter(None, [found[""]]), *(f"**{name}**\n{found[name]}" for name in order if name in found)]
    return "\n\n".join(parts) + ("\n" if last else "\n\n")


def main(words: list[str], folder: Path = HERE) -> int:
    """Join the entries of `folder` into the CHANGELOG.md beside it."""
    if len(words) != 1:
        print("usage: python changes/join.py VERSION", file=sys.stderr)
        return 2
    files = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    changelog = folder.parent / "CHANGELOG.md"
    try:
        text = joined(changelog.read_text("utf-8"), words[0], [path.read_text("utf-8") for path in files])
    except ValueError as error:
        print(f"join: {error}", file=sys.stderr)
        return 2
    changelog.write_text(text, "utf-8")
    for path in files:
        path.unlink()
    print(f"{changelog}: {', '.join(path.stem for path in files) or 'nothing'} joined under {words[0]}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
