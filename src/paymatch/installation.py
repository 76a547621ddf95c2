"""The database of this installation: the operator's, or the embedded one, joined if it runs and started if not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from paymatch.area import schema as area_schema
from paymatch.clock import utc_now
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import UNNAMED, Actor
from paymatch.domain.words.message import Message
from paymatch.embedded import has_cluster, kept_server, running_server
from paymatch.settings import Settings, make_data_dir
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.migrate import migrate, pending_migrations
from paymatch.store.resealing import check_keys, check_keys_as_owner
from paymatch.store.sealing import NO_KEYS, Keyring, derive
from paymatch.store.server.encrypted_connection import check_encrypted
from paymatch.store.service_role import check_login_can_be_had, check_service, rights_of, service_url


class DatabaseMissing(Refused):
    """There is no database to work with, or not one of this version; the text says what to do."""


@contextmanager
def database_url(settings: Settings, *, kept: bool = False, create: bool = False) -> Iterator[str]:
    """URL that the operator gave, or of the embedded database, started or joined for as long as it is needed.

    With `kept` an embedded one that dies meanwhile is started again. DatabaseMissing where there is no embedded one
    yet, unless it may be made (`create`): a mistyped data directory is never answered with an empty database.
    PlainConnectionRefused without TLS.
    """
    if settings.database_url is None:
        _refuse_beside_own_database(settings)
        if not create and not has_cluster(settings.data_dir.expanduser()):
            raise DatabaseMissing(Message("database-no-start-service-paymatch", data_dir=str(settings.data_dir)))
        run = kept_server if kept else running_server
        with run(make_data_dir(settings.data_dir), account=settings.database_account) as url:
            yield url
        return
    for given in (settings.database_url, settings.database_owner_url):
        if given is not None:
            check_encrypted(given.get_secret_value(), settings.database_plain_hosts)
    yield settings.database_url.get_secret_value()


def _refuse_beside_own_database(settings: Settings) -> None:
    """DatabaseMissing where the service of this data directory works with a PostgreSQL of the operator's."""
    note = settings.own_database_file()
    if note.exists():
        place = note.read_text("utf-8").strip()
        raise DatabaseMissing(
            Message("database-of-the-service", folder=str(settings.data_dir), place=place, note=str(note))
        )


def note_database(settings: Settings) -> None:
    """Notes in the data directory which database the service works with, so that commands open no other one."""
    note = settings.own_database_file()
    if settings.database_url is None:
        note.unlink(missing_ok=True)
        return
    make_data_dir(settings.data_dir)
    place = f"{settings.database_place()}\n"
    if not note.exists() or note.read_text("utf-8") != place:
        note.write_text(place, "utf-8")


def check_prepared(settings: Settings, url: str) -> None:
    """RoleRefused unless the service could work with the database once it is filled; `url` as in `migrate_and_open`."""
    rights = rights_of(url)
    if not rights.owns:
        check_service(rights, [])
        return
    secret = settings.known_secrets()
    check_login_can_be_had(url, derive(secret[0], "database role").hex() if secret else "")


def owner_of(settings: Settings, url: str) -> str:
    """URL of the owner of the tables, where `url` is that of `database_url`."""
    return url if settings.database_owner_url is None else settings.database_owner_url.get_secret_value()


def migrate_and_open(settings: Settings, url: str) -> tuple[str, list[str]]:
    """(URL of the service's login to the up-to-date database, migrations that this call applied); D-43.

    `url` is the owner's, then the login is made beside it, or the login itself. RoleRefused if neither is to be had.
    """
    rights = rights_of(url)
    owner = settings.database_owner_url
    if rights.owns:
        applied = _migrate(url)
        return _login_beside(settings, url), applied
    applied = _migrate(owner.get_secret_value()) if owner is not None else []
    check_service(rights, pending_migrations(url))
    return url, applied


@contextmanager
def owner_url(settings: Settings) -> Iterator[str]:
    """URL of the owner of the tables: of the embedded database, or what the operator gave. DatabaseMissing."""
    with database_url(settings) as url:
        yield owner_of(settings, url)


def _migrate(url: str) -> list[str]:
    """Both schemas brought up to date: ours, and the merchant area's."""
    applied = migrate(url)
    area_schema.migrate(url)
    return applied


def service_login(settings: Settings, url: str) -> str:
    """URL of the service's login to a database that is up to date already; DatabaseMissing if it is not.

    `url` as in `migrated`. A command never migrates: an upgrade begins with the service, not with a query.
    """
    rights, missing = rights_of(url), pending_migrations(url)
    if not rights.owns:
        check_service(rights, missing)
        return url
    if missing:
        raise DatabaseMissing(Message("database-lacks-migrations-from-on", missing=missing[0]))
    return _login_beside(settings, url)


@contextmanager
def open_database(
    settings: Settings, *, actor: Actor = UNNAMED, size: int = 4, kept: bool = False, create: bool = False
) -> Iterator[Database]:
    """The database with a small pool, as the service's role, for `actor`; `kept` as in `database_url`.

    With `create` it is made and migrated first, otherwise it has to be there and up to date (DatabaseMissing).
    """
    with database_url(settings, kept=kept, create=create) as given:
        url = migrate_and_open(settings, given)[0] if create else service_login(settings, given)
        with _with_keys(settings, url, actor, size) as database:
            yield database


def check_secret_keys(settings: Settings, url: str) -> None:
    """WrongKey if the database was sealed under a secret key that is not here."""
    with _with_keys(settings, url, UNNAMED, 1):
        pass


@contextmanager
def _with_keys(settings: Settings, url: str, actor: Actor, size: int) -> Iterator[Database]:
    """The database with the secret keys, checked. A first key is made only for a database that is sealed under none."""
    if not settings.known_secrets():
        with closing(Database(url, size=1, keyring=NO_KEYS)) as unopened:
            check_keys(unopened, utc_now())
    keyring = Keyring(settings.secrets())
    database = Database(url, size=size, at_boundary=boundary_from_environment(), actor=actor, keyring=keyring)
    try:
        check_keys(database, utc_now())
        yield database
    finally:
        database.close()


def _login_beside(settings: Settings, owner_url: str) -> str:
    """URL of the service's login, whose password is made of the secret key: a wrong one changes nothing (WrongKey)."""
    check_keys_as_owner(owner_url, Keyring(settings.known_secrets()))
    return service_url(owner_url, derive(settings.secret(), "database role").hex())
