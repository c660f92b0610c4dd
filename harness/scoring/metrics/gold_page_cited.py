"""Whether an answer cites a gold page."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case
from harness.scoring.metrics._answers import REFUSED, UNCITED, GoldPageMetric, answer_of
from harness.scoring.metrics._pages import listed
from harness.scoring.scores import Score


class GoldPageCited(GoldPageMetric):
    """1 if a citation of a given answer is in U, the union of the evidence groups; else 0. Refusals do not count."""

    place = 12
    binary = True
    conditional = True
    short = "gold page cited"
    headline = (None,)

    def score(self, case: Case, bench: Bench) -> Score:
        answer = answer_of(case)
        if answer.abstained:
            return self.not_applicable(case, REFUSED)
        gold, total = case.golden.gold_pages, len(answer.citations)
        hits = sorted({c.ref for c in answer.citations if c.ref in gold and c.ref is not None})
        missed = f"none of {total} citations is gold: {listed(sorted(gold))}" if total else UNCITED
        return self.scored(case, bool(hits), f"cites gold {listed(hits)}" if hits else missed, citations=total)
