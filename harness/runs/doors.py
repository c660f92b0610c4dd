"""The door of a command: one for all its systems, so that limits and caps hold over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from harness.cache.blobs import Blobs
from harness.errors import UserError
from harness.models.budget import Budget
from harness.models.door import Door, Settings, provider
from harness.runs.config import System
from harness.runs.options import Options

T = TypeVar("T")

CASES = 4
"""Cases at a time where no model is asked."""
_CASES_A_SLOT = 2
"""Cases for each call that an endpoint takes at a time: those that wait or compute leave no slot empty."""


def open_door(systems: Sequence[System], options: Options) -> Door:
    """The door, with what configs and command line say of models. Raises UserError where two configs contradict each other."""
    limits = _one_for_all("limits", [system.limits for system in systems])
    prices = _one_for_all("prices", [system.prices for system in systems])
    folder = options.results / "calls"
    said = Settings(folder, options.offline, options.retry_bad, options.allowed_hosts, limits, prices)
    return Door(said, Blobs(options.cache / "blobs"), Budget(options.max_usd))


def _one_for_all(what: str, blocks: Sequence[Mapping[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, value in (pair for block in blocks for pair in block.items()):
        if found.setdefault(name, value) != value:
            raise UserError(f"two configs give different {what} for {name!r}; run them one after the other.")
    return found


def cases_at_once(system: System, door: Door, options: Options) -> int:
    """How many cases are worked on at a time: as asked for, else as many as keep the endpoints of its models busy."""
    models = [model for component in system.components.values() for model in component.models()]
    slots = [door.exchange.endpoint(model, provider(model.provider)).in_flight for model in models]
    return options.workers or max(CASES, _CASES_A_SLOT * max(slots, default=0))
