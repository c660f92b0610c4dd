"""The door of a command: one for all its systems, so that limits and caps hold over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from harness.bench import Bench
from harness.cache import keys
from harness.cache.blobs import Blobs
from harness.components import Component
from harness.errors import UserError
from harness.models.credentials import user_hosts
from harness.models.door import CaseDoor, Door, Settings, provider
from harness.models.ledger import Ledger, usage
from harness.models.prices import Price
from harness.records import Usage
from harness.runs.config import System
from harness.runs.options import Options

T = TypeVar("T")

DOOR = "harness.models.door"
CASES = 4
"""Cases at a time where no model is asked."""
_CASES_A_SLOT = 2
"""Cases for each call that an endpoint takes at a time: those that wait or compute leave no slot empty."""


def open_door(systems: Sequence[System], options: Options) -> Door:
    """The door, with what configs and command line say of models. Raises UserError where two configs contradict each other."""
    limits = _one_for_all("limits", [system.limits for system in systems])
    prices = _one_for_all("prices", [system.prices for system in systems])
    folder = options.results / "calls"
    allowed = (*options.allowed_hosts, *user_hosts())
    said = Settings(folder, options.offline, options.retry_bad, allowed, limits, prices, options.max_usd)
    return Door(said, Blobs(options.cache / "blobs"))


def _one_for_all(what: str, blocks: Sequence[Mapping[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, value in (pair for block in blocks for pair in block.items()):
        if found.setdefault(name, value) != value:
            raise UserError(f"two configs give different {what} for {name!r}; run them one after the other.")
    return found


def asking(component: Component, prices: Mapping[str, Price]) -> list[Any]:
    """For a key: by what code a component's models are asked and read, and at which prices; nothing where it has no model."""
    clients = {type(provider(model.provider)).__module__ for model in component.models()}
    priced = [[name, price.model_dump(mode="json")] for name, price in sorted(prices.items())]
    return [priced, *(keys.code(module) for module in (DOOR, *sorted(clients)))] if clients else []


@dataclass(frozen=True)
class WorkersDoor:
    """The door for a worker process, which makes one of its own: it does one document after the other, so caps hold."""

    settings: Settings
    prices: Mapping[str, Price]

    def key(self, component: Component) -> list[Any]:
        """As `ingest.DocumentDoor` says."""
        return asking(component, self.prices)

    def open(self, cache: Path) -> AtOneDocument:
        """As `ingest.DocumentDoor` says."""
        return AtOneDocument(_DOORS.setdefault(cache, Door(self.settings, Blobs(cache / "blobs"))))


_DOORS: dict[Path, Door] = {}


class AtOneDocument:
    """The door while a worker is at one document."""

    def __init__(self, door: Door) -> None:
        self._door, self._book, self._before = door, Ledger(), door.budget.billed

    def enter(self, bench: Bench, component: Component) -> Bench:
        """As `ingest.OpenedDoor` says."""
        return bench.booking(CaseDoor(self._door, self._book), self._book.note) if component.models() else bench

    def used(self) -> Usage:
        """As `ingest.OpenedDoor` says."""
        self._book.refuse_hidden()
        return usage(self._book.close())

    def billed(self) -> Usage:
        """As `ingest.OpenedDoor` says."""
        return self._door.budget.billed.since(self._before)


def workers_door(system: System, door: Door) -> WorkersDoor | None:
    """What workers need to ask models; None where neither parser nor chunker asks one."""
    asks = system.parser.models() or system.chunker.models()
    return WorkersDoor(door.settings, system.prices) if asks else None


def cases_at_once(system: System, door: Door, options: Options) -> int:
    """How many cases are worked on at a time: as asked for, else as many as keep the endpoints of its models busy."""
    models = [model for component in system.components.values() for model in component.models()]
    slots = [door.exchange.endpoint(model, provider(model.provider)).in_flight for model in models]
    return options.workers or max(CASES, _CASES_A_SLOT * max(slots, default=0))
