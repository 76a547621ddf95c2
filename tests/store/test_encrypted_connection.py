"""A database on another machine is reached with TLS, or its host is allowed by name."""

from __future__ import annotations

import pytest

from paymatch.store.server.encrypted_connection import PlainConnectionRefused, check_encrypted


@pytest.mark.parametrize(
    ("url", "environment"),
    [
        ("postgresql://u@/db?host=/run/postgresql", {}),
        ("postgresql:///db", {}),
        ("postgresql://u@localhost/db", {}),
        ("postgresql://u@127.0.0.1:5433/db", {}),
        ("postgresql://u@[::1]/db", {}),
        ("postgresql://u@db.example.com/db?sslmode=require", {}),
        ("postgresql://u@db.example.com/db?sslmode=verify-full", {}),
        ("postgresql://u@db.example.com/db", {"PGSSLMODE": "verify-ca"}),
        ("postgresql://u@intranet-db/db", {}),
        ("postgresql://u@localhost,intranet-db/db", {}),
    ],
)
def test_taken(url: str, environment: dict[str, str]) -> None:
    check_encrypted(url, ("intranet-db",), environment)


@pytest.mark.parametrize(
    ("url", "environment", "host"),
    [
        ("postgresql://u@db.example.com/db", {}, "db.example.com"),
        ("postgresql://u@db.example.com/db?sslmode=prefer", {"PGSSLMODE": "require"}, "db.example.com"),
        ("postgresql://u@db.example.com/db?sslmode=disable", {}, "db.example.com"),
        ("postgresql://u@10.0.0.7/db", {}, "10.0.0.7"),
        ("postgresql://u@localhost,10.0.0.7/db", {}, "10.0.0.7"),
        ("postgresql://u@localhost/db?hostaddr=10.0.0.7", {}, "10.0.0.7"),
        ("postgresql:///db", {"PGHOST": "10.0.0.7"}, "10.0.0.7"),
        ("postgresql://u@intranet-db.evil.example/db", {}, "intranet-db.evil.example"),
    ],
)
def test_refused(url: str, environment: dict[str, str], host: str) -> None:
    with pytest.raises(PlainConnectionRefused, match=f"^The database on {host} would be reached without TLS: add"):
        check_encrypted(url, ("intranet-db",), environment)
