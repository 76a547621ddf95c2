"""An endpoint is declared once: nothing of it is written down outside of the module of its handler (D-68)."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.documents.api import endpoints, errors

import paymatch
import paymatch.api
from paymatch.api.openapi.document import document, in_reading_order
from paymatch.api.parameters import QueryPlan
from paymatch.api.router import ROUTES, EndpointRoute
from paymatch.api.sections import SECTIONS
from paymatch.domain.refusal import Refused

API = Path(paymatch.api.__file__).parent
EVERY_ROUTE = pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.template}")


def texts_of(path: Path) -> Iterator[str]:
    """All texts of a module but its docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_paths_stand_beside_their_handlers_only() -> None:
    templates = {route.template for route in ROUTES if "{" in route.template or "/" in route.template}
    assert len(templates) >= 30
    elsewhere = [path for path in API.rglob("*.py") if path.parent.name != "endpoints"]
    named = {
        (path.name, template)
        for path in elsewhere
        for said in texts_of(path)
        for template in templates
        if template in said
    }
    assert named == set()
    written = Counter(said for path in (API / "endpoints").glob("*.py") for said in texts_of(path))
    for template in templates:
        assert written[template] == sum(route.template == template for route in ROUTES), template


@EVERY_ROUTE
def test_a_handler_is_handed_what_is_declared(route: EndpointRoute) -> None:
    wanted = {"call", *(() if route.query.is_empty else ("query",)), *(("body",) if route.body else ())}
    assert set(inspect.signature(route.handler).parameters) == wanted


@EVERY_ROUTE
def test_documents_are_made_of_the_declaration(route: EndpointRoute) -> None:
    told = document()["paths"][f"/{route.template}"][route.method.lower()]
    assert (told["summary"], told["description"], told["tags"]) == (route.summary, route.words, [route.section.name])
    assert [each["name"] for each in told["parameters"] if each["in"] == "query"] == list(route.query.parameters)
    named = [
        example["value"]["error"]
        for answer in told["responses"].values()
        if "examples" in (content := answer.get("content", {}).get("application/json", {}))
        for example in content["examples"].values()
    ]
    assert sorted(named) == sorted(row.text for row in route.all_refusals if row.status != 405)
    assert f"| {route.method} | `/{route.template}` |" in endpoints()
    assert all(f"`{row.text}`" in errors() for row in route.refusals)


def test_the_reference_is_read_section_by_section() -> None:
    found = [route.section for route in in_reading_order()]
    assert list(dict.fromkeys(found)) == list(SECTIONS)
    assert found == sorted(found, key=SECTIONS.index)


def test_parameters_are_checked_in_the_order_of_the_fields() -> None:
    (route,) = [route for route in ROUTES if (route.method, route.template) == ("GET", "orders")]
    assert isinstance(route.query, QueryPlan)
    empty = route.query.read("")
    assert (empty.max_age, empty.payment_status, empty.limit, empty.after) == (120, (), None, None)
    query = route.query.read(
        "maxAge=7&paymentStatus=PAID,UNPAID,PAID&minPostingDate=03-02-2026&after=&includeRefunds=true"
    )
    assert (query.max_age, query.payment_status, query.after) == (7, ("PAID", "UNPAID"), "")
    assert query.min_posting_date.isoformat() == "2026-02-03"
    assert (query.include.refunds, query.include.postings) == (True, False)
    for raw, refused in (
        ("limit=x&maxAge=-1", "maxAge"), ("limit=x&maxAge=1", "limit"), ("maxAge=x&includeRefunds=2", "includeRefunds"),
        ("maxAge=x&nope=1", "nope"),
    ):  # fmt: skip
        with pytest.raises(Refused) as caught:
            route.query.read(raw)
        assert caught.value.parameter == refused
