"""The service's role is no superuser, cannot leave row-level security and owns nothing (D-43)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from pydantic import SecretStr

from paymatch.installation import check_secret_keys, migrate_and_open, open_database
from paymatch.settings import Settings
from paymatch.store import migrate as migrations
from paymatch.store.migrate import migrate, pending_migrations
from paymatch.store.resealing import WrongKey
from paymatch.store.row_security import APP, AREA, OPERATOR
from paymatch.store.service_role import RoleRefused, rights_of, service_role, service_url, sql_for_roles

PASSWORD = "not a secret in tests"


@pytest.fixture
def service(migrated_url: str) -> str:
    return service_url(migrated_url, PASSWORD)


def test_role_of_the_service_has_no_rights_of_its_own(migrated_url: str, service: str) -> None:
    name = service_role(rights_of(migrated_url).database)
    assert (rights_of(service).role, rights_of(service).owns, rights_of(service).member) == (name, False, True)
    with psycopg.connect(migrated_url) as connection:
        found = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit, rolcanlogin,"
            " (SELECT count(*) FROM pg_shdepend WHERE refobjid = r.oid AND deptype = 'o')"
            " FROM pg_roles r WHERE rolname = %s",
            (name,),
        ).fetchone()
        groups = connection.execute(
            "SELECT roleid::regrole::text FROM pg_auth_members WHERE member = %s::regrole ORDER BY 1", (name,)
        ).fetchall()
    assert found == (False, False, False, False, False, False, True, 0)
    assert groups == [(APP,), (AREA,), (OPERATOR,)]


@pytest.mark.parametrize("role", ["", APP, OPERATOR])
@pytest.mark.parametrize(
    "attack",
    [
        "SET ROLE paymatch",
        "SET SESSION AUTHORIZATION paymatch",
        "ALTER TABLE orders DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE orders NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY of_shop ON orders",
        "CREATE POLICY all_of_it ON orders TO PUBLIC USING (true)",
        "TRUNCATE orders",
        "DROP TABLE orders",
        "CREATE TABLE mine (id int)",
        "CREATE VIEW mine AS SELECT * FROM orders",
        "CREATE ROLE mine SUPERUSER",
        "ALTER ROLE CURRENT_USER BYPASSRLS",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('postgresql.conf')",
        "SELECT lo_import('/etc/passwd')",
        "DELETE FROM migrations",
    ],
)
def test_role_of_the_service_cannot_get_rights(module_url: str, role: str, attack: str) -> None:
    with psycopg.connect(service_url(module_url, PASSWORD), autocommit=True) as connection:
        if role:
            connection.execute(f"SET ROLE {role}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(attack.encode())


def test_transaction_that_becomes_no_role_sees_nothing(service: str) -> None:
    with psycopg.connect(service) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT * FROM orders")


def test_row_security_cannot_be_switched_off(service: str) -> None:
    with psycopg.connect(service) as connection:
        connection.execute(f"SET ROLE {APP}".encode())
        connection.execute("SET row_security = off")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security policy"):
            connection.execute("SELECT * FROM orders")


def test_commands_and_service_step_down_from_the_owner(database_url: str) -> None:
    settings = Settings(database_url=SecretStr(database_url))
    with open_database(settings, create=True) as database, database.of_all_shops() as tx:
        assert tx.row("SELECT session_user::text, current_user::text") == (
            service_role(rights_of(database_url).database),
            OPERATOR,
        )
    assert pending_migrations(database_url) == []


def test_servers_that_start_at_once_make_the_login_once(database_url: str) -> None:
    migrate(database_url)
    with ThreadPoolExecutor(8) as together:
        urls = set(together.map(lambda _: service_url(database_url, PASSWORD), range(8)))
    assert [rights_of(url).member for url in urls] == [True]


def test_password_of_another_secret_key_is_replaced(migrated_url: str, service: str) -> None:
    assert rights_of(service_url(migrated_url, "another")).role == rights_of(service).role


def test_login_that_may_more_than_the_service_is_refused(migrated_url: str, service: str) -> None:
    role = rights_of(service).role
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {role} BYPASSRLS".encode())
    with pytest.raises(RoleRefused, match=f"^The database role {role} has more rights than the service may have"):
        service_url(migrated_url, PASSWORD)


def test_prepared_login_needs_no_owner_while_the_database_fits(
    migrated_url: str, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert migrate_and_open(Settings(database_url=SecretStr(service)), service) == (service, [])
    known = migrations.files()
    monkeypatch.setattr(migrations, "files", lambda: [*known, ("9999_later.sql", "CREATE TABLE later (day date)")])
    with pytest.raises(RoleRefused, match=r"^The database lacks migrations, from 9999_later.sql on"):
        migrate_and_open(Settings(database_url=SecretStr(service)), service)
    both = Settings(database_url=SecretStr(service), database_owner_url=SecretStr(migrated_url))
    assert migrate_and_open(both, service) == (service, ["9999_later.sql"])


@pytest.fixture
def plain_owner(database_url: str) -> Iterator[str]:
    """URL of the owner of an empty database who may not make roles."""
    name = f"owner_{uuid4().hex[:8]}"
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN".encode())
        connection.execute(f"ALTER DATABASE {connection.info.dbname} OWNER TO {name}".encode())
        yield urlunsplit(urlsplit(database_url)._replace(netloc=f"{name}@"))
        connection.execute(f"ALTER DATABASE {connection.info.dbname} OWNER TO CURRENT_USER".encode())
        connection.execute(f"DROP OWNED BY {name}".encode())
        connection.execute(f"DROP ROLE {name}".encode())


def test_owner_who_may_make_no_roles_is_told_what_to_run(database_url: str, plain_owner: str) -> None:
    settings = Settings(database_url=SecretStr(plain_owner))
    name = service_role(rights_of(plain_owner).database)
    with psycopg.connect(database_url, autocommit=True) as connection:  # of an earlier database of this server
        for role in (APP, AREA, OPERATOR):
            if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
                connection.execute(f"CREATE ROLE {role} NOLOGIN".encode())
    with pytest.raises(RoleRefused) as refused:
        migrate_and_open(settings, plain_owner)
    assert sql_for_roles(name) in str(refused.value)
    statements = [each.strip() for each in sql_for_roles(name).split(";") if each.strip()]
    with psycopg.connect(database_url, autocommit=True) as connection:
        for statement in statements[3:]:
            connection.execute(statement.encode())
    service = urlunsplit(urlsplit(plain_owner)._replace(netloc=f"{name}@"))
    both = Settings(database_url=SecretStr(service), database_owner_url=SecretStr(plain_owner))
    assert migrate_and_open(both, service) == (service, [])
    assert rights_of(service).owns is False


def test_role_that_is_no_member_is_told_what_to_run(migrated_url: str, service: str) -> None:
    role = rights_of(service).role
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        connection.execute(f"REVOKE {OPERATOR} FROM {role}".encode())
    with pytest.raises(
        RoleRefused, match=f"^The database role {role} is not a member of {APP}, {OPERATOR} and {AREA}. Have"
    ):
        migrate_and_open(Settings(database_url=SecretStr(service)), service)


def test_migrations_are_safe_to_repeat(migrated_url: str) -> None:
    assert migrate(migrated_url) == []


def test_wrong_secret_key_does_not_change_the_password_of_the_service(migrated_url: str) -> None:
    right = Settings(database_url=SecretStr(migrated_url), secret_key=SecretStr("a" * 40))
    service, _ = migrate_and_open(right, migrated_url)
    check_secret_keys(right, service)
    wrong = Settings(database_url=SecretStr(migrated_url), secret_key=SecretStr("b" * 40))
    with pytest.raises(WrongKey):
        migrate_and_open(wrong, migrated_url)
    with psycopg.connect(migrated_url) as connection:
        before = connection.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (rights_of(service).role,))
        password = before.fetchone()
    migrate_and_open(right, migrated_url)
    with psycopg.connect(migrated_url) as connection:
        after = connection.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (rights_of(service).role,))
        assert after.fetchone() == password


@pytest.mark.parametrize("as_owner", [True, False])
def test_a_start_without_the_key_on_a_sealed_database_makes_none(
    migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_owner: bool
) -> None:
    monkeypatch.delenv("PAYMATCH_SECRET_KEY", raising=False)
    sealed = Settings(database_url=SecretStr(migrated_url), data_dir=tmp_path / "first")
    with open_database(sealed, create=True):
        pass
    url = migrated_url if as_owner else migrate_and_open(sealed, migrated_url)[0]
    for folder in ("second", "third"):
        keyless = Settings(database_url=SecretStr(url), data_dir=tmp_path / folder)
        with pytest.raises(WrongKey, match="which is not here"), open_database(keyless, create=True):
            pass
        assert not (tmp_path / folder).exists()
