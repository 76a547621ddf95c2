"""Refusals as they are declared: what every endpoint may answer, and what several share.

All others are next to the handlers. `<...>` marks a variable part. The texts themselves are written where they are
raised; a test compares them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from paymatch.api import errors
from paymatch.domain.words.message import Message
from paymatch.web import CUT_SHORT, HTTPS_NEEDED, TOO_MANY, TOO_SLOW


class DocumentedRefusal(NamedTuple):
    """What is answered, and when."""

    status: int
    text: str
    condition: str
    documented: bool = True  # part of version 2 as it was agreed; False for our additions by analogy


def ours(status: int, text: str, condition: str) -> DocumentedRefusal:
    """A refusal that is our addition to version 2 of the API."""
    return DocumentedRefusal(status, text, condition, documented=False)


AT_THE_DOOR: Final = (
    ours(400, HTTPS_NEEDED, "The request came by plain HTTP."),
    ours(404, errors.NOT_FOUND, "There is no such path."),
    ours(405, errors.METHOD_NOT_ALLOWED, "The path takes other methods: the header Allow and `allowed` name them."),
    DocumentedRefusal(401, errors.HEADER_MISSING, "The request has no header `X-Service-API-Key`."),
    DocumentedRefusal(401, errors.PLACEHOLDER, "The key is the placeholder of the examples."),
    DocumentedRefusal(401, errors.KEY_UNKNOWN, "No shop has this key, or it was revoked."),
    ours(
        503,
        TOO_MANY,
        "The shop has too many requests in progress, or its waiting requests have filled their space on the disk.",
    ),
    DocumentedRefusal(400, errors.SHOP_NOT_ACTIVE, "The shop is paused or deleted."),
    DocumentedRefusal(400, errors.API_NOT_ACTIVE, "The shop's API is switched off."),
    ours(401, Message("api-scope-missing", scope="<scope>"), "The key is valid, but was not given this right."),
)
"""Before anything of an endpoint is looked at."""

OF_WRITING: Final = (
    DocumentedRefusal(400, errors.READ_ONLY, "The shop or the key may only read."),
    ours(400, CUT_SHORT, "It ended before the length that was announced."),
    ours(408, TOO_SLOW, "Less than 8 KB/s after 10 s, or a pause of 30 s."),
    ours(400, "Content-Encoding <name> not supported", "A body is sent as it is, or with gzip."),
    ours(400, "Body is not valid gzip", "The body ends early or was not packed with gzip."),
)

OF_STATEMENTS: Final = (
    ours(400, errors.STATEMENTS_OFF, "A live shop takes statements by API only after `statements-api=on`."),
)
"""Of what needs a key of the scope `statements`."""

OF_QUERIES: Final = (
    ours(
        400, "Unknown parameter <name>", "The endpoint has no such query parameter; `allowed` names those that it has."
    ),
    ours(400, "Parameter <name> is not valid", "A field or query parameter has a wrong form or an unknown value."),
)

AT_ANY_TIME: Final = (
    DocumentedRefusal(
        500,
        "Internal server error, please retry or contact support with request id <id>",
        "Unexpected; the log has the request id, which is also in the header X-Request-Id.",
    ),
    ours(
        503,
        errors.DATABASE_AWAY,
        "The database is starting, or another node takes over; whether a change was stored is known by asking again.",
    ),
)

ORDER_UNKNOWN: Final = DocumentedRefusal(404, "Order '<n>' not found", "The key's shop has no order of this number.")
"""Where it is declared, an unknown order answers before a query that is refused (D-21)."""

LOCKED: Final = DocumentedRefusal(
    400, "Could not acquire lock", "Another request is changing the same order; send it again."
)
OTHER_NUMBER: Final = DocumentedRefusal(
    400,
    "Parameter number and number in object do not match",
    "`number` of the body is not the order number of the path.",
)
INVALID_DAY: Final = DocumentedRefusal(
    400, "Invalid date: <value>, format should be dd-MM-yyyy", "A day in the query has another form."
)
OF_PERIODS: Final = (
    ours(400, "Parameter from is later than to", "The period ends before it begins."),
    ours(400, "The period is longer than 11 years", "From the year of `from` to that of `to`."),
)
TOO_LONG: Final = ours(
    400,
    "Parameter <name> too long (max <n>)",
    "An order number, an invoice number or a reference is longer than it may be.",
)
NO_BODY: Final = DocumentedRefusal(400, "Missing body", "The body is empty.")
TOO_LARGE: Final = ours(400, "Body too large (max <n> MB)", "The body is larger than the endpoint takes.")

OF_JSON: Final = (
    TOO_LARGE,
    NO_BODY,
    DocumentedRefusal(400, "Invalid JSON, comments not allowed in JSON body", "The body is not JSON."),
    ours(400, "Invalid request: <what is expected>", "The body is JSON of another shape."),
    DocumentedRefusal(400, "Missing parameter <name>", "A field that must be given is absent or empty."),
    TOO_LONG,
)
"""Refusals of a JSON body regardless of its content."""

OF_FILES: Final = (
    DocumentedRefusal(400, "File missing", "The upload has no part `file`."),
    DocumentedRefusal(400, "File size 0", "The uploaded file is empty."),
)

OF_ORDERS: Final = (
    DocumentedRefusal(400, "Parameter date is not valid", "`date` is not a day of the form dd-MM-yyyy."),
    DocumentedRefusal(400, "Parameter dueDate is not valid", "`dueDate` is not a day of the form dd-MM-yyyy."),
    DocumentedRefusal(400, "Parameter date must not be in the future", "A new order is dated later than today."),
    DocumentedRefusal(
        400,
        "Parameter dueDate must not be more than 6 months in the future",
        "The due date is more than six months away.",
    ),
    DocumentedRefusal(
        400,
        "Parameter initialDunningLevel can only be given when creating a new order",
        "An update sends another level than the one of the creation.",
    ),
    DocumentedRefusal(
        400, "Could not update order (<reason>)", "The order can no longer be changed in this way; the reason says why."
    ),
    LOCKED,
)
"""What a submitted order may be refused for."""
