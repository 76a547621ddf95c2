"""Two shops never meet: over all routes, and in the database itself (D-28, D-43)."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import psycopg
import pytest

from paymatch.api.router import ROUTES, EndpointRoute
from paymatch.store.database import Database
from tests.contract.bank import pay
from tests.contract.client import ShopClient, call, order, wire
from tests.contract.test_authentication import EVERY_ROUTE, target_of
from tests.contract.test_endpoints import refund
from tests.nodes import NODES
from tests.store.test_row_security import SHARED

SECRET = "TOP-SECRET-77001"


@pytest.fixture
def two(make_shop: Callable[..., ShopClient]) -> tuple[ShopClient, ShopClient]:
    """(a shop with an order, a payment and a refund; another shop)."""
    owner, stranger = make_shop(), make_shop()
    owner.submit(SECRET, customerEmail="private@example.com")
    pay(owner, SECRET, 1990)
    assert owner.post(f"order/{SECRET}/refund", refund()).status == 200
    return owner, stranger


@EVERY_ROUTE
def test_foreign_key_learns_and_changes_nothing(two: tuple[ShopClient, ShopClient], route: EndpointRoute) -> None:
    owner, stranger = two
    bodies = {"refund": refund(), "ordersync": [SECRET], "orders": [], "order/{orderNumber}": b"{}"}
    body = next((wire(value) for end, value in bodies.items() if route.template.endswith(end)), b"")
    own = nullcontext() if route.template == "callbacks/test" else stranger.unchanged()  # its own test event
    with owner.unchanged(), own:
        headers = {"X-Service-API-Key": stranger.key}
        target = target_of(route, SECRET) + ("?force=true" if route.template == "ordersync" else "")
        reply = call(owner.api, route.method, target, body if route.method == "POST" else b"", headers)
    if "{orderNumber}" in route.template and route.template != "order/{orderNumber}":
        assert reply.status == 404
        assert reply.error[1] in (f"Order '{SECRET}' not found", "Order not found")
    answer = reply.body.replace(f"Order '{SECRET}' not found".encode(), b"")
    assert not re.search(rb"private@|1990|19\.90|Muster|PMR|rf_|pst_", answer)


def test_same_numbers_in_two_shops_are_two_orders(two: tuple[ShopClient, ShopClient]) -> None:
    owner, stranger = two
    assert stranger.submit(SECRET, amount=1)["paymentStatus"] == "UNPAID"
    assert stranger.post(f"order/{SECRET}/refund", refund(amount=1)).status == 200
    stranger.post(f"order/{SECRET}/cancel")
    assert owner.status(SECRET) == "PAID"
    assert [each["number"] for each in owner.get("orders").json] == [SECRET]
    assert owner.count("refunds") == stranger.count("refunds") == 1


def test_list_goes_on_behind_orders_of_the_own_shop_only(two: tuple[ShopClient, ShopClient]) -> None:
    _, stranger = two
    assert stranger.get(f"orders?after={SECRET}").error == (400, "Parameter after is not valid")


def _tables(connection: psycopg.Connection) -> list[str]:
    found = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname <> ALL(%s) ORDER BY 1",
        (sorted(SHARED),),
    )
    return [row[0] for row in found]


def test_every_table_has_its_shop_first_in_its_primary_key(module_url: str) -> None:
    first_column = (
        "SELECT a.attname, i.indexrelid::regclass::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid"
        " AND a.attnum = i.indkey[0] WHERE i.indrelid = %s::regclass AND (%s OR i.indisprimary)"
    )
    with psycopg.connect(module_url) as connection:
        tables = _tables(connection)
        assert {"orders", "postings", "refunds", "callbacks"} <= set(tables)
        for table in tables:
            assert connection.execute(first_column, (table, False)).fetchall() == [("shop_id", f"{table}_pkey")], table
            # Every other index as well: a look-up without the shop would go over all shops.
            others = {index: column for column, index in connection.execute(first_column, (table, True))}
            assert {index: column for index, column in others.items() if column != "shop_id"} == (
                # With the shop in front PostgreSQL would look up keys by it.
                {"match_keys_by_number": "number"} if table == "match_keys" else {}
            ), table


def test_application_role_cannot_pass_row_level_security(module_url: str) -> None:
    with psycopg.connect(module_url) as connection:
        found = connection.execute(
            "SELECT rolname, rolsuper, rolbypassrls, rolcanlogin FROM pg_roles WHERE rolname LIKE 'paymatch\\_%%'"
            " AND rolname IN ('paymatch_app', 'paymatch_operator') ORDER BY 1",
            (),
        ).fetchall()
    # On a distributed database nodes let each other in as these roles, which have no password (D-79).
    logs_in = bool(NODES)
    assert found == [("paymatch_app", False, False, logs_in), ("paymatch_operator", False, False, logs_in)]


def test_role_of_another_shop_sees_and_changes_nothing(two: tuple[ShopClient, ShopClient], module_url: str) -> None:
    owner, stranger = two
    with psycopg.connect(module_url) as connection:
        tables = _tables(connection)
        connection.execute("SET LOCAL ROLE paymatch_app")
        for setting in (str(stranger.id), "", None):
            if setting is not None:
                connection.execute("SELECT set_config('paymatch.shop', %s, true)", (setting,))
            for table in tables:
                seen = connection.execute(f"SELECT shop_id::text FROM {table}").fetchall()
                assert {row[0] for row in seen} <= {setting}, table
                if table.startswith("audit_"):
                    continue  # nobody deletes from them: tests/usecases/work/test_audit.py
                sql = f"DELETE FROM {table} WHERE shop_id = %s"
                assert connection.execute(sql, (owner.id,)).rowcount == 0, table
        connection.rollback()
    assert owner.status(SECRET) == "PAID"


def test_role_without_a_shop_sees_nothing(two: tuple[ShopClient, ShopClient], module_url: str) -> None:
    with psycopg.connect(module_url) as connection:
        tables = _tables(connection)
        connection.execute("SET LOCAL ROLE paymatch_app")
        for table in tables:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_role_cannot_write_rows_of_another_shop(two: tuple[ShopClient, ShopClient], module_url: str) -> None:
    owner, stranger = two
    with psycopg.connect(module_url) as connection:
        connection.execute("SET LOCAL ROLE paymatch_app")
        connection.execute("SELECT set_config('paymatch.shop', %s, true)", (str(stranger.id),))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO match_keys VALUES (%s, 1, 'x')", (owner.id,))


def test_connection_of_the_pool_keeps_no_shop(two: tuple[ShopClient, ShopClient], database: Database) -> None:
    owner, _ = two
    owner.get("orders")
    with database.of_all_shops() as tx:
        assert tx.value("SELECT current_setting('paymatch.shop', true)") in ("", None)


def test_no_volatile_function_in_do_update() -> None:
    """Citus refuses it, and a retry would write another value (D-79)."""
    root = Path(__file__).resolve().parents[2] / "src" / "paymatch"
    volatile = re.compile(
        r"(?i)\b(now|clock_timestamp|statement_timestamp|random|gen_random_uuid|nextval|timeofday)\s*\("
    )
    checked = 0
    for path in root.rglob("*.py"):
        for after in re.split(r"(?i)DO\s+UPDATE\s+SET", path.read_text("utf-8"))[1:]:
            checked += 1
            assignments = after.partition('"""')[0][:2000]
            assert not volatile.search(assignments), path
    assert checked >= 1


def test_every_shop_table_is_watched_by_unchanged(module_url: str) -> None:
    """A new table that calls of the API write belongs into the list that refusals are checked against."""
    from tests.contract.client import TABLES

    elsewhere = {
        "adjustments",
        "advice_senders",
        "advices",
        "advised_postings",
        "order_import_orders",
        "order_imports",
        "order_layouts",
        "payout_decisions",
        "stated_payouts",
        "payouts",
        "provider_accounts",
        "replay_outcomes",
        "replay_parts",
        "replays",
        "reminder_reasons",
        "settlement_lines",
        "alerts",
        "api_keys",
        "api_requests",
        "audit_heads",
        "bank_accounts",
        "bank_connections",
        "callback_attempts",
        "booked_entries",
        "set_paid_amounts",
        "booked_headers",
        "booked_periods",
        "closed_months",
        "closed_postings",
        "collection_base_rates",
        "connector_orders",
        "connectors",
        "bank_consents",
        "consent_accounts",
        "consent_requests",
        "account_information_keys",
        "ebics_connections",
        "ebics_files",
        "ebics_orders",
        "ebics_uploads",
        "fints_dialogues",
        "fints_uploads",
        "customer_notices",
        "event_counters",
        "export_deliveries",
        "exported_postings",
        "first_suggestions",
        "import_errors",
        "letter_runs",
        "mail_texts",
        "mails",
        "leaving_files",
        "new_powers",
        "order_links",
        "order_search",
        "payer_rules",
        "posting_comments",
        "posting_keys",
        "posting_past",
        "posting_search",
        "posting_viewers",
        "refund_requests",
        "search_segments",
        "reminder_dues",
        "reminders",
        "sandbox_bookings",
        "sandbox_files",
        "sandbox_refund_outcomes",
        "sandbox_transfer_files",
        "shop_jobs",
        "shop_logos",
        "shops",
        "statement_lines",
        "statement_past",
        "suggested_orders",
        "tallies",
    }
    with psycopg.connect(module_url) as connection:
        assert set(_tables(connection)) == elsewhere | set(TABLES)


def test_routes_are_known_by_the_document() -> None:
    documented = {
        ("POST", "order/{orderNumber}"), ("GET", "order/{orderNumber}"), ("POST", "order/remove/{orderNumber}"),
        ("POST", "order/{orderNumber}/setpaid"), ("POST", "order/{orderNumber}/setunpaid"),
        ("POST", "order/{orderNumber}/cancel"), ("POST", "order/{orderNumber}/refund"), ("POST", "orders"),
        ("GET", "orders"), ("POST", "ordersync"), ("GET", "postings"),
    }  # fmt: skip
    assert documented <= {(route.method, route.template) for route in ROUTES}
    assert order("x")["number"] == "x"


_IDS = {"refundId": "refunds", "importId": "import_runs", "syncId": "order_syncs", "callbackId": "callbacks"}
"""Parameter of a path -> the table of what it names."""
_OWN_THINGS = [route for route in ROUTES if any(f"{{{name}}}" in route.template for name in _IDS)]


def test_every_parameter_of_a_path_is_walked() -> None:
    names = {name for route in ROUTES for name in re.findall(r"{(\w+)}", route.template)}
    assert names - {"orderNumber", "invoiceNumber", "format", "kind", "id", "report", "month", "export"} <= set(_IDS), (
        names
    )


@pytest.mark.parametrize("route", _OWN_THINGS, ids=lambda route: f"{route.method} {route.template}")
def test_true_id_of_another_shops_thing_is_unknown(two: tuple[ShopClient, ShopClient], route: EndpointRoute) -> None:
    owner, stranger = two
    owner.change(callback_url="https://example.com/", callbacks="on")
    owner.submit("S-2")
    owner.submit("S-3")
    owner.clock.pass_time(days=1)
    assert owner.post("ordersync", [SECRET, "S-2"]).json == 1
    assert owner.post("order/S-2/setpaid").status == 200
    (name,) = [name for name in _IDS if f"{{{name}}}" in route.template]
    found = owner.rows(f"SELECT id FROM {_IDS[name]} WHERE shop_id = $1")
    target = f"/api/v2/{route.template.replace(f'{{{name}}}', str(found[0][0]) if found else 'im_0')}"
    with owner.unchanged(), stranger.unchanged():
        reply = call(owner.api, route.method, target, b"", {"X-Service-API-Key": stranger.key})
    assert reply.status == 404
    assert found or name == "importId"
