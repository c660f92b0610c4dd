"""What goes into a request: a prompt that is a file, passages as data, earlier turns.

Passages and questions are written by strangers. They stand in messages of the user, between marks that they cannot write
themselves; the system message holds the prompt's file and nothing else.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from harness.bench import Bench
from harness.components import Component
from harness.errors import nearest
from harness.records import Hit, Message, Turn


def prompt_file(name: str) -> Path:
    """The file of a prompt, of this project or one's own. Raises ValueError for a name that no file has."""
    spec = importlib.util.find_spec("systems.prompts")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or () if spec else ())]
    found = {path.stem: path for folder in reversed(folders) for path in sorted(folder.glob("*.md"))}
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise ValueError(
            f"no prompt is named {name!r}.{nearest(name, sorted(found))} In systems/prompts/ there are: {known}"
        )
    return found[name]


def _named(name: str) -> str:
    prompt_file(name)
    return name


PromptName = Annotated[str, AfterValidator(_named)]
"""A setting: the name of a prompt's file, without .md. Refused where there is no such file."""


def system(component: Component, name: str, bench: Bench) -> Message:
    """The system message: the prompt's file, which the component declares in `files()`."""
    return Message(role="system", text=bench.file(component, prompt_file(name)).decode("utf-8"))


def passages(hits: Sequence[Hit], bench: Bench, most: int | None = None) -> str:
    """The hits as numbered passages, each headed by its document's title and its page in the file, cut after `most`."""
    titles = {document.id: document.title for document in bench.documents}
    parts = [
        f'<passage number={number} source="[{_inert(titles.get(hit.chunk.ref.doc, hit.chunk.ref.doc))}, '
        f'p.{hit.chunk.ref.page}]">\n{_inert(hit.chunk.passage[:most])}\n</passage>'
        for number, hit in enumerate(hits, start=1)
    ]
    return "\n".join(parts) or "<passage>No passage was found.</passage>"


def question(text: str) -> str:
    """The question between its marks."""
    return f"<question>\n{_inert(text)}\n</question>"


def earlier(history: Sequence[Turn], most: int) -> Iterator[Message]:
    """The last `most` turns as messages, text only."""
    for turn in history[len(history) - min(most, len(history)) :]:
        yield Message(role="user", text=question(turn.question))
        yield Message(role="assistant", text=turn.answer)


def _inert(text: str) -> str:
    """Text that cannot end its mark or begin another one."""
    return text.replace("<", "‹").replace(">", "›")
