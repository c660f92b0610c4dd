"""What a question cost."""

from __future__ import annotations

from harness.bench import Bench
from harness.files.wording import counted
from harness.records import Case
from harness.scoring.metrics._usage import UsageMetric
from harness.scoring.scores import Score


class Cost(UsageMetric):
    """USD per question, of the system's model calls. A price that is not known is not applicable, never 0."""

    place = 20
    unit = "USD"

    def score(self, case: Case, bench: Bench) -> Score:
        if case.usage.cost is None:
            return self.not_applicable(case, "the price of a model that it called is not known")
        return self.scored(case, case.usage.cost, f"USD {case.usage.cost:.6f} in {counted(case.usage.calls, 'call')}")
