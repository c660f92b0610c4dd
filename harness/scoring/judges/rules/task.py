"""What a rule is given: the question, one key to it, the answer, and what the question asks for."""

from __future__ import annotations

from dataclasses import dataclass

from harness.quantities.asking import Ask


@dataclass(frozen=True, slots=True)
class Task:
    """One answer against one key (the reference or another accepted answer)."""

    question: str
    reference: str
    answer: str
    ask: Ask
    answer_type: str = ""
