"""Two servers of paymatch, each with its worker: one by PgBouncer and HAProxy, one with a URL that names all nodes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from lab.failover.cluster import Cluster
from lab.failover.load import IBAN, Shop
from lab.failover.processes import HERE, Keeper, Process, answers, wait_for

_RESTART_SECONDS: Final = 2.0
"""What `RestartSec` is in the unit of deploy/systemd."""


class Service:
    """The servers, kept running as systemd keeps them."""

    def __init__(self, cluster: Cluster, folder: Path, callback_port: int) -> None:
        self._callback_port = callback_port
        self.ports = (cluster.base + 501, cluster.base + 502)
        common = {
            "PAYMATCH_DATABASE_OWNER_URL": cluster.url("paymatch", "owner"),
            "PAYMATCH_SECRET_KEY": cluster.passwords["service"] * 2,
            "PAYMATCH_CALLBACK_ALLOW_PRIVATE": "1",
            "PAYMATCH_LOG_FORMAT": "json",
        }
        urls = (cluster.by_pooler, cluster.by_hosts)
        self._environments = [
            {**common, "PAYMATCH_DATABASE_URL": url, "PAYMATCH_DATA_DIR": str(folder / f"service{number}")}
            for number, url in enumerate(urls, 1)
        ]
        program = [sys.executable, "-m", "paymatch", "serve", "--port"]
        self.servers = [
            Process([*program, str(port)], folder / f"service{number}.log", None, environment)
            for number, (port, environment) in enumerate(zip(self.ports, self._environments, strict=True), 1)
        ]
        self._keeper = Keeper(self.servers, _RESTART_SECONDS)

    def start(self) -> None:
        """Starts both, and keeps them running."""
        for server, port in zip(self.servers, self.ports, strict=True):
            server.start()
            wait_for(f"server on port {port}", lambda port=port: answers(f"http://{HERE}:{port}/readyz"), 120)  # type: ignore[misc]
        self._keeper.start()

    def stop(self) -> None:
        """Ends both."""
        self._keeper.stop()
        for server in self.servers:
            server.stop()

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of paymatch, on the database as the first server reaches it."""
        environment = {**os.environ, **self._environments[0]}
        return subprocess.run(
            [sys.executable, "-m", "paymatch", *arguments], env=environment, capture_output=True, text=True, check=False
        )

    def new_shop(self) -> Shop:
        """A shop that takes statements by API and wants callbacks."""
        found = self._json("shop", "create", "Failover", "--iban", IBAN, "--json")
        shop = str(found["shop"])
        url = f"http://{HERE}:{self._callback_port}/callback"
        self._done("shop", "set", shop, f"callback-ports={self._callback_port}", f"callback-url={url}")
        self._done("shop", "set", shop, "callbacks=on", "statements-api=on", "--yes")
        key = self._json("key", "create", shop, "--scope", "read-write,statements", "--json")
        return Shop(shop, str(key["apiKey"]), self.ports)

    def _json(self, *arguments: str) -> dict[str, Any]:
        return dict(json.loads(self._done(*arguments)))

    def _done(self, *arguments: str) -> str:
        done = self.command(*arguments)
        if done.returncode != 0:
            raise RuntimeError(f"paymatch {' '.join(arguments[:2])}: {done.stderr}")
        return done.stdout
