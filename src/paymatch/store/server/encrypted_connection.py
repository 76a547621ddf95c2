"""Check that a connection to the database is encrypted before the password is sent over it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Final

from psycopg.conninfo import conninfo_to_dict

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.settings import is_loopback

_ENCRYPTED: Final = frozenset({"require", "verify-ca", "verify-full"})


class PlainConnectionRefused(Refused):
    """The connection to a database on another machine would be unencrypted; the text says what to change."""


def check_encrypted(url: str, plain_hosts: Collection[str], environment: Mapping[str, str] = os.environ) -> None:
    """PlainConnectionRefused unless each host is this machine, is one of `plain_hosts`, or TLS is required.

    libpq's default `prefer` accepts plain text from a server, or an attacker in its place, that offers no TLS.
    """
    found = conninfo_to_dict(url)
    mode = found.get("sslmode") or environment.get("PGSSLMODE", "prefer")
    if mode in _ENCRYPTED:
        return
    given = found.get("hostaddr") or found.get("host") or environment.get("PGHOSTADDR") or environment.get("PGHOST", "")
    for host in str(given).split(","):
        if not (_is_here(host) or host in plain_hosts):
            raise PlainConnectionRefused(Message("plain-connection-database-on-would-reached", host=host))


def _is_here(host: str) -> bool:
    """Whether the host is a socket (a path, an abstract name, nothing) or a name of this machine itself."""
    return host in ("", "localhost") or host.startswith(("/", "@")) or is_loopback(host)
