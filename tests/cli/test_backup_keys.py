"""What backups are encrypted with: the secret key unless the operator names something else, never nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from pydantic import SecretStr

from paymatch.cli.work.backup_keys import BackupKeyRefused, keys_of, lock_of
from paymatch.settings import Settings
from paymatch.store.sealing import key_id
from paymatch.store.work.sealed_files import Identity, Passphrase, Recipient, SecretKey

SECRET = "a secret key of at least thirty-two characters"
WORDS = "correct horse battery"
PRIVATE = X25519PrivateKey.generate()


def settings(**more: object) -> Settings:
    return Settings(secret_key=SecretStr(SECRET), **more)  # type: ignore[arg-type]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Files of a public key and its private key."""
    public, private = tmp_path / "recipient.pem", tmp_path / "identity.pem"
    public.write_bytes(PRIVATE.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    private.write_bytes(PRIVATE.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return public, private


def test_the_secret_key_encrypts_where_nothing_is_named() -> None:
    assert lock_of(settings(), None, None) == (SecretKey(SECRET), f"secret key {key_id(SECRET)}")


def test_settings_and_options_name_something_else(pair: tuple[Path, Path], tmp_path: Path) -> None:
    public, private = pair
    words = tmp_path / "words"
    words.write_text(f"{WORDS}\n", "utf-8")
    name = f"recipient {PRIVATE.public_key().public_bytes_raw().hex()}"
    assert lock_of(settings(backup_passphrase=SecretStr(WORDS)), None, None) == (Passphrase(WORDS), "passphrase")
    assert lock_of(settings(), words, None) == (Passphrase(WORDS), "passphrase")
    for lock, said in (
        lock_of(settings(backup_recipient=public), None, None),
        lock_of(settings(), None, public),
        lock_of(settings(backup_passphrase=SecretStr(WORDS)), None, public),
    ):
        assert isinstance(lock, Recipient) and said == name
    keys = keys_of(settings(), tmp_path / "none", words, private)
    assert [type(each) for each in keys] == [SecretKey, Identity, Passphrase]


@pytest.mark.parametrize("content", ["", "short", "\n" + WORDS, None])
def test_a_passphrase_that_cannot_be_used_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "words"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(BackupKeyRefused):
        lock_of(settings(), path, None)


def test_keys_that_are_none_are_refused(pair: tuple[Path, Path], tmp_path: Path) -> None:
    public, private = pair
    for wrong in (private, tmp_path / "none", tmp_path):
        with pytest.raises(BackupKeyRefused):
            lock_of(settings(), None, wrong)
    for wrong in (public, tmp_path / "none"):
        with pytest.raises(BackupKeyRefused):
            keys_of(settings(), tmp_path / "none", None, wrong)
    with pytest.raises(BackupKeyRefused, match="not both"):
        lock_of(settings(backup_passphrase=SecretStr(WORDS), backup_recipient=public), None, None)
