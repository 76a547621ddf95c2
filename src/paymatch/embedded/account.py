"""The account that PostgreSQL runs under: ourselves, or, since PostgreSQL refuses root, one without privileges."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog

from paymatch.domain.words.message import Message
from paymatch.embedded.errors import EmbeddedServerError

_log = structlog.get_logger()

_SHARED: Final = "nobody"
"""Other programs run as it too, so a database of it would be theirs as well."""

_MAKERS: Final = (
    ("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/false"),
    ("adduser", "-S", "-D", "-H", "-h", "/nonexistent", "-s", "/bin/false"),
)
"""How an account without a password and a home is made: shadow, and BusyBox."""

ACCOUNT: Final = "paymatch"
"""The default account that root steps down to."""

_TRIES: Final = 20
_REST_SECONDS: Final = 0.25  # another start may be making the same account, and holds the file of accounts


@dataclass(frozen=True, slots=True)
class PostgresAccount:
    """The account that runs PostgreSQL. `switch` is True when we are root and have to step down to it."""

    uid: int
    gid: int
    switch: bool

    def popen_arguments(self) -> dict[str, Any]:
        """Arguments for subprocess that make the child run under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}


def account_for(cluster: Path, name: str) -> PostgresAccount:
    """The owner of an existing cluster, otherwise ourselves, or for root the account `name`, made if there is none.

    EmbeddedServerError when the cluster belongs to another account, or when root has no account to step down to.
    """
    owner = cluster.stat() if cluster.exists() else None
    if os.geteuid() != 0:
        if owner is not None and owner.st_uid != os.geteuid():
            raise EmbeddedServerError(
                Message("embedded-belongs-run-paymatch-under", cluster=str(cluster), account=_name(owner.st_uid))
            )
        return PostgresAccount(os.geteuid(), os.getegid(), switch=False)
    if owner is not None and _name(owner.st_uid) not in ("root", _SHARED):
        return PostgresAccount(owner.st_uid, owner.st_gid, switch=True)
    entry = _entry(name)
    if entry.pw_uid == 0 or entry.pw_name == _SHARED:
        raise EmbeddedServerError(Message("embedded-postgresql-does-not-run-name", name=name))
    return PostgresAccount(entry.pw_uid, entry.pw_gid, switch=True)


def _entry(name: str) -> pwd.struct_passwd:
    """The account, made if there is none. EmbeddedServerError if this machine does not let us make it."""
    for _ in range(_TRIES):
        with suppress(KeyError):
            return pwd.getpwnam(name)
        maker = next((maker for maker in _MAKERS if shutil.which(maker[0])), None)
        if maker is None:
            break
        made = subprocess.run([*maker, name], check=False, capture_output=True)  # noqa: S603  fixed programs, no shell
        if made.returncode == 0:
            _log.warning("account made, PostgreSQL runs under it", account=name)
        else:
            time.sleep(_REST_SECONDS)
    raise EmbeddedServerError(Message("embedded-postgresql-does-not-run", name=name, name2=name))


def hand_over(home: Path, account: PostgresAccount, *, lives: bool) -> None:
    """Gives what an earlier version kept under the shared account `nobody` to `account`.

    EmbeddedServerError while its server `lives`: files would change hands under it.
    """
    if not account.switch or _name(home.stat().st_uid) != _SHARED:
        return
    if lives:
        raise EmbeddedServerError(Message("embedded-postgresql-still-runs-stop", home=str(home), shared=_SHARED))
    for path in (home, *home.rglob("*")):
        os.chown(path, account.uid, account.gid, follow_symlinks=False)
    _log.warning("database given to an account of its own", path=str(home), account=_name(account.uid))


def give(path: Path, account: PostgresAccount) -> None:
    """Makes `path` the account's own, closed to everyone else."""
    path.chmod(0o700)
    if account.switch and path.stat().st_uid != account.uid:
        os.chown(path, account.uid, account.gid)
        _log.info("directory given to the account of PostgreSQL", path=str(path), account=_name(account.uid))


def open_the_way(path: Path, account: PostgresAccount) -> None:
    """Gives others the traverse bit on the parents of `path` that root owns, and says so: the account must reach it.

    EmbeddedServerError names a parent that keeps the account out and is not ours to change.
    """
    if not account.switch:
        return
    for parent in reversed(path.absolute().parents):
        status = parent.stat()
        if _may(status, account, stat.S_IXUSR):
            continue
        if status.st_uid != os.geteuid():
            raise EmbeddedServerError(
                Message(
                    "embedded-postgresql-runs-which-cannot",
                    account=_name(account.uid),
                    folder=str(parent),
                )
            )
        parent.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXOTH)
        # An error, so that it is said at every level of logs: the operator did not ask for this.
        _log.error(
            "this directory was closed to others, PostgreSQL has to pass it: its mode was changed to let them through",
            path=str(parent),
            undo=f"chmod o-x {parent}, and choose another PAYMATCH_DATA_DIR or installation directory",
        )


def open_the_programs(folder: Path, account: PostgresAccount) -> None:
    """Makes the server's programs readable for the account, where an installation's narrow umask left them shut."""
    if not account.switch:
        return
    probes = (folder, folder / "bin", folder / "bin" / "postgres", folder / "share")
    if all(_may(probe.stat(), account, stat.S_IRUSR | stat.S_IXUSR) for probe in probes):
        return
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode) or status.st_uid != os.geteuid():
            continue
        execute = stat.S_IXOTH if status.st_mode & stat.S_IXUSR else 0
        path.chmod(stat.S_IMODE(status.st_mode) | stat.S_IROTH | execute)
    _log.warning("others may now read the programs of PostgreSQL, its account needs to", path=str(folder))


def _may(status: os.stat_result, account: PostgresAccount, wanted: int) -> bool:
    """Whether the mode bits allow the account `wanted`, given as bits of the owner's class."""
    shift = 0 if status.st_uid == account.uid else 3 if status.st_gid == account.gid else 6
    return status.st_mode & (wanted >> shift) == wanted >> shift


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
