"""docs/api.md: its explanations are written by hand, its tables are made of what the service works with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import paymatch.api.app  # noqa: F401  registers the endpoints
from paymatch.api.contents import BODY_LIMIT
from paymatch.api.endpoints import advices, invoices, orders, statements
from paymatch.api.openapi.document import document, in_reading_order
from paymatch.api.refusals import DocumentedRefusal
from paymatch.domain.calendar import MAX_DUE_MONTHS
from paymatch.domain.callbacks import deliveries
from paymatch.formats.contract import values

_PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "api.md"
_SENT: Final = "Submission"
_REF: Final = "#/components/schemas/"


def api() -> str:
    """The page with its tables as the code has them."""
    text = _PAGE.read_text("utf-8")
    for name, table in _TABLES.items():
        begin, end = f"<!-- {name}: written by `make docs` -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        assert end in rest, f"docs/api.md has no place for {name}"
        text = f"{before}{begin}\n\n{table()}\n\n{end}{rest.partition(end)[2]}"
    return text


def endpoints() -> str:
    """Every endpoint with what it does and checks."""
    lines = ["| method | path | writes | what it does and checks |", "|---|---|---|---|"]
    for route in sorted(in_reading_order(), key=lambda route: (route.template, route.method)):
        text = _cell(inspect.getdoc(route.handler) or "")
        lines.append(f"| {route.method} | `/{route.template}` | {'yes' if route.writes else ''} | {text} |")
    return "\n".join(lines)


def errors() -> str:
    """Every error in the order of checks, as far as endpoints share one."""
    routes = in_reading_order()
    found: dict[DocumentedRefusal, list[str]] = {}
    for route in routes:
        for row in route.all_refusals:
            found.setdefault(row, []).append(f"`{route.method} {route.template}`")
    writing = [route for route in routes if route.writes]
    lines = ["| status | `error` | when | answered by |", "|---|---|---|---|"]
    for row, places in found.items():
        where = {len(routes): "all", len(writing): "all that writes"}.get(len(places), ", ".join(places))
        lines.append(f"| {row.status} | `{row.text}`{'' if row.documented else ' +'} | {row.condition} | {where} |")
    return "\n".join(lines)


def objects() -> str:
    """The objects of bodies and answers, a table for each."""
    schemas = document()["components"]["schemas"]
    return "\n\n".join(_object(name, schema, schemas) for name, schema in schemas.items() if not name.endswith(_SENT))


def limits() -> str:
    """What is refused because it is too large, too long, too old or too late."""
    rows = (
        ("requests", "no fixed rate; a shop that has too many in progress at once is answered 503"),
        ("body", f"{_megabytes(BODY_LIMIT)}; `POST /ordersync` {_megabytes(orders.SYNC_LIMIT)}"),
        ("statement", _megabytes(statements.UPLOAD_LIMIT)),
        ("remittance advice", _megabytes(advices.UPLOAD_LIMIT)),
        ("invoice", f"what the operator allows, never more than {invoices.UPLOAD_LIMIT // 1_000_000} MB"),
        ("order number", f"{values.MAX_NUMBER} characters (D-15)"),
        ("invoice number of an upload, reference of a refund", f"{values.MAX_KEY} characters (D-15)"),
        ("amount", f"below {values.MAX_AMOUNT:,.0f}"),
        ("`date` of a new order", "today in the shop's time zone"),
        ("`dueDate`", f"{MAX_DUE_MONTHS} months from today"),
        ("`plannedDate` of a refund", "tomorrow or later"),
        ("`maxAge` of `GET /orders`", f"{orders.MAX_AGE_DAYS} days unless another is asked for"),
        ("callback", f"every {deliveries.INTERVAL.seconds // 60} minutes, {deliveries.LAST_SLOT // 96} days long"),
    )
    return "\n".join(["| what | limit |", "|---|---|", *(f"| {what} | {limit} |" for what, limit in rows)])


_TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "endpoints": endpoints, "objects": objects, "errors": errors, "limits": limits,
}  # fmt: skip


def _object(name: str, schema: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> str:
    words = _cell(schema.get("description", ""))
    head = f"### {name}\n\n{words}" if words else f"### {name}"
    if "enum" in schema:
        return f"{head} One of {_values(schema['enum'])}."
    if "oneOf" in schema:
        return f"{head} They are {', '.join(_type(each) for each in schema['oneOf'])}."
    sent = schemas.get(f"{name}{_SENT}", schema if _is_sent(name, schema) else {})
    lines = [f"{head}\n", "| field | type | sent | meaning |", "|---|---|---|---|"]
    for field, each in schema.get("properties", {}).items():
        needed = (
            "**yes**" if field in sent.get("required", ()) else "yes" if field in sent.get("properties", ()) else ""
        )
        lines.append(f"| `{field}` | {_type(each)} | {needed} | {' '.join(_said(each))} |")
    return "\n".join(lines)


def _is_sent(name: str, schema: Mapping[str, Any]) -> bool:
    """Whether the object is the body of an endpoint."""
    ref = f"'{_REF}{name}'"
    bodies = [str(call.get("requestBody", "")) for path in document()["paths"].values() for call in path.values()]
    return any(ref in body for body in bodies)


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        return f"[{name}](#{name.lower()})"
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    if schema.get("format") == "decimal":
        return "number"
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _said(schema: Mapping[str, Any]) -> Iterator[str]:
    if "description" in schema:
        yield _cell(schema["description"])
    if "enum" in schema:
        yield f"One of {_values(schema['enum'])}."
    if "maxLength" in schema:
        yield f"At most {schema['maxLength']} characters."
    if schema.get("deprecated"):
        yield "Deprecated."


def _values(values: list[Any]) -> str:
    return ", ".join(f"`{each}`" for each in values)


def _megabytes(count: int) -> str:
    return f"{count // (1024 * 1024)} MB"


def _cell(text: str) -> str:
    """A text in one line of a table."""
    return " ".join(text.split()).replace("|", "\\|")
