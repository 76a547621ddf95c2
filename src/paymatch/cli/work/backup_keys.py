"""Keys of a backup, from options and settings: for encrypting it and for opening it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    from paymatch.settings import Settings
    from paymatch.store.work.sealed_files import Key, Lock

_SHORTEST: Final = 12

PassphraseFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File whose first line is the passphrase; PAYMATCH_BACKUP_PASSPHRASE."),
]
RecipientFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File with an X25519 public key in PEM; PAYMATCH_BACKUP_RECIPIENT.")
]
IdentityFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File with the recipient's X25519 private key in PEM.")
]


class BackupKeyRefused(Refused):
    """A key or passphrase of backups cannot be used; the text says which and why."""


def lock_of(settings: Settings, passphrase_file: Path | None, recipient: Path | None) -> tuple[Lock, str]:
    """(what a backup is encrypted with, its name): the options, else the settings, else the secret key."""
    from paymatch.store.sealing import key_id
    from paymatch.store.work.sealed_files import Passphrase, Recipient, SecretKey

    if passphrase_file is None and recipient is None:
        recipient = settings.backup_recipient
        words = settings.backup_passphrase.get_secret_value() if settings.backup_passphrase is not None else ""
    else:
        words = _first_line(passphrase_file) if passphrase_file is not None else ""
    if (words or passphrase_file is not None) and recipient is not None:
        raise BackupKeyRefused(Message("backup-key-encrypted-with-passphrase-recipient"))
    if recipient is not None:
        public = _public_key(recipient)
        return Recipient(public), f"recipient {public.public_bytes_raw().hex()}"
    if words or passphrase_file is not None:
        if len(words) < _SHORTEST:
            raise BackupKeyRefused(Message("backup-key-passphrase-needs-least-characters", most=_SHORTEST))
        return Passphrase(words), "passphrase"
    return SecretKey(settings.secret()), f"secret key {key_id(settings.secret())}"


def keys_of(settings: Settings, file: Path, passphrase_file: Path | None, identity: Path | None) -> list[Key]:
    """What may open the backup: secret keys, identity, passphrase. A terminal is asked for a passphrase it needs."""
    from paymatch.store.work.sealed_files import Identity, Passphrase, SecretKey, needs_passphrase

    found: list[Key] = [SecretKey(secret) for secret in settings.known_secrets()]
    if identity is not None:
        found.append(Identity(_private_key(identity)))
    words = settings.backup_passphrase.get_secret_value() if settings.backup_passphrase is not None else ""
    if passphrase_file is not None:
        words = _first_line(passphrase_file)
    if not words and file.exists() and needs_passphrase(file) and sys.stdin.isatty():
        words = typer.prompt("Passphrase of the backup", hide_input=True)
    return [*found, Passphrase(words)] if words else found


def _first_line(path: Path) -> str:
    try:
        return path.read_text("utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        raise BackupKeyRefused(Message("connector-order-unreadable", what=str(path))) from None


def _public_key(path: Path) -> X25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        found = load_pem_public_key(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, X25519PublicKey):
        raise BackupKeyRefused(Message("backup-key-holds-no-x25519-public", path=str(path)))
    return found


def _private_key(path: Path) -> X25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        found = load_pem_private_key(path.read_bytes(), None)
    except (OSError, ValueError, TypeError):
        found = None
    if not isinstance(found, X25519PrivateKey):
        raise BackupKeyRefused(Message("backup-key-holds-no-x25519-private", path=str(path)))
    return found
