"""Callbacks of the service, verified by the shop that receives them (docs/callbacks.md, Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from paymatch_client.models.orders import Order
from paymatch_client.values import decoded

TOLERANCE: Final = timedelta(minutes=5)
"""How far the receiver's clock may be from the timestamp: an older message may be an intercepted one, sent again."""

_SECRET_PREFIX: Final = "whsec_"  # noqa: S105  the public beginning of every secret
_SECRET_BYTES: Final = range(24, 65)


class CallbackRefused(Exception):
    """The message is not from the service, was changed on its way, or is too old: answer it with 401."""


@dataclass(frozen=True, slots=True)
class PaymentStatusChanged:
    """A verified callback: the order as it stood when it was sent."""

    id: str
    """The same each time it is sent: skip what you have worked on."""
    sent_at: datetime
    is_test: bool
    """An invented order, sent to try out the receiver."""
    order: Order


def verify_callback(
    body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    access_code: str | None = None,
    tolerance: timedelta = TOLERANCE,
    now: datetime | None = None,
) -> PaymentStatusChanged:
    """The callback, if it is authentic; CallbackRefused otherwise.

    `body` are the raw bytes as they came, `headers` those of the request in any case of letters, `secret` the shop's
    webhook secret (`whsec_...`); ValueError if it is none. With an `access_code` the header X-Service-Access-Code is
    compared, too. `now` (aware) is the present moment unless it is given.
    """
    found = {name.lower(): value for name, value in headers.items()}
    if access_code is not None and not _same(access_code, found.get("x-service-access-code", "")):
        raise CallbackRefused("The access code is missing or wrong")
    callback_id, timestamp = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    if not callback_id or not timestamp or not found.get("webhook-signature"):
        raise CallbackRefused("A webhook header is missing")
    sent_at = _moment(timestamp)
    if abs((now or datetime.now(UTC)) - sent_at) > tolerance:
        raise CallbackRefused("The timestamp is too far from now")
    digest = hmac.new(_key(secret), f"{callback_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode("ascii")
    if not any(_same(expected, given) for given in found["webhook-signature"].split(" ")):
        raise CallbackRefused("No signature matches")
    try:
        order = decoded(body, Order)
    except (msgspec.MsgspecError, ValueError) as error:
        raise CallbackRefused(f"The body is not an order: {error}") from error
    return PaymentStatusChanged(callback_id, sent_at, found.get("x-service-test", "").lower() == "true", order)


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) not in _SECRET_BYTES:
        raise ValueError("A webhook secret is whsec_ followed by 24 to 64 bytes in base64")
    return key


def _moment(timestamp: str) -> datetime:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 12):
        raise CallbackRefused("The timestamp is not a number")
    return datetime.fromtimestamp(int(timestamp), UTC)


def _same(expected: str, given: str) -> bool:
    """Compares in constant time, wherever two texts differ."""
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "surrogateescape"))
