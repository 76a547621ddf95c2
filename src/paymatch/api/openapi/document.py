"""The OpenAPI 3.1 document of the merchant API, built from the handlers' declarations and the schemas."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec

from paymatch import __version__
from paymatch.api.openapi import collection, examples, reports, sandbox, statements
from paymatch.api.openapi.schemas import schemas
from paymatch.api.router import ROUTES, EndpointRoute
from paymatch.api.sections import EVENTS, SECTIONS
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.reports.exports import EXPORTS, FILES
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.formats.contract.json_schema import Schema, ref

KEY_HEADER: Final = "X-Service-API-Key"

_DESCRIPTION: Final = """Shops submit orders, the service matches the bank's payments to them and reports the payment
status, by this API and by callback.

Dates are `dd-MM-yyyy` in the shop's time zone, amounts have two decimals, fields that are not set are left out. Order
numbers may contain any printable character; in paths they are percent-encoded. Of several mistakes the first in the
order of the listed errors answers, and nothing is stored. `Could not acquire lock` means: try again."""

_KEY_WORDS: Final = """The shop's API key. HTTPS must be used. A key has scopes: `read` (every GET), `orders` and
`refunds` (write, and read as well), `statements` (only uploads statements and remittance advices) and
`collection` (only reports of a collection agency). `read-write` is
`orders` and `refunds`. A call that the key lacks the scope for is refused with 401."""

_REFUSED: Final = {
    400: "Refused",
    401: "Authorization problem",
    404: "Not found",
    500: "Unexpected",
    408: "The body came too slowly",
    503: "Too much at once",
}


@lru_cache(maxsize=1)
def openapi_json() -> bytes:
    """The description as JSON bytes; the same for every caller."""
    return msgspec.json.format(msgspec.json.encode(document(), enc_hook=str), indent=1)


def document() -> dict[str, Any]:
    """The description as an OpenAPI 3.1 document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in in_reading_order():
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
        "tags": [{"name": section.name, "description": section.words} for section in SECTIONS],
        "paths": paths,
        "webhooks": {"paymentStatusChanged": {"post": _webhook()}},
        "components": {
            "schemas": schemas() | collection.SCHEMAS | reports.SCHEMAS | sandbox.SCHEMAS | statements.SCHEMAS,
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


def in_reading_order() -> list[EndpointRoute]:
    """The endpoints by section, and as they follow each other there."""
    return sorted(ROUTES, key=lambda route: SECTIONS.index(route.section))


def _operation(route: EndpointRoute) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _camel(route.handler.__name__),
        "tags": [route.section.name],
        "summary": route.summary,
        "description": route.words,
        "parameters": [*_path_parameters(route), *_query_parameters(route)],
        "responses": _responses(route),
    }
    if route.scope is KeyScope.COLLECTION:
        operation["security"] = [{"AgencyToken": []}, {"ApiKey": []}]
    if route.may_be_repeated:
        operation["x-idempotent"] = True
    return operation | ({"requestBody": {"required": True, "content": route.body.content}} if route.body else {})


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
    "export": ", ".join(f"`{name}`" for name in (*EXPORTS, *FILES)),
    "report": "; ".join(f"`{each.name}`: {each.title}" for each in REPORTS.values()),
    "month": "The closed month, `yyyy-MM`.",
}


_PATH_VALUES: Final[dict[str, Schema]] = {
    "report": {"enum": list(REPORTS)},
    "month": {"pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"},
}


def _path_parameters(route: EndpointRoute) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _PATH_WORDS[name],
            "schema": {"type": "string", "minLength": 1} | _PATH_VALUES.get(name, {}),
        }
        for name in route.pattern.names
    ]


def _query_parameters(route: EndpointRoute) -> list[dict[str, Any]]:
    found = []
    for name, parameter in route.query.parameters.items():
        inner = {key: value for key, value in parameter.schema.items() if key != "description"}
        entry = {"name": name, "in": "query", "description": parameter.schema["description"], "schema": inner}
        found.append(entry | ({"required": True} if name in route.query.required else {}))
    return found


def _responses(route: EndpointRoute) -> dict[str, Any]:
    found: dict[str, Any] = {"200": {"description": "Success"} | ({"content": route.answer} if route.answer else {})}
    if route.accepted:
        found["202"] = {"description": "Goes on", "content": {"application/json": {"schema": route.accepted}}}
    for status, words in _REFUSED.items():
        rows = [row for row in route.all_refusals if row.status == status]
        examples_of_it = {
            f"{place:02d}": {"summary": row.condition, "value": {"error": row.text}}
            for place, row in enumerate(rows, 1)
        }
        if rows:
            found[str(status)] = {
                "description": words,
                "content": {"application/json": {"schema": ref("Error"), "examples": examples_of_it}},
            }
    return found


def _webhook() -> dict[str, Any]:
    header = {"in": "header", "schema": {"type": "string"}}
    return {
        "operationId": "paymentStatusChanged",
        "tags": [EVENTS.name],
        "summary": "Callback after a change of payment status",
        "description": "Sent to the callback URL of the shop, and until the receiver answers 200 again about every 15"
        " minutes, for a week.",
        "security": [],
        "parameters": [
            {"name": "X-Service-Access-Code", "description": "The shop's callback access code; verify it.", **header},
            {"name": "webhook-id", "description": "Id of the callback, the same on every attempt.", **header},
            {"name": "webhook-timestamp", "description": "Seconds since 1970 of this attempt.", **header},
            {"name": "webhook-signature", "description": "Signature after Standard Webhooks.", **header},
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": ref("Order"), "example": examples.PAID}},
        },
        "responses": {"200": {"description": "Received."}},
    }
