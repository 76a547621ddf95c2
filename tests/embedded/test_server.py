"""The embedded server with real processes: start, join, stop, and what is left after kill -9."""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from paymatch.embedded import EmbeddedServerError, kept_server, running_server, server
from paymatch.embedded.server import revive
from paymatch.logs import set_up_logs
from tests.embedded.processes import (
    IS_ROOT,
    OTHER,
    alive,
    as_other,
    kill_server,
    postmaster_pid,
    query,
    server_processes,
    user,
)
from tests.waiting import PATIENCE_SECONDS, wait_until

as_root = pytest.mark.skipif(not IS_ROOT, reason="needs root")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A directory outside of pytest's own, whose permissions pytest would set back while servers run below it."""
    path = Path(tempfile.mkdtemp(prefix="t-"))
    yield path
    for found in path.rglob("postgres/cluster"):
        kill_server(found.parent.parent)
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def made() -> Iterator[Path]:
    """A data directory whose cluster is made, and stopped: to make one takes longer than all else in most tests."""
    path = Path(tempfile.mkdtemp(prefix="made-"))
    with running_server(path / "data"):
        pass
    yield path / "data"
    shutil.rmtree(path)


@pytest.fixture
def data_dir(folder: Path, made: Path) -> Path:
    """A data directory with a cluster of its own."""
    copied = folder / "data"
    subprocess.run(["cp", "--archive", made, copied], check=True)
    return copied


@pytest.fixture
def new_dir(folder: Path) -> Path:
    """A data directory that is not there yet."""
    return folder / "data"


def test_starts_keeps_and_stops(new_dir: Path) -> None:
    with running_server(new_dir) as url:
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        assert len(server_processes(new_dir)) > 1
    assert server_processes(new_dir) == []
    assert not (new_dir / "postgres" / "cluster" / "postmaster.pid").exists()
    with running_server(new_dir) as url:
        assert query(url, "SELECT answer FROM kept") == [(42,)]


def test_settings(new_dir: Path) -> None:
    names = (
        "server_version_num::int / 10000 data_checksums server_encoding listen_addresses fsync synchronous_commit "
        "full_page_writes max_connections max_locks_per_transaction log_error_verbosity log_parameter_max_length"
    )
    with running_server(new_dir) as url:
        version = query(url, "SELECT current_setting('server_version_num')::int / 10000")
        found = [query(url, f"SHOW {name}")[0][0] for name in names.split() if name.isidentifier()]
        locale = query(url, "SELECT datlocprovider, datlocale FROM pg_database WHERE datname = current_database()")
    assert version == [(18,)]
    assert found == ["on", "UTF8", "", "on", "on", "on", "100", "256", "terse", "0"]
    assert locale == [("b", "C.UTF-8")]


def test_a_forgetful_server_for_tests(data_dir: Path) -> None:
    with running_server(data_dir, durable=False) as url:
        assert query(url, "SHOW fsync") == [("off",)]


def test_the_last_user_stops_the_server(data_dir: Path) -> None:
    with user(data_dir) as first:
        query(first.url, "SELECT 1")
        pid = postmaster_pid(data_dir)
        with running_server(data_dir) as url:
            assert url == first.url
            first.leave()
            assert postmaster_pid(data_dir) == pid
            assert query(url, "SELECT 1") == [(1,)]
    assert server_processes(data_dir) == []


def test_four_starts_at_once_end_with_one_server(new_dir: Path) -> None:
    with ExitStack() as stack:
        users = [stack.enter_context(user(new_dir)) for _ in range(4)]
        started = {
            query(each.url, "SELECT pg_postmaster_start_time(), system_identifier FROM pg_control_system()")[0]
            for each in users
        }
        assert len(started) == 1
        for each in users:
            assert query(each.url, "SELECT 1") == [(1,)]
            each.leave()
    assert server_processes(new_dir) == []


def test_a_killed_user_leaves_a_server_that_the_next_one_joins_and_stops(data_dir: Path) -> None:
    with user(data_dir) as first:
        query(first.url, "CREATE TABLE kept AS SELECT 42 AS answer")
        pid = postmaster_pid(data_dir)
        first.kill()
    with running_server(data_dir) as url:
        assert postmaster_pid(data_dir) == pid
        assert query(url, "SELECT answer FROM kept") == [(42,)]
    assert server_processes(data_dir) == []


def test_committed_rows_survive_the_death_of_everything(data_dir: Path) -> None:
    with user(data_dir) as first:
        query(first.url, "CREATE TABLE kept AS SELECT 42 AS answer")
        first.kill()
    kill_server(data_dir)
    assert (data_dir / "postgres" / "cluster" / "postmaster.pid").exists()
    with running_server(data_dir) as url:
        assert query(url, "SELECT answer FROM kept") == [(42,)]


def test_a_dead_postmaster_whose_sessions_still_run_is_replaced(data_dir: Path) -> None:
    with user(data_dir) as first:
        query(first.url, "CREATE TABLE kept AS SELECT 42 AS answer")
        pid = postmaster_pid(data_dir)
        os.kill(pid, signal.SIGKILL)
        with running_server(data_dir) as url:
            assert postmaster_pid(data_dir) != pid
            assert query(url, "SELECT answer FROM kept") == [(42,)]
        assert len(server_processes(data_dir)) > 1  # the first user is still there
        first.leave()
    assert server_processes(data_dir) == []


def test_a_server_that_died_is_revived_under_the_same_url(data_dir: Path) -> None:
    with running_server(data_dir) as url:
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        pid = postmaster_pid(data_dir)
        assert revive(data_dir) is False
        assert postmaster_pid(data_dir) == pid
        kill_server(data_dir)
        assert revive(data_dir) is True
        assert query(url, "SELECT answer FROM kept") == [(42,)]
        assert query(url, "SHOW fsync") == [("on",)]
    assert server_processes(data_dir) == []


def test_a_server_that_dies_while_it_is_joined_is_started_again(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, a process that had found it alive waited ten minutes for its answer, and no other could start one."""
    ready = server._ready

    def dies_meanwhile(*arguments: Any) -> Any:
        monkeypatch.setattr(server, "_ready", ready)
        kill_server(data_dir)
        return ready(*arguments)

    monkeypatch.setattr(server, "_START_SECONDS", 20)
    with running_server(data_dir) as first:
        monkeypatch.setattr(server, "_ready", dies_meanwhile)
        with running_server(data_dir) as url:
            assert url == first
            assert query(url, "SELECT 1") == [(1,)]
    assert server_processes(data_dir) == []


def test_a_kept_server_comes_back_by_itself(data_dir: Path) -> None:
    with kept_server(data_dir) as url:
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        kill_server(data_dir)
        wait_until(lambda: alive(url))
        assert query(url, "SELECT answer FROM kept") == [(42,)]
    assert server_processes(data_dir) == []


def test_no_process_is_forked_that_would_keep_the_locks(data_dir: Path) -> None:
    with running_server(data_dir):
        kill_server(data_dir)
        reviving = threading.Thread(target=revive, args=(data_dir,))
        reviving.start()
        children = [fork_sleeper() for _ in range(20)]
        reviving.join()
        try:
            with (data_dir / "lifecycle.lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def fork_sleeper() -> int:
    """The pid of a fork of this process that lives until it is killed."""
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
        os._exit(0)
    return pid


def test_a_stale_pid_that_now_belongs_to_somebody_else(data_dir: Path) -> None:
    with running_server(data_dir) as url:
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        content = (data_dir / "postgres" / "cluster" / "postmaster.pid").read_text("utf-8")
        kill_server(data_dir)
    stranger = subprocess.Popen(["sleep", "600"], **(as_other() if IS_ROOT else {}))
    try:
        pid_file = data_dir / "postgres" / "cluster" / "postmaster.pid"
        pid_file.write_text("\n".join([str(stranger.pid), *content.splitlines()[1:]]) + "\n", "utf-8")
        with running_server(data_dir) as url:
            assert query(url, "SELECT answer FROM kept") == [(42,)]
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def _ignore_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def test_ctrl_c_in_our_terminal_does_not_reach_the_server(data_dir: Path) -> None:
    with user(data_dir, start_new_session=True, preexec_fn=_ignore_ctrl_c) as first:
        query(first.url, "SELECT 1")
        pid = postmaster_pid(data_dir)
        os.killpg(first.process.pid, signal.SIGINT)
        assert os.getsid(pid) == pid
        assert query(first.url, "SELECT 1") == [(1,)]
        first.leave()


def test_a_half_made_cluster_is_made_anew(new_dir: Path) -> None:
    half = new_dir / "postgres" / "cluster-new-abc"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n", "ascii")
    with running_server(new_dir) as url:
        assert query(url, "SELECT 1") == [(1,)]
    assert not half.exists()


@pytest.mark.parametrize(
    ("name", "fits"),
    [("x" * 120, False), ("one, two", False), ("Übung \"A\" & 'B' \\ 1% ?#@:", True)],
    ids=["long", "comma", "strange"],
)
def test_any_path_will_do(folder: Path, name: str, fits: bool) -> None:
    data_dir = folder / name
    with user(data_dir) as first, running_server(data_dir) as url:
        assert first.url == url
        assert query(url, "SELECT 1") == [(1,)]
        socket_dir = Path((data_dir / "postgres" / "cluster" / "postmaster.pid").read_text("utf-8").splitlines()[4])
        assert (socket_dir == data_dir / "postgres") is fits
        assert socket_dir.stat().st_mode & 0o077 == 0
        first.leave()
    assert socket_dir.exists() is fits
    with running_server(data_dir) as url:
        assert query(url, "SELECT 1") == [(1,)]


def test_nothing_of_it_is_open_to_others(new_dir: Path) -> None:
    with running_server(new_dir):
        for path in (new_dir / "postgres", new_dir / "postgres" / "cluster", new_dir / "postgres" / "log"):
            assert path.stat().st_mode & 0o077 == 0, path
        for path in new_dir.glob("*.lock"):
            assert path.stat().st_mode & 0o077 == 0, path


def test_a_cluster_of_another_major_version_is_refused(data_dir: Path) -> None:
    with running_server(data_dir):
        pass
    (data_dir / "postgres" / "cluster" / "PG_VERSION").write_text("17\n", "ascii")
    with pytest.raises(EmbeddedServerError, match="was written by PostgreSQL 17, this paymatch bundles 18: dump it"):
        running_server(data_dir).__enter__()


def test_a_server_that_does_not_start_says_why(data_dir: Path) -> None:
    with running_server(data_dir):
        pass
    with (data_dir / "postgres" / "cluster" / "postgresql.conf").open("a", encoding="utf-8") as config:
        config.write("shared_buffers = 'plenty'\n")
    with pytest.raises(EmbeddedServerError, match=r'PostgreSQL did not start: .*"shared_buffers": "plenty"'):
        running_server(data_dir).__enter__()


def test_a_data_directory_that_cannot_be_made(folder: Path) -> None:
    (folder / "file").write_text("", "utf-8")
    with pytest.raises(
        EmbeddedServerError, match=r"the data directory .*/file/data cannot be created: Not a directory"
    ):
        running_server(folder / "file" / "data").__enter__()


@as_root
def test_an_ordinary_user(folder: Path, made: Path) -> None:
    folder.chmod(0o777)
    data_dir = folder / "theirs"
    for _ in range(2):
        with user(data_dir, OTHER, made) as first:
            assert query(first.url, "SELECT 1") == [(1,)]
            assert psutil.Process(postmaster_pid(data_dir)).uids().real == as_other()["user"]
            first.leave()
    assert data_dir.stat().st_mode & 0o777 == 0o700


@as_root
def test_root_uses_the_cluster_of_an_ordinary_user(folder: Path, made: Path) -> None:
    folder.chmod(0o777)
    data_dir = folder / "theirs"
    with user(data_dir, OTHER, made) as first:
        query(first.url, "CREATE TABLE kept AS SELECT 42 AS answer")
        first.leave()
    with running_server(data_dir) as url:
        assert query(url, "SELECT answer FROM kept") == [(42,)]
    with user(data_dir, OTHER, made) as again:
        assert query(again.url, "SELECT answer FROM kept") == [(42,)]
        again.leave()


@as_root
def test_root_opens_its_own_closed_directories_and_no_others(folder: Path) -> None:
    own = folder / "own"
    own.mkdir(mode=0o700)
    with running_server(own / "data") as url:
        assert query(url, "SELECT 1") == [(1,)]
    assert own.stat().st_mode & 0o777 == 0o701
    foreign = folder / "foreign"
    foreign.mkdir(mode=0o700)
    os.chown(foreign, 4321, 4321)
    with pytest.raises(
        EmbeddedServerError, match=r"PostgreSQL runs as paymatch, which cannot pass .*/foreign: chmod o"
    ):
        running_server(foreign / "data").__enter__()
    assert foreign.stat().st_mode & 0o777 == 0o700


@as_root
def test_parent_is_never_opened_silently(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json", "error")  # the quietest level, as in `paymatch demo`
    with running_server(folder / "data"):
        pass
    said = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [(line["path"], line["undo"][:10]) for line in said] == [(str(folder), "chmod o-x ")]


@as_root
def test_server_of_root_has_an_account_of_its_own(data_dir: Path) -> None:
    with running_server(data_dir):
        assert psutil.Process(postmaster_pid(data_dir)).username() == "paymatch"


@as_root
def test_root_names_another_account(new_dir: Path) -> None:
    with running_server(new_dir, account=OTHER):
        assert psutil.Process(postmaster_pid(new_dir)).username() == OTHER


@as_root
@pytest.mark.parametrize("name", ["root", "nobody"])
def test_account_that_is_shared_with_others_is_refused(new_dir: Path, name: str) -> None:
    with pytest.raises(EmbeddedServerError, match=f"^PostgreSQL does not run as {name}: name an account of its own"):
        running_server(new_dir, account=name).__enter__()
    assert not (new_dir / "postgres").exists()


@as_root
def test_account_that_cannot_be_made_is_named(new_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        EmbeddedServerError, match="the account absent could not be created: create it, for instance with"
    ):
        running_server(new_dir, account="absent").__enter__()


@as_root
def test_database_of_nobody_gets_an_account_of_its_own(data_dir: Path) -> None:
    with running_server(data_dir) as url:
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    entry = pwd.getpwnam("nobody")
    home = data_dir / "postgres"
    for path in (home, *home.rglob("*")):
        os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
    with running_server(data_dir) as url:
        assert psutil.Process(postmaster_pid(data_dir)).username() == "paymatch"
        assert query(url, "SELECT answer FROM kept") == [(42,)]
    assert {path.owner() for path in (home, *home.rglob("*"))} == {"paymatch"}


@as_root
def test_an_ordinary_user_is_kept_out_of_roots_data(data_dir: Path, made: Path) -> None:
    with running_server(data_dir), user(data_dir, OTHER, made) as stranger:
        assert stranger.url == f"refused: {data_dir}/users.lock cannot be opened: Permission denied"
        assert stranger.process.wait(PATIENCE_SECONDS) == 1


def test_there_is_no_tcp_port(data_dir: Path) -> None:
    with running_server(data_dir):
        assert psutil.Process(postmaster_pid(data_dir)).net_connections(kind="inet") == []
