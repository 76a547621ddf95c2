"""The role that the service logs in as: not a superuser, bound by row-level security, owner of nothing (D-43).

Migrations run as the owner of the tables. The service has a login of its own, which is a member of the two roles of
`row_security` and has no rights besides: a statement smuggled into the service cannot alter a table, drop a policy,
read a file or become the owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import sql
from psycopg.rows import class_row

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.store.row_security import APP, AREA, OPERATOR, ROLES

_RIGHTS: Final = f"""
SELECT current_user AS role, current_database() AS database,
    r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb
    OR EXISTS (SELECT FROM pg_database d WHERE d.datname = current_database() AND pg_has_role(d.datdba, 'MEMBER'))
    OR EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
               AND pg_has_role(c.relowner, 'MEMBER'))
    OR coalesce(has_schema_privilege(current_schema(), 'CREATE'), true) AS owns,
    (SELECT count(*) = {len(ROLES)} FROM pg_roles m
     WHERE m.rolname IN ('{APP}', '{OPERATOR}', '{AREA}') AND pg_has_role(m.oid, 'MEMBER')) AS member
FROM pg_roles r WHERE r.rolname = current_user"""
_MAKES_ROLES: Final = "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
_NAME_MAX: Final = 63  # bytes of an identifier
_LOCK: Final = 7_021_530_186  # any number, the same for every process that makes the login of a database


class RoleRefused(Refused):
    """The database's roles do not fit the service; the text says what to do, with the SQL to run."""


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a connection's role. `owns`: more than the service may have; `member`: of all of its roles."""

    role: str
    database: str
    owns: bool
    member: bool


def rights_of(url: str) -> Rights:
    """The rights of the role that the URL logs in as."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.cursor(row_factory=class_row(Rights)).execute(_RIGHTS.encode()).fetchone()
    assert row is not None
    return row


def create_group_roles(connection: psycopg.Connection) -> None:
    """Makes the roles that policies and grants name. Another database of the server may have made them."""
    for role in ROLES:
        if not _exists(connection, role):
            try:
                # Or may be creating them right now.
                with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                    connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOBYPASSRLS").format(sql.Identifier(role)))
            except psycopg.errors.InsufficientPrivilege:
                raise _role_refused(connection) from None


def service_url(owner_url: str, password: str) -> str:
    """The URL of the service's own login beside `owner_url`'s, made if need be. RoleRefused if it cannot be."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        name = service_role(connection.info.dbname)
        url = _with_login(owner_url, name, password)
        rights = _rights_or_none(url) if _exists(connection, name) else None
        if rights is None:  # there is no such role, or another secret key made its password
            try:
                _make(connection, name, password)
            except psycopg.errors.InsufficientPrivilege:
                raise _role_refused(connection) from None
            rights = rights_of(url)
    if rights.owns:
        raise RoleRefused(Message("role-database-more-rights-than", name=name))
    return url


def check_login_can_be_had(owner_url: str, password: str) -> None:
    """RoleRefused unless the owner may create roles, or the service's login exists and works with the password."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        (may,) = connection.execute(_MAKES_ROLES).fetchone() or (False,)
        if may or _rights_or_none(_with_login(owner_url, service_role(connection.info.dbname), password)) is not None:
            return
        raise _role_refused(connection)


def service_role(database: str) -> str:
    """Name of the service's login: roles belong to the whole server, so each database has its own."""
    return f"{database[: _NAME_MAX - len('_service')]}_service"


def check_service(rights: Rights, missing: Sequence[str]) -> None:
    """RoleRefused unless the login is a member of its roles, and the database fits this version."""
    if not rights.member:
        raise RoleRefused(
            Message(
                "role-database-not-member-have",
                role=rights.role,
                app=APP,
                operator=OPERATOR,
                area=AREA,
                role2=sql_for_roles(rights.role),
            )
        )
    if missing:
        raise RoleRefused(Message("role-database-lacks-migrations-from", missing=missing[0], role=rights.role))


def _make(connection: psycopg.Connection, name: str, password: str) -> None:
    role = sql.Identifier(name)
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))  # several servers may start in this moment
        if not _exists(connection, name):
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOINHERIT").format(role))
        # NOINHERIT: a transaction that forgets to become one of the two roles sees nothing at all.
        connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(role, sql.Literal(password)))
        connection.execute(sql.SQL("GRANT {} TO {}").format(sql.SQL(", ").join(map(sql.Identifier, ROLES)), role))


def _exists(connection: psycopg.Connection, role: str) -> bool:
    return connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is not None


def _rights_or_none(url: str) -> Rights | None:
    """The rights of the login; None if it does not work."""
    try:
        return rights_of(url)
    except psycopg.OperationalError:
        return None


def _role_refused(connection: psycopg.Connection) -> RoleRefused:
    name, owner = service_role(connection.info.dbname), connection.info.user
    return RoleRefused(
        Message("role-database-may-not-make", owner=owner, name=sql_for_roles(name), name2=name, owner2=owner)
    )


def sql_for_roles(name: str) -> str:
    """The SQL for a superuser if paymatch may not create roles; skip existing roles by hand."""
    return (
        f"CREATE ROLE {APP} NOLOGIN; CREATE ROLE {OPERATOR} NOLOGIN; CREATE ROLE {AREA} NOLOGIN;"
        f" CREATE ROLE {name} LOGIN NOINHERIT PASSWORD 'choose one'; GRANT {APP}, {OPERATOR}, {AREA} TO {name};"
    )


def _with_login(url: str, user: str, password: str) -> str:
    """The URL with another login, for any form of the first one."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] not in ("user", "password", "passfile")])
    login = f"{quote(user, safe='')}:{quote(password, safe='')}"
    return urlunsplit(parts._replace(netloc=f"{login}@{host}", query=query))
