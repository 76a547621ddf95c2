"""The tests on a Citus cluster of three nodes on this machine: `make citus ARGS="--pg-config /path/to/pg_config"`.

`pg_config` is of an installed PostgreSQL 15 to 17 that has Citus 13; with `--source DIRECTORY` Citus is built there
first and installed into it. The nodes live in a temporary directory and end with the tests. What else is given goes to
pytest.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg

from paymatch.embedded.account import ACCOUNT, PostgresAccount, account_for, give, open_the_way
from paymatch.embedded.cluster import environment

NODES: Final = 3
FIRST_PORT: Final = 16100
TESTS: Final = (
    *("tests/contract", "tests/usecases"),
    *("tests/scenarios/test_random_lives.py", "tests/scenarios/test_stories.py"),
)
SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "shared_preload_libraries": "citus",
    "max_connections": "300",
    "max_prepared_transactions": "300",
    "max_locks_per_transaction": "512",
    "max_worker_processes": "100",  # Citus looks after each database in a process of its own
    "wal_level": "logical",  # parts that move while they are written
    "max_replication_slots": "50",
    "max_wal_senders": "50",
    "fsync": "off",  # nothing of it outlives the tests
    "synchronous_commit": "off",
    "full_page_writes": "off",
}
_SECONDS: Final = 60


@contextmanager
def cluster(bindir: Path, home: Path, *, nodes: int = NODES, first_port: int = FIRST_PORT) -> Iterator[list[str]]:
    """URLs of the nodes, the coordinator's first; they end with the block. RuntimeError if one does not start."""
    with ExitStack() as stack:
        yield [stack.enter_context(_node(bindir, home / f"node-{n}", first_port + n)) for n in range(nodes)]


@contextmanager
def _node(bindir: Path, folder: Path, port: int) -> Iterator[str]:
    account = account_for(folder, ACCOUNT)
    folder.mkdir()
    give(folder, account)
    open_the_way(folder, account)
    data = folder / "data"
    options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8"]
    _run([str(bindir / "initdb"), f"--pgdata={data}", *options], folder, account)
    settings = {**SETTINGS, "port": str(port), "unix_socket_directories": str(folder)}
    with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [str(bindir / "postgres"), "-D", str(data)],
            cwd=folder, env=environment(), stdout=log, stderr=log, **account.popen_arguments(),
        )  # fmt: skip
    try:
        _wait(url, server, folder / "log")
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # at once: connections between nodes would keep it
        server.wait(_SECONDS)


def _run(command: Sequence[str], folder: Path, account: PostgresAccount | None = None) -> None:
    arguments: dict[str, Any] = account.popen_arguments() if account else {}
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, **arguments)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{(done.stderr or done.stdout)[-4000:]}")


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _SECONDS
    while server.poll() is None and time.monotonic() < until:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"a node does not start:\n{log.read_text('utf-8', errors='replace')[-4000:]}")


def build(source: Path, pg_config: str) -> None:
    """Builds Citus in its source directory and installs it into that PostgreSQL."""
    _run(["./configure", f"PG_CONFIG={pg_config}"], source)
    _run(["make", "-j2", "extension"], source)
    _run(["make", "install-extension"], source)


def _told(pg_config: str, option: str) -> Path:
    asked = [pg_config, option]
    return Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())


def main() -> int:
    """Exit code of the tests; 2 if there is no Citus to run them on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pg-config", default=os.environ.get("PG_CONFIG", "pg_config"))
    parser.add_argument("--source", type=Path, help="directory with the source of Citus 13, built and installed first")
    given, further = parser.parse_known_args()
    try:
        if given.source:
            build(given.source.resolve(), given.pg_config)
        bindir = _told(given.pg_config, "--bindir")
        control = _told(given.pg_config, "--sharedir") / "extension" / "citus.control"
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"make citus: {error}", file=sys.stderr)
        return 2
    if not control.is_file():
        print(f"make citus: {control} is missing: install Citus 13, or name its source by --source", file=sys.stderr)
        return 2
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-citus-") as home,
        cluster(bindir, Path(home)) as urls,
    ):
        environment = {**os.environ, "PAYMATCH_TEST_CITUS": ",".join(urls)}
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *(further or TESTS)]
        return subprocess.run(command, check=False, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
