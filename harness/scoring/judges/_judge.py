"""What a judge is: an answer and its reference in, a verdict out."""

from __future__ import annotations

from abc import ABC, abstractmethod

from harness.scoring.judges.rules.verdict import Verdict


class Judge(ABC):
    """Base of the judges; the file's name is the judge's name."""

    @abstractmethod
    def verdict(
        self, question: str, reference: str, accept: tuple[str, ...], answer: str, answer_type: str | None = None
    ) -> Verdict:
        """Judge one answer against a reference and other accepted answers."""
