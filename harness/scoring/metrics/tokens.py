"""How many tokens a question took."""

from __future__ import annotations

from harness.bench import Bench
from harness.files.wording import counted
from harness.records import Case
from harness.scoring.metrics._usage import UsageMetric
from harness.scoring.scores import Score


class Tokens(UsageMetric):
    """Input + output tokens of the system's model calls per question, replies from the store included; judges are not."""

    place = 19
    unit = "tokens"

    def score(self, case: Case, bench: Bench) -> Score:
        use = case.usage
        reason = f"{use.input_tokens} in and {use.output_tokens} out in {counted(use.calls, 'call')}"
        detail = {
            "calls": use.calls,
            "cached": use.cached_tokens,
            "input": use.input_tokens,
            "output": use.output_tokens,
        }
        return self.scored(case, use.input_tokens + use.output_tokens, reason, **detail)
