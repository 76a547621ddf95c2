"""While the database is away pages say so, and that it is worth trying again; without asking it who the person is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from paymatch.area.service import Service
from tests.area.conftest import Person


@contextmanager
def away(server_url: str, url: str) -> Iterator[None]:
    """The database of the URL refuses connections, and has ended those that there were."""
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    allow = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(allow.format(sql.Identifier(str(name)), sql.SQL("false")))
        connection.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", (name,))
        try:
            yield
        finally:
            connection.execute(allow.format(sql.Identifier(str(name)), sql.SQL("true")))


def test_pages_come_back_with_the_database(server_url: str, service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    person.client.raise_request_exception = False
    with away(server_url, service.url):
        page = person.client.get(f"/shops/{person.shop.id}/orders?status=PAID", headers={"Accept-Language": "de"})
        form = person.post("settings", {"name": "Another"})
    assert (page.status_code, page["Retry-After"], page["Cache-Control"]) == (503, "2", "no-store")
    text = page.content.decode()
    assert "Die Datenbank antwortet nicht" in text
    assert f'href="/shops/{person.shop.id}/orders?status=PAID"' in text
    assert form.status_code == 503
    assert 'href="/"' in form.content.decode()  # a form is not sent again by a link
    from django.db import close_old_connections

    close_old_connections()  # as between any two requests, but for the client of tests
    assert person.get("orders").status_code == 200
