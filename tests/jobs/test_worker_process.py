"""The processes of the service: the worker beside the server, and what is left when the first process is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from paymatch import app
from paymatch.clock import utc_now
from tests.waiting import PATIENCE_SECONDS, wait_until

_PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", sys.argv[1]])
time.sleep(600)
"""
_CHILD = """
import ctypes, os, signal, time
from paymatch.app import die_with_parent

def wait_with_the_interpreters_lock(*_):
    ctypes.PyDLL(None).sleep(600)

signal.signal(signal.SIGTERM, wait_with_the_interpreters_lock)
die_with_parent(os.getppid(), at_once=True)
print(os.getpid(), flush=True)
time.sleep(600)
"""


def worker_pids() -> set[int]:
    """Workers of this process that live, one that has only just been started among them."""
    found = set()
    for each in psutil.Process().children():
        with suppress(psutil.Error):  # it has just died
            if "worker" in wait_until(each.cmdline):  # empty while the kernel loads the program
                found.add(each.pid)
    return found


def test_worker_that_dies_is_started_again(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "WORKER_REST_SECONDS", 0.05)
    worker = app.KeptWorker(migrated_url)
    try:
        (first,) = worker_pids()
        psutil.Process(first).kill()
        assert len(wait_until(lambda: worker_pids() - {first})) == 1
    finally:
        worker.stop()
    assert worker_pids() == set()


def test_worker_that_hangs_is_killed_and_started_again(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "WORKER_REST_SECONDS", 0.05)
    worker = app.KeptWorker(migrated_url)
    try:
        (first,) = worker_pids()
        hanging = psutil.Process(first)
        hanging.suspend()
        os.utime(hanging.cmdline()[-1], (0, 0))
        assert len(wait_until(lambda: worker_pids() - {first})) == 1
        assert not psutil.pid_exists(first)
    finally:
        worker.stop()


def test_worker_that_does_not_stop_is_killed(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "WORKER_STOP_SECONDS", 0.2)
    worker = app.KeptWorker(migrated_url)
    (stuck,) = worker_pids()
    psutil.Process(stuck).suspend()
    worker.stop()
    assert worker_pids() == set()


def test_a_server_process_dies_with_its_parent_whatever_its_threads_wait_for() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")}
    command = [sys.executable, "-c", _PARENT, _CHILD]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        _, alive = psutil.wait_procs([child], timeout=PATIENCE_SECONDS)
        for each in alive:
            each.kill()
    assert alive == []


def test_a_worker_is_silent_once_its_file_is_minutes_old(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    assert not app.is_silent(alive, utc_now())  # the temporary folder was cleaned
    alive.touch()
    assert not app.is_silent(alive, utc_now())
    assert app.is_silent(alive, utc_now() + timedelta(seconds=app.WORKER_SILENT_SECONDS + 5))
