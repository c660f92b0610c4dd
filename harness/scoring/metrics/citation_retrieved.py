"""How many of an answer's citations name a page that the answerer was shown."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case, Citation
from harness.scoring.metrics._citations import CitationShare, page_of


class CitationRetrieved(CitationShare):
    """Citations whose page was in a search's hits / citations; unresolved and invented ones count as 0.

    None: 0 for an answer, not applicable for a refusal.
    """

    place = 10
    claim = "name a page that the answerer was shown"

    def holds(self, citation: Citation, case: Case, bench: Bench) -> bool:
        return page_of(citation, bench) in case.shown
