"""Refusals of the merchant API: the only place that knows status codes (docs/api.md, Errors; D-21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.refusal import Later, Refused, Unknown

HEADER_MISSING: Final = "Authentication header not present"
KEY_UNKNOWN: Final = "Invalid authentication header"
PLACEHOLDER: Final = "Replace the placeholder in the authentication header with your API key from the merchant area"
SHOP_NOT_ACTIVE: Final = "Shop not active"
API_NOT_ACTIVE: Final = "API not active, contact support"
READ_ONLY: Final = "Update not allowed for non-API Shop"
SCOPE_MISSING: Final = "API key lacks the scope {}"
STATEMENTS_OFF: Final = "Statements by API are off for this shop"
DATABASE_AWAY: Final = "The database does not answer, please retry"
FILES_AWAY: Final = "The storage of files takes nothing at the moment, please retry"
NOT_FOUND: Final = "Not found"
METHOD_NOT_ALLOWED: Final = "Method not allowed"


class ApiRefused(Refused):
    """A refusal of the edge itself, which knows with which status it is answered."""

    headers: tuple[tuple[str, str], ...] = ()

    def __init__(
        self, status: int, text: str, *, parameter: str = "", allowed: Sequence[str] = (), expected: str = ""
    ) -> None:
        super().__init__(text, parameter=parameter, allowed=allowed, expected=expected)
        self.status = status


class MethodNotAllowed(ApiRefused):
    """The path is known and takes other methods (RFC 9110, 15.5.6)."""

    def __init__(self, methods: Sequence[str]) -> None:
        super().__init__(405, METHOD_NOT_ALLOWED, allowed=methods)
        self.headers = (("Allow", ", ".join(methods)),)


def status_of(error: Refused) -> int:
    """The HTTP status that a refusal is answered with; what is no refusal is a bug, and 500."""
    if isinstance(error, ApiRefused):
        return error.status
    if isinstance(error, Later):
        return 503
    return 404 if isinstance(error, Unknown) else 400


def body_of(error: Refused) -> dict[str, str | int | list[str]]:
    """The body of an error, with what more is said behind `error` (docs/api.md, Errors; D-13)."""
    return {"error": str(error), **error.additions}
