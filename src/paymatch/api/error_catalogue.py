"""Every refusal of the merchant API with its text, for the reference and `docs/api-errors.md`; a test compares them.

`<...>` stands for what varies. The texts themselves are written where they are raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.api import errors
from paymatch.web import CUT_SHORT, HTTPS_NEEDED, TOO_MANY, TOO_SLOW


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row of the table. `where` begins the templates of the endpoints that may answer it; empty means all."""

    status: int
    text: str
    condition: str
    where: tuple[str, ...] = ()
    documented: bool = True  # a row of the API document; False for our additions by analogy


_ORDER: Final = ("POST order/{orderNumber}$", "POST orders", "POST ordersync$")
_REFUND: Final = ("POST order/{orderNumber}/refund",)
_CANCEL: Final = ("POST refund/{refundId}/cancel",)
_ACCOUNT: Final = ("POST refund/{refundId}/account",)
_BODY: Final = (*_ORDER, *_REFUND, *_ACCOUNT)
_FILE: Final = ("POST order/{orderNumber}/invoice/", "POST statements")
_BODILESS: Final = (
    "POST order/remove/",
    "POST order/{orderNumber}/setpaid",
    "POST order/{orderNumber}/setunpaid",
    "POST order/{orderNumber}/cancel",
)
_UNDO: Final = ("POST ordersync/{syncId}",)
_REPORT: Final = ("GET reports/{report}",)
_INVOICE: Final = ("POST order/{orderNumber}/invoice/",)

REFUSALS: Final[tuple[Refusal, ...]] = (
    Refusal(400, HTTPS_NEEDED, "The request came by plain HTTP.", documented=False),
    Refusal(404, errors.NOT_FOUND, "There is no such path.", documented=False),
    Refusal(
        405,
        errors.METHOD_NOT_ALLOWED,
        "The path takes other methods: the header Allow and `allowed` name them.",
        documented=False,
    ),
    Refusal(401, errors.HEADER_MISSING, "API key header missing."),
    Refusal(401, errors.PLACEHOLDER, "Literal placeholder sent as key."),
    Refusal(401, errors.KEY_UNKNOWN, "Key unknown or no longer valid."),
    Refusal(400, errors.SHOP_NOT_ACTIVE, "Shop not in an active status (paused, deleted)."),
    Refusal(400, errors.API_NOT_ACTIVE, "API access disabled for the shop."),
    Refusal(400, errors.READ_ONLY, "Write attempted on a shop, or with a key, that permits only reads.", ("POST ",)),
    Refusal(
        401,
        errors.SCOPE_MISSING.format("<scope>"),
        "The key is valid, but was not given this right.",
        documented=False,
    ),
    Refusal(
        400,
        errors.STATEMENTS_OFF,
        "A live shop takes statements by API only after `statements-api=on`.",
        ("POST statements",),
        False,
    ),
    Refusal(
        404,
        "Order '<n>' not found",
        "Unknown order number for the authenticated shop.",
        ("GET order/", "POST order/", "GET image/"),
    ),
    Refusal(
        404, "Invoice '<n>' not found", "The order has no such invoice.", ("GET order/{orderNumber}/invoice/",), False
    ),
    Refusal(
        404, "Callback '<id>' not found", "The shop has no such callback.", ("GET callbacks/", "POST callbacks/"), False
    ),
    Refusal(404, "Import '<id>' not found", "The shop has no such import.", ("GET imports/",), False),
    Refusal(404, "Report '<name>' not found", "There is no such report.", ("GET reports/{report}",), False),
    Refusal(404, "Refund '<id>' not found", "The shop has no such refund.", (*_CANCEL, *_ACCOUNT), False),
    Refusal(
        400,
        "Body too large (max <n> MB)",
        "The body is larger than the endpoint takes.",
        (*_BODY, "POST statements", "POST collection/reports"),
        False,
    ),
    Refusal(400, CUT_SHORT, "It ended before the length that was announced.", ("POST ",), False),
    Refusal(408, TOO_SLOW, "Less than 8 KB/s after 10 s, or a pause of 30 s.", ("POST ",), False),
    Refusal(
        503,
        TOO_MANY,
        "The shop has as many requests under way as it may, or what waits has filled its room on the disk.",
        documented=False,
    ),
    Refusal(400, "Missing body", "Body empty.", (*_BODY, "POST collection/reports")),
    Refusal(
        400, "Invalid JSON, comments not allowed in JSON body", "Body contains comments or non-JSON content.", _BODY
    ),
    Refusal(400, "Invalid request: <what is expected>", "The body is JSON of another shape.", _BODY, False),
    Refusal(
        400,
        "Parameter number and number in object do not match",
        "Path orderNumber differs from body number.",
        ("POST order/{orderNumber}$", *_BODILESS),
    ),
    Refusal(400, "Missing parameter <name>", "Required body field missing or empty.", _BODY),
    Refusal(400, "Parameter date is not valid", "Order date unparseable.", _ORDER),
    Refusal(400, "Parameter dueDate is not valid", "dueDate unparseable.", _ORDER),
    Refusal(
        400,
        "Parameter <name> is not valid",
        "A field or query parameter has a wrong form or an unknown value.",
        (),
        False,
    ),
    Refusal(
        400,
        "Unknown parameter <name>",
        "The endpoint has no such query parameter; `allowed` names those that it has.",
        (),
        False,
    ),
    Refusal(400, "Content-Encoding <name> not supported", "A body is sent as it is, or with gzip.", ("POST ",), False),
    Refusal(400, "Body is not valid gzip", "The body ends early or was not packed with gzip.", ("POST ",), False),
    Refusal(
        400,
        "Parameter <name> too long (max <n>)",
        "An order number, an invoice number or a reference is longer than it may be.",
        (*_BODY, *_INVOICE),
        False,
    ),
    Refusal(
        400,
        "Invalid date: <value>, format should be dd-MM-yyyy",
        "Date query parameter in a wrong format.",
        ("GET orders", "GET postings", "GET reports/{report}"),
    ),
    Refusal(400, "Parameter date must not be in the future", "Date in the future on a new order.", _ORDER),
    Refusal(400, "Parameter dueDate must not be more than 6 months in the future", "dueDate too far ahead.", _ORDER),
    Refusal(
        400,
        "Parameter initialDunningLevel can only be given when creating a new order",
        "Another initialDunningLevel than at the creation sent on an update.",
        _ORDER,
    ),
    Refusal(
        400,
        "Could not update order (<reason>)",
        "Update rejected, for example status no longer allows changes.",
        _ORDER,
    ),
    Refusal(
        400, "Could not acquire lock", "Same order updated concurrently; retry.", ("POST order", *_CANCEL, *_ACCOUNT)
    ),
    Refusal(
        400,
        "Empty list of orders, use force=true if no order is open",
        "The list of a synchronisation is empty, and the shop has `ordersync-guard=on`.",
        ("POST ordersync$",),
        False,
    ),
    Refusal(
        400,
        "<n> of <m> open orders are not in the list, use force=true if this is right",
        "More than 20 % and more than 10 open orders would become LEGACY, and the shop has `ordersync-guard=on`.",
        ("POST ordersync$",),
        False,
    ),
    Refusal(404, "Synchronisation '<id>' not found", "The shop has made no such call.", _UNDO, False),
    Refusal(
        400,
        "Synchronisation '<id>' is older than 30 days and can no longer be undone",
        "A synchronisation can be undone for 30 days.",
        _UNDO,
        False,
    ),
    Refusal(400, "Synchronisation '<id>' was already undone", "It is undone once.", _UNDO, False),
    Refusal(400, "Planned date must be in the future", "Refund plannedDate not in the future.", _REFUND),
    Refusal(
        400,
        "Parameter currency must be <currency>, the currency of the order",
        "Refund in another currency than the order's.",
        _REFUND,
        False,
    ),
    Refusal(
        400, "Refund already exists: <referenceNumber>", "A refund with the same externalReference exists.", _REFUND
    ),
    Refusal(
        400,
        "Could not cancel refund (status <status>)",
        "The refund is with the bank, executed, returned or cancelled before.",
        _CANCEL,
        False,
    ),
    Refusal(
        400,
        "Could not change the account of the refund (status <status>)",
        "The refund is with the bank, executed or cancelled.",
        _ACCOUNT,
        False,
    ),
    Refusal(
        400,
        "Could not hand over order (<reason>)",
        "Nothing is open, its type is not for collection, or a payment that waits for a decision may be its payment.",
        ("POST order/{orderNumber}/collection$",),
        False,
    ),
    Refusal(
        400,
        "<iban> is not a valid IBAN: <what is wrong>",
        "Country, length or check digits are wrong.",
        _ACCOUNT,
        False,
    ),
    Refusal(
        400,
        "The shop has no collection agency: set one first",
        "Set with `paymatch collection agency`.",
        ("POST order/{orderNumber}/collection$",),
        False,
    ),
    Refusal(
        400,
        "The name of the account holder is too long (max 140)",
        "A bank takes no longer name.",
        _ACCOUNT,
        False,
    ),
    Refusal(
        400,
        "Could not withdraw order '<n>' (it is not in collection)",
        "No agency has the order.",
        ("POST order/{orderNumber}/collection/withdraw",),
        False,
    ),
    Refusal(
        400, "<why the report cannot be read>", "Nothing of it is taken then.", ("POST collection/reports",), False
    ),
    Refusal(
        400,
        "Order already in paymentStatus PAID",
        "setpaid on an already paid order.",
        ("POST order/{orderNumber}/setpaid",),
    ),
    Refusal(
        400,
        "Order must have paymentStatus PAID",
        "setunpaid on an order that is not PAID.",
        ("POST order/{orderNumber}/setunpaid",),
    ),
    Refusal(
        400,
        "Order must have manual paymentStatus",
        "setunpaid on an order that was paid by postings.",
        ("POST order/{orderNumber}/setunpaid",),
    ),
    Refusal(
        400,
        "The report <name> has no period: it is made as of a day",
        "`from` or `to` for a report that has none.",
        _REPORT,
        False,
    ),
    Refusal(400, "The report <name> is not made as of a day", "`asOf` for a report of a period.", _REPORT, False),
    Refusal(400, "Parameter asOf is in the future", "No report is made of a day to come.", _REPORT, False),
    Refusal(400, "Parameter from is later than to", "The period ends before it begins.", _REPORT, False),
    Refusal(400, "The period is longer than 11 years", "From the year of `from` to that of `to`.", _REPORT, False),
    Refusal(
        400, "The month <month> is not closed", "Nothing was sealed to compare with.", ("GET reports/close/",), False
    ),
    Refusal(400, "File missing", "Upload without its part `file`.", _FILE),
    Refusal(400, "File size 0", "Upload of an empty file.", _FILE),
    Refusal(
        400, "<why the statement cannot be imported>", "Nothing of the file is booked.", ("POST statements",), False
    ),
    Refusal(
        503,
        "<n> statements of this shop are waiting to be imported, send this one again later",
        "Statements of a shop are imported one after the other.",
        ("POST statements",),
        False,
    ),
    Refusal(400, "File too large", "Invoice larger than the setting allows.", _INVOICE, False),
    Refusal(
        400,
        "File not allowed: <why>",
        "PDF with JavaScript, actions that start programs or files that are not XML; encrypted or broken.",
        _INVOICE,
        False,
    ),
    Refusal(
        400,
        "Invoices of this shop take too much room (max <n> MB)",
        "The shop's invoices would take more than the operator allows.",
        _INVOICE,
        False,
    ),
    Refusal(400, "File type not allowed", "Invoice that is not a PDF, PNG or JPEG by its content.", _INVOICE, False),
    Refusal(
        400,
        "Nothing payable (status <status>)",
        "Nothing is open, so there is nothing to show.",
        ("GET image/",),
        False,
    ),
    Refusal(400, "Image not possible: <reason>", "No such image can be made for this order.", ("GET image/",), False),
    Refusal(
        400,
        "<what the sandbox cannot do>",
        "The shop is not a sandbox, or its clock or bank cannot do this.",
        ("GET sandbox/", "POST sandbox/"),
        False,
    ),
    Refusal(
        500,
        "Internal server error, please retry or contact support with request id <id>",
        "Unexpected; the log has the request id, which is also in the header X-Request-Id.",
    ),
)


def refusals_of(method: str, template: str) -> list[Refusal]:
    """The refusals that an endpoint may answer, in the order of their checks."""
    name = f"{method} {template}$"
    return [row for row in REFUSALS if not row.where or name.startswith(row.where)]
