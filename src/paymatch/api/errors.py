"""Refusals of the merchant API: the only place that knows status codes (docs/api.md, Errors; D-21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.refusal import Later, Refused, Unknown
from paymatch.domain.words.message import Message

HEADER_MISSING: Final = Message("api-header-missing")
KEY_UNKNOWN: Final = Message("api-key-unknown")
PLACEHOLDER: Final = Message("api-placeholder")
SHOP_NOT_ACTIVE: Final = Message("api-shop-not-active")
API_NOT_ACTIVE: Final = Message("api-api-not-active")
READ_ONLY: Final = Message("api-read-only")
STATEMENTS_OFF: Final = Message("api-statements-off")
DATABASE_AWAY: Final = Message("api-database-away")
FILES_AWAY: Final = Message("api-files-away")
NOT_FOUND: Final = Message("api-not-found")
METHOD_NOT_ALLOWED: Final = Message("api-method-not-allowed")


class ApiRefused(Refused):
    """A refusal of the edge itself, which knows with which status it is answered."""

    headers: tuple[tuple[str, str], ...] = ()

    def __init__(
        self, status: int, message: Message, *, parameter: str = "", allowed: Sequence[str] = (), expected: str = ""
    ) -> None:
        super().__init__(message, parameter=parameter, allowed=allowed, expected=expected)
        self.status = status


class MethodNotAllowed(ApiRefused):
    """The path is known and takes other methods (RFC 9110, 15.5.6)."""

    def __init__(self, methods: Sequence[str]) -> None:
        super().__init__(405, METHOD_NOT_ALLOWED, allowed=methods)
        self.headers = (("Allow", ", ".join(methods)),)


def status_of(error: Refused) -> int:
    """The HTTP status that a refusal is answered with; anything else is a bug, and 500."""
    if isinstance(error, ApiRefused):
        return error.status
    if isinstance(error, Later):
        return 503
    return 404 if isinstance(error, Unknown) else 400


def body_of(error: Refused) -> dict[str, str | int | list[str]]:
    """The body of an error, with what more is said behind `error` (docs/api.md, Errors; D-13)."""
    return {"error": str(error), **error.additions}
