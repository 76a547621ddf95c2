"""The worker's process beside the server."""

from __future__ import annotations

import time

import psutil
import pytest

from paymatch import app


def worker_processes() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "worker" in each.cmdline()]


def test_worker_that_dies_is_started_again(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "WORKER_REST_SECONDS", 0.05)
    worker = app.KeptWorker(migrated_url)
    (first,) = worker_processes()
    first.kill()
    ends = time.monotonic() + 30
    while (now := worker_processes()) in ([], [first]) and time.monotonic() < ends:
        time.sleep(0.02)
    assert len(now) == 1
    assert now != [first]
    worker.stop()
    assert worker_processes() == []
