"""Refusals of the merchant API: the only place that knows status codes (API document, Errors; D-21)."""

from __future__ import annotations

from typing import Final

from paymatch.api.schema import BodyMissing, InvalidJson
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.refunds import RefundRefused, RefundUnknown
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.store.database import LockNotAcquired
from paymatch.usecases.callbacks import CallbacksOff, CallbackUnknown

HEADER_MISSING: Final = "Authentication header not present"
KEY_UNKNOWN: Final = "Invalid authentication header"
PLACEHOLDER: Final = "Replace the placeholder in the authentication header with your API key from the merchant area"
SHOP_NOT_ACTIVE: Final = "Shop not active"
API_NOT_ACTIVE: Final = "API not active, contact support"
READ_ONLY: Final = "Update not allowed for non-API Shop"
BODY_MISSING: Final = "Missing body"
LOCKED: Final = "Could not acquire lock"
NOT_FOUND: Final = "Not found"
HTTPS_NEEDED: Final = "HTTPS must be used"


class ApiRefused(Exception):
    """A call that is answered with an error; further fields are our additions to the Error body (D-13)."""

    def __init__(self, status: int, text: str, **more: str | int) -> None:
        super().__init__(text)
        self.status = status
        self.body: dict[str, str | int] = {"error": text, **more}


REFUSALS: Final = (
    CallbacksOff,
    CallbackUnknown,
    OrderRefused,
    OrderUnknown,
    RefundRefused,
    RefundUnknown,
    SandboxRefused,
    LockNotAcquired,
    BodyMissing,
    InvalidJson,
)
"""What the inner rooms raise when they refuse; everything else is a bug and becomes 500."""


def refusal(error: Exception) -> ApiRefused:
    """The answer to a refusal of the inner rooms."""
    if isinstance(error, OrderUnknown | CallbackUnknown | RefundUnknown):
        return ApiRefused(404, str(error))
    if isinstance(error, LockNotAcquired):
        return ApiRefused(400, LOCKED)
    if isinstance(error, BodyMissing):
        return ApiRefused(400, BODY_MISSING)
    if isinstance(error, OrderRefused):
        more: dict[str, str | int] = {}
        if error.number:
            more["orderNumber"] = error.number
        if error.index is not None:
            more["index"] = error.index
        if error.parameter:
            more["parameter"] = error.parameter
        return ApiRefused(400, str(error), **more)
    return ApiRefused(400, str(error))
