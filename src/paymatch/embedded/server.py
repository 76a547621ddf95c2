"""The running server: joined or started on the way in, stopped by its last user on the way out.

Three lock files (flock, so a killed process lets go of them at once) decide who does what:

- `lifecycle.lock`, exclusive: held by the process that is starting or stopping the server.
- `users.lock`, shared: held by everyone who uses it. Who can take it exclusively on the way out is the last one.
- `server.lock`, exclusive: inherited by PostgreSQL itself and all its processes. A process that gets it knows that
  none of them lives, even if postmaster.pid says so: its pid may belong to another program or container by now.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil
import psycopg
import structlog

from paymatch.domain.words.message import Message
from paymatch.embedded.account import ACCOUNT, give, open_the_way
from paymatch.embedded.cluster import DATABASE, SUPERUSER, Cluster, environment, prepared_cluster
from paymatch.embedded.errors import EmbeddedServerError
from paymatch.settings import make_data_dir
from paymatch.system_errors import in_a_sentence

__all__ = ["EmbeddedServerError", "kept_server", "revive", "running_server"]

_log = structlog.get_logger()

_PORT: Final = 5432  # names the socket file only: there is no TCP port
_SOCKET: Final = f".s.PGSQL.{_PORT}"
_SOCKET_PATH_MAX: Final = 100  # bytes; the kernel's limit is 107 (Linux) or 103 (macOS)
_START_SECONDS: Final = 600  # recovery after a crash replays the log, which may take minutes
_STOP_SECONDS: Final = 60
_ORPHAN_SECONDS: Final = 60
_STEP_SECONDS: Final = 0.02
_LOOK_SECONDS: Final = 1.0
"""How often a user that stays looks whether the server lives."""

_DURABLE: Final = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
_FORGETFUL: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@contextmanager
def running_server(data_dir: Path, *, account: str = ACCOUNT, durable: bool = True) -> Iterator[str]:
    """The URL of the PostgreSQL in `data_dir`: created, started or joined as needed, stopped by its last user.

    The server runs as us, or for root as `account`. `durable=False` trades safety against power loss for speed (tests).
    EmbeddedServerError if it cannot be had.
    """
    try:
        data_dir = make_data_dir(data_dir)
    except OSError as error:
        raise EmbeddedServerError(
            Message("embedded-data-directory-cannot-created", data_dir=str(data_dir), strerror=str(error.strerror))
        ) from error
    with _open_lock_file(data_dir / "users.lock") as users:
        try:
            with _lifecycle(data_dir):
                fcntl.flock(users, fcntl.LOCK_SH)
                server = _join_or_start(prepared_cluster(data_dir, account), durable=durable)
            yield server.url(DATABASE)
        finally:
            with _lifecycle(data_dir):
                if _is_port_taken(users):
                    _stop(data_dir / "postgres" / "cluster" / "postmaster.pid", data_dir / "server.lock")


def set_aside(data_dir: Path, name: str) -> Path:
    """Renames the folder of the database in `data_dir`, so nothing starts it any more; returns its new place.

    EmbeddedServerError while it is in use.
    """
    folder = data_dir / "postgres"
    aside = folder.with_name(name)
    with _open_lock_file(data_dir / "users.lock") as users, _lifecycle(data_dir):
        if not _is_port_taken(users):
            raise EmbeddedServerError(Message("embedded-database-use", folder=str(folder)))
        folder.rename(aside)
    return aside


@contextmanager
def kept_server(data_dir: Path, *, account: str = ACCOUNT) -> Iterator[str]:
    """As `running_server`, for a user that stays: a server that dies (out of memory, a kill) is started again."""
    with running_server(data_dir, account=account) as url:
        leaving = threading.Event()
        keeper = threading.Thread(
            target=_keep, args=(make_data_dir(data_dir), account, leaving), name="database keeper"
        )
        keeper.start()
        try:
            yield url
        finally:
            leaving.set()
            keeper.join()


def _keep(data_dir: Path, account: str, leaving: threading.Event) -> None:
    said = ""
    while not leaving.wait(_LOOK_SECONDS):
        try:
            revive(data_dir, account)
            said = ""
        except (EmbeddedServerError, psycopg.Error, OSError) as error:
            if in_a_sentence(error) != said:  # it is tried every second: once is enough until the reason changes
                said = in_a_sentence(error)
                _log.error("the database died and does not start", reason=said)


_no_fork = threading.RLock()
"""Held while a thread holds lock files: a process that is forked meanwhile would hold them as long as it lives."""
os.register_at_fork(before=_no_fork.acquire, after_in_parent=_no_fork.release, after_in_child=_no_fork.release)


def revive(data_dir: Path, account: str = ACCOUNT) -> bool:
    """Whether the server had died; then it runs again, under the same URL. For a user inside of `running_server`.

    Nothing is done while another process starts or stops it, nor while sessions outlive a dead server (they notice
    soon).
    """
    with _no_fork, _open_lock_file(data_dir / "lifecycle.lock") as lifecycle:
        if not _is_port_taken(lifecycle):
            return False
        with _open_lock_file(data_dir / "server.lock") as lock:
            if not _is_port_taken(lock):
                return False
        _log.error("the database died and is started again")
        _join_or_start(prepared_cluster(data_dir, account), durable=True)
    return True


@dataclass(frozen=True, slots=True)
class _Server:
    pid: int
    socket_dir: str
    port: int

    def url(self, database: str) -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(self.socket_dir, safe='')}&port={self.port}"


def _join_or_start(cluster: Cluster, *, durable: bool) -> _Server:
    lock_path = cluster.home.parent / "server.lock"
    server = None
    while server is None:  # it may die once it was found alive
        with _open_lock_file(lock_path) as lock:
            process = None
            if not _is_port_taken(lock):
                _await_orphans(cluster, lock)
            if _is_port_taken(lock):
                process = _start(cluster, lock, durable=durable)
        server = _ready(cluster, lock_path, process)
    _create_database(server)
    return server


def _await_orphans(cluster: Cluster, lock: int) -> None:
    """Returns at once if the server lives, otherwise when the processes that outlived it are gone (they notice)."""
    deadline = time.monotonic() + _ORPHAN_SECONDS
    while not _is_port_taken(lock):
        server = _read_pid_file(cluster.pid_file)
        if server is not None and _answers(server) != psycopg.pq.Ping.NO_RESPONSE:
            return
        if time.monotonic() > deadline:
            raise EmbeddedServerError(Message("embedded-processes-dead-postgresql-still", folder=str(cluster.folder)))
        time.sleep(_STEP_SECONDS)


def _start(cluster: Cluster, lock: int, *, durable: bool) -> subprocess.Popen[bytes]:
    """Starts the server in a session of its own, so that Ctrl-C in our terminal does not reach it."""
    # No process holds server.lock, so these files are stale. PostgreSQL itself would trust the pid in them and refuse
    # to start if that number belongs to any other process of the account by now.
    socket_dir = _socket_dir(cluster)
    for stale in (cluster.pid_file, socket_dir / _SOCKET, socket_dir / f"{_SOCKET}.lock"):
        stale.unlink(missing_ok=True)
    options = {
        "listen_addresses": "",
        "port": str(_PORT),
        "unix_socket_directories": _quote(socket_dir),
        "unix_socket_permissions": "0700",
        "logging_collector": "on",
        "log_directory": str(cluster.log_folder),
        "log_filename": "postgres-%a.log",
        "log_truncate_on_rotation": "on",
        "log_rotation_age": "1d",
        "log_rotation_size": "0",
        **(_DURABLE if durable else _FORGETFUL),
    }
    arguments = [cluster.command("postgres"), "-D", str(cluster.folder)]
    arguments += [f"--{name}={value}" for name, value in options.items()]
    try:
        with _start_log(cluster).open("wb") as output:
            return subprocess.Popen(  # noqa: S603  fixed program and options, no shell
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=cluster.home,
                env=environment(),
                start_new_session=True,
                umask=0o077,
                pass_fds=(lock,),
                **cluster.account.popen_arguments(),
            )
    except OSError as error:
        raise EmbeddedServerError(
            Message("embedded-postgresql-could-not-started", error=in_a_sentence(error))
        ) from error


def _ready(cluster: Cluster, lock_path: Path, process: subprocess.Popen[bytes] | None) -> _Server | None:
    """Waits until the server takes connections; EmbeddedServerError with its own words if it dies before.

    None if it is not ours (`process`) and has died: a waiting process would keep others from starting another.
    """
    begin = time.monotonic()
    said_at = begin
    while time.monotonic() - begin < _START_SECONDS:
        server = _read_pid_file(cluster.pid_file)
        if server is not None and _answers(server) == psycopg.pq.Ping.OK:
            if process is not None:
                # It may outlive us, and its end is seen by the lock, not by waiting for a child: no warning about it.
                process.returncode = 0
                _log.info("database started", pid=server.pid)
            return server
        if process is not None and process.poll() is not None:
            raise EmbeddedServerError(Message("embedded-postgresql-did-not-start", words=_last_words(cluster)))
        if process is None and _is_free(lock_path):
            return None
        if time.monotonic() - said_at > 5:
            said_at = time.monotonic()
            _log.info("database is starting, after a crash this may take a while", path=str(cluster.folder))
        time.sleep(_STEP_SECONDS)
    raise EmbeddedServerError(Message("embedded-postgresql-does-not-answer", words=_last_words(cluster)))


def _create_database(server: _Server) -> None:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone() is None:
            connection.execute(f"CREATE DATABASE {DATABASE}".encode())


def _stop(pid_file: Path, lock_path: Path) -> None:
    """Stops the server, first politely (sessions end, a checkpoint is written), then at once: the log recovers it."""
    with _open_lock_file(lock_path) as lock:
        server = _read_pid_file(pid_file)
        if _is_port_taken(lock):
            return
        if server is None or not _is_postmaster(server.pid, pid_file.parent):
            _log.warning("database left running, it is not ours to stop", path=str(pid_file.parent))
            return
        for way in (signal.SIGINT, signal.SIGQUIT):
            with suppress(ProcessLookupError):
                os.kill(server.pid, way)
            if _has_ended(lock):
                with suppress(ChildProcessError):
                    os.waitpid(server.pid, 0)
                _remove_short_socket_dir(server, pid_file)
                _log.info("database stopped", pid=server.pid)
                return
        raise EmbeddedServerError(Message("embedded-postgresql-process-does-not", pid=server.pid))


def _has_ended(lock: int) -> bool:
    deadline = time.monotonic() + _STOP_SECONDS
    while not _is_port_taken(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(_STEP_SECONDS)
    return True


def _read_pid_file(path: Path) -> _Server | None:
    """What PostgreSQL says about itself; None while it says nothing or not all of it."""
    try:
        lines = path.read_text("utf-8").splitlines()
        return _Server(pid=int(lines[0]), port=int(lines[3]), socket_dir=lines[4]) if lines[4] else None
    except (OSError, IndexError, ValueError):
        return None


def _answers(server: _Server) -> psycopg.pq.Ping:
    return psycopg.pq.Ping(psycopg.pq.PGconn.ping(server.url("postgres").encode()))


def _is_postmaster(pid: int, folder: Path) -> bool:
    """Whether the process is a PostgreSQL that works in `folder`, and not a stranger with a reused number."""
    try:
        process = psutil.Process(pid)
        return process.name().startswith("postgres") and Path(process.cwd()).samefile(folder)
    except (psutil.Error, OSError):
        return False


def _socket_dir(cluster: Cluster) -> Path:
    """The cluster's home, or a private directory with a short, plain path; joiners find it in postmaster.pid."""
    path = str(cluster.home / f"{_SOCKET}.lock")
    # libpq splits the host at commas; line breaks would break postmaster.pid.
    if len(os.fsencode(path)) <= _SOCKET_PATH_MAX and "," not in path and path.isprintable():
        return cluster.home
    note = cluster.home / "socket-dir"
    known = Path(note.read_text("utf-8")) if note.exists() else None
    if known is not None and not known.is_symlink() and known.is_dir() and known.stat().st_uid == cluster.account.uid:
        return known
    base = tempfile.gettempdir()
    if len(base) > _SOCKET_PATH_MAX // 2 or "," in base:
        base = f"{os.sep}tmp"
    folder = Path(tempfile.mkdtemp(prefix="paymatch-", dir=base))
    give(folder, cluster.account)
    open_the_way(folder, cluster.account)
    note.write_text(str(folder), "utf-8")
    return folder


def _remove_short_socket_dir(server: _Server, pid_file: Path) -> None:
    folder = Path(server.socket_dir)
    if folder != pid_file.parent.parent:
        with suppress(OSError):
            folder.rmdir()


def _quote(path: Path) -> str:
    """A path as one element of PostgreSQL's comma separated list."""
    return '"' + str(path).replace('"', '""') + '"'


def _start_log(cluster: Cluster) -> Path:
    return cluster.log_folder / "start.log"


def _last_words(cluster: Cluster) -> str:
    """The end of what the server said, from the log of its start and from its log proper."""
    files = sorted(cluster.log_folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
    lines = [line for path in files for line in path.read_text("utf-8", errors="replace").splitlines()]
    return " / ".join(lines[-5:]) or f"see {cluster.log_folder}"


@contextmanager
def _lifecycle(data_dir: Path) -> Iterator[None]:
    with _open_lock_file(data_dir / "lifecycle.lock") as lock:
        if not _is_port_taken(lock):
            _log.info("another paymatch process is starting or stopping the database, waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _open_lock_file(path: Path) -> Iterator[int]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise EmbeddedServerError(
            Message("embedded-cannot-opened", path=str(path), strerror=str(error.strerror))
        ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_free(path: Path) -> bool:
    """Whether the lock is free at this moment."""
    with _open_lock_file(path) as descriptor:
        return _is_port_taken(descriptor)


def _is_port_taken(descriptor: int) -> bool:
    """Takes the lock exclusively, if that is possible at once."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
