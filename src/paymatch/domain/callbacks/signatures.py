"""Signatures of callbacks after Standard Webhooks 1.0 (D-18): content, secrets and verification."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - the public prefix of every secret, not one
SECRET_BYTES: Final = 32  # Standard Webhooks asks for 24 to 64
TOLERANCE: Final = timedelta(minutes=5)
"""How far a receiver's clock may be from the timestamp; older messages are taken for replays."""


class SecretUnreadable(ValueError):
    """The text is not a signing secret: `whsec_` and 24 to 64 bytes in base64."""


class SignatureRefused(ValueError):
    """The message is not signed by a known secret, or too old; the text says which."""


def secret_text(key: bytes) -> str:
    """The secret as the merchant sees it; `key` comes from the system's random source, `SECRET_BYTES` long."""
    _check_length(key)
    return SECRET_PREFIX + base64.b64encode(key).decode("ascii")


def secret_key(secret: str) -> bytes:
    """The key bytes of `secret`; otherwise SecretUnreadable. The prefix may be missing, as in other libraries."""
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise SecretUnreadable("a signing secret is whsec_ followed by base64") from None
    _check_length(key)
    return key


def signature(secret: str, webhook_id: str, sent_at: datetime, body: bytes) -> str:
    """One `v1,...` signature over id, timestamp in Unix seconds and body."""
    assert webhook_id and "." not in webhook_id, "the id must not contain the separator"
    message = f"{webhook_id}.{unix_seconds(sent_at)}.".encode() + body
    digest = hmac.new(secret_key(secret), message, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode("ascii")


def signature_headers(
    secrets: Iterable[str], webhook_id: str, sent_at: datetime, body: bytes
) -> tuple[tuple[str, str], ...]:
    """The three headers of a signed message; one signature per secret, so old and new secrets can overlap."""
    signatures = " ".join(signature(secret, webhook_id, sent_at, body) for secret in secrets)
    return (
        ("webhook-id", webhook_id),
        ("webhook-timestamp", str(unix_seconds(sent_at))),
        ("webhook-signature", signatures),
    )


def verify(secret: str, headers: Mapping[str, str], body: bytes, now: datetime) -> None:
    """Returns if `body` was signed with `secret` at most `TOLERANCE` from `now`; else SignatureRefused.

    `headers` has lower-case names. Receivers do this; the service itself uses it only in tests.
    """
    webhook_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not webhook_id or not timestamp or "webhook-signature" not in headers:
        raise SignatureRefused("a webhook header is missing")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 12):
        raise SignatureRefused("the timestamp is not a number")
    sent_at = datetime.fromtimestamp(int(timestamp), UTC)
    if abs(now - sent_at) > TOLERANCE:
        raise SignatureRefused("the timestamp is too far from now")
    expected = signature(secret, webhook_id, sent_at, body).encode()
    if not any(hmac.compare_digest(expected, given.encode()) for given in headers["webhook-signature"].split(" ")):
        raise SignatureRefused("no signature matches")


def unix_seconds(moment: datetime) -> int:
    """Whole seconds since 1970 in UTC; `moment` is aware."""
    assert moment.tzinfo is not None, "a moment is aware"
    return int(moment.timestamp())


def _check_length(key: bytes) -> None:
    if not 24 <= len(key) <= 64:
        raise SecretUnreadable("a signing secret has 24 to 64 bytes")
