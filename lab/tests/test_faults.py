"""`make faults`: its judges notice what is lost, doubled or out of order, and its clock and disk can be changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lab.failover.load import Arrived
from lab.failover.verdict import sequence_faults
from lab.faults.bulk import amount_of
from lab.faults.shim import Shim
from lab.faults.victims import WEIGHTS, children, command

from paymatch.clock import utc_now


def came(*ids: str) -> list[Arrived]:
    return [Arrived(each, "A-1", "PAID") for each in ids]


@pytest.mark.parametrize("ids", [["a", "b"], ["a", "a", "b"], ["a", "b", "b"]])
def test_callbacks_that_are_repeated_in_their_order_are_fine(ids: list[str]) -> None:
    assert sequence_faults("A-1", ["a", "b"], came(*ids)) == []


@pytest.mark.parametrize(
    ("ids", "fault"),
    [
        (["a"], "A-1 has callbacks"),
        (["a", "b", "c"], "A-1 has callbacks"),
        (["b", "a"], "A-1: callbacks came in the order [1, 0]"),
        (["a", "b", "a"], "A-1: callbacks came in the order [0, 1, 0]"),
    ],
)
def test_callbacks_that_are_lost_foreign_or_out_of_order_are_told(ids: list[str], fault: str) -> None:
    (found,) = sequence_faults("A-1", ["a", "b"], came(*ids))
    assert found.startswith(fault)


def test_versions_of_an_order_have_amounts_of_their_own() -> None:
    amounts = [amount_of(7, version) for version in range(50)]
    assert len(set(amounts)) == 50
    assert min(amounts) >= 1000


def test_children_of_any_thread_are_found_and_nobody_elses() -> None:
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(b"here\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"here\n"  # before, the kernel may not know its words yet
        assert process.pid in children(os.getpid())
        assert command(process.pid) == "cat\x00"
    finally:
        process.kill()
        process.communicate()
    assert children(process.pid) == []
    assert command(process.pid) == ""


def test_every_kind_of_process_is_killed() -> None:
    assert set(WEIGHTS) == {
        "further worker", "import process", "server process", "PostgreSQL backend", "worker of the service",
        "front process", "PostgreSQL", "everything",
    }  # fmt: skip
    assert min(WEIGHTS.values()) > 0


@pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="no C compiler")
def test_clock_and_disk_of_a_process_change_while_it_runs(tmp_path: Path) -> None:
    shim = Shim(tmp_path)
    said = [
        "import os, sys, time",
        "for _ in sys.stdin:",
        "    begun = time.monotonic()",
        f"    os.fsync(os.open({str(tmp_path / 'synced')!r}, os.O_CREAT | os.O_WRONLY))",
        "    print(time.time(), time.monotonic() - begun, flush=True)",
    ]
    with subprocess.Popen(
        [sys.executable, "-c", "\n".join(said)], env=os.environ | shim.environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, bufsize=1,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        found: list[tuple[bool, float]] = []
        for ahead, sync in ((0, 0.0), (86_400, 0.3), (-3600, 0.0)):
            shim.set(ahead_seconds=ahead, sync_seconds=sync)
            asked_at = utc_now().timestamp()
            process.stdin.write("\n")
            now, taken = (float(word) for word in process.stdout.readline().split())
            found.append((asked_at <= now - ahead <= utc_now().timestamp(), taken))
        process.stdin.close()
    assert [is_between for is_between, _ in found] == [True, True, True]
    assert found[1][1] >= 0.3
