"""Processes with budgets: what they return, how they end, and that none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import psutil
import pytest

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, Resource, WorkFailed
from tests.confined import jobs
from tests.waiting import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).parents[2]
PLENTY = ProcessBudget(memory_bytes=512 << 20, cpu_seconds=60, wall_seconds=120)


def alive(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:  # it may end between any two questions
        return False


def test_result_files_and_progress_come_back() -> None:
    told: list[tuple[str, int]] = []
    with tempfile.TemporaryFile() as file:
        file.write(b"content")
        file.seek(0)
        found = confined.run(jobs.answer, PLENTY, [file], lambda what, count: told.append((what, count)), value=3)
    assert (found["value"], found["files"], told) == (3, ["content"], [("reading", 3)])
    assert found["process"] != os.getpid()


def test_each_budget_ends_the_process_and_names_itself() -> None:
    with pytest.raises(Overrun, match=r"^more than 256 MB of memory$") as memory:
        confined.run(jobs.eat, ProcessBudget(256 << 20, 60, 120))
    assert memory.value.what is Resource.MEMORY
    with pytest.raises(Overrun, match=r"^more than 1 s of computing time$"):
        confined.run(jobs.spin, ProcessBudget(512 << 20, 1, 120))
    with pytest.raises(Overrun, match=r"^more than 1 s of time$"):
        confined.run(jobs.sleep, ProcessBudget(512 << 20, 60, 1.0))


def test_crash_and_fault_are_told_apart_and_leave_the_next_job_alone(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Crashed, match=r"^ended by SIGSEGV$"):
        confined.run(jobs.crash, PLENTY)
    with pytest.raises(WorkFailed, match=r"^KeyError: 'unforeseen'$"):
        confined.run(jobs.fail, PLENTY)
    assert confined.run(jobs.answer, PLENTY, value=1)["value"] == 1
    assert capfd.readouterr().out == ""  # what a library prints is no output of a command


def test_jobs_run_side_by_side() -> None:
    values: list[int] = []

    def one(value: int) -> None:
        values.append(confined.run(jobs.answer, PLENTY, value=value)["value"])

    threads = [threading.Thread(target=one, args=(value,)) for value in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(values) == list(range(8))


def kept() -> int:
    """The process that does a job and waits for the next."""
    with tempfile.TemporaryFile() as file:
        file.write(b"own")
        file.seek(0)
        found = confined.run(jobs.answer, PLENTY, [file], is_kept=True, value=1)
    assert found["files"] == ["own"]
    return int(found["process"])


def test_kept_process_takes_the_next_job_and_only_a_sound_one_is_kept() -> None:
    first = kept()
    assert kept() == first
    with pytest.raises(WorkFailed):
        confined.run(jobs.fail, PLENTY, is_kept=True)
    assert ends(first)
    second = kept()
    assert second != first
    with pytest.raises(Overrun, match=r"^more than 1 s of computing time$"):  # its own, beside what was used before
        confined.run(jobs.spin, ProcessBudget(512 << 20, 1, 120), is_kept=True)
    assert ends(second)


def test_kept_process_that_was_killed_or_whose_server_was_costs_no_job() -> None:
    first = kept()
    server = psutil.Process(first).ppid()
    os.kill(first, signal.SIGKILL)
    assert ends(first)
    second = kept()
    os.kill(server, signal.SIGKILL)
    assert ends(second)
    assert kept() not in {first, second}


def test_job_that_nobody_waits_for_any_more_is_ended() -> None:
    process: list[int] = []

    def stop(_what: str, count: int) -> None:
        process.append(count)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        confined.run(jobs.sleep, PLENTY, progress=stop)
    assert ends(process[0])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_job_outlives_its_owner(number: signal.Signals) -> None:
    script = (
        "from paymatch import confined; from tests.confined import jobs, test_confined\n"
        "confined.run(jobs.sleep, test_confined.PLENTY, progress=lambda what, count: print(count, flush=True))"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    with owner, owner.stdout:
        job = int(owner.stdout.readline())
        server = psutil.Process(job).ppid()
        owner.send_signal(number)
        owner.wait(PATIENCE_SECONDS)
    assert ends(job)
    assert ends(server)


def test_server_that_was_killed_is_started_again() -> None:
    def kill(_what: str, process: int) -> None:
        os.kill(psutil.Process(process).ppid(), signal.SIGKILL)

    with pytest.raises(Crashed, match=r"^ended by SIGKILL$"):
        confined.run(jobs.sleep, PLENTY, progress=kill)
    assert confined.run(jobs.answer, PLENTY, value=2)["value"] == 2


def ends(process: int) -> bool:
    """True once the process has ended."""
    return wait_until(lambda: not alive(process))


ENVIRONMENT = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
