"""Processes of the tests that use an embedded server, from a data directory of their own."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import psutil
import psycopg

from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
IS_ROOT = os.geteuid() == 0

_USER = """
import sys
import os, pwd
from pathlib import Path
from paymatch.embedded import EmbeddedServerError, running_server
from paymatch.logs import set_up_logs

set_up_logs("json", "info")
if sys.argv[2]:
    # The account may have no way to the interpreter's modules: a first run as root loads them all.
    with running_server(Path(sys.argv[3])):
        pass
    entry = pwd.getpwnam(sys.argv[2])
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
try:
    with running_server(Path(sys.argv[1])) as url:
        print(url, flush=True)
        sys.stdin.readline()
except EmbeddedServerError as error:
    print("refused:", error, flush=True)
    sys.exit(1)
"""


class User:
    """A process inside `running_server`, until `leave` or `kill`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._stdin: IO[str] = process.stdin
        self._stdout: IO[str] = process.stdout
        self._url = ""

    @property
    def url(self) -> str:
        """What the process printed first: the URL, or its refusal."""
        self._url = self._url or self._stdout.readline().strip()
        return self._url

    def leave(self) -> None:
        assert self.url
        self._stdin.write("\n")
        self._stdin.flush()
        assert self.process.wait(PATIENCE_SECONDS) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_SECONDS)

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        self._stdin.close()
        self._stdout.close()


@contextmanager
def user(data_dir: Path, account: str = "", first: Path | None = None, **popen: Any) -> Iterator[User]:
    """A process under `account` that uses the server of `data_dir`; killed at the end if it has not left.

    `first`: the data directory whose server it uses before it takes the account; needed with one.
    """
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PGOPTIONS": "-c search_path=nowhere", "PGPORT": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", _USER, str(data_dir), account, str(first or "")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
        env=env,
        **popen,
    )
    found = User(process)
    try:
        yield found
    finally:
        found.close()


def server_processes(data_dir: Path) -> list[psutil.Process]:
    """All processes of PostgreSQL that work in the cluster of `data_dir`."""
    cluster = str(data_dir.resolve() / "postgres" / "cluster")
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == cluster and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill_server(data_dir: Path) -> None:
    """kill -9 of every process of the server."""
    processes = server_processes(data_dir)
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # children end with the first one that is killed
            process.kill()
    psutil.wait_procs(processes, timeout=PATIENCE_SECONDS)


def query(url: str, statement: str) -> list[tuple[Any, ...]]:
    """The rows of a statement that was committed; none for a statement without result."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def alive(url: str) -> bool:
    """Whether a new server answers: one whose main process was killed refuses connections."""
    return psycopg.pq.PGconn.ping(url.encode()) == psycopg.pq.Ping.OK


def postmaster_pid(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "cluster" / "postmaster.pid").read_text("utf-8").splitlines()[0])


OTHER = "daemon"
"""An ordinary account other than the one of the tests, and other than the one that PostgreSQL is given."""


def as_other() -> dict[str, Any]:
    """Arguments for subprocess: run as `OTHER`."""
    entry = pwd.getpwnam(OTHER)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
