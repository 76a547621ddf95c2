"""The doctor: problems of this machine, its settings and its database, and their remedies (D-60)."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psutil

from paymatch.domain.rules_with_dates import rules_to_handle, rules_to_look_at
from paymatch.outbound.http import CallFailed, HttpCall, HttpDoor
from paymatch.settings import Settings, is_loopback, unknown_variables
from paymatch.store.database import Database
from paymatch.store.work import installation
from paymatch.usecases.collection.base_rates import shops_without_rate
from paymatch.usecases.work.free_space import nearest_existing
from paymatch.usecases.work.metrics import last_backup, last_seen_worker, work_figures
from paymatch.web import SEEN

POSTGRESQL: Final = range(15, 19)
"""Major versions of PostgreSQL that are tested."""

_GIGABYTE: Final = 10**9
_CLOCKS_APART: Final = timedelta(seconds=5)
_WORK_WAITS: Final = timedelta(minutes=15)
_BACKUP_EVERY: Final = timedelta(days=7)
_CONNECTIONS: Final = 8_200  # of a server process, with the files that it needs besides


class Severity(StrEnum):
    """Severity: a problem costs data or work, a warning may."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. The text gives the finding and, unless it is fine, the remedy."""

    check: str
    state: Severity
    text: str


def examine(
    database: Database | None, settings: Settings, now: datetime, http: HttpDoor | None = None, *, missing: str = ""
) -> list[Finding]:
    """All checks, in the order in which an operator would look: machine, settings, database, work.

    With `http` the service is called at its address, as a stranger would. Without a database, with the reason in
    `missing`, everything else is examined.
    """
    found = [*_machine(settings), *_settings(settings)]
    if http is not None and settings.base_url:
        found.append(_from_outside(settings.base_url, http))
    if database is None:
        return [*found, _rules(now), Finding("database", Severity.PROBLEM, missing)]
    return [*found, *_database(database, now), *_work(database, settings, now), _rules(now)]


def _finding(check: str, *, problem: str = "", warning: str = "", fine: str) -> Finding:
    if problem:
        return Finding(check, Severity.PROBLEM, problem)
    return Finding(check, Severity.WARNING, warning) if warning else Finding(check, Severity.OK, fine)


def _machine(settings: Settings) -> Iterator[Finding]:
    free = shutil.disk_usage(nearest_existing(settings.data_dir.expanduser().absolute())).free
    said = f"{free / _GIGABYTE:.1f} GB free for {settings.data_dir}"
    yield _finding(
        "disk",
        problem=f"{said}: the database stops when it is full, make room now" if free < _GIGABYTE else "",
        warning=f"{said}: make room" if free < 5 * _GIGABYTE else "",
        fine=said,
    )
    spare = shutil.disk_usage(tempfile.gettempdir()).free
    said = f"{spare / _GIGABYTE:.1f} GB free in {tempfile.gettempdir()}"
    yield _finding(
        "temporary files", warning=f"{said}: each server process may need 1 GB" if spare < _GIGABYTE else "", fine=said
    )
    memory = psutil.virtual_memory().available
    said = f"{memory / _GIGABYTE:.1f} GB of memory available"
    yield _finding(
        "memory", warning=f"{said}: 1 GB is comfortable for one shop" if memory < _GIGABYTE else "", fine=said
    )
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    allowed = "any number of" if files == resource.RLIM_INFINITY else str(files)
    said = f"{allowed} open files allowed"
    few = files != resource.RLIM_INFINITY and files < _CONNECTIONS
    yield _finding("open files", warning=f"{said}: raise the limit (ulimit -Hn) to 16384" if few else "", fine=said)


def _settings(settings: Settings) -> Iterator[Finding]:
    unknown = "; ".join(unknown_variables(os.environ))
    yield _finding("variables", warning=unknown, fine="every PAYMATCH_ variable is a setting")
    yield _finding(
        "address",
        warning="" if settings.base_url else "PAYMATCH_BASE_URL is not set: links in mail lead to this machine only",
        fine=f"links begin with {settings.base_url}",
    )
    proxied = settings.base_url.startswith("https://") and not settings.names_proxies
    yield _finding(
        "proxy",
        warning="PAYMATCH_TRUSTED_PROXIES is not set: name the proxy in front" if proxied else "",
        fine="trusted proxies are named" if settings.names_proxies else "no proxy is named, and none is needed",
    )
    yield _finding(
        "mail",
        warning="" if settings.email_url else "PAYMATCH_EMAIL_URL is not set: mail is kept as files and is not sent",
        fine="mail is sent by a server",
    )
    nameless = settings.email_url is not None and not settings.mail_from
    yield _finding(
        "mail sender",
        problem="PAYMATCH_MAIL_FROM is not set: invitations and links to a new password come from an address that mail"
        " servers refuse"
        if nameless
        else "",
        fine=f"the service's own mail is from {settings.mail_sender()}",
    )
    if settings.secret_key is None:
        yield _key_file(settings.key_file())


def _from_outside(base_url: str, http: HttpDoor) -> Finding:
    """A stranger's answer from /metrics, and the client address that the service sees."""
    parts, problem, warning = urlsplit(base_url), "", ""
    try:
        ports = (parts.port,) if parts.port is not None else ()
        answer = http.call(HttpCall(f"{base_url}/metrics", method="GET", more_ports=ports))
    except (CallFailed, ValueError) as error:
        return _finding("from outside", warning=f"{base_url} does not answer this machine: {error}", fine="")
    seen = answer.body.decode("utf-8", "replace").partition(SEEN)[2].strip()
    if answer.status == HTTPStatus.OK:
        problem = (
            f"{base_url}/metrics is visible to everyone: unset PAYMATCH_LOCAL_REQUESTS, which is for machines without a"
            " proxy"
        )
    elif answer.status != HTTPStatus.UNAUTHORIZED:
        warning = f"{base_url}/metrics is answered with {answer.status}: is it this service?"
    elif is_loopback(seen) and not is_loopback(parts.hostname or ""):
        warning = (
            f"at {base_url} the service takes everyone for this machine: let the proxy set X-Forwarded-For and"
            " X-Forwarded-Proto, or limits count all visitors as one"
        )
    return _finding("from outside", problem=problem, warning=warning, fine=f"{base_url} knows strangers by address")


def _key_file(path: Path) -> Finding:
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0
    readable = f"others may read {path}: chmod 600 {path}" if mode & 0o077 else ""
    kept = f"kept in {path}; backups do not have it, keep a copy apart"
    return _finding(
        "secret key", problem=readable, fine=kept if path.exists() else f"made at the first start, in {path}"
    )


def _database(database: Database, now: datetime) -> Iterator[Finding]:
    with database.of_all_shops() as tx:
        version, there = installation.major_and_clock(tx)
    said = f"PostgreSQL {version}"
    tested = f"{POSTGRESQL.start} to {POSTGRESQL.stop - 1}"
    strange = f"{said}: {tested} are tested" if version not in POSTGRESQL else ""
    yield _finding("database", problem=strange, fine=said)
    apart = abs(there - now)
    said = f"the clocks of this machine and of the database are {apart.total_seconds():.0f} s apart"
    yield _finding("clock", problem=f"{said}: set up NTP on both" if apart > _CLOCKS_APART else "", fine=said)


def _work(database: Database, settings: Settings, now: datetime) -> Iterator[Finding]:
    found = work_figures(database, now)
    since = [found.callbacks.oldest_due_at, *(job.oldest_due_at for job in found.jobs)]
    waits = now - min((at for at in since if at is not None), default=now)
    minutes = int(waits.total_seconds() // 60)
    late = f"due work has waited for {minutes} minutes: does a worker run (paymatch serve, paymatch worker)?"
    seen = last_seen_worker(database)
    never = "no worker has ever been at work: start one (paymatch serve, paymatch worker)" if seen is None else ""
    yield _finding("worker", problem=late if waits > _WORK_WAITS else "", warning=never, fine="no due work waits")
    lacking = shops_without_rate(database, now)
    said = "; ".join(f"{shop} claims interest, and the base rate of {day} is not known" for shop, day in lacking)
    yield _finding(
        "base rate",
        warning=f"{said}: update paymatch, or paymatch collection add-rate SHOP DATE PERCENT" if lacking else "",
        fine="known wherever interest is claimed",
    )
    if settings.database_url is not None:
        return
    made = last_backup(database)
    old = made is None or now - made > _BACKUP_EVERY
    said = "no backup was made yet" if made is None else f"the last backup was made on {made:%Y-%m-%d}"
    yield _finding("backup", warning=f"{said}: paymatch backup FILE" if old else "", fine=said)


def _rules(now: datetime) -> Finding:
    """Rules of banks and laws that this release does not implement, or may be wrong about by now (D-111)."""
    today = now.date()
    said = [
        *(f"since {rule.since}: {rule.what}; meanwhile {rule.meanwhile}" for rule in rules_to_handle(today)),
        *(f"update paymatch, it knows {rule.source} as of before {rule.look_by}" for rule in rules_to_look_at(today)),
    ]
    return _finding("rules with dates", warning=". ".join(said), fine="all that are known are kept")


def worst(findings: list[Finding]) -> Severity:
    """The worst state of all."""
    order = list(Severity)
    return max((finding.state for finding in findings), key=order.index, default=Severity.OK)
