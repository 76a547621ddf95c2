"""Commands for the secret keys under which the database is sealed: rotate, status."""

from __future__ import annotations

from paymatch.cli.arguments import AsJson
from paymatch.cli.context import command, database_of_command, settings, show
from paymatch.cli.loading import new_group
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

keys_app = new_group("Secret keys of the installation: rotate, status.")


@keys_app.command()
@command
def rotate(as_json: AsJson = False) -> None:
    """Create a new key and seal everything under it. Stop the service first; this may be interrupted and run again.

    With PAYMATCH_SECRET_KEY: set the new key there and the one until now in PAYMATCH_SECRET_KEYS_OLD. A service that is
    started with both seals in the background as well.
    """
    from paymatch.domain.shops.audit import INSTALLATION, AuditAction
    from paymatch.settings import add_kept_secret
    from paymatch.store.resealing import reseal_all
    from paymatch.usecases.audit import record_alone

    found = settings()
    if found.secret_key is None:
        with database_of_command():  # only a database whose keys are all here gets a new one
            add_kept_secret(found.key_file())
    elif not found.secret_keys_old:
        raise SettingRefused(Message("setting-set-paymatch-secret-key"))
    with database_of_command() as database:
        count = reseal_all(database)
        key = database.keyring.ids[0]
        record_alone(database, INSTALLATION, AuditAction.SECRET_KEY_ROTATED, key, after={"sealed": count})
        show({"key": key, "sealed": count}, as_json=as_json)


@keys_app.command()
@command
def status(as_json: AsJson = False) -> None:
    """List the keys in use by name, newest first, with the number of values not yet encrypted with the newest."""
    from paymatch.store.resealing import count_remaining

    with database_of_command() as database:
        show({"keys": list(database.keyring.ids), "left": count_remaining(database)}, as_json=as_json)
