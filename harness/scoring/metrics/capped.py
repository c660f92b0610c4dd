"""Whether the answerer ran into the cap on searches."""

from __future__ import annotations

from harness.bench import Bench
from harness.files.wording import counted
from harness.records import Case
from harness.scoring.metric import Metric
from harness.scoring.scores import Score


class Capped(Metric):
    """1 if a search was asked for beyond the cap (it returned nothing), else 0."""

    place = 18
    stage = "generate"
    higher_is_better = False
    binary = True
    needs_answer = False
    expense = True

    def score(self, case: Case, bench: Bench) -> Score:
        made = counted(len(case.searches), "search")
        return self.scored(case, case.capped, f"{made}, then the cap" if case.capped else f"{made}, under the cap")
