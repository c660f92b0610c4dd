"""What the citation metrics share: the share of citations that hold, with none of them dropped."""

from __future__ import annotations

from typing import ClassVar

from harness.bench import Bench
from harness.records import Case, Citation, PageRef
from harness.scoring.metrics._answers import UNCITED, AnswerMetric, answer_of
from harness.scoring.scores import Score


class CitationShare(AnswerMetric):
    """Citations for which `holds`, over all citations as written; none: 0 for an answer, not applicable for a refusal."""

    claim: ClassVar[str] = ""
    """What holds of a good citation, in the plural."""
    conditional = True

    def holds(self, citation: Citation, case: Case, bench: Bench) -> bool:
        """Whether this citation counts."""
        raise NotImplementedError

    def score(self, case: Case, bench: Bench) -> Score:
        answer = answer_of(case)
        if not answer.citations and answer.abstained:
            return self.not_applicable(case, "the system refused and cited nothing")
        if not answer.citations:
            return self.scored(case, 0.0, UNCITED, citations=0)
        bad = [citation for citation in answer.citations if not self.holds(citation, case, bench)]
        total, good = len(answer.citations), len(answer.citations) - len(bad)
        reason = f"{good} of {total} citations {self.claim}" + (f"; not so: {written(bad)}" if bad else "")
        return self.scored(case, good / total, reason, citations=total, good=good)


def page_of(citation: Citation, bench: Bench) -> PageRef | None:
    """The page that a citation names; None where it was not resolved, or to a page that the corpus does not have."""
    return citation.ref if citation.ref in bench.corpus else None


def written(citations: list[Citation]) -> str:
    """The citations as the answer wrote them, each with the page that it was read as."""
    return ", ".join(f"{c.raw!r}" if c.ref is None else f"{c.raw!r} ({c.ref})" for c in citations)
