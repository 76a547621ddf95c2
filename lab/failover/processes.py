"""Processes of the cluster: started in the folder of the run, ended by their own ids and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from paymatch.embedded.account import PostgresAccount

HERE: Final = "127.0.0.1"
_END_SECONDS: Final = 20


@dataclass
class Process:
    """A program that can be started again after it was killed; its output goes into `log`."""

    command: list[str]
    log: Path
    account: PostgresAccount | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    _running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it in a session of its own."""
        who: dict[str, Any] = self.account.popen_arguments() if self.account else {}
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "PAYMATCH_"))}
        with self.log.open("ab") as output:
            self._running = subprocess.Popen(
                self.command, env={**environment, **self.environment}, stdout=output, stderr=output,
                stdin=subprocess.DEVNULL, start_new_session=True, cwd="/", **who,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        """Its id; it has to run."""
        assert self._running is not None
        return self._running.pid

    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._running is not None and self._running.poll() is None

    def kill(self) -> None:
        """kill -9 of it and of all that it started, as if the machine had lost its power."""
        if self._running is not None:
            kill_tree(self._running.pid)
            self._running.wait()

    def stop(self) -> None:
        """SIGTERM, and kill -9 for who does not go."""
        if self._running is None or self._running.poll() is not None:
            return
        self._running.terminate()
        try:
            self._running.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()


class Keeper(threading.Thread):
    """Starts servers again that have died, `rest` seconds later, as systemd does by `RestartSec`."""

    def __init__(self, servers: Sequence[Process], rest: float) -> None:
        super().__init__(name="keeper", daemon=True)
        self._servers = servers
        self._rest = rest
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Leaves the servers alone from now on."""
        self._stopping.set()
        if self.ident is not None:
            self.join()

    def run(self) -> None:
        dead: set[int] = set()
        while not self._stopping.wait(self._rest):
            for place, server in enumerate(self._servers):
                if server.is_running():
                    dead.discard(place)
                elif place in dead:
                    server.start()
                else:
                    dead.add(place)


def family(pid: int) -> list[int]:
    """The process and all that descend from it; ancestors come first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found.extend(children.get(each, ()))
    return found


def signal_all(pids: list[int], number: signal.Signals) -> None:
    """The signal to each of them that still lives."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def kill_tree(pid: int) -> None:
    """Stops the process and its descendants, so that none starts another, and kills them."""
    pids = family(pid)
    signal_all(pids, signal.SIGSTOP)
    signal_all(family(pid) + pids, signal.SIGKILL)


def wait_for(what: str, is_so: Callable[[], bool], seconds: float) -> float:
    """Seconds until it was so; TimeoutError names `what` if it is not within `seconds`."""
    begun = time.monotonic()
    while not is_so():
        if time.monotonic() - begun > seconds:
            raise TimeoutError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
    return time.monotonic() - begun


def answers(url: str) -> bool:
    """Whether a GET is answered with 200."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310  our own servers
            return bool(answer.status == 200)
    except OSError:
        return False
