"""The merchant API described by itself: OpenAPI 3.1 from the routes, the field tables and the catalogue of errors."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import msgspec

from paymatch import __version__
from paymatch.api.error_catalogue import refusals_of
from paymatch.api.openapi import collection, reports, sandbox
from paymatch.api.openapi.examples import ANSWERS, BODIES
from paymatch.api.openapi.forms import Schema, listed, ref, text, whole
from paymatch.api.openapi.queries import QUERIES, REQUIRED
from paymatch.api.openapi.schemas import schemas
from paymatch.api.router import ROUTES, Route
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.shops.key_scopes import KeyScope

KEY_HEADER: Final = "X-Service-API-Key"

_DESCRIPTION: Final = """Shops submit orders, the service matches the bank's payments to them and reports the payment
status, by this API and by callback.

Dates are `dd-MM-yyyy` in the shop's time zone, amounts have two decimals, fields that are not set are left out. Order
numbers may contain any printable character; in paths they are percent-encoded. Of several mistakes the first in the
order of the listed errors answers, and nothing is stored. `Could not acquire lock` means: try again."""

_KEY_WORDS: Final = """The shop's API key. HTTPS must be used. A key has scopes: `read` (every GET), `orders` and
`refunds` (what writes; both read as well), `statements` (uploads bank statements, and nothing else),
`collection` (reports of a collection agency, and nothing else). `read-write` is
`orders` and `refunds`. A call that the key lacks the scope for is refused with 401."""

_BODIES: Final[dict[str, Schema]] = {
    "POST order/{orderNumber}": ref("OrderSubmission"),
    "POST orders": listed(ref("OrderSubmission")),
    "POST ordersync": listed(
        {"anyOf": [{"type": ["string", "integer"], "description": "Order number."}, ref("OrderSubmission")]},
        "The complete list of the shop's open orders, as numbers or as orders.",
    ),
    "POST order/{orderNumber}/refund": ref("RefundCreation"),
    "POST refund/{refundId}/account": ref("RefundAccount"),
    **collection.BODIES,
    **sandbox.BODIES,
}
_UPLOADS: Final = frozenset({"POST order/{orderNumber}/invoice/{invoiceNumber}", "POST statements"})

_ORDER_ANSWER: Final = ref("Order")
_ANSWERS: Final[dict[str, Schema]] = {
    "POST order/{orderNumber}": _ORDER_ANSWER,
    "GET order/{orderNumber}": _ORDER_ANSWER,
    "POST order/remove/{orderNumber}": _ORDER_ANSWER,
    "POST order/{orderNumber}/setpaid": _ORDER_ANSWER,
    "POST order/{orderNumber}/setunpaid": _ORDER_ANSWER,
    "POST order/{orderNumber}/cancel": _ORDER_ANSWER,
    "POST order/{orderNumber}/refund": ref("Refund"),
    "GET refunds": listed(ref("RefundOfOrder")),
    "POST refund/{refundId}/cancel": ref("Refund"),
    "POST refund/{refundId}/account": ref("Refund"),
    "POST orders": listed(_ORDER_ANSWER),
    "GET orders": listed(_ORDER_ANSWER),
    "POST ordersync": {"oneOf": [whole("Number of orders set to LEGACY."), ref("SyncResult")]},
    "GET ordersync": listed(ref("Synchronisation")),
    "POST ordersync/{syncId}/undo": ref("UndoResult"),
    "GET postings": listed(ref("PostingWithOrders")),
    "GET image/{orderNumber}": ref("Image"),
    "POST statements": {"type": "object", "description": "What the file held and what became of it."},
    "GET imports/{importId}": {
        "type": "object",
        "properties": {
            "importId": text("Id of the import."),
            "state": text("How far it is.", enum=["running", "done", "refused", "undone"]),
            "error": text("Why it was refused; nothing of the file is booked."),
        },
        "required": ["importId", "state"],
        "description": "With the fields of the report once it is done.",
    },
    "GET events": listed(ref("Event")),
    "GET reports/{report}": ref("Report"),
    "GET reports/close/{month}": listed(ref("ChangeSinceClose")),
    "GET callbacks": listed(ref("Callback")),
    "GET callbacks/{callbackId}": ref("Callback"),
    "POST callbacks/{callbackId}/resend": ref("Callback"),
    "POST callbacks/resend": whole("Number of callbacks that are due again."),
    "POST callbacks/test": ref("Callback"),
    **collection.ANSWERS,
    **sandbox.ANSWERS,
}
_ACCEPTED: Final[dict[str, Schema]] = {
    "POST statements": {
        "type": "object",
        "properties": {"importId": text("To ask for it."), "state": text("How far it is.", const="running")},
        "required": ["importId", "state"],
    }
}
"""Answers with 202: the work goes on."""

_BINARY: Final = {"type": "string", "contentMediaType": "application/octet-stream"}
_OTHER_CONTENT: Final[dict[str, dict[str, Any]]] = {
    "POST order/{orderNumber}/invoice/{invoiceNumber}": {},
    "GET image/{orderNumber}": {
        "application/json": {"schema": ref("Image")}, "image/png": {"schema": _BINARY},
        "image/svg+xml": {"schema": {"type": "string"}}, "application/pdf": {"schema": _BINARY},
    },
    "GET order/{orderNumber}/invoice/{invoiceNumber}": {
        "application/pdf": {"schema": _BINARY}, "image/png": {"schema": _BINARY}, "image/jpeg": {"schema": _BINARY},
        # An order whose number looks like this path is read instead.
        "application/json": {"schema": _ORDER_ANSWER},
    },
}  # fmt: skip
_WORDS: Final[dict[str, tuple[str, str]]] = {
    "POST order/{orderNumber}": (
        "Create or update an order",
        "Creates the order if its number is new. Otherwise the order replaces the one that was submitted before, with"
        " all its fields: a field that is left out is unset. Read-only fields and uploaded invoices stay. Unchanged"
        " data changes nothing. A cancelled, refunded or collected order takes no other amount or currency; a legacy or"
        " disappeared one comes back to life.",
    ),
    "GET order/{orderNumber}": ("Read an order", ""),
    "POST order/remove/{orderNumber}": (
        "Remove an order",
        "The order vanished from the shop: it becomes DISAPPEARED, reminders stop, it is no longer tracked.",
    ),
    "POST order/{orderNumber}/setpaid": ("Set an order paid", "Marks the order as PAID by hand."),
    "POST order/{orderNumber}/setunpaid": (
        "Set an order unpaid",
        "Undoes `setpaid`; the payments booked so far determine the status.",
    ),
    "POST order/{orderNumber}/cancel": ("Cancel an order", "The order was cancelled in the shop; reminders stop."),
    "POST order/{orderNumber}/refund": (
        "Create a refund",
        "Executed as a bank transfer on or after `plannedDate`, as far as the order's payments cover it. While the"
        " customer's account is unknown, its status is BANKDETAILS_MISSING and the customer is asked.",
    ),
    "GET refunds": (
        "List refunds",
        "In the sequence in which they were filed, each with its order; `reason` says why one that is due is not sent.",
    ),
    "POST refund/{refundId}/cancel": ("Cancel a refund", "Before it is handed over to the bank."),
    "POST refund/{refundId}/account": (
        "Name the account for a refund",
        "For a refund without bank details, one that came back or was rejected, or one that is not sent yet. A person"
        " of the shop releases it before it is transferred.",
    ),
    "POST order/{orderNumber}/invoice/{invoiceNumber}": (
        "Upload an invoice",
        "PDF, PNG or JPEG. A repeated upload for the same invoice number is silently ignored.",
    ),
    "GET order/{orderNumber}/invoice/{invoiceNumber}": ("Download an invoice", "The stored file as an attachment."),
    "POST orders": (
        "Create or update orders",
        "All or none: if one order is refused, none is stored, and the error names it. Each order replaces the one that"
        " was submitted before, as in endpoint 1. Split lists longer than 100.",
    ),
    "GET orders": (
        "List orders",
        "By date and number; without `maxAge` those of the last 120 days. Long answers are streamed.",
    ),
    "POST ordersync": (
        "Synchronise the open orders",
        "The list holds all open orders of the shop. Open orders that are not in it become LEGACY; listed LEGACY and"
        " DISAPPEARED orders come back. Answers the number of orders set to LEGACY. Allow 10 minutes for a long list.",
    ),
    "GET ordersync": (
        "List synchronisations",
        "Those of the last 30 days that changed the status of an order, latest first.",
    ),
    "POST ordersync/{syncId}/undo": (
        "Undo a synchronisation",
        "Within 30 days the orders that it set to LEGACY, or brought back, are again what they were before it. Orders"
        " that were changed since stay as they are, and so does the data that it submitted.",
    ),
    "GET postings": ("List postings", "By moment of import, each with the orders that it pays and the evidence."),
    "GET image/{orderNumber}": (
        "Read an image for payment",
        "QR code or payment slip with the amount that is still open. `Accept: image/png`, `image/svg+xml` or"
        " `application/pdf` asks for the image itself.",
    ),
    "POST statements": (
        "Import a bank statement",
        "camt.052, camt.053, camt.054, MT940, MT942 and others. Where it takes longer than a few seconds it is answered"
        " with 202 and goes on; ask for the import then.",
    ),
    "GET imports/{importId}": (
        "Read an import",
        "What became of a bank statement: its report when it is `done`. An import that booked can be asked for as long"
        " as the shop exists, other results for 30 days.",
    ),
    "GET reports/{report}": (
        "Read a report",
        "What came in, what is open as of any past day, fees, overpaid orders, postings that nothing explains: the rows"
        " that the command line and the merchant area show. Each report is made of a period (`from`, `to`), of how"
        " things stood at the end of a day (`asOf`), or of both; other parameters of days are refused.",
    ),
    "GET reports/close/{month}": (
        "List changes of a closed month",
        "Postings that stand otherwise than when the month was closed, up to 1,000; `before` is missing for one that"
        " came later, `after` for one that is gone.",
    ),
    "GET events": ("List events", "Changes of payment status in order; none is ever missed or repeated."),
    "GET callbacks": ("List callbacks", "Newest first."),
    "GET callbacks/{callbackId}": ("Read a callback", "With its attempts of the last 30 days."),
    "POST callbacks/{callbackId}/resend": ("Send a callback again", "At once, under the same `webhook-id`."),
    "POST callbacks/resend": ("Send failed callbacks again", "All since a moment; answers their number."),
    "POST callbacks/test": ("Send a test callback", "An invented order, one attempt, with `X-Service-Test: true`."),
    **collection.WORDS,
    **sandbox.WORDS,
}
_TAGS: Final[tuple[tuple[str, str, str], ...]] = (
    ("order", "Orders", "Submit, read and change orders. Send all open orders once a day, changed or not."),
    ("refund", "Refunds", "Refunds are executed as bank transfers on or after their planned date."),
    ("collection", "Collection", "Orders at the collection agency, and what it reports."),
    ("invoice", "Invoices and images", "Invoice files in, QR codes and payment slips out."),
    ("posting", "Postings", "What the bank booked, and bank statements by upload."),
    ("event", "Events and callbacks", "Every change of a payment status, and the callbacks that report it."),
    ("report", "Reports", "The books as of any day, and months that were closed."),
    ("sandbox", "Sandbox", "A clock that can be moved and a simulated bank, for sandbox shops."),
)
_TAG_OF: Final = (
    ("sandbox/", "Sandbox"),
    ("reports/", "Reports"),
    ("refund", "Refunds"),
    ("collection", "Collection"),
    ("invoice", "Invoices and images"),
    ("image", "Invoices and images"),
    ("postings", "Postings"),
    ("statements", "Postings"),
    ("imports", "Postings"),
    ("events", "Events and callbacks"),
    ("callbacks", "Events and callbacks"),
)
"""Part of a path -> its section; all else is about orders."""


_FRONT: Final = {408: "The body came too slowly", 503: "Too much at once"}
"""What the server in front may answer for an endpoint."""


@lru_cache(maxsize=1)
def openapi_json() -> bytes:
    """The description as JSON bytes; the same for every caller."""
    return msgspec.json.format(msgspec.json.encode(document()), indent=1)


def document() -> dict[str, Any]:
    """The description as an OpenAPI 3.1 document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in sorted(ROUTES, key=_place):
        paths.setdefault(f"/{route.template}", {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Payment matching and order tracking",
            "version": "2.0.0",
            "description": f"{_DESCRIPTION}\n\nServed by paymatch {__version__}.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/api/v2"}],
        "security": [{"ApiKey": []}],
        "tags": [{"name": name, "description": words} for _, name, words in _TAGS],
        "paths": paths,
        "webhooks": {"paymentStatusChanged": {"post": _webhook()}},
        "components": {
            "schemas": schemas() | collection.SCHEMAS | reports.SCHEMAS | sandbox.SCHEMAS,
            "securitySchemes": {
                "ApiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": KEY_HEADER,
                    "description": _KEY_WORDS,
                },
                "AgencyToken": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of the shop's collection agency: `paymatch collection token SHOP`.",
                },
            },
        },
    }


def _tag(route: Route) -> str:
    return next((name for part, name in _TAG_OF if part in route.template), "Orders")


def _place(route: Route) -> tuple[int, str]:
    """Where the endpoint stands in the reference: as in the table of words, new ones behind."""
    name = f"{route.method} {route.template}"
    return (list(_WORDS).index(name) if name in _WORDS else len(_WORDS), name)


def _operation(route: Route) -> dict[str, Any]:
    name = f"{route.method} {route.template}"
    summary, description = _WORDS.get(name, (_camel(route.handler.__name__), route.handler.__doc__ or ""))
    operation: dict[str, Any] = {
        "operationId": _camel(route.handler.__name__),
        "tags": [_tag(route)],
        "summary": summary,
        "description": description,
        "parameters": [*_path_parameters(route), *_query_parameters(name)],
        "responses": _responses(route, name),
    }
    body = _body(name)
    if route.scope is KeyScope.COLLECTION:
        operation["security"] = [{"AgencyToken": []}, {"ApiKey": []}]
    return operation | ({"requestBody": body} if body else {})


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


_PATH_WORDS: Final = {
    "orderNumber": "Order number, percent-encoded.",
    "invoiceNumber": "Invoice number, percent-encoded.",
    "callbackId": "Id of the callback.",
    "syncId": "Id of the synchronisation: in the alert, in the list, and in its answer with `detail=true`.",
    "importId": "Id of the import.",
    "refundId": "Id of the refund.",
    "report": "; ".join(f"`{each.name}`: {each.title}" for each in REPORTS.values()),
    "month": "The closed month, `yyyy-MM`.",
}


_PATH_VALUES: Final[dict[str, Schema]] = {
    "report": {"enum": list(REPORTS)},
    "month": {"pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"},
}


def _path_parameters(route: Route) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _PATH_WORDS.get(name, name),
            "schema": {"type": "string", "minLength": 1} | _PATH_VALUES.get(name, {}),
        }
        for name in re.findall(r"\{(\w+)\}", route.template)
    ]


def _query_parameters(name: str) -> list[dict[str, Any]]:
    found = []
    for parameter, schema in QUERIES.get(name, {}).items():
        inner = {key: value for key, value in schema.items() if key != "description"}
        entry = {"name": parameter, "in": "query", "description": schema["description"], "schema": inner}
        found.append(entry | ({"required": True} if (name, parameter) in REQUIRED else {}))
    return found


def _body(name: str) -> dict[str, Any] | None:
    if name in _BODIES:
        media = {"schema": _BODIES[name], "example": (BODIES | collection.EXAMPLES | sandbox.EXAMPLES)[name]}
        return {"required": True, "content": {"application/json": media}}
    if name in _UPLOADS:
        form = {"type": "object", "properties": {"file": _BINARY}, "required": ["file"]}
        return {"required": True, "content": {"multipart/form-data": {"schema": form}}}
    return None


def _responses(route: Route, name: str) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Success"}
    content = _OTHER_CONTENT.get(name)
    if content is None:
        example = {"example": ANSWERS[name]} if name in ANSWERS else {}
        content = {"application/json": {"schema": _ANSWERS.get(name, {}), **example}}
    if content:
        success["content"] = content
    found = {"200": success}
    if name in _ACCEPTED:
        found["202"] = {"description": "Goes on", "content": {"application/json": {"schema": _ACCEPTED[name]}}}
    statuses = {400: "Refused", 401: "Authorization problem", 404: "Not found", 500: "Unexpected"}
    known = {row.status for row in refusals_of(route.method, route.template)}
    statuses |= {status: words for status, words in _FRONT.items() if status in known}
    for status, words in statuses.items():
        examples = {
            f"{place:02d}": {"summary": row.condition, "value": {"error": row.text}}
            for place, row in enumerate(refusals_of(route.method, route.template))
            if row.status == status
        }
        found[str(status)] = {
            "description": words,
            "content": {"application/json": {"schema": ref("Error"), "examples": examples}},
        }
    return found


def _webhook() -> dict[str, Any]:
    header = {"in": "header", "schema": {"type": "string"}}
    return {
        "operationId": "paymentStatusChanged",
        "tags": ["Events and callbacks"],
        "summary": "Callback after a change of payment status",
        "description": "Sent to the callback URL of the shop. Repeated about every 15 minutes for up to 7 days until it"
        " is answered with 200.",
        "security": [],
        "parameters": [
            {"name": "X-Service-Access-Code", "description": "The shop's callback access code; verify it.", **header},
            {"name": "webhook-id", "description": "Id of the callback, the same on every attempt.", **header},
            {"name": "webhook-timestamp", "description": "Seconds since 1970 of this attempt.", **header},
            {"name": "webhook-signature", "description": "Signature after Standard Webhooks.", **header},
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ORDER_ANSWER, "example": ANSWERS["GET order/{orderNumber}"]}},
        },
        "responses": {"200": {"description": "Received."}},
    }
