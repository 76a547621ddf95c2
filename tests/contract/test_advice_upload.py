"""Our addition: remittance advices by upload. What comes by a key is a suggestion, never a decision (D-94)."""

from __future__ import annotations

import pytest

from tests.contract.bank import book, entry
from tests.contract.client import Reply, ShopClient, with_scope, with_statements
from tests.contract.test_invoices_and_images import form

ADVICE = """Payer: Kurier Blitz GmbH
Order;Amount;Fee;Paid
AD-1;100.00;2.00;98.00
AD-2;50.00;1.00;49.00
Total;150.00;3.00;147.00
"""


@pytest.fixture
def shop(shop: ShopClient) -> ShopClient:
    return with_statements(shop)


def upload(shop: ShopClient, content: str = ADVICE) -> Reply:
    body = form(content.encode(), name="advice.csv")
    return shop.post("advices", body, content_type="multipart/form-data; boundary=xxBOUNDARYxx")


def test_an_advice_by_the_key_is_a_suggestion(shop: ShopClient) -> None:
    shop.submit("AD-1", amount=100)
    shop.submit("AD-2", amount=50)
    (said,) = upload(shop).json
    assert (said["state"], said["amount"], said["currency"], said["orders"], said["channel"]) == (
        "waiting", "147.00", "EUR", 2, "api",
    )  # fmt: skip
    book(shop, entry("collected", 14_700, name="Kurier Blitz GmbH"))
    with shop.unchanged():
        (again,) = upload(shop).json
    assert (again["id"], again["state"], len(again["postings"])) == (said["id"], "suggested", 1)
    assert (shop.status("AD-1"), shop.status("AD-2")) == ("UNPAID", "UNPAID")


def test_a_damaged_advice_is_refused_and_keeps_nothing(shop: ShopClient) -> None:
    with shop.unchanged():
        refused = upload(shop, ADVICE.replace("98.00", "x"))
    assert refused.status == 400
    assert "row 3" in refused.json["error"]


def test_an_advice_that_says_nothing_surely_is_kept_unread(shop: ShopClient) -> None:
    (said,) = upload(shop, "Hello,\nwe pay AD-1 soon\n").json
    assert (said["state"], said["amount"], said["postings"]) == ("unreadable", "", [])
    assert said["problem"] != ""


def test_other_keys_and_live_shops_without_the_switch_bring_none(shop: ShopClient) -> None:
    assert upload(with_scope(shop, "read-write")).status == 401
