"""Refusals as they are declared: what every endpoint may answer, and what several share.

All others stand beside the handlers. `<...>` stands for what varies. The texts themselves are written where they are
raised; a test compares them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from paymatch.api import errors
from paymatch.web import CUT_SHORT, HTTPS_NEEDED, TOO_MANY, TOO_SLOW


class DocumentedRefusal(NamedTuple):
    """What is answered, and when."""

    status: int
    text: str
    condition: str
    documented: bool = True  # a row of the API document; False for our additions by analogy


def ours(status: int, text: str, condition: str) -> DocumentedRefusal:
    """A refusal that the API document does not have."""
    return DocumentedRefusal(status, text, condition, documented=False)


AT_THE_DOOR: Final = (
    ours(400, HTTPS_NEEDED, "The request came by plain HTTP."),
    ours(404, errors.NOT_FOUND, "There is no such path."),
    ours(405, errors.METHOD_NOT_ALLOWED, "The path takes other methods: the header Allow and `allowed` name them."),
    DocumentedRefusal(401, errors.HEADER_MISSING, "API key header missing."),
    DocumentedRefusal(401, errors.PLACEHOLDER, "Literal placeholder sent as key."),
    DocumentedRefusal(401, errors.KEY_UNKNOWN, "Key unknown or no longer valid."),
    ours(
        503,
        TOO_MANY,
        "The shop has as many requests under way as it may, or what waits has filled its room on the disk.",
    ),
    DocumentedRefusal(400, errors.SHOP_NOT_ACTIVE, "Shop not in an active status (paused, deleted)."),
    DocumentedRefusal(400, errors.API_NOT_ACTIVE, "API access disabled for the shop."),
    ours(401, errors.SCOPE_MISSING.format("<scope>"), "The key is valid, but was not given this right."),
)
"""Before anything of an endpoint is looked at."""

OF_WRITING: Final = (
    DocumentedRefusal(400, errors.READ_ONLY, "Write attempted on a shop, or with a key, that permits only reads."),
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

ORDER_UNKNOWN: Final = DocumentedRefusal(
    404, "Order '<n>' not found", "Unknown order number for the authenticated shop."
)
"""Where it is declared, an unknown order answers before a query that is refused (D-21)."""

LOCKED: Final = DocumentedRefusal(400, "Could not acquire lock", "Same order updated concurrently; retry.")
OTHER_NUMBER: Final = DocumentedRefusal(
    400, "Parameter number and number in object do not match", "Path orderNumber differs from body number."
)
INVALID_DAY: Final = DocumentedRefusal(
    400, "Invalid date: <value>, format should be dd-MM-yyyy", "Date query parameter in a wrong format."
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
NO_BODY: Final = DocumentedRefusal(400, "Missing body", "Body empty.")
TOO_LARGE: Final = ours(400, "Body too large (max <n> MB)", "The body is larger than the endpoint takes.")

OF_JSON: Final = (
    TOO_LARGE,
    NO_BODY,
    DocumentedRefusal(
        400, "Invalid JSON, comments not allowed in JSON body", "Body contains comments or non-JSON content."
    ),
    ours(400, "Invalid request: <what is expected>", "The body is JSON of another shape."),
    DocumentedRefusal(400, "Missing parameter <name>", "Required body field missing or empty."),
    TOO_LONG,
)
"""What a JSON body may be refused for, whatever it says."""

OF_FILES: Final = (
    DocumentedRefusal(400, "File missing", "Upload without its part `file`."),
    DocumentedRefusal(400, "File size 0", "Upload of an empty file."),
)

OF_ORDERS: Final = (
    DocumentedRefusal(400, "Parameter date is not valid", "Order date unparseable."),
    DocumentedRefusal(400, "Parameter dueDate is not valid", "dueDate unparseable."),
    DocumentedRefusal(400, "Parameter date must not be in the future", "Date in the future on a new order."),
    DocumentedRefusal(400, "Parameter dueDate must not be more than 6 months in the future", "dueDate too far ahead."),
    DocumentedRefusal(
        400,
        "Parameter initialDunningLevel can only be given when creating a new order",
        "Another initialDunningLevel than at the creation sent on an update.",
    ),
    DocumentedRefusal(
        400, "Could not update order (<reason>)", "Update rejected, for example status no longer allows changes."
    ),
    LOCKED,
)
"""What a submitted order may be refused for."""
