"""The installation that is put through faults: two `paymatch serve` on one bundled database, and further workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from lab.failover.load import IBAN, Shop
from lab.failover.processes import HERE, Keeper, Process, answers, wait_for
from paymatch.embedded import running_server

RESTART_SECONDS: Final = 2.0
"""What `RestartSec` is in the unit of deploy/systemd."""
START_SECONDS: Final = 120


class Installation:
    """Servers, kept running as systemd keeps them, and what is asked of them by command.

    `processes` server processes answer at the first port. The second port has a server of its own, without a worker.
    """

    def __init__(
        self, folder: Path, port: int, *, processes: int = 1, second: bool = False, further_workers: int = 0,
        environment: Mapping[str, str] | None = None, logs: Path | None = None,
    ) -> None:  # fmt: skip
        """`logs`: the folder of what the servers say, else `folder`."""
        self._logs = logs or folder
        self.data = folder / "data"
        self.url = ""
        self.callback_port = port + 90
        self.ports = (port + 1, port + 2) if second else (port + 1,)
        self.environment = {
            "PAYMATCH_DATA_DIR": str(self.data),
            "PAYMATCH_CALLBACK_ALLOW_PRIVATE": "1",
            "PAYMATCH_LOG_FORMAT": "json",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            **(environment or {}),
        }
        serve = ["paymatch", "serve", "--port"]
        commands = [[*serve, str(port + 1), "--workers", str(processes)]]
        if second:
            commands.append([*serve, str(port + 2), "--workers", "2", "--no-jobs"])
        self.servers = [self._process(f"service{place}", command) for place, command in enumerate(commands, 1)]
        self.workers = self._process("workers", ["lab.faults.workers", str(further_workers)])
        kept = [*self.servers, self.workers] if further_workers else self.servers
        self._kept = kept
        self._keeper = Keeper(kept, RESTART_SECONDS)

    def _process(self, name: str, command: list[str]) -> Process:
        return Process([sys.executable, "-m", *command], self._logs / f"{name}.log", None, self.environment)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Runs inside of the block. `url` is the owner's of the database, who sees the rows of all shops."""
        with running_server(self.data) as self.url:
            try:
                for server in self._kept:
                    server.start()
                    self.wait_until_ready()
                self._keeper.start()
                yield
            finally:
                self._keeper.stop()
                for server in reversed(self._kept):
                    server.stop()

    def wait_until_ready(self) -> None:
        """Returns when each server that was started says that it is ready."""
        for server, port in zip(self.servers, self.ports, strict=True):
            if server.is_running():
                wait_for(f"server on port {port}", partial(answers, f"http://{HERE}:{port}/readyz"), START_SECONDS)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of paymatch in this installation."""
        return subprocess.run(
            [sys.executable, "-m", "paymatch", *arguments], env={**os.environ, **self.environment},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def done(self, *arguments: str) -> str:
        """What the command prints; RuntimeError with its words if it fails."""
        done = self.command(*arguments)
        if done.returncode != 0:
            raise RuntimeError(f"paymatch {' '.join(arguments[:2])}: {done.stderr}")
        return done.stdout

    def new_shop(self, name: str, *settings: str, callbacks: bool = True) -> Shop:
        """A live shop that takes statements by API, and gets callbacks at `callback_port` if it is to."""
        found: dict[str, Any] = json.loads(self.done("shop", "create", name, "--iban", IBAN, "--json"))
        shop = str(found["shop"])
        self._set(shop, "statements-api=on", *settings, callbacks=callbacks)
        key = json.loads(self.done("key", "create", shop, "--scope", "read-write,statements", "--json"))
        return Shop(shop, str(key["apiKey"]), self.ports)

    def new_sandboxes(self, count: int) -> list[Shop]:
        """Sandbox shops with mail, reminders and callbacks."""
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(self._sandbox, range(count)))

    def _sandbox(self, number: int) -> Shop:
        found = json.loads(self.done("shop", "create", f"Sandbox {number}", "--sandbox", "--json"))
        mail = ("mail-from=pay@shop.example", "payment-information=on", "reminders=on", "payment-thanks=on")
        self._set(str(found["shop"]), *mail, callbacks=True)
        return Shop(str(found["shop"]), str(found["apiKey"]), tuple(reversed(self.ports)))

    def _set(self, shop: str, *settings: str, callbacks: bool) -> None:
        url = f"http://{HERE}:{self.callback_port}/callback"
        more = (f"callback-ports={self.callback_port}", f"callback-url={url}") if callbacks else ()
        self.done("shop", "set", shop, *more, *settings, "--yes")
        if callbacks:
            self.done("shop", "set", shop, "callbacks=on", "--yes")
