"""Changes by API stand in the audit log with key, address and request; reading and submitting do not (D-45)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from paymatch.api.router import ROUTES
from paymatch.usecases.audit import check_chain, last_entries
from paymatch.usecases.collection import cases
from tests.contract.audit_entries import NAMED, fields_of, told
from tests.contract.bank import PAYER, pay
from tests.contract.client import ShopClient, with_statements
from tests.contract.test_endpoints import refund
from tests.contract.test_statement_upload import camt, upload


def test_import_in_a_process_of_its_own_is_the_deed_of_the_key(make_shop: Callable[..., ShopClient]) -> None:
    shop = with_statements(make_shop())
    reply = upload(shop, camt())
    assert reply.status == 200
    row = last_entries(shop.database, shop.shop, reply.json["importId"], 1)[0]
    assert (row["action"], row["actorKind"], row["requestId"]) == (
        "statement-imported", "key", reply.headers["X-Request-Id"],
    )  # fmt: skip


def test_each_change_by_a_key_is_recorded_with_its_request(make_shop: Callable[..., ShopClient]) -> None:
    shop = make_shop()
    shop.submit("A")
    shop.get("order/A")
    marked = shop.post("order/A/setpaid")
    filed = shop.post("order/A/refund", refund())
    cancelled = shop.post(f"refund/{filed.json['id']}/cancel")
    rows = last_entries(shop.database, shop.shop, "", 3)
    assert [(row["action"], row["requestId"]) for row in rows] == [
        ("refund-cancelled", cancelled.headers["X-Request-Id"]),
        ("refund-filed", filed.headers["X-Request-Id"]),
        ("order-marked", marked.headers["X-Request-Id"]),
    ]
    assert {(row["actorKind"], row["address"]) for row in rows} == {("key", "127.0.0.1")}
    assert {row["actor"][:4] for row in rows} == {"key_"}
    assert check_chain(shop.database, shop.shop).fault == ""


NO_ENTRY: Final = {
    "callbacks/{callbackId}/resend", "callbacks/resend", "callbacks/test", "order/{orderNumber}", "orders",
    "order/{orderNumber}/invoice/{invoiceNumber}", "sandbox/clock", "sandbox/bank", "sandbox/payments",
    "sandbox/returns", "sandbox/payouts", "sandbox/refunds", "sandbox/bookings",
}  # fmt: skip
"""Routes that write what is the shop's own data, its own callbacks, or its simulated bank."""


def test_every_route_that_writes_is_recorded_or_said_to_be_none(make_shop: Callable[..., ShopClient]) -> None:
    """Each in turn with a call that succeeds: each change of marks, matches and refunds is recorded."""
    shop = with_statements(make_shop())
    with shop.database.of_shop(shop.shop) as tx:
        cases.set_agency(tx, {"name": "Nordwest Inkasso GmbH"})
    for number in ("77001", "88002", "99003", "66004", "55005"):
        shop.submit(number, type="INVOICE", date="01-01-2026")
    pay(shop, "77001", 1990)
    filed = [shop.post("order/77001/refund", refund(f"RMA-{place}")).json["id"] for place in range(2)]
    named = {"iban": PAYER, "accountHolder": "Eva Muster"}
    shop.clock.pass_time(minutes=1)
    calls: dict[str, tuple[str, object]] = {
        "order/{orderNumber}/collection": ("order/88002/collection", b""),
        "order/{orderNumber}/collection/withdraw": ("order/88002/collection/withdraw", b""),
        "order/remove/{orderNumber}": ("order/remove/99003", b""),
        "order/{orderNumber}/setpaid": ("order/66004/setpaid", b""),
        "order/{orderNumber}/setunpaid": ("order/66004/setunpaid", b""),
        "order/{orderNumber}/cancel": ("order/66004/cancel", b""),
        "ordersync": ("ordersync?force=true", []),
        "order/{orderNumber}/refund": ("order/77001/refund", refund("RMA-9")),
        "refund/{refundId}/cancel": (f"refund/{filed[0]}/cancel", b""),
        "refund/{refundId}/account": (f"refund/{filed[1]}/account", named),
    }
    elsewhere = {"statements", "advices", "collection/reports", "ordersync/{syncId}/undo"}
    assert {route.template for route in ROUTES if route.method == "POST"} == {*NO_ENTRY, *calls, *elsewhere}
    for template, (target, body) in calls.items():
        with told(shop.database, shop.id, template) as tables:
            reply = shop.post(target, body)
            assert reply.status == 200, (template, reply.body)
        assert tables, template
    sync_id = shop.get("ordersync").json[0]["id"]
    with told(shop.database, shop.id, "undo") as tables:
        assert shop.post(f"ordersync/{sync_id}/undo").status == 200
    assert tables
    with told(shop.database, shop.id, "statements") as tables:
        assert upload(shop, camt()).status == 200
    assert "imports" in tables
    assert fields_of(last_entries(shop.database, shop.shop, "", 1000)) <= NAMED
