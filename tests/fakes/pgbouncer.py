"""A real PgBouncer in transaction mode, in front of a database of the tests; only where it is installed."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from paymatch.embedded.account import account_for
from paymatch.store.database import login_parts
from tests.waiting import PATIENCE_SECONDS, free_port, wait_until


@contextmanager
def pgbouncer(url: str, *, sessions: int = 1) -> Iterator[str]:
    """URL of the database by a PgBouncer that has `sessions` sessions for all clients together."""
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-pgbouncer-") as folder,
        _running(url, Path(folder), sessions) as found,
    ):
        yield found


@contextmanager
def _running(url: str, folder: Path, sessions: int) -> Iterator[str]:
    parts = login_parts(url)
    port = free_port()
    account = account_for(folder / "none yet", "paymatch").popen_arguments()
    if account:
        os.chown(folder, account["user"], account["group"])
    (folder / "users.txt").write_text(f'"{parts["user"]}" "{parts.get("password", "")}"\n', "utf-8")
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{parts['dbname']} = host={parts['host']} port={parts.get('port', 5432)}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = trust\n"
        f"auth_file = {folder / 'users.txt'}\npool_mode = transaction\ndefault_pool_size = {sessions}\n"
        "ignore_startup_parameters = extra_float_digits,options\n",
        "utf-8",
    )
    with (folder / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen(
            ["pgbouncer", str(folder / "pgbouncer.ini")], stdout=log, stderr=log, cwd="/", **account
        )
    try:
        wait_until(lambda: _listens(port))
        asked = urlsplit(url)
        login = asked.netloc.rpartition("@")[0] or parts["user"]
        yield urlunsplit(asked._replace(netloc=f"{login}@127.0.0.1:{port}", query=""))
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
