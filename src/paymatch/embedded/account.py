"""The account that PostgreSQL runs under: ourselves, or, since PostgreSQL refuses root, one without privileges."""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog

from paymatch.embedded.errors import EmbeddedServerError

_log = structlog.get_logger()

_NAMES: Final = ("paymatch", "nobody")
"""Accounts that root steps down to, first found first. Who wants the database apart from everything else that runs as
nobody creates an account `paymatch`."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who runs PostgreSQL. `switch` is True when we are root and have to step down to it."""

    uid: int
    gid: int
    switch: bool

    def popen_arguments(self) -> dict[str, Any]:
        """Arguments for subprocess that make the child run under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}


def account_for(cluster: Path) -> Account:
    """The owner of an existing cluster, otherwise ourselves, or for root the first known account of `_NAMES`.

    EmbeddedServerError when the cluster belongs to somebody else, or when root finds no account to step down to.
    """
    owner = cluster.stat() if cluster.exists() else None
    if os.geteuid() != 0:
        if owner is not None and owner.st_uid != os.geteuid():
            raise EmbeddedServerError(f"{cluster} belongs to {_name(owner.st_uid)}: run paymatch under that account")
        return Account(os.geteuid(), os.getegid(), switch=False)
    if owner is not None and owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid, switch=True)
    for name in _NAMES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, switch=True)
    raise EmbeddedServerError(
        "PostgreSQL does not run as root, and there is no account to run it under: create one named `paymatch`"
    )


def give(path: Path, account: Account) -> None:
    """Makes `path` the account's own, closed to everybody else."""
    path.chmod(0o700)
    if account.switch and path.stat().st_uid != account.uid:
        os.chown(path, account.uid, account.gid)
        _log.info("directory given to the account of PostgreSQL", path=str(path), account=_name(account.uid))


def open_the_way(path: Path, account: Account) -> None:
    """Gives others the traverse bit on the parents of `path` that root owns, so that the account can reach it.

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
                f"PostgreSQL runs as {_name(account.uid)}, which cannot pass {parent}: "
                f"chmod o+x {parent}, or choose another PAYMATCH_DATA_DIR or installation directory"
            )
        parent.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXOTH)
        _log.warning("others may now pass this directory, PostgreSQL needs to", path=str(parent))


def open_the_programs(folder: Path, account: Account) -> None:
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


def _may(status: os.stat_result, account: Account, wanted: int) -> bool:
    """Whether the mode bits allow the account `wanted`, given as bits of the owner's class."""
    shift = 0 if status.st_uid == account.uid else 3 if status.st_gid == account.gid else 6
    return status.st_mode & (wanted >> shift) == wanted >> shift


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
