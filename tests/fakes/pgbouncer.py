"""A real PgBouncer in transaction mode, in front of a database of the tests; only where it is installed."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from paymatch.embedded.account import account_for
from paymatch.store.database import login_parts

_SECONDS = 20


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
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
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
        _wait(port)
        asked = urlsplit(url)
        login = asked.netloc.rpartition("@")[0] or parts["user"]
        yield urlunsplit(asked._replace(netloc=f"{login}@127.0.0.1:{port}", query=""))
    finally:
        process.terminate()
        process.wait(_SECONDS)


def _wait(port: int) -> None:
    ends = time.monotonic() + _SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)
        else:
            return
