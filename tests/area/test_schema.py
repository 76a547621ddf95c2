"""The state of the area's tables: a database of an earlier version is brought up to date."""

from __future__ import annotations

from contextlib import closing
from importlib import resources
from typing import Any
from uuid import uuid4

import psycopg
from psycopg.types.json import Jsonb

from paymatch.area import schema
from paymatch.clock import utc_now
from paymatch.domain.shops.audit import INSTALLATION
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.resealing import check_keys, count_remaining, reseal_all
from paymatch.store.sealing import SECOND_FACTOR, Keyring


def test_the_state_names_the_latest_migration_of_ours() -> None:
    folder = resources.files("paymatch.area.people").joinpath("migrations")
    own = sorted(item.name.removesuffix(".py") for item in folder.iterdir() if item.name.startswith("0"))
    assert own[0] == "0001_initial"
    assert schema.state().startswith(f"area {own[-1]} django ")


def test_an_earlier_state_is_brought_up_to_date(database_url: str) -> None:
    migrate(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO migrations VALUES ('area 0000_before django 0 allauth 0', clock_timestamp())")
        schema.migrate(database_url)
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'area'").fetchone()
        known = connection.execute("SELECT count(*) FROM migrations WHERE name = %s", (schema.state(),)).fetchone()
    assert tables is not None
    assert tables[0] > 10
    assert known == (1,)


def test_secrets_of_second_factors_are_sealed_and_resealed(database_url: str) -> None:
    migrate(database_url)
    schema.migrate(database_url)
    old, new = "the key of before, long enough", "the key from now on, long enough"
    person = uuid4()
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO area.people_user"
            " (id, password, email, name, language, theme, is_staff, is_active, created_at, last_page)"
            " VALUES (%s, '', 'a@example.org', '', '', '', false, true, now(), '')",
            (person,),
        )
        for kind, data in (("totp", {"secret": "PLAIN"}), ("recovery_codes", {"seed": "S", "used_mask": 3})):
            connection.execute(
                "INSERT INTO area.mfa_authenticator (type, data, user_id, created_at) VALUES (%s, %s, %s, now())",
                (kind, Jsonb(data), person),
            )

    def walked(*secrets: str) -> list[dict[str, Any]]:
        with closing(Database(database_url, size=1, keyring=Keyring(secrets))) as database:
            check_keys(database, utc_now())
            assert reseal_all(database) == 2
            assert count_remaining(database) == {}
        with psycopg.connect(database_url) as connection:
            return [row[0] for row in connection.execute("SELECT data FROM area.mfa_authenticator ORDER BY id")]

    vaults = [Keyring([secret]).vault(INSTALLATION.id) for secret in (old, new)]
    for stored, vault in zip((walked(old), walked(new, old)), vaults, strict=True):
        assert vault.open(SECOND_FACTOR, stored[0]["secret"]) == "PLAIN" != stored[0]["secret"]
        assert (vault.open(SECOND_FACTOR, stored[1]["seed"]), stored[1]["used_mask"]) == ("S", 3)
