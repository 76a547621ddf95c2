"""Changes by API stand in the audit log with key, address and request; reading and submitting do not (D-45)."""

from __future__ import annotations

from collections.abc import Callable

from paymatch.usecases.work.audit import check_chain, last_deeds
from tests.contract.client import ShopClient, with_statements
from tests.contract.test_endpoints import refund
from tests.contract.test_statement_upload import camt, upload


def test_import_in_a_process_of_its_own_is_the_deed_of_the_key(make_shop: Callable[..., ShopClient]) -> None:
    shop = with_statements(make_shop())
    reply = upload(shop, camt())
    assert reply.status == 200
    row = last_deeds(shop.database, shop.shop, reply.json["importId"], 1)[0]
    assert (row["deed"], row["actorKind"], row["requestId"]) == (
        "statement-imported", "key", reply.headers["X-Request-Id"],
    )  # fmt: skip


def test_each_change_by_a_key_is_recorded_with_its_request(make_shop: Callable[..., ShopClient]) -> None:
    shop = make_shop()
    shop.submit("A")
    shop.get("order/A")
    marked = shop.post("order/A/setpaid")
    filed = shop.post("order/A/refund", refund())
    cancelled = shop.post(f"refund/{filed.json['id']}/cancel")
    rows = last_deeds(shop.database, shop.shop, "", 3)
    assert [(row["deed"], row["requestId"]) for row in rows] == [
        ("refund-cancelled", cancelled.headers["X-Request-Id"]),
        ("refund-filed", filed.headers["X-Request-Id"]),
        ("order-marked", marked.headers["X-Request-Id"]),
    ]
    assert {(row["actorKind"], row["address"]) for row in rows} == {("key", "127.0.0.1")}
    assert {row["actor"][:4] for row in rows} == {"key_"}
    assert check_chain(shop.database, shop.shop).fault == ""
