"""A PostgreSQL of the operator's own, of any version that is installed here, with the roles of `deploy/postgresql`."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg

from paymatch.embedded import programs
from paymatch.embedded.account import account_for, give, open_the_programs, open_the_way
from tests.waiting import free_port, wait_until

ROLES = Path(__file__).resolve().parents[1] / "deploy" / "postgresql" / "roles.sql"
PASSWORD = "a password of the tests"


@cache
def installed() -> dict[int, Path]:
    """Major version -> folder with its `bin`, of every PostgreSQL from 15 on that is found here.

    Debian's, the bundled ones, and those in the folders that OWN_POSTGRESQL names, separated by colons.
    """
    bundled = programs()
    found = {}
    named = [Path(each) for each in os.environ.get("OWN_POSTGRESQL", "").split(os.pathsep) if each]
    for folder in (*named, *Path("/usr/lib/postgresql").glob("*"), *bundled.parent.glob("pginstall*")):
        if (folder / "bin" / "initdb").exists():
            said = subprocess.run(
                [folder / "bin" / "postgres", "--version"], capture_output=True, text=True, check=True
            )
            version = re.search(r" (\d+)\.", said.stdout)
            if version is not None and int(version[1]) >= 15:
                found[int(version[1])] = folder
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class OwnServer:
    """A running server."""

    port: int

    def url(self, role: str, database: str = "paymatch") -> str:
        """The URL of a role's login; all have the same password."""
        return f"postgresql://{role}:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str) -> None:
        """Runs a statement as the superuser."""
        with psycopg.connect(self.url("postgres", "postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def own_server(version: int, *, prepared: bool = True, account_name: str = "paymatch") -> Iterator[OwnServer]:
    """A new cluster of this version that asks for passwords, `prepared` by `roles.sql` as its comment says."""
    folder = installed()[version]
    with tempfile.TemporaryDirectory(prefix="own-") as name:
        home = Path(name)
        home.chmod(0o711)
        account = account_for(home / "cluster", account_name)
        cluster, secret = home / "cluster", home / "password"
        cluster.mkdir()
        secret.write_text(PASSWORD, "utf-8")
        for path in (cluster, secret):
            give(path, account)
        open_the_way(cluster, account)
        if folder.parent == programs().parent:  # what the system installed is open to all
            open_the_way(folder, account)
            open_the_programs(folder, account)
        server = OwnServer(free_port())
        making: list[str | Path] = [
            folder / "bin" / "initdb",
            "-D",
            cluster,
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            "-N",
        ]
        subprocess.run(
            [*making, f"--pwfile={secret}"], check=True, capture_output=True, cwd=home, **account.popen_arguments()
        )
        options = {"port": server.port, "unix_socket_directories": "", "fsync": "off", "shared_buffers": "16MB"}
        starting: list[str | Path] = [
            folder / "bin" / "postgres",
            "-D",
            cluster,
            *(f"--{each}={value}" for each, value in options.items()),
        ]
        process = subprocess.Popen(
            starting, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **account.popen_arguments()
        )
        try:
            _wait_for(server)
            if prepared:
                _prepare(server)
            yield server
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


def _wait_for(server: OwnServer) -> None:
    """Waits until the server answers."""
    url = server.url("postgres", "postgres").encode()
    wait_until(lambda: psycopg.pq.PGconn.ping(url) == psycopg.pq.Ping.OK, lambda: "the server does not answer")


def _prepare(server: OwnServer) -> None:
    """Runs `roles.sql`."""
    url = server.url("postgres", "postgres")
    words = [f"{each}_password={PASSWORD}" for each in ("owner", "service")]
    command: list[str | Path] = [
        programs() / "bin" / "psql",
        "-X",
        "-q",
        "-v",
        "ON_ERROR_STOP=1",
        "-v",
        words[0],
        "-v",
        words[1],
    ]
    subprocess.run([*command, "-f", ROLES, url], check=True, capture_output=True)
