"""A model reads the first passages at once and writes them down in a better order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, Field

from harness.bench import Bench
from harness.components import query_time
from harness.protocols import Reranker
from harness.records import Hit, Message, Model
from systems._shared import prompting
from systems.rerankers._scored import reordered


class Order(BaseModel):
    """What the model fills in: numbers of passages, the most useful first."""

    order: list[int]


class LlmList(Reranker):
    """Listwise reranking (Sun et al., EMNLP 2023): one call where `window` covers `depth`, else windows slid from the end.

    A number that no passage has, or that comes twice, is passed over; passages that the model leaves out keep their order
    behind those that it names. So no reply loses a passage.
    """

    model: Model
    prompt: prompting.PromptName = Field(
        "llm_list", description="file in systems/prompts/, without .md: the system message"
    )
    depth: int = query_time(30, "hits that are reranked; those after them keep their order", ge=1, le=1000)
    window: int = query_time(30, "passages that the model reads at once", ge=2, le=1000)
    characters: int = query_time(1200, "of a passage that the model reads; the rest is cut", ge=50, le=100_000)

    def files(self) -> tuple[Path, ...]:
        """The prompt."""
        return (prompting.prompt_file(self.prompt),)

    def rerank(self, query: str, hits: list[Hit], bench: Bench) -> list[Hit]:
        """The first `depth` hits as the model orders them, scored by 1 / rank, the rest after them.

        Raises ReplyError where a reply is not of the form that was asked for.
        """
        head, rest = hits[: self.depth], hits[self.depth :]
        for start in self._starts(len(head)):
            part = head[start : start + self.window]
            head[start : start + self.window] = self._ordered(query, part, bench)
        scored = [Hit(hit.chunk, round(1 / rank, 6)) for rank, hit in enumerate(head, start=1)]
        return reordered(scored, rest)

    def _starts(self, count: int) -> list[int]:
        """Where windows begin, the last one first; each shares half of its passages with the next."""
        if count < 2:
            return []
        last = max(0, count - self.window)
        return sorted({*range(last, 0, -max(1, self.window // 2)), 0}, reverse=True)

    def _ordered(self, query: str, hits: Sequence[Hit], bench: Bench) -> list[Hit]:
        read = prompting.passages(hits, bench, most=self.characters)
        asked = f"{read}\n\n{prompting.question(query)}"
        messages = [prompting.system(self, self.prompt, bench), Message(role="user", text=asked)]
        said = Order.model_validate(bench.door.chat(self.model, messages, schema=Order).parsed)
        return in_order(said.order, hits)


def in_order(order: Sequence[int], hits: Sequence[Hit]) -> list[Hit]:
    """Every hit once: those whose number, from 1, is in `order`, then the others as they stood."""
    named = [number - 1 for number in dict.fromkeys(order) if 1 <= number <= len(hits)]
    others = [place for place in range(len(hits)) if place not in set(named)]
    return [hits[place] for place in (*named, *others)]
