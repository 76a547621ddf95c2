"""What a call may end with instead of an answer: one exception with the service's own words, and its kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """The call was not carried out, or its answer cannot be read.

    `status` is the HTTP status, 0 where no answer came; `error` is the service's text. The rest is None where the
    service does not say it: the field or parameter that the error is about, the values that would be taken, the form of
    one, and which order of a list was refused. The service's log has the request by its `request_id`.
    """

    def __init__(
        self,
        error: str,
        *,
        status: int = 0,
        additions: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{status}: {error}" if status else error)
        said = dict(additions or {})
        self.status = status
        self.error = error
        self.parameter: str | None = said.get("parameter")
        self.allowed: list[str] | None = said.get("allowed")
        self.expected: str | None = said.get("expected")
        self.order_number: str | None = said.get("orderNumber")
        self.index: int | None = said.get("index")
        self.additions = said
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds after which the service asks to be called again."""


class NotFound(ApiError):
    """What the call names does not exist, or belongs to another shop (404)."""


class Refused(ApiError):
    """The service understood the call and does not do it (400 and others): the same call is refused again."""


class NotAuthorized(Refused):
    """The key is missing, unknown or lacks the scope that the call needs (401)."""


class Unavailable(ApiError):
    """The service could not be reached or had too much to do (no answer, 408, 429, 5xx): try again later."""


class AnswerUnreadable(ApiError):
    """What answered is not the service, or a version of it that this client does not know."""
