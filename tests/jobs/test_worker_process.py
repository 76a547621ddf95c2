"""The worker's process beside the server."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil
import pytest

from paymatch import app


def worker_pids() -> set[int]:
    """Workers of this process that live."""
    found = set()
    for each in psutil.Process().children():
        with suppress(psutil.Error):  # it has just died
            if "worker" in each.cmdline():
                found.add(each.pid)
    return found


def test_worker_that_dies_is_started_again(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "WORKER_REST_SECONDS", 0.05)
    worker = app.KeptWorker(migrated_url)
    try:
        (first,) = worker_pids()
        psutil.Process(first).kill()
        ends = time.monotonic() + 30
        while not (now := worker_pids() - {first}) and time.monotonic() < ends:
            time.sleep(0.02)
        assert len(now) == 1
    finally:
        worker.stop()
    assert worker_pids() == set()
