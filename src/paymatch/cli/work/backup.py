"""Commands that take the installation to another place: backup, restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paymatch.cli.arguments import AsJson
from paymatch.cli.context import command, database_of_command, settings, show
from paymatch.cli.work.backup_keys import IdentityFile, PassphraseFile, RecipientFile, keys_of, lock_of
from paymatch.cli.work.progress import byte_progress

if TYPE_CHECKING:
    from paymatch.usecases.work.backup import Manifest

_NEXT = (
    "What to do now, in this order: import the statements since {day}, run `paymatch privacy replay --since {day}`,"
    " look at `paymatch check`, then start the service.\n{refunds} waiting for a release: whatever was transferred"
    " since the backup is not in it. Shops send their open orders again automatically."
)

_PLAIN = (
    "{file} is not encrypted: an older version wrote it. Anyone who has it can read names and transfer files in it."
    " Write a new backup and delete this one."
)


@command
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it; must not exist yet.")],
    passphrase_file: PassphraseFile = None,
    recipient: RecipientFile = None,
    as_json: AsJson = False,
) -> None:
    """Write the database and all files into one encrypted archive, while the service runs.

    The secret key encrypts it, and is not in it. A passphrase or a recipient's public key can replace it.
    """
    from paymatch.clock import utc_now
    from paymatch.domain.shops.audit import INSTALLATION, AuditAction
    from paymatch.embedded import programs
    from paymatch.installation import owner_url
    from paymatch.settings import make_data_dir
    from paymatch.store.resealing import used_keys
    from paymatch.usecases.audit import record_alone
    from paymatch.usecases.work.backup import write_backup

    found = settings()
    with database_of_command() as database, owner_url(found) as url, byte_progress(quiet=as_json) as tell:
        lock, name = lock_of(found, passphrase_file, recipient)
        folder, keys = make_data_dir(found.data_dir), used_keys(url)
        made = write_backup(file, url, programs(), folder, keys, utc_now(), tell, lock=lock)
        record_alone(database, INSTALLATION, AuditAction.BACKUP_MADE, file.name, after=_backup_fields(made))
    show(
        {"file": str(file), **_backup_fields(made), "encryptedWith": name, "bytes": file.stat().st_size},
        as_json=as_json,
    )
    if not as_json:
        typer.echo(
            f"Keep the secret key ({found.key_place()}) too, and apart from it: the backup is worth nothing without."
        )


@command
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup of this or an older version.")],
    passphrase_file: PassphraseFile = None,
    identity: IdentityFile = None,
    as_json: AsJson = False,
) -> None:
    """Fill a new installation from a backup: PAYMATCH_DATA_DIR without a database, or your own empty database.

    Refunds that were about to be sent wait for a release by a person.
    """
    from paymatch.clock import utc_now
    from paymatch.domain.plurals import count_of
    from paymatch.domain.shops.audit import INSTALLATION, AuditAction
    from paymatch.embedded import programs
    from paymatch.installation import check_prepared, database_url, migrate_and_open, note_database, owner_of
    from paymatch.outbound.files import open_files
    from paymatch.settings import make_data_dir
    from paymatch.store.refunds import refunds
    from paymatch.store.sealing import key_id
    from paymatch.usecases.audit import record_alone
    from paymatch.usecases.privacy import replaying
    from paymatch.usecases.work import backup

    found = settings()
    openers = keys_of(found, file, passphrase_file, identity)
    manifest = backup.read_manifest(file, openers)
    _warn_if_plain(file)
    backup.refuse_foreign_keys(manifest, [key_id(secret) for secret in found.known_secrets()])
    with backup.nothing_left_if_refused(found.data_dir), database_url(found, create=True) as url:
        check_prepared(found, url)
        with byte_progress(quiet=as_json) as tell:
            folder = make_data_dir(found.data_dir)
            backup.restore_backup(file, owner_of(found, url), programs(), folder, tell, openers)
        _, applied = migrate_and_open(found, url)
    note_database(found)
    with database_of_command() as database:
        with database.of_all_shops() as tx:
            waiting = refunds.count_restored(tx)
        record_alone(database, INSTALLATION, AuditAction.BACKUP_RESTORED, file.name, after=_backup_fields(manifest))
        people = replaying.replay(database, found, open_files(found), manifest.made_at, utc_now())
    result = {**_backup_fields(manifest), "applied": applied, "refundsThatWait": waiting, **people}
    show({"file": str(file), **result}, as_json=as_json)
    if not as_json:
        typer.echo(_NEXT.format(day=manifest.made_at.date(), refunds=f"{count_of(waiting, 'refund')} {_is(waiting)}"))


def _warn_if_plain(file: Path) -> None:
    from paymatch.store.work.sealed_files import is_sealed

    if not is_sealed(file):
        typer.echo(_PLAIN.format(file=file), err=True)


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _backup_fields(manifest: Manifest) -> dict[str, object]:
    return {
        "paymatch": manifest.paymatch,
        "postgresql": manifest.postgresql,
        "madeAt": manifest.made_at.isoformat(timespec="seconds"),
        "files": manifest.files,
        "databaseBytes": manifest.database_bytes,
        "keys": list(manifest.keys),
    }
