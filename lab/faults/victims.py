"""Whom `kill -9` may meet, how often, and what restarts it."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from lab.failover.processes import kill_tree
from lab.faults.installation import Installation

WEIGHTS: Final = {
    "further worker": 590,
    "import process": 200,
    "server process": 170,
    "PostgreSQL backend": 24,
    "worker of the service": 6,
    "front process": 4,
    "PostgreSQL": 4,
    "everything": 2,
}
"""Of a thousand kills, about. What is back in a moment is killed most; a front process takes its service along."""

_PATIENCE_SECONDS: Final = 0.3


class Killer(threading.Thread):
    """Kills a random one, `per_second` times a second, until it is stopped or has killed `most`."""

    def __init__(self, installation: Installation, chance: random.Random, per_second: float, most: int) -> None:
        super().__init__(name="killer", daemon=True)
        self.killed: Counter[str] = Counter()
        self._installation = installation
        self._chance = chance
        self._per_second = per_second
        self._most = most
        self._stopping = threading.Event()
        self._peace = threading.Lock()
        self.broken = ""

    def stop(self) -> None:
        """Kills nobody any more."""
        self._stopping.set()
        self.join()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Kills nobody inside of the block."""
        with self._peace:
            yield

    def run(self) -> None:
        try:
            self._go_on()
        except Exception as error:
            self.broken = repr(error)
            raise

    def _go_on(self) -> None:
        next_at = time.monotonic()
        while self.killed.total() < self._most:
            next_at = max(next_at + self._chance.expovariate(self._per_second), time.monotonic() - 5)
            if self._stopping.wait(max(next_at - time.monotonic(), 0.01)):
                return
            (kind,) = self._chance.choices([*WEIGHTS], [*WEIGHTS.values()])
            with self._peace:
                if not self._kill(kind):
                    self._kill("further worker")

    def _kill(self, kind: str) -> bool:
        """Kills one of the kind; whether there was one."""
        if kind == "everything":
            self._kill_everything()
        else:
            found = self._found(kind)
            if not found:
                return False
            victim = found[0] if kind == "server process" else self._chance.choice(found)
            if not _killed(victim):
                return False
        self.killed[kind] += 1
        return True

    def _kill_everything(self) -> None:
        """As if the machine had lost its power, but for what the kernel has still to write."""
        for process in (*self._installation.servers, self._installation.workers):
            if process.is_running():
                kill_tree(process.pid)
        if (postmaster := self._postmaster()) is not None:
            kill_tree(postmaster)

    def _found(self, kind: str) -> list[int]:
        """The living ones of a kind, the oldest first."""
        running = [server for server in self._installation.servers if server.is_running()]
        match kind:
            case "front process":
                return [server.pid for server in running]
            case "further worker":
                workers = self._installation.workers
                return children(workers.pid) if workers.is_running() else []
            case "PostgreSQL":
                return [pid for pid in [self._postmaster()] if pid is not None]
            case "PostgreSQL backend":
                postmaster = self._postmaster()
                return [pid for pid in children(postmaster) if "paymatch_service" in command(pid)] if postmaster else []
            case "import process":
                return self._imports([server.pid for server in running])
        below = [pid for server in running for pid in children(server.pid) if "resource_tracker" not in command(pid)]
        is_worker = {pid: "worker" in command(pid).split("\0") for pid in below}
        if kind == "worker of the service":
            return [pid for pid in below if is_worker[pid]]
        return [pid for pid in below if not is_worker[pid]]

    def _imports(self, servers: list[int]) -> list[int]:
        """Processes that read a bank's file or a letter for a server, waited for."""
        ends = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < ends:
            processes = [pid for server in servers for pid in children(server)]
            forkers = [pid for process in processes for pid in children(process)]
            found = [pid for forker in forkers for pid in children(forker)]
            if found:
                return found
            time.sleep(0.01)
        return []

    def _postmaster(self) -> int | None:
        path = self._installation.data / "postgres" / "cluster" / "postmaster.pid"
        with suppress(OSError, ValueError, IndexError):
            pid = int(path.read_text().split()[0])
            return pid if "postgres" in command(pid) else None
        return None


def _killed(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def children(pid: int) -> list[int]:
    """Processes that any thread of the process has started and that live, the oldest first."""
    found: set[int] = set()
    with suppress(OSError):
        for thread in list(Path(f"/proc/{pid}/task").iterdir()):
            with suppress(OSError):
                found.update(int(word) for word in (thread / "children").read_text().split())
    return sorted(found, key=_began)


def _began(pid: int) -> int:
    """When it began, in the kernel's ticks."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    return 0


def command(pid: int) -> str:
    """Its command line, words ended by NUL; empty for who is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    return ""
