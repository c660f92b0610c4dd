"""How many of an answer's citations name a page that exists."""

from __future__ import annotations

from harness.bench import Bench
from harness.records import Case, Citation
from harness.scoring.metrics._citations import CitationShare, page_of


class CitationResolved(CitationShare):
    """Citations whose page is known / citations. None: 0 for an answer, not applicable for a refusal."""

    place = 9
    claim = "name a page of the corpus"

    def holds(self, citation: Citation, case: Case, bench: Bench) -> bool:
        return page_of(citation, bench) is not None
