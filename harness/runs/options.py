"""What the user asked for on the command line, as every part of a run sees it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    splits: tuple[str, ...] | None = None
    """None: dev, and held-out where this was opened before."""
    goldens: Path | None = None
    settings: tuple[str, ...] = ()
    limit: int | None = None
    only: tuple[str, ...] = ()
    dirty: bool = False
    unseal: bool = False
    claims: tuple[str, ...] = ()
    """What is said of held-out numbers before they are seen: "A > B on METRIC"."""
    time: bool = False
    retry_failed: bool = False
    """Parse documents and ask questions again that failed in an earlier run."""
    saved: Path | None = None
    """A results folder whose answers are scored and nothing is asked; the documents need not be here."""
    retry_bad: bool = False
    """Ask models again whose kept replies were cut, filtered or not of the form that was asked for."""
    offline: bool = False
    """Call no model: kept replies alone."""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts to which keys may go beside their providers' own."""
    max_usd: float | None = None
    """The most that models may cost in this command."""
    workers: int | None = None
    """Cases at a time; None: 4, or as many as keep the endpoints of the system's models busy."""
    results: Path = Path("results")
    findings: Path = Path("findings")

    @property
    def cache(self) -> Path:
        """What local computation makes again where it is missing."""
        return self.results / "cache"

    @property
    def partial(self) -> bool:
        return self.limit is not None or bool(self.only)

    @property
    def is_default(self) -> bool:
        """Whether whole configs run as they are written: only then are findings pages written."""
        return not self.partial and not self.settings
