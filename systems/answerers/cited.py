"""Answers only from the passages that one search finds, cites a page for every claim, or abstains and says what is near."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, Field

from harness.bench import Bench
from harness.protocols import Answerer, SearchCall
from harness.records import Answer, Message, Model, Turn
from systems._shared import prompting
from systems._shared.citations import citations


class Reply(BaseModel):
    """What the model fills in: the answer with its citations, and whether it abstains."""

    text: str
    abstained: bool


class Cited(Answerer):
    """One search, one call. Whether it abstains is a field of the structured reply, never read from its wording."""

    model: Model
    prompt: prompting.PromptName = Field(
        "cited", description="file in systems/prompts/, without .md: the system message"
    )
    turns: int = Field(3, description="earlier turns of the conversation that the model is shown", ge=0, le=100)

    def files(self) -> tuple[Path, ...]:
        """The prompt."""
        return (prompting.prompt_file(self.prompt),)

    def answer(self, question: str, search: SearchCall, history: Sequence[Turn], bench: Bench) -> Answer:
        """The model's answer. Raises ReplyError where the reply is not of the form that was asked for."""
        hits = search(question)
        asked = f"{prompting.passages(hits, bench)}\n\n{prompting.question(question)}"
        messages = [
            prompting.system(self, self.prompt, bench),
            *prompting.earlier(history, self.turns),
            Message(role="user", text=asked),
        ]
        said = Reply.model_validate(bench.door.chat(self.model, messages, schema=Reply).parsed)
        found = citations(said.text, [hit.chunk.ref for hit in hits], bench)
        return Answer(text=said.text, citations=found, abstained=said.abstained)
