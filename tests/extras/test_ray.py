"""ray: a task runs in a worker process of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

ray = pytest.importorskip("ray", reason="comes with the extra ray")

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def cluster() -> Iterator[None]:
    """One worker on this machine, stopped afterwards."""
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_a_task_runs_in_another_process() -> None:
    worker, total = ray.get(ray.remote(lambda values: (os.getpid(), sum(values))).remote([1, 2, 3]))
    assert total == 6
    assert worker != os.getpid()
